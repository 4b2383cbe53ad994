"""Files on which the sandbox of a running command has a mount: read-only, or hidden.

Linux takes a mount away, in every namespace, when the name that it stands on is given to another file or is
removed (detach_mounts in fs/namespace.c). What is there then is the file itself, as writable as its folder.
So while a command runs, the program changes such a file in place, and removes none. What other programs do
is not in its hands.
"""

import errno
import os
import stat
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop.files import system
from desktop.text import _

_BLOCK = 1 << 20
_lock = threading.Lock()
_known: Counter[str] = Counter()


@contextmanager
def mounted(paths: Iterable[Path]) -> Iterator[None]:
    """While this lasts, the files at these real paths keep their inodes, as far as this program goes."""
    names = [str(path) for path in paths]
    with _lock:
        _known.update(names)
    try:
        yield
    finally:
        with _lock:
            _known.subtract(names)
            for name in names:
                if _known[name] <= 0:
                    del _known[name]


def is_mounted(path: str) -> bool:
    """Whether a command that runs has a mount on this real path."""
    return path in _known


def refuse_removal(path: str) -> None:
    """Raises OSError for a file that a running command has a mount on."""
    if is_mounted(path):
        raise OSError(errno.EBUSY, _("a running command is using it; try again when it has finished"), path)


def put_within(at: system.Folder, handle: int, temporary: str, name: str) -> os.stat_result:
    """Put what an open new file holds into the file of this name, and remove the new one; its status after
    that. Closes the handle. A kill in between leaves the whole new text under its temporary name. Raises
    OSError, also where the file has a second name."""
    try:
        target = at.open(name, os.O_WRONLY)
        try:
            status = os.fstat(target)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), at.named(name))
            new = os.fstat(handle)
            os.lseek(handle, 0, os.SEEK_SET)
            while block := os.read(handle, _BLOCK):
                left = memoryview(block)
                while left:
                    left = left[os.write(target, left) :]
            os.ftruncate(target, new.st_size)
            system.set_mode(target, stat.S_IMODE(new.st_mode))
            system.set_time(target, new.st_mtime_ns)
            os.fsync(target)
            done = os.fstat(target)
        finally:
            os.close(target)
    finally:
        os.close(handle)
    at.unlink(temporary)
    return done
