"""The sandbox for commands on Linux: bubblewrap, where it works.

A command sees the system read-only, writes to the workspace and to granted folders, finds nothing in the
fenced places, has /tmp and /run to itself (so no socket of the desktop session), and no network unless
that was allowed. The kernel ends whatever is in there when the command ends.
"""

import functools
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from desktop.config.tools import ExecTool
from desktop.text import _

_CHECK_SECONDS = 10.0
_OWN = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - these are replaced, not used
_KEPT = ("/run/current-system", "/run/wrappers")
"""Where some systems have their programs."""


def find() -> str:
    """The program of the sandbox, empty without one."""
    return (shutil.which("bwrap") or "") if sys.platform == "linux" else ""


@functools.cache
def works(program: str) -> bool:
    """Whether it works here, found out by using it, once. Blocks."""
    argv = [program, *_base(network=False), "--", "true"]
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

    def __init__(self, hidden: Iterable[Path], readonly: Iterable[Path]) -> None:
        self._hidden, self._readonly = tuple(hidden), tuple(readonly)

    def wrap(
        self,
        program: str,
        argv: Sequence[str],
        *,
        cwd: Path,
        workspace: Path,
        writable: Iterable[Path],
        network: bool,
    ) -> list[str]:
        """The command line that runs argv in the sandbox."""
        mounts = self._mounts(workspace.resolve(), [place.resolve() for place in writable], cwd)
        return [program, *_base(network), *mounts, "--chdir", str(cwd), "--", *argv]

    def _mounts(self, workspace: Path, writable: list[Path], cwd: Path) -> list[str]:
        """What is put over the read-only system: each folder before what is in it, the stricter last."""
        hidden = [place.resolve() for place in self._hidden if _is_there(place)]
        granted = [place for place in writable if _is_there(place) and not _is_in(place, hidden)]
        writes = [workspace, *granted]
        places = dict.fromkeys(writes, "--bind")
        if not _is_in(cwd, [*writes, *hidden]):
            places[cwd] = "--ro-bind"
        places |= {place.resolve(): "--ro-bind" for place in self._readonly if _is_there(place)}
        places |= {place: "--tmpfs" for place in hidden if place != workspace}
        mounts: list[str] = []
        for place, kind in sorted(places.items(), key=lambda item: len(item[0].parts)):
            if kind != "--tmpfs":
                mounts += [kind, str(place), str(place)]
            elif place.is_dir():
                mounts += [kind, str(place)]
            else:
                mounts += ["--ro-bind", "/dev/null", str(place)]
        return mounts


def _is_in(place: Path, folders: Iterable[Path]) -> bool:
    return any(place.is_relative_to(folder) for folder in folders)


def _is_there(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:  # in a folder that we may not look into, and neither may the command
        return False


def _base(network: bool) -> list[str]:
    own = [place for place in map(Path, _OWN) if place.is_dir() and not place.is_symlink()]
    kept = [place for place in map(Path, _KEPT) if place.exists()]
    names = Path("/etc/resolv.conf").resolve()
    if network and names.is_file() and _is_in(names, own):
        kept.append(names)
    return [
        *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *(("--share-net",) if network else ()),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(word for place in own for word in ("--tmpfs", str(place))),
        *(word for place in kept for word in ("--ro-bind", str(place), str(place))),
    ]
