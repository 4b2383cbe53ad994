"""The sandbox for commands on Linux: bubblewrap, where it works.

A command sees the system read-only and of people's homes only what was granted (`view` plans that), writes
to the workspace and to granted folders, has /tmp and /run to itself (so no socket of the desktop session),
and no network unless that was allowed. The kernel ends whatever is in there when the command ends.
"""

import functools
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from desktop.config.tools import ExecTool
from desktop.text import _
from desktop.tools.exec.view import Granted, Walls, view

_CHECK_SECONDS = 10.0


def find() -> str:
    """The program of the sandbox, empty without one."""
    return (shutil.which("bwrap") or "") if sys.platform == "linux" else ""


@functools.cache
def works(program: str) -> bool:
    """Whether it works here, found out by using it, once. Blocks."""
    argv = [program, *_base(network=False), "--dev", "/dev", "--proc", "/proc", "--", "true"]
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_CHECK_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def usable(settings: ExecTool) -> str:
    """The program of the sandbox, empty where there is none or the person wants none. Blocks."""
    program = find() if settings.sandbox == "auto" else ""
    return program if program and works(program) else ""


def state(settings: ExecTool) -> tuple[bool, str]:
    """Whether commands run in a sandbox, and a sentence about it for the person. Blocks."""
    if settings.sandbox == "off":
        return False, _("The sandbox is switched off: a command can do whatever you can.")
    if usable(settings):
        return True, _(
            "Commands run in a sandbox: they write to the workspace and to folders you granted, and have "
            "no network unless you allow it."
        )
    if sys.platform == "linux":
        return False, _(
            "There is no sandbox, because bubblewrap is not installed or does not work here: a command "
            "can do whatever you can."
        )
    return False, _("There is no sandbox on this system: a command can do whatever you can.")


class Sandbox:
    """Puts a command into the sandbox. Its methods look at the disk: call them in a thread."""

    def __init__(self, walls: Callable[[], Walls]) -> None:
        self._walls = walls

    def wrap(
        self, program: str, argv: Sequence[str], *, cwd: Path, granted: Granted, network: bool
    ) -> list[str]:
        """The command line that runs argv in the sandbox. Raises Unseen for a folder that is not there."""
        plan = view(self._walls(), granted)
        if network:
            plan.keep(Path("/etc/resolv.conf"))
        if not plan.sees(cwd):
            raise Unseen
        return [program, *_base(network), *plan.mounts(), "--chdir", str(cwd), "--", *argv]


class Unseen(Exception):
    """The working folder of a command is hidden in the sandbox."""


def _base(network: bool) -> list[str]:
    return [
        *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *(("--share-net",) if network else ()),
        *("--ro-bind", "/", "/"),
    ]
