"""Sockets in the folders of a command on which something outside its sandbox listens.

Whoever reaches one has what is behind it work outside: a tmux server that the person shares, an agent for
keys, a program of theirs. So a command that nobody was asked about, with marked text in view, finds none.
Everything here blocks.
"""

import os
import socket
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

_MOST_LOOKED_AT = 50_000
"""Entries of the folders of one command, the upper ones first."""
_LISTENS = 0x00010000
"""Of the flags in /proc/net/unix: it takes connections (proc(5), include/linux/net.h)."""


def answering(folders: Iterable[Path]) -> list[Path]:
    """Those that something listens on, by their names and by what the kernel has."""
    real = [Path(os.path.realpath(folder)) for folder in folders]
    found = dict.fromkeys(path for path in _bound() if any(path.is_relative_to(one) for one in real))
    found |= dict.fromkeys(path for path in _named(real) if _listens(path))
    return list(found)


def _bound() -> Iterator[Path]:
    """The listening sockets of this computer that were bound by their whole path."""
    try:
        lines = Path("/proc/net/unix").read_bytes().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        words = line.split(maxsplit=7)
        if len(words) == 8 and int(words[3], 16) & _LISTENS and words[7].startswith(b"/"):
            yield Path(os.path.realpath(os.fsdecode(words[7])))


def _named(folders: Iterable[Path]) -> Iterator[Path]:
    left, waiting = _MOST_LOOKED_AT, deque(folders)
    while waiting and left > 0:
        try:
            with os.scandir(waiting.popleft()) as entries:
                for entry in entries:
                    left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    elif not entry.is_file(follow_symlinks=False) and _is_socket(entry):
                        yield Path(entry.path)
        except OSError:
            continue


def _is_socket(entry: os.DirEntry[str]) -> bool:
    try:
        return stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode)
    except OSError:
        return False


def _listens(path: Path) -> bool:
    """Found out by knocking: one that was left behind refuses. What cannot be known counts as listening."""
    try:
        handle = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knock:
            knock.setblocking(False)
            knock.connect(f"/proc/self/fd/{handle}")  # its own path may be too long for a socket
    except ConnectionRefusedError:
        return False
    except OSError:
        return True
    finally:
        os.close(handle)
    return True
