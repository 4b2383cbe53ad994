"""The closed places, by kind: keys and what was typed are neither read nor written, what starts by itself
is never written, and what merely lies beside them is open."""

from pathlib import Path

import pytest

from desktop.tools.permissions import closed
from desktop.tools.permissions.places import Fences, fences


@pytest.fixture
def shut(tmp_path: Path) -> Fences:
    return fences(tmp_path / "home", tmp_path / "home/workspace")


def _words(text: str) -> list[str]:
    return text.split()


KEPT = _words(
    """
.nanobot/config.json .Xauthority .ICEauthority .thunderbird/x.default/logins.json .cargo/credentials
.cargo/credentials.toml .m2/settings.xml .m2/settings-security.xml
.terraform.d/credentials.tfrc.json .claude .claude.json .codex/auth.json
.config/github-copilot/apps.json .config/Signal/config.json .config/Bitwarden
.config/keepassxc/keepassxc.ini .config/containers/auth.json .bash_history .zsh_history
.python_history .local/share/fish/fish_history .psql_history .viminfo .config/pip/pip.conf
.gradle/gradle.properties .config/composer/auth.json .bundle/config .gem/credentials
.nuget/NuGet/NuGet.Config .config/doctl .oci .config/hcloud .kube/config .docker/config.json
.config/openvpn .electrum .bitcoin/wallet.dat .ethereum .muttrc .mbsyncrc .msmtprc .config/evolution
.config/Slack .config/discord .local/share/TelegramDesktop .config/Element .config/1Password
.config/op .local/share/gopass .config/sops .config/age .mylogin.cnf .config/autostart/x.desktop
.config/systemd/user/x.service .local/share/dbus-1/services/x.service .config/thorium .waterfox
.local/share/qutebrowser .gemini .cursor .config/lxsession/LXDE/autostart AppData/Roaming/Signal
AppData/Roaming/Bitwarden Library/Messages/chat.db .ssh2 .putty .authinfo.gpg
"""
)
READABLE = _words(
    """
.bashrc .profile .tmux.conf .config/tmux/tmux.conf .vimrc .vim/plugin/x.vim .config/nvim/init.lua
.config/sway .config/i3/config .config/hypr/hyprland.conf .config/openbox/autostart
.config/labwc/autostart .emacs.d/init.el .config/awesome/rc.lua .config/mimeapps.list
.local/share/applications/x.desktop .local/bin/ls bin/ls .gitconfig .inputrc
.config/fish/config.fish .config/kitty/kitty.conf .cargo/config.toml .gdbinit .curlrc
.local/lib/python3.12/site-packages/x.pth
project/.venv/lib/python3.12/site-packages/sitecustomize.py Documents/PowerShell/profile.ps1
.config/environment.d/x.conf .gradle/init.gradle .ipython .screenrc
"""
)
OPEN = _words(
    """
notes.txt Documents/letter.odt .config/app/settings.ini project/Makefile .cargo/registry/x
.m2/repository/x project/history.txt bin.txt binary/x .local/share/app/x Pictures/keepass.png
wallet.txt id_rsa.pub .vimrc.txt project/pth.py .configuration project/id_rsa_notes.md
"""
)


@pytest.mark.parametrize("name", KEPT)
def test_keys_are_neither_read_nor_written(shut: Fences, name: str) -> None:
    for path in (Path.home() / name, Path("/home/other") / name, Path(str(Path.home() / name).upper())):
        assert shut.why(path, writing=False) == "fence", path
        assert shut.why(path, writing=True) == "fence", path


@pytest.mark.parametrize("name", READABLE)
def test_what_starts_by_itself_is_read_but_never_written(shut: Fences, name: str) -> None:
    assert shut.why(Path.home() / name, writing=True) == "fence"
    assert shut.why(Path.home() / name, writing=False) == ""


@pytest.mark.parametrize("name", OPEN)
def test_what_lies_beside_them_is_open(shut: Fences, name: str) -> None:
    assert shut.why(Path.home() / name, writing=True) == ""


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/ssh/ssh_host_ed25519_key", "/etc/NetworkManager/system-connections/home.nmconnection"),
        *("/etc/wireguard/wg0.conf", "/etc/ssl/private/x.key", "/var/lib/iwd/x.psk", "/etc/cron.daily/x"),
        *("/media/stick/all.kdbx", "/srv/old.KDBX", "/backup/home/.ssh.old/id_ed25519", "/tmp/krb5cc_0"),
    ],
)
def test_places_of_the_computer_and_names_that_are_closed_anywhere(shut: Fences, path: str) -> None:
    assert shut.why(path, writing=False) == "fence"
    assert shut.spoken(f"open('{path}')")


def test_the_twins_of_names_that_are_closed_anywhere_are_open(shut: Fences) -> None:
    for path in ("/media/stick/all.kdbx.txt", "/srv/kdbx", "/backup/id_ed25519.pub", "/tmp/krb5.conf"):
        assert shut.why(path, writing=False) == ""
        assert not shut.spoken(f"open('{path}')")


def test_patterns_that_pick_closed_names(shut: Fences) -> None:
    home = str(Path.home())
    for pattern in (
        "/media/*.kdbx",
        "/media/*.kdb?",
        "/x/id_ed2*",
        f"{home}/.ss?/x",
        f"{home}/.config/*/x",
    ):
        assert shut.pattern(pattern), pattern
    for pattern in ("/media/*.txt", "/media/*", "/x/*.py", "/x/i*.md"):
        assert not shut.pattern(pattern), pattern


def test_places_that_the_environment_has_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "rust"))
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/one.yaml:{tmp_path}/two.yaml")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    shut = fences(tmp_path / "h", tmp_path / "h/w")
    for name in ("rust/credentials.toml", "two.yaml", "state/nvim/shada"):
        assert shut.why(tmp_path / name, writing=False) == "fence", name
    assert shut.why(tmp_path / "rust/registry", writing=False) == ""


def test_a_link_in_the_way_is_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "dotfiles/signal").mkdir(parents=True)
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config/Signal").symlink_to(tmp_path / "dotfiles/signal")
    shut = fences(tmp_path / "h", tmp_path / "h/w")
    assert shut.why(tmp_path / "dotfiles/signal/config.json", writing=False) == "fence"
    assert shut.why(tmp_path / "dotfiles/other", writing=False) == ""


def test_no_name_stands_twice_and_none_is_the_whole_home() -> None:
    tables = (closed.KEYS, closed.BROWSERS, closed.AUTOSTART, closed.SYSTEM, closed.START_FILES)
    names = [name for table in (*tables, closed.SYSTEM_START) for name in table]
    assert len(names) == len(set(names))
    for name in names:
        assert name.strip("./") == name.strip("./ ")
        assert name not in (
            "",
            ".",
            "~",
            ".config",
            ".local",
            ".local/share",
            ".cache",
            "Library",
            "/",
            "/etc",
        )
