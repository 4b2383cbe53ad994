"""One Debian with a desktop and its account, for packages that are tried on it."""

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import psutil

from desktop.paths import APP_ID
from tests.desktop.bus import Bus
from tests.desktop.desk import Desk
from tests.desktop.session import nested_session
from tests.desktop.window import TITLE, Window, until
from tests.soak.debian import Debian

ROOT = Path(__file__).resolve().parents[2]
NAME = "nanobot-desktop"
ANNA, BEN = "anna", "ben"
_NUMBERS = {ANNA: 7001, BEN: 7002}


class Found:
    """A process that the desktop started, with as much of a Popen as a Window asks for."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._process = psutil.Process(pid)

    def poll(self) -> int | None:
        return None if self._process.is_running() and self._process.status() != "zombie" else 0


class Tried:
    """What was seen to go wrong, told as it is found."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        self._began = time.monotonic()

    def note(self, text: str) -> None:
        """Something for the reader."""
        print(f"{time.monotonic() - self._began:6.0f} s  {text}", flush=True)

    def check(self, holds: bool, what: str, told: str = "") -> None:
        """Note what was tried, and whether it was so."""
        self.note(f"{'ok' if holds else 'WRONG'}: {what}")
        if not holds:
            print(told.strip()[-1500:], flush=True)
            self.lost.append(f"{what}: {told.strip()[-1500:]}")


class Computer:
    """One Debian with a desktop, and what is tried on it."""

    def __init__(self, debian: Debian, environment: dict[str, str], desk: Desk, tried: Tried) -> None:
        self.debian = debian
        self.environment = environment
        self.desk = desk
        self.tried = tried

    def ran(
        self, *command: str, account: str = ANNA, seconds: float = 180
    ) -> subprocess.CompletedProcess[str]:
        """A command of the desktop's account or of another one, in the session."""
        return self.debian.run(*command, account=account, environment=self.environment, seconds=seconds)

    def install(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.debian.apt("install", *arguments)

    def activates(self) -> None:
        """Have the session's bus start the program that is installed, as a bus does that is installed
        beside it. This one is outside, and belongs to the account."""
        there = self.debian.at(f"/usr/share/dbus-1/services/{APP_ID}.service").read_text("utf-8")
        told = self.debian.told(ANNA, self.environment).items()
        variables = shlex.join([f"{name}={value}" for name, value in told])
        inside = f"/usr/bin/unshare --map-current-user --root={self.debian.root} --wd=/"
        services = Path(self.environment["DESKTOP_SESSION_FOLDER"], "services")
        says = there.replace("Exec=", f"Exec={inside} /usr/bin/env -i {variables} ")
        (services / f"{APP_ID}.service").write_text(says, "utf-8")
        with Bus(self.environment["DBUS_SESSION_BUS_ADDRESS"]) as bus:
            bus.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus.ReloadConfig")

    def version(self) -> str:
        return self.debian.run("dpkg-query", "-W", "-f", "${Version} ${db:Status-Status}", NAME).stdout

    @contextmanager
    def started(self, *command: str) -> Iterator[Window]:
        """The program's window, once a command of the desktop brought it."""
        before = set(psutil.pids())
        subprocess.Popen(
            self.debian.inside(*command, account=ANNA, environment=self.environment),
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            stderr=sys.stderr,
        )
        process = until(lambda: next(iter(_programs(before)), None), f"a program by {' '.join(command)}")
        window = Window(cast("subprocess.Popen[str]", Found(process.pid)), self.environment, 180)
        try:
            window.wait(TITLE, "frame")
            yield window
        finally:
            window.close()

    def up(self, program: str = NAME) -> None:
        """Wait until the program has its home: its window is there sooner."""
        until(lambda: "Not running" not in self.ran(program, "status").stdout, f"{program} runs")

    def quit(self, program: str = NAME) -> None:
        self.up(program)
        done = self.ran(program, "quit")
        told = done.stdout + done.stderr
        self.tried.check("Nanobot has quit." in told, "the program ends when asked to", told)


def _programs(before: set[int]) -> Iterator[psutil.Process]:
    """The program itself, of what was started since: it has no argument of a child."""
    for process in psutil.process_iter(["pid", "name", "uids", "cmdline"]):
        if process.pid in before or process.info["uids"].real != _NUMBERS[ANNA]:
            continue
        if process.info["name"].startswith(NAME[:15]) and not any(
            word.startswith("--") and word != "--activated" for word in process.info["cmdline"][1:]
        ):
            yield process


def brought(debian: Debian, file: Path) -> str:
    """A file inside, in a folder that every account can read; its path there."""
    place = debian.at(f"/srv/{file.name}")
    shutil.copy(file, place)
    place.chmod(0o644)
    return f"/srv/{file.name}"


@contextmanager
def session(folder: Path, debian: Debian) -> Iterator[dict[str, str]]:
    """A desktop session of an account of the Debian; its screen and its services are this computer's."""
    for name, number in _NUMBERS.items():
        debian.add_account(name, number)
    script = folder / "tests" / "desktop-session.sh"
    shutil.copytree(ROOT / "tests" / "desktop", script.parent / "desktop")
    shutil.copy(ROOT / "tests" / script.name, script)
    with nested_session(script=script, account=_NUMBERS[ANNA]) as environment:
        for place in ("/tmp/.X11-unix", environment["DESKTOP_SESSION_FOLDER"]):
            debian.show(Path(place))
        kept = ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DESKTOP_SESSION_FOLDER")
        wanted = (*kept, "LIBGL_ALWAYS_SOFTWARE", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "XDG_CURRENT_DESKTOP")
        yield {name: environment[name] for name in wanted if name in environment} | {
            "NANOBOT_DESKTOP_LANGUAGE": "en"
        }
