"""The sandbox for commands on Linux: bubblewrap, where it works.

A command sees the system read-only and of people's homes only what was granted (`view` plans that), writes
to the workspace and to granted folders, has /tmp and /run to itself (so no socket of the desktop session),
and no network unless that was allowed. The kernel ends whatever is in there when the command ends.
"""

import functools
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from desktop.config.tools import ExecTool
from desktop.paths import self_command
from desktop.text import _, mark, sentences
from desktop.tools.exec.network import HIDDEN_ARGUMENT, NAMES_AT, PASTA, SLIRP, has_route, own_names, scopes
from desktop.tools.exec.sockets import answering
from desktop.tools.exec.view import Granted, View, Walls, view
from desktop.tools.exec.walls import closed_in

_CHECK_SECONDS = 10.0
_CONNECT_SECONDS = 5.0
_AGAIN_SECONDS = 600.0
"""A program that did not connect is tried again after this."""
SHARED = mark(
    "Commands with network access can also reach programs on this computer. To prevent that, install "
    "pasta (package passt) or slirp4netns."
)


def find() -> str:
    """The program of the sandbox, empty without one."""
    return (shutil.which("bwrap") or "") if sys.platform == "linux" else ""


@functools.cache
def works(program: str) -> bool:
    """Whether it works here, found out by using it, once. Blocks."""
    return works_with([program, *_base(network=False), "--dev", "/dev", "--proc", "/proc", "--", "true"])


def usable(settings: ExecTool) -> str:
    """The program of the sandbox, empty where there is none or the person wants none. Blocks."""
    program = find() if settings.sandbox == "auto" else ""
    return program if program and works(program) else ""


def state(settings: ExecTool) -> tuple[bool, str]:
    """Whether commands run in a sandbox, and a sentence about it for the person. Blocks."""
    if settings.sandbox == "off":
        return False, _("The sandbox is off: commands can do anything you can.")
    if usable(settings):
        told = _(
            "Commands run in a sandbox: they see and change only the workspace and folders you granted "
            "access to, and have no network unless you allow it."
        )
        return True, told if private_network() else sentences(told, _(SHARED))
    if sys.platform == "linux":
        return False, _(
            "There is no sandbox because bubblewrap is not installed or doesn’t work here: commands can "
            "do anything you can."
        )
    return False, _("This system has no sandbox: commands can do anything you can.")


def private_network() -> str:
    """The program that gives a command a network without this computer in it; empty where there is none.
    Blocks. Where the computer itself has no network, an installed one is taken to work."""
    if sys.platform != "linux":
        return ""
    for name in (PASTA, SLIRP):
        program = shutil.which(name)
        if program and (program in _connects or not has_route() or _tried(program)):
            return program
    return ""


_connects: set[str] = set()
_failed: dict[str, float] = {}
"""Programs that did not connect, and when they were tried (monotonic)."""


def _tried(program: str) -> bool:
    if time.monotonic() - _failed.get(program, -_AGAIN_SECONDS) < _AGAIN_SECONDS:
        return False
    argv = self_command(HIDDEN_ARGUMENT, program, shutil.which("true") or "/bin/true")
    if works_with(argv, _CONNECT_SECONDS):
        _connects.add(program)
    else:
        _failed[program] = time.monotonic()
    return program in _connects


def works_with(argv: Sequence[str], seconds: float = _CHECK_SECONDS) -> bool:
    """Whether a command line that does nothing ends well, in time."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


class Sandbox:
    """Puts a command into the sandbox. Its methods look at the disk: call them in a thread."""

    def __init__(self, walls: Callable[[], Walls]) -> None:
        self._walls = walls

    def wrap(
        self,
        program: str,
        argv: Sequence[str],
        *,
        cwd: Path,
        granted: Granted,
        network: bool,
        kept: Sequence[Path] = (),
        alone: bool = False,
    ) -> list[str]:
        """The command line that runs argv in the sandbox. `kept`: what else is read-only for it. `alone`:
        it reaches nothing that listens outside. Raises Unseen for a folder that is not there."""
        walls = self._walls()
        named = [place for folder in granted.folders() for place in closed_in(folder)]
        named += answering(granted.folders()) if alone else ()
        walls = replace(walls, hidden=(*walls.hidden, *named), readonly=(*walls.readonly, *kept))
        plan = view(walls, granted)
        if not plan.sees(cwd):
            raise Unseen
        before, names = _network(plan) if network else ([], [])
        words = [*_base(network), *plan.mounts(), *names, "--chdir", str(cwd)]
        return [*before, program, *words, "--", *argv]


class Unseen(Exception):
    """The working folder of a command is hidden in the sandbox."""


def _network(plan: View) -> tuple[list[str], list[str]]:
    """What runs before the sandbox for the network of a command, and what the sandbox needs for it."""
    file = Path("/etc/resolv.conf")
    connect = private_network()
    if connect and own_names():
        return self_command(HIDDEN_ARGUMENT, connect), [
            "--ro-bind-data",
            str(NAMES_AT),
            str(file.resolve()),
        ]
    plan.keep(file)
    return (self_command(HIDDEN_ARGUMENT, connect) if connect or scopes() else []), []


def _base(network: bool) -> list[str]:
    return [
        *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *(("--share-net",) if network else ()),
        *("--ro-bind", "/", "/"),
    ]
