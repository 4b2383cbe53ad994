"""What a command can do to a person's home, as this account and as an ordinary one. Needs bubblewrap."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.config.tools import ExecTool
from desktop.tools.exec.environment import Environment
from desktop.tools.exec.sandbox import find, works
from desktop.tools.exec.walls import FILES, FOLDERS, walls
from desktop.tools.permissions.places import MEMORY, OWN
from tests.unit.tools.exec.conftest import SOURCE, Desk

pytestmark = pytest.mark.machine
HUSH = "hush-hush"
OLD = "# as it was"
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3"


class Home:
    """A home as people have one: keys, start files, tools, documents; this program's own home in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.program = root / ".local/share/nanobot-desktop"
        self.workspace = self.program / "workspace"
        for name in (".ssh/id_rsa", ".config/gh/hosts.yml", ".mozilla/cookies", "Documents/letter.txt"):
            self.write(name, HUSH)
        for name in (".bashrc", ".config/fish/config.fish", ".config/app/settings", "notes.txt"):
            self.write(name, OLD)
        self.write(".cargo/bin/tool", "#!/bin/sh\necho tool works\n").chmod(0o755)
        self.write(".cargo/credentials.toml", HUSH)
        for name in ("config.json", "state.db", "ipc"):
            self.write(f".local/share/nanobot-desktop/{name}", HUSH)
        self.write(".local/share/nanobot-desktop/workspace/memory/MEMORY.md", OLD)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def state(self) -> dict[str, str]:
        """Every file and link but those of /proc's making, with what is in it."""
        return {
            str(path.relative_to(self.root)): str(path.readlink())
            if path.is_symlink()
            else path.read_text()
            for path in sorted(self.root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """Beside the person's real files, for /tmp is the command's own."""
    folder = Path(tempfile.mkdtemp(prefix=".nanobot-test-", dir=Path.home()))
    monkeypatch.setenv("HOME", str(folder))
    yield Home(folder)
    shutil.rmtree(folder)


@pytest.fixture
def boxed(desk: Desk, home: Home) -> Desk:
    if not works(find()):
        pytest.skip("bubblewrap cannot make namespaces on this system")
    desk.settings["sandbox"] = "auto"
    desk.workspace = home.workspace
    desk.environment = Environment({**SOURCE, "HOME": str(home.root)})
    desk.walls = lambda settings: walls(home.program, home.workspace, settings)
    return desk


def script(*lines: str) -> str:
    """Python that goes on whatever fails."""
    tries = "\n".join(f"try:\n    {line}\nexcept OSError as e: print(e)" for line in lines)
    return f"{PYTHON} - <<'END'\nimport os, shutil\nfrom pathlib import Path\n{tries}\nEND"


async def test_of_the_home_there_is_only_what_was_granted(boxed: Desk, home: Home) -> None:
    home.write("projects/a/main.c", "int a;")
    boxed.context = {"readable": (home.root / "projects",)}
    text = await boxed.run(
        f"cd {home.root}; find . -type f -o -type l; grep -rs {HUSH} . ~ {home.root.parent} /home /tmp;"
        "cat projects/a/main.c; echo x > projects/a/new; echo x > top"
    )
    assert f":{HUSH}" not in text
    assert "int a;" in text
    assert "letter.txt" not in text
    assert ".cargo/bin/tool" in text
    assert "./.local/share/nanobot-desktop/config.json" not in text
    assert text.count("Read-only file system") == 2
    assert not (home.root / "projects/a/new").exists()
    assert not (home.root / "top").exists()


async def test_tools_of_the_home_run_and_more_can_be_added(boxed: Desk, home: Home) -> None:
    tool = home.write("opt/mine/tool2", "#!/bin/sh\necho mine works\n")
    tool.chmod(0o755)
    text = await boxed.run("~/.cargo/bin/tool; ~/opt/mine/tool2; echo x > ~/.cargo/bin/tool")
    assert "tool works" in text
    assert "mine works" not in text
    boxed.settings["readable"] = f"{home.root}/opt/mine"
    assert "mine works" in await boxed.run("~/opt/mine/tool2")
    assert "tool works" in (home.root / ".cargo/bin/tool").read_text()


@pytest.mark.parametrize("there", [True, False])
async def test_memory_and_what_the_program_writes_stay(boxed: Desk, home: Home, there: bool) -> None:
    work = home.workspace
    if there:
        for name in FILES:
            (work / name).write_text(OLD)
        for name in FOLDERS:
            (work / name).mkdir(exist_ok=True)
    else:
        shutil.rmtree(work / "memory")
    before = home.state()
    lines = [f"os.rename('{name}', 'moved')" for name in (*FILES, *FOLDERS)]
    lines += [f"Path('{name}').unlink()" for name in FILES]
    lines += [f"Path('{name}').write_text('evil')" for name in FILES]
    lines += [f"os.mkdir('{name}')" for name in FOLDERS]
    lines += [f"Path('{name}/evil').write_text('evil')" for name in FOLDERS]
    lines += [f"os.symlink('/etc/passwd', '{name}')" for name in (*FILES, *FOLDERS)]
    lines += ["os.rename('../workspace', '../w2'); os.mkdir('../workspace')", "os.rename('..', '../../x')"]
    lines += ["Path('fine').write_text('x')", "os.rename('fine', 'finer')"]
    text = await boxed.run(script(*lines))
    after = home.state()
    assert after.pop(str((work / "finer").relative_to(home.root))) == "x", text
    assert after == before
    assert text.count("\n") > len(lines) - 4


async def test_a_granted_home_keeps_its_start_files_and_keys(boxed: Desk, home: Home) -> None:
    boxed.context = {"writable": (home.root,)}
    before = home.state()
    text = await boxed.run(
        "cd ~\n"
        + script(
            "Path('.bashrc').open('a').write('evil')",
            "Path('.zshrc').write_text('evil')",
            "Path('.bash_login').symlink_to('notes.txt')",
            "os.rename('.bashrc', 'old')",
            "os.rename('.config', '.c2')",
            "os.rename('.config/fish', '.config/f2')",
            "os.makedirs('.config/autostart')",
            "os.makedirs('.config/systemd/user')",
            "Path('.config/fish/config.fish').write_text('evil')",
            "os.rename('.local', '.l2')",
            "os.rename('.local/share/nanobot-desktop', '.local/share/n2')",
            "Path('.ssh/authorized_keys').write_text('evil')",
            "os.rename('.ssh', '.s2')",
            "print(Path('.ssh/id_rsa').read_text())",
            "print(Path('.config/gh/hosts.yml').read_text())",
            "print(Path('.local/share/nanobot-desktop/config.json').read_text())",
            "Path('.local/share/nanobot-desktop/workspace/SOUL.md').write_text('evil')",
            "print(Path('Documents/letter.txt').read_text())",
            "Path('Documents/new').write_text('x')",
            "Path('.config/app/settings').write_text('x')",
            "Path('notes.txt').write_text('x')",
        )
    )
    assert text.count(HUSH) == 1, text  # the letter
    after = home.state()
    for name in ("Documents/new", ".config/app/settings", "notes.txt"):
        assert after.pop(name) == "x"
        before.pop(name, None)
    assert after == before


async def test_the_same_for_a_folder_above_the_home_and_for_one_in_it(boxed: Desk, home: Home) -> None:
    before = home.state()
    evil = script(
        "Path('.bashrc').open('a').write('evil')",
        "os.makedirs('.config/autostart')",
        "Path('.config/environment.d').mkdir()",
        "os.rename('.config', '.c2')",
        "print(Path('.ssh/id_rsa').read_text())",
    )
    for folder in (home.root.parent, Path("/"), home.root / ".config"):
        boxed.context = {"writable": (folder,)}
        text = await boxed.run(f"cd ~\n{evil}")
        assert HUSH not in text
        assert home.state() == before
        assert not (home.root / ".config/autostart").exists()


async def test_stores_of_passwords_are_hidden_wherever_they_lie(boxed: Desk, home: Home) -> None:
    for name in ("work/safe/my.kdbx", "work/ID_RSA", ".local/share/nanobot-desktop/workspace/old.kdbx"):
        home.write(name, HUSH)
    home.write("work/safe/notes", "int a;")
    boxed.context = {"readable": (home.root / "work",)}
    text = await boxed.run("cat ~/work/safe/* ~/work/I*; cat old.*; rm -f old.kdbx; mv old.kdbx new")
    assert HUSH not in text
    assert "int a;" in text
    assert (home.workspace / "old.kdbx").read_text() == HUSH


async def test_a_link_in_the_way_of_a_start_file_is_kept_too(boxed: Desk, home: Home) -> None:
    (home.root / "dot").mkdir()
    (home.root / ".config").rename(home.root / "dot/config")
    (home.root / ".config").symlink_to("dot/config")
    (home.root / ".zshrc").symlink_to("dot/zshrc")
    boxed.context = {"writable": (home.root,)}
    before = home.state()
    await boxed.run(
        "cd ~\n"
        + script(
            "Path('.config').unlink()",
            "os.rename('dot', 'd2')",
            "os.makedirs('dot/config/autostart')",
            "Path('dot/zshrc').write_text('evil')",
            "Path('dot/config/fish/config.fish').write_text('evil')",
        )
    )
    assert home.state() == before
    assert not (home.root / "dot/config/autostart").exists()


async def test_a_workspace_deep_in_a_granted_folder_cannot_be_moved_away(boxed: Desk, home: Home) -> None:
    deep = home.root / "projects/x/y/workspace"
    deep.mkdir(parents=True)
    boxed.workspace = deep
    boxed.walls = lambda settings: walls(home.program, deep, settings)
    boxed.context = {"writable": (home.root / "projects",)}
    text = await boxed.run(
        "cd ~/projects\n"
        + script(
            "os.rename('x', 'x2')",
            "os.rename('x/y', 'x/y2')",
            "os.rename('x/y/workspace', 'x/y/w2')",
            "Path('x/y/beside').write_text('x')",
        )
    )
    assert text.count("busy") == 3, text
    assert (home.root / "projects/x/y/beside").exists()


async def test_a_home_that_is_the_workspace_shows_none_of_the_programs_files(
    boxed: Desk, home: Home
) -> None:
    boxed.workspace = home.program
    boxed.walls = lambda settings: walls(home.program, home.program, settings)
    (home.program / "docs").mkdir()
    text = await boxed.run("cat config.json state.db ipc; echo x > config.json.new; echo x > docs/a")
    assert HUSH not in text
    assert not (home.program / "config.json.new").exists()
    assert (home.program / "docs/a").exists()


async def test_a_link_in_place_of_memory_opens_nothing(boxed: Desk, home: Home) -> None:
    for name, target in (
        ("TOOLS.md", ".ssh/id_rsa"),
        ("skills", ".ssh"),
        ("USER.md", "Documents/letter.txt"),
    ):
        (home.workspace / name).symlink_to(home.root / target)
    text = await boxed.run("cat TOOLS.md skills/id_rsa USER.md; rm TOOLS.md; mv skills s2; echo x > new/a")
    assert HUSH not in text
    assert (home.workspace / "TOOLS.md").is_symlink()
    assert (home.workspace / "skills").is_symlink()


async def test_sockets_stay_out_of_reach_from_any_working_folder(boxed: Desk, home: Home) -> None:
    for folder in ("/tmp", "/run", "/"):
        boxed.context = {"writable": (Path(folder),)}
        text = await boxed.run("ls -A /tmp /run; ls /proc | grep -c '^[0-9]'", working_dir=folder)
        assert "X11" not in text
        assert "dbus" not in text
        assert int(text.split()[-4]) < 10, text


def test_the_names_are_those_that_permissions_know() -> None:
    assert {name.lower() for name in FILES} | {"skills"} == MEMORY
    assert {parts[0] for parts in OWN} <= set(FOLDERS)


def test_the_table_needs_no_settings_to_be_sound() -> None:
    found = walls(Path("/nowhere/home"), Path("/nowhere/home/workspace"), ExecTool())
    assert all(place.is_absolute() for place in (*found.hidden, *found.readonly, *found.tools))


@pytest.mark.soak
@pytest.mark.skipif(
    sys.platform == "win32" or os.getuid() != 0,
    reason="these tests run as an ordinary account already",
)
def test_all_of_this_holds_for_an_ordinary_account() -> None:
    """The same tests once more, as another user with a home of its own."""
    done = subprocess.run(
        [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            str(Path(__file__).parent / "as_ordinary.sh"),
        ],
        env={**os.environ, "PYTHON": sys.executable, "BASE": sys.base_prefix},
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[4],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[100%]" in done.stdout
