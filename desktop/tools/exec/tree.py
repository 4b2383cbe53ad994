"""Ends all that a command started, also what left its process group, its session and its parent.

A process belongs to a command when it is a descendant, or of its group or session, or has the mark in its
environment that every process of the command inherits. Only one that cleans its environment and leaves its
parent as well is not found, and the sandbox ends even that.
"""

import contextlib
import os
import secrets
import signal
import sys
import time

import psutil

MARK = "NANOBOT_COMMAND"
_POLITE_SECONDS = 0.5
_MOST_SECONDS = 3.0
_STEP = 0.01
_SAME_SECONDS = 30.0
"""How far the start of one process may seem to move when the clock is set."""


class Tree:
    """The processes of one command. Its methods block: call them in a thread."""

    def __init__(self, pid: int, mark: str) -> None:
        self._pid, self._mark = pid, mark
        self._since = 0.0
        with contextlib.suppress(psutil.Error):
            self._since = psutil.Process(pid).create_time()

    def members(self) -> list[psutil.Process]:
        """What of it is alive."""
        found: dict[int, psutil.Process] = {}
        others: list[tuple[psutil.Process, int]] = []
        for pid in psutil.pids():
            with contextlib.suppress(psutil.Error, OSError):
                process = psutil.Process(pid)
                if pid == os.getpid() or process.create_time() < self._since:
                    continue
                if self._is_marked(process):
                    found[pid] = process
                else:
                    others.append((process, process.ppid()))
        grown = True
        while grown:
            children = [process for process, parent in others if parent in found]
            others = [(process, parent) for process, parent in others if parent not in found]
            found.update((process.pid, process) for process in children)
            grown = bool(children)
        return [process for process in found.values() if _is_alive(process)]

    def end(self, grace: float = 0.0) -> int:
        """End it all: asked first, then made to. What goes by itself within `grace` is not asked.
        Returns how many had to be ended besides the command itself."""
        found = self.members()
        if found and grace:
            _wait(found, grace)
            found = self.members()
        count = sum(1 for process in found if process.pid != self._pid)
        if found:
            self._signal(found, force=False)
            _wait(found, _POLITE_SECONDS)
        until = time.monotonic() + _MOST_SECONDS
        while found and time.monotonic() < until:
            found = self.members()
            self._signal(found, force=True)
            _wait(found, _STEP * 5)
        return count

    def _is_marked(self, process: psutil.Process) -> bool:
        pid = process.pid
        if pid == self._pid:
            return True
        if sys.platform != "win32" and self._pid in (os.getpgid(pid), os.getsid(pid)):
            return True
        return process.environ().get(MARK) == self._mark

    def _signal(self, processes: list[psutil.Process], *, force: bool) -> None:
        for process in processes:
            with contextlib.suppress(psutil.Error, OSError):
                if force and sys.platform != "win32" and os.getpgid(process.pid) == self._pid:
                    os.killpg(self._pid, signal.SIGKILL)  # at one blow: forking faster does not help
                elif force:
                    process.kill()
                else:
                    process.terminate()


def new_mark() -> str:
    """A mark for one command: the program that runs it, and a word of its own."""
    return f"{os.getpid()}:{psutil.Process().create_time():.0f}:{secrets.token_hex(8)}"


def sweep() -> int:
    """End what is left of commands whose program was killed before it could end them. Returns how many
    processes that were. Blocks.

    The sandbox ends its command with the program, but for a moment at the start; elsewhere nothing does.
    """
    own, left = os.environ.get(MARK), 0
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            mark = process.environ().get(MARK)
            if mark and mark != own and _is_orphaned(mark):
                process.kill()
                left += 1
    return left


def _is_orphaned(mark: str) -> bool:
    """Whether the program that gave this mark is gone."""
    pid, _, rest = mark.partition(":")
    since = rest.partition(":")[0]
    if not (pid.isdigit() and since.isdigit()):
        return False
    try:
        return abs(psutil.Process(int(pid)).create_time() - int(since)) > _SAME_SECONDS
    except psutil.NoSuchProcess:
        return True


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _wait(processes: list[psutil.Process], seconds: float) -> None:
    """Until they are gone or the time is over. psutil's own wait would take the exit code from asyncio."""
    until = time.monotonic() + seconds
    while any(map(_is_alive, processes)) and time.monotonic() < until:
        time.sleep(_STEP)
