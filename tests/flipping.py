"""A race played for as long as a test looks: a folder that is exchanged for a link, and back, without end.

A process of its own does it, as fast as it goes: python tests/flipping.py FOLDER LINK
"""

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HERE, _EXCHANGE = -100, 2


@contextmanager
def flipping(folder: Path, target: Path) -> Iterator[None]:
    """While this runs, `folder` is itself and a link to the target by turns; itself at the end."""
    link = folder.with_name(f"{folder.name}-link")
    link.symlink_to(target)
    with exchanging(folder, link):
        yield


@contextmanager
def exchanging(one: Path, other: Path) -> Iterator[None]:
    """While this runs, two names are exchanged again and again."""
    command = [sys.executable, __file__, str(one), str(other)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        assert child.stdout.readline()
        try:
            yield
        finally:
            child.stdin.close()
            assert child.wait() == 0


def _exchange(one: bytes, other: bytes) -> None:
    """Exchange two names in one step (renameat2 of Linux)."""
    if ctypes.CDLL(None, use_errno=True).renameat2(_HERE, one, _HERE, other, _EXCHANGE):
        raise OSError(ctypes.get_errno(), "renameat2")


def main(one: bytes, other: bytes) -> None:
    """Exchange until stdin ends; an even number of times."""
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait).start()
    print("begun", flush=True)
    while not ended.is_set():
        _exchange(one, other)
        _exchange(one, other)


if __name__ == "__main__":
    main(os.fsencode(sys.argv[1]), os.fsencode(sys.argv[2]))
