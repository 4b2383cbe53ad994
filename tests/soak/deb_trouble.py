"""What can go wrong with the packages on a computer: no room, a folder that is read-only, an older version,
accounts without a home, a path that nobody thought of."""

import re
import subprocess

from tests.desktop.window import Window
from tests.soak.computer import ANNA, BEN, NAME, Computer

SMALL_DISK_MB = 150
NO_HOME, NOWHERE = "nohome", "/nonexistent"
ODD = "/srv/我的 程序 (neu)"


def while_installing(computer: Computer, deb: str) -> None:
    """Where it cannot be installed, nothing of it stays, and the next try succeeds."""
    tried, debian = computer.tried, computer.debian
    debian.at("/opt").mkdir(exist_ok=True)
    room = ("-t", "tmpfs", "-o", f"size={SMALL_DISK_MB}m,mode=755", "room")
    read_only = ("-t", "tmpfs", "-o", "ro,mode=755", "read-only")
    for what, options, says in (
        ("no room in /opt", room, "No space left"),
        ("a read-only /opt", read_only, "Read-only file system"),
    ):
        with debian.mounted("/opt", *options):
            done = computer.install("--no-install-recommends", deb)
            told = done.stdout + done.stderr
            tried.check(done.returncode != 0 and says in told, f"{what}: apt says so", told)
            left = [str(path) for path in debian.at("/opt").rglob("*") if path.is_file()]
            tried.check(not left, f"{what}: nothing stays in /opt", "\n".join(left[:20]))
        tried.check("installed" not in computer.version().split(), f"{what}: it is not taken for installed")


def a_broken_download(computer: Computer, deb: str) -> None:
    """Half of the file, and one with a byte of it changed."""
    tried, debian = computer.tried, computer.debian
    whole = debian.at(deb).read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 0xFF
    for what, content in (
        ("half of the package", whole[: len(whole) // 2]),
        ("a changed byte", bytes(changed)),
    ):
        debian.at("/srv/broken.deb").write_bytes(content)
        done = computer.install("--no-install-recommends", "/srv/broken.deb")
        tried.check(done.returncode != 0, f"{what} is refused", done.stdout + done.stderr)
        tried.check("installed" not in computer.version().split(), f"{what}: it is not taken for installed")
    debian.at("/srv/broken.deb").unlink()


def an_older_version(computer: Computer, older: str) -> None:
    """apt doesn't put an older version over a newer one unless it is told to."""
    before = computer.version()
    done = computer.install(older)
    told = done.stdout + done.stderr
    refused = done.returncode != 0 and "downgrade" in told.lower()
    computer.tried.check(refused, "an older version over a newer one is asked about", told)
    computer.tried.check(computer.version() == before, f"{before} stays")


def accounts(computer: Computer) -> None:
    """One without a home, and two at the same time, neither of which sees what is the other's."""
    tried, debian = computer.tried, computer.debian
    debian.run("useradd", "--no-create-home", "--home-dir", NOWHERE, NO_HOME)
    session = {"DISPLAY": computer.environment["DISPLAY"], "NANOBOT_DESKTOP_LANGUAGE": "en"}
    for arguments in (["--version"], ["sessions", "list"], ["doctor"]):
        done = debian.run(NAME, *arguments, account=NO_HOME, environment=session, seconds=60)
        told = done.stdout + done.stderr
        calm = "Traceback" not in told and done.returncode in (0, 1)
        tried.check(calm, f"an account without a home, {arguments[0]}: {told.strip()[:70]!r}", told)
    _window_without_a_home(computer)
    mine = computer.ran(NAME, "status")
    other = debian.run(NAME, "status", account=BEN, environment=session)
    tried.check(
        "Not running" not in mine.stdout and "Not running" in other.stdout,
        "two accounts: each has a program of its own",
        mine.stdout + other.stdout,
    )
    for name in ("sessions", "doctor"):
        arguments = [name, "list"] if name == "sessions" else [name]
        done = debian.run(NAME, *arguments, account=BEN, environment=session)
        tried.check("Traceback" not in done.stderr, f"the other account, {name}", done.stderr)
    peeked = debian.run("ls", f"/home/{ANNA}/.local/share/{NAME}", account=BEN)
    tried.check(peeked.returncode != 0, "no account reads another's data", peeked.stdout)


def _window_without_a_home(computer: Computer) -> None:
    """It says what is wrong, to an account that can be asked what it sees."""
    environment = {**computer.environment, "HOME": NOWHERE}
    inside = computer.debian.inside(NAME, account=ANNA, environment=environment)
    with subprocess.Popen(inside, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        window = Window(process, computer.environment)
        try:
            window.wait(re.compile(f"^Nothing can be saved: {NOWHERE}/.* can’t be created"))
            window.wait(re.compile("^Give this account a home folder"))
            computer.desk.screenshot("deb-7-without-a-home")
        finally:
            window.close()
            process.terminate()
        told = process.communicate()[1]
    computer.tried.check("Traceback" not in told, "an account without a home: the window says so", told)


def archive(computer: Computer, file: str) -> None:
    """The .tar.xz, unpacked where a person keeps such things."""
    tried, debian = computer.tried, computer.debian
    place = debian.at(ODD)
    place.mkdir(parents=True)
    subprocess.run(["tar", "--no-same-owner", "-C", str(place), "-xf", str(debian.at(file))], check=True)
    program = f"{ODD}/{NAME}/{NAME}"
    for arguments in (["--version"], ["doctor"]):
        done = debian.run(program, *arguments, account=BEN)
        told = done.stdout + done.stderr
        tried.check("Traceback" not in told, f"from {ODD}: {' '.join(arguments)}", told)
    with computer.started(program) as window:
        window.wait("Message")
        window.wait_text("Nanobot", "Rome")
        computer.desk.screenshot("deb-9-from-an-odd-folder")
        tried.check(True, f"from {ODD}: the window")
        computer.quit(program)
