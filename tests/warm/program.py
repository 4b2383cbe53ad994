"""The whole program as a child process, forked from one that has its modules loaded.

The stories start the program hundreds of times, and half of what they did was to load the same modules.
A forked one is a child of the test like any other, with a process of its own to be killed and waited for.
It is started anew where the interpreter's own start matters: see `suits`.
"""

import ctypes
import marshal
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.warm import forking, host_command

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_OF_THE_START = ("PYTHON", "LC_", "LANG")
"""Variables that Python reads when it starts begin like these."""

_sockets: list[Path] = []
"""Of the process that forks programs, while there is one."""
_asking = threading.Lock()


@contextmanager
def _forked_from_here_on(what: str) -> Iterator[None]:
    if sys.platform != "linux" or os.environ.get("NANOBOT_TEST_PROGRAM"):
        yield
        return
    with forking(what, *(host_command() or ())) as path:
        _sockets.insert(0, path)
        yield
        _sockets.remove(path)


@pytest.fixture(autouse=True, scope="session")
def warm_program(warm: None) -> Iterator[None]:
    """Have programs forked from here on; for a conftest of a folder whose tests start many."""
    with _forked_from_here_on("program"):
        yield


@pytest.fixture(autouse=True, scope="session")
def warm_window(warm: None) -> Iterator[None]:
    """The same for a folder whose tests start the window."""
    with _forked_from_here_on("window"):
        yield


def suits(environment: Mapping[str, str]) -> bool:
    """Whether a program in this environment can be forked: not where Python would start otherwise."""
    names = {name for name in {*environment, *os.environ} if name.startswith(_OF_THE_START)}
    return bool(_sockets) and all(environment.get(name) == os.environ.get(name) for name in names)


class Forked(subprocess.Popen[Any]):
    """`args` are those of the program alone."""

    def _execute_child(self, args: Sequence[str], *rest: Any) -> None:
        # The one method of Popen that starts anything; all around it stays as it is.
        _executable, _before, _close, _pass, cwd, env, _info, _flags, _shell, *streams = rest
        _restore, _gid, _gids, _uid, _umask, apart, _group = streams[6:]
        reads, _writes, _answers, says, _complaints, complains = streams[:6]
        handles = [given if given != -1 else own for own, given in enumerate((reads, says, complains))]
        environment = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        asked = marshal.dumps((environment, list(args), cwd or os.getcwd(), os.getpid(), apart))
        self.pid = _fork(asked, handles)
        self._child_created = True
        self._close_pipe_fds(*streams[:6])  # type: ignore[attr-defined]


def _fork(asked: bytes, handles: list[int]) -> int:
    """The process number of a program, which is a child of this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    with _asking, socket.socket(socket.AF_UNIX) as wire:
        # A fork of a fork of a child comes to us when the one between ends, while we say so.
        assert not libc.prctl(_SUBREAPER, 1, 0, 0, 0)
        try:
            wire.connect(str(_sockets[0]))
            socket.send_fds(wire, [len(asked).to_bytes(4, "big")], handles)
            wire.sendall(asked)
            number = wire.recv(4, socket.MSG_WAITALL)
        finally:
            libc.prctl(_SUBREAPER, 0, 0, 0, 0)
    assert len(number) == 4, "the program was not forked"
    return int.from_bytes(number, "big")
