"""The .deb on a Debian 12 with nothing but its base packages, as a person without a terminal meets it.

Installed, started from the menu, asked, reminded, opened by a link, upgraded while it runs and removed,
with a picture of each; then what can go wrong on the way.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import psutil

from desktop import __version__
from desktop.paths import APP_ID
from desktop.providers.catalogue import SMALL
from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, until
from tests.soak import deb_trouble
from tests.soak.computer import ANNA, NAME, ROOT, Computer, Tried, brought, session
from tests.soak.debian import Debian, fresh_debian, missing_tools
from tests.stories.window.talk import ask, messages, rest

CACHE = Path("~/.cache/nanobot-desktop/debian").expanduser()
MODELS = Path(os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models").expanduser()
OF_A_DESKTOP = ("libglib2.0-bin", "libgtk-3-bin", "xdg-utils", "desktop-file-utils")
"""What every desktop has for its menu and its links."""
MENU = ("gapplication", "launch", APP_ID)
"""What a menu does with an entry that is DBusActivatable. gtk-launch does the same, but may end before its
message has left: a desktop's menu doesn't end."""
LIBRARIES = ("libdbus-1-3", "libegl1", "libfontconfig1", "libgl1", "libx11-data", "libxcb1", "xkb-data")
"""What the archive and the .rpm need of a system, by Debian's names."""
UPGRADED = "A new version was installed."
FILE = f"/home/{ANNA}/Downloads/{SMALL.file}"


# ---- what is tried, in this order


def named(computer: Computer, deb: str) -> None:
    """What the package names is all that it needs: there is nothing else here yet."""
    tried = computer.tried
    done = computer.install("--no-install-recommends", deb)
    tried.check(done.returncode == 0, "apt install, with nothing that is only recommended", done.stderr)
    missing = _unmet(computer.debian)
    tried.check(not missing, "every library that is named is there", "\n".join(missing))
    computer.debian.apt("purge", "--autoremove", NAME)


def install(computer: Computer, deb: str) -> None:
    """As a person does, with all that is recommended."""
    tried = computer.tried
    done = computer.install(deb)
    tried.check(done.returncode == 0, "apt install", done.stderr)
    told = computer.ran(NAME, "--version")
    tried.check(told.returncode == 0 and not told.stderr, f"--version: {told.stdout.strip()}", told.stderr)
    opens = computer.ran("xdg-mime", "query", "default", f"x-scheme-handler/{NAME}").stdout.strip()
    tried.check(opens == f"{APP_ID}.desktop", "its links belong to it", opens)
    computer.activates()


def unit(computer: Computer) -> None:
    """What systemd starts for an account, until it is told to quit."""
    tried, debian = computer.tried, computer.debian
    lines = debian.at(f"/usr/lib/systemd/user/{NAME}.service").read_text("utf-8").splitlines()
    (start,) = (line.partition("=")[2].split() for line in lines if line.startswith("ExecStart="))
    inside = debian.inside(*start, account=ANNA, environment=computer.environment)
    with subprocess.Popen(inside, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        computer.quit()
        tried.check(process.wait(60) == 0, f"the unit's {' '.join(start)}, until it is told to quit")


def _unmet(debian: Debian) -> list[str]:
    """Libraries that the program's own files ask for and that are not here."""
    own = f"/opt/{NAME}/_internal"
    look = f"LD_LIBRARY_PATH={own} find {own} -name '*.so*' -exec ldd {{}} + | grep 'not found' | sort -u"
    return debian.run("sh", "-c", look).stdout.splitlines()


def first_run(computer: Computer, window: Window) -> None:
    """A model is chosen, and answers."""
    tried, desk = computer.tried, computer.desk
    window.wait("Choose your model")
    tried.check(_arguments(window) == ["--activated"], "the menu has the session bus start it")
    desk.screenshot("deb-1-first-run")
    window.press("Use your own model file (GGUF)…")
    desk.wait_active("Use your own model file (GGUF)…")
    desk.type(FILE)
    desk.screenshot("deb-1-its-file")
    desk.key("Return")
    window.gone("Choose your model")
    ask(window, "What is the capital of France?")
    window.wait_text("Nanobot", "Paris")
    rest(window)
    desk.screenshot("deb-2-answer")
    tried.check(True, "started from the menu, a model chosen, an answer by it")


def reminder(computer: Computer, window: Window) -> None:
    desk = computer.desk
    window.set_text("Message", "Remind me in 1 minute to call Anna")
    window.wait(re.compile("^Reminder: .*call Anna"))
    window.focus("Message")
    desk.key("Return")
    window.wait(re.compile("^Reminder set"))
    until(lambda: [one for one in desk.notifications() if "call Anna" in one.title], "the reminder", 90)
    desk.screenshot("deb-3-reminder")
    desk.dismiss_notifications()
    computer.tried.check(True, "a reminder, as a notification")


def link(computer: Computer, window: Window) -> None:
    done = computer.ran("xdg-open", f"{NAME}://chat?text=Hello%20from%20a%20link")
    window.wait_text("Message", "> Hello from a link", within="Quick chat")
    computer.desk.screenshot("deb-4-link")
    computer.desk.key("Escape")
    window.gone("Quick chat")
    computer.tried.check(done.returncode == 0, "a link opens the quick chat", done.stderr)


def upgrade(computer: Computer, window: Window, newer: str) -> None:
    """Another version comes while an answer is being written, and the window goes on until it is closed."""
    tried, desk = computer.tried, computer.desk
    before = computer.version()
    ask(window, "Write a long story about a robot that lives in a lighthouse. Use five hundred words.")

    def longer_than(length: int) -> int:
        return window.until(
            lambda: _length(window, length), f"an answer of more than {length} letters", 180
        )

    longer_than(40)
    done = computer.install(newer)
    tried.check(done.returncode == 0, "an upgrade while an answer is written", done.stderr)
    window.wait(UPGRADED, "label")
    desk.screenshot("deb-5-upgraded-in-mid-answer")
    if window.find("Stop"):  # a small model may go on for very long
        longer_than(_length(window, 0))
        window.press("Stop")
    rest(window)
    tried.check(True, "the answer goes on, and comes to its end")
    tried.check(computer.version() != before, f"{before} became {computer.version()}")
    desk.screenshot("deb-5-upgraded")
    ask(window, "What is the capital of Italy?")
    window.wait_text("Nanobot", "Rome")
    rest(window)
    desk.screenshot("deb-6-asked-after-upgrade")
    tried.check(True, "the window that was open answers with the program below it replaced")


def _length(window: Window, more_than: int) -> int:
    """Of the newest answer, once it is longer than this; 0 before."""
    length = len(messages(window)[-1]) if messages(window) else 0
    return length if length > more_than else 0


def removal(computer: Computer, window: Window, before: set[str]) -> None:
    """Removed while it runs, nothing of it is left but what the person has at home."""
    tried = computer.tried
    done = computer.debian.apt("purge", "--autoremove", NAME)
    tried.check(done.returncode == 0, "removed while it runs", done.stderr)
    window.wait("Message")
    computer.desk.screenshot("deb-8-removed-while-it-runs")
    computer.desk.wait_active(TITLE)
    computer.desk.key("ctrl+q")
    until(lambda: window.process.poll() is not None, "it ends")
    tried.check(True, "its window is still there, and ends when it is told to")
    left = sorted(computer.debian.files() - before)
    print("Left behind:", *left, sep="\n  ", flush=True)
    own = [path for path in left if _own(path)]
    tried.check(not own, "nothing of it is left outside of the home", "\n".join(own))


def _own(path: str) -> bool:
    """Whether it is of the package, not of the person or of this session."""
    return (NAME in path or APP_ID in path) and not path.startswith(("/home/", "/tmp/"))


def run(packages: Path | None, newer: Path | None) -> list[str]:
    """Try what a build made, and one of a higher version; without them both are made. What was not as it
    should be."""
    if os.geteuid():
        return ["this makes a Debian of its own, which needs root"]
    if missing := missing_tools():
        return [f"these Debian packages are needed: {' '.join(missing)}"]
    if packages is None:
        packages = _build(ROOT)
    if newer is None:
        newer = _build_newer()
    shots = Path(os.environ.get("NANOBOT_TEST_SHOTS") or ROOT / "build" / "deb-shots")
    tried = Tried()
    folder = Path(tempfile.mkdtemp(prefix="nanobot-deb-"))
    folder.chmod(0o755)
    read_by_linters(tried, packages)
    try:
        with fresh_debian(CACHE, folder) as debian, session(folder, debian) as environment:
            _try(Computer(debian, environment, Desk(shots, environment), tried), packages, newer)
    finally:
        shutil.rmtree(folder)
    return tried.lost


def _build(checkout: Path, **told: str) -> Path:
    """The packages of a checkout; the folder that they are in."""
    out = checkout / "dist"
    command = ["bash", str(checkout / "packaging" / "build.sh"), str(out)]
    subprocess.run(command, check=True, env={**os.environ, **told})
    return out


def _build_newer() -> Path:
    """The .deb of the last commit, as a version that is higher than this one, packed quickly."""
    checkout = ROOT / "build" / "newer"
    shutil.rmtree(checkout, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(checkout)], check=True)
    told = checkout / "desktop" / "__init__.py"
    told.write_text(told.read_text("utf-8").replace(f'"{__version__}"', f'"{__version__}.1"'), "utf-8")
    return next(_build(checkout, NANOBOT_QUICK_PACKAGES="1").glob("*.deb"))


def read_by_linters(tried: Tried, packages: Path) -> None:
    """lintian and rpmlint, with what is meant to be so in files beside the packages' description."""
    deb, rpm = (str(next(packages.glob(f"*.{kind}"))) for kind in ("deb", "rpm"))
    settings = str(ROOT / "packaging" / "linux" / "rpmlint.toml")
    for command in (
        ["lintian", "--allow-root", "--fail-on", "error,warning", deb],
        ["rpmlint", "-c", settings, rpm],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        tried.check(done.returncode == 0, f"{command[0]} has nothing to say", done.stdout + done.stderr)


def _try(computer: Computer, packages: Path, newest: Path) -> None:
    debian = computer.debian
    deb, rpm, archive = (
        brought(debian, next(packages.glob(f"*.{kind}"))) for kind in ("deb", "rpm", "tar.xz")
    )
    newer = brought(debian, newest)
    named(computer, deb)
    assert debian.apt("install", "--no-install-recommends", *OF_A_DESKTOP).returncode == 0
    before = debian.files()
    deb_trouble.while_installing(computer, deb)
    deb_trouble.a_broken_download(computer, deb)
    install(computer, deb)
    unit(computer)
    bring_weights(computer)
    with computer.started(*MENU) as window:
        first_run(computer, window)
        reminder(computer, window)
        link(computer, window)
        upgrade(computer, window, newer)
        deb_trouble.an_older_version(computer, deb)
        deb_trouble.accounts(computer)
        computer.quit()
    with computer.started(*MENU) as window:
        again(computer, window, newer)
        removal(computer, window, before)
    assert debian.apt("install", "--no-install-recommends", *LIBRARIES).returncode == 0
    deb_trouble.archive(computer, archive)
    as_rpm(computer, rpm)


def again(computer: Computer, window: Window, newer: str) -> None:
    """The newer program has what the older one left, also where it began in the place of another."""
    done = computer.install("--reinstall", newer)
    computer.tried.check(done.returncode == 0, "installed once more", done.stderr)
    window.wait(UPGRADED, "label")
    window.press("Restart")
    window.until(lambda: _arguments(window) == [], "another program in its place")
    window.wait("Message", states="enabled")
    computer.tried.check(True, "it tells that another version was installed, and starts that one")
    window.select("What is the capital of France?", within="Conversations")
    window.wait_text("Nanobot", "Paris")
    computer.desk.screenshot("deb-7-newer")
    told = computer.ran(NAME, "--version").stdout.strip()
    computer.tried.check(True, f"{computer.version()}, {told}, has the conversations")


def _arguments(window: Window) -> list[str]:
    return psutil.Process(window.pid).cmdline()[1:]


def as_rpm(computer: Computer, rpm: str) -> None:
    """The .rpm by rpm itself. It says what it asks a distribution for. None is here for dnf to ask, so it
    is told to go on, with Debian's packages in their place."""
    tried, debian = computer.tried, computer.debian
    assert debian.apt("install", "--no-install-recommends", "rpm").returncode == 0
    before = debian.files()
    asked = debian.run("rpm", "--install", rpm)
    tried.check("Failed dependencies" in asked.stderr, "rpm asks for what the package needs", asked.stderr)
    print(asked.stderr, flush=True)
    done = debian.run("rpm", "--install", "--nodeps", rpm)
    tried.check(done.returncode == 0, "rpm --install --nodeps", done.stderr)
    done = debian.run("rpm", "--verify", "--nodeps", NAME)
    tried.check(done.returncode == 0, "rpm --verify finds every file as it was packed", done.stdout)
    with computer.started(*MENU) as window:
        window.wait("Message")
        window.wait_text("Nanobot", "Rome")
        computer.desk.screenshot("deb-10-from-rpm")
        tried.check(True, "from the .rpm: the menu entry starts the window")
        computer.quit()
    done = debian.run("rpm", "--erase", NAME)
    left = sorted(path for path in debian.files() - before if _own(path))
    told = done.stderr + "\n".join(left)
    tried.check(done.returncode == 0 and not left, "rpm --erase leaves nothing", told)


def bring_weights(computer: Computer) -> None:
    """The model's file as the person has it, from wherever it came, known by its hash."""
    debian = computer.debian
    debian.run("mkdir", f"/home/{ANNA}/Downloads", account=ANNA)
    shutil.copy(MODELS / SMALL.file, debian.at(FILE))
    with debian.at(FILE).open("rb") as weights:
        known = hashlib.file_digest(weights, "sha256").hexdigest() == SMALL.sha256
    computer.tried.check(known, f"{SMALL.file} has the hash that the catalogue names")
