"""How the window's program ended, where it did not end by itself: kept for its next start.

While it runs there is a file of its own in logs/crash, into which Python's faulthandler writes when the
process dies of a fault. An orderly end removes it. One with nothing in it was killed, by the system's
shutdown for one, and there is nothing to tell. No value is ever in it, neither a variable nor the words of
an error: only the places in the code.
"""

import faulthandler
import os
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from desktop import __version__

_MOST_BYTES = 200_000


class _Mine:
    file: FileIO | None = None
    path: Path


@dataclass(frozen=True, slots=True)
class Crash:
    """One end of the program. `at`: in Unix time; `version`: of the program that ended."""

    at: float
    version: str
    text: str


def folder(logs: Path) -> Path:
    """Where the files are."""
    return logs / "crash"


def begin(logs: Path) -> None:
    """From now on keep how this process dies. Blocks. A folder that can't be written costs just that."""
    _Mine.path = folder(logs) / f"{os.getpid()}_{__version__}.txt"
    with suppress(OSError):
        _Mine.path.parent.mkdir(parents=True, exist_ok=True)
        _Mine.file = FileIO(_Mine.path, "w")
        faulthandler.enable(_Mine.file)


def died(error: BaseException) -> None:
    """An error ends this process: keep where it came from."""
    if _Mine.file is None:
        return
    import traceback  # not at every start

    lines = []
    for one in _chain(error):
        lines += [
            f"{type(one).__module__}.{type(one).__qualname__}\n",
            *traceback.format_tb(one.__traceback__),
        ]
    with suppress(OSError):
        _Mine.file.write("".join(lines).encode("utf-8", "replace"))
    _close()


def ended() -> None:
    """This process ends as it should. Blocks."""
    if _Mine.file is not None:
        _close()
        with suppress(OSError):
            _Mine.path.unlink()


def take(logs: Path) -> Crash | None:
    """The latest end that is to be told; what processes that are gone have left is removed. Blocks."""
    found = []
    for path in folder(logs).glob("*.txt"):
        if path == getattr(_Mine, "path", None) or _runs(path):
            continue
        with suppress(OSError):
            at, text = path.stat().st_mtime, path.read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
            if text.strip():
                found.append(Crash(at, path.stem.partition("_")[2], text))
            path.unlink()
    return max(found, key=lambda crash: crash.at, default=None)


def _runs(path: Path) -> bool:
    """Whether the process that a file belongs to is still there."""
    import psutil

    try:
        process = psutil.Process(int(path.stem.partition("_")[0]))
        return process.create_time() <= path.stat().st_mtime
    except (ValueError, OSError, psutil.Error):
        return False


def _close() -> None:
    faulthandler.disable()
    if _Mine.file is not None:
        with suppress(OSError):
            _Mine.file.close()
        _Mine.file = None


def _chain(error: BaseException) -> list[BaseException]:
    """An error and those that it came from, the first one first."""
    found: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in found:
        found.append(one)
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return found[::-1]
