"""Stands between the program and an MCP server's command, so that nothing of it outlives either.

The command has our stdin and stdout as they are; what it prints to stderr goes through a limit here. When
the program dies, however that happens, or the command ends, all that the command started is ended too:
asked first, then made to. Every server costs one of these, so it imports next to nothing.
"""

import _thread
import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import NoReturn

from desktop.tools.mcp.drain import drain

HIDDEN_ARGUMENT = "--mcp-guard"
"""Followed by the program's process id, then the command."""
_GRACE = 0.5
_MOST = 3.0
_STEP = 0.02
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_NOT_FOUND = 127
_LAST_WORDS = 0.3
"""Seconds for what was printed last."""
_draining = _thread.allocate_lock()  # the module of threads costs too much here


def main(argv: Sequence[str]) -> NoReturn:
    """Run a command until it or the program ends, and exit with its code. Its stderr goes into ours."""
    program, command = int(argv[0]), list(argv[1:])
    if sys.platform == "linux":
        code = _linux(program, command)
    elif sys.platform == "darwin":
        code = _mac(program, command)
    else:
        raise SystemExit("The guard of MCP servers has no work on this system.")
    _draining.acquire(timeout=_LAST_WORDS)
    os._exit(code)


def _start(command: Sequence[str]) -> int:
    """Fork and run the command. A command that cannot run says so on stderr."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        _draining.acquire()
        _thread.start_new_thread(_drain, (read,))
        for stream in (0, 1):  # so that each side sees the other's end of the pipe close
            os.close(stream)
        return pid
    os.dup2(write, 2)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if sys.platform == "linux":
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        os.setpgid(0, 0)
    try:
        os.execvp(command[0], list(command))  # noqa: S606 a server needs no shell
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(_NOT_FOUND)


def _drain(source: int) -> None:
    """Take what the command prints until nobody is left who could; into our own stderr."""
    try:
        drain(source, 2)
    finally:
        _draining.release()


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if sys.platform == "linux":

    def _linux(program: int, command: Sequence[str]) -> int:
        """The kernel sends SIGTERM when the program dies, and gives us whom the command leaves behind."""
        watched = {signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGCHLD}
        signal.pthread_sigmask(signal.SIG_BLOCK, watched)
        _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        if os.getppid() != program:  # it died before the kernel was told
            return 128 + signal.SIGTERM
        child = _start(command)
        while True:
            if signal.sigwait(watched) != signal.SIGCHLD:
                _end_below()
                return 128 + signal.SIGTERM
            code = _reaped(child)
            if code is not None:
                _end_below()
                return code

    def _reaped(child: int) -> int | None:
        """The exit code of the command, once it has ended; bury all others that have."""
        code = None
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return code
            if pid == 0:
                return code
            if pid == child:
                code = _exit_code(status)

    def _end_below() -> None:
        """End everything below this process."""
        began, asked = time.monotonic(), False
        while (pids := _below()) and time.monotonic() < began + _GRACE + _MOST:
            force = time.monotonic() > began + _GRACE
            if force or not asked:
                for pid in pids:
                    _signal(pid, signal.SIGKILL if force else signal.SIGTERM)
                asked = True
            time.sleep(_STEP)
            _reaped(0)

    def _below() -> list[int]:
        """The living processes below this one, nearest first."""
        children: dict[int, list[int]] = {}
        for name in os.listdir("/proc"):  # noqa: PTH208 pathlib costs 10 ms
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 likewise
                        state, parent = file.read().rpartition(b")")[2].split()[:2]
                except OSError:
                    continue
                if state not in (b"Z", b"X"):
                    children.setdefault(int(parent), []).append(int(name))
        found = children.get(os.getpid(), [])
        for pid in found:
            found += children.get(pid, [])
        return found

    def _prctl(option: int, value: int) -> None:
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if sys.platform == "darwin":

    def _mac(program: int, command: Sequence[str]) -> int:
        """A kernel queue tells of the program's end and of the command's. The command leads a group of its
        own, with all that it started and did not put elsewhere."""
        import select

        queue = select.kqueue()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the queue gets it all the same
        queue.control([select.kevent(signal.SIGTERM, select.KQ_FILTER_SIGNAL, select.KQ_EV_ADD)], 0)
        child = _start(command)
        exits = [
            select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
            for pid in (program, child)
        ]
        try:
            queue.control(exits, 0)
            if os.getppid() == program:
                queue.control(None, 1)
        except ProcessLookupError:
            pass  # one of them is gone already
        code = _within_grace(child)
        _signal_group(child, signal.SIGKILL)
        return code

    def _within_grace(child: int) -> int:
        """Ask the group to end; the exit code of the command if it does."""
        _signal_group(child, signal.SIGTERM)
        until = time.monotonic() + _GRACE
        while time.monotonic() < until:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return _exit_code(status)
            time.sleep(_STEP)
        return 128 + signal.SIGTERM

    def _signal_group(group: int, number: int) -> None:
        try:
            os.killpg(group, number)
        except OSError:
            return


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return
