"""Reading what the person types, without ever blocking the event loop or the exit of the program."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import FrameType
from typing import Any

from desktop.cli.output import cell, say
from desktop.tasks import in_daemon, spawn


class Lines:
    """Standard input, line by line: with editing on a terminal, raw from a pipe.

    Both read in a daemon thread. A pipe is read below Python's buffered stdin, whose lock a thread still
    waiting at exit would hold for ever.
    """

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self._rest = b""

    async def next(self, prompt: str = "") -> str | None:
        """The next line without its end, or None when the input is over."""
        if self.interactive:
            return await in_daemon(_edited, cell(prompt), seconds=None)
        return await in_daemon(self._raw, seconds=None)

    async def secret(self, prompt: str) -> str:
        """A line that is not shown while it is typed; empty when the input is over."""
        if self.interactive:
            from getpass import getpass

            return await in_daemon(getpass, cell(prompt), seconds=None)
        return await self.next() or ""

    async def whole(self) -> str:
        """All of the input."""
        return await in_daemon(self._all, seconds=None)

    async def interruptible[T](
        self,
        work: Coroutine[Any, Any, T],
        stop: Callable[[], Coroutine[Any, Any, object]],
        over: Callable[[], bool],
    ) -> T:
        """Await the work to its end; Ctrl+C meanwhile asks it to stop, and ends nothing else.

        Ctrl+C again, or when what the person waits for is `over`, is meant for the program.
        """
        loop = asyncio.get_running_loop()
        before = signal.getsignal(signal.SIGINT)

        def interrupted(number: int, frame: FrameType | None) -> None:
            signal.signal(signal.SIGINT, before)
            if over() and callable(before):
                before(number, frame)
            else:
                loop.call_soon_threadsafe(lambda: spawn(stop(), name="interrupt"))

        signal.signal(signal.SIGINT, interrupted)
        try:
            return await work
        finally:
            signal.signal(signal.SIGINT, before)

    def _all(self) -> str:
        lines = []
        while (line := self._raw()) is not None:
            lines.append(line)
        return "\n".join(lines)

    def _raw(self) -> str | None:
        while b"\n" not in self._rest:
            block = os.read(0, 65536)
            if not block:
                last, self._rest = self._rest, b""
                return last.decode("utf-8", "replace") if last else None
            self._rest += block
        line, _newline, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")


def _edited(prompt: str) -> str | None:
    with suppress(ImportError):
        import readline  # noqa: F401  importing it is what gives input() editing and history
    try:
        return input(prompt)
    except EOFError:
        say()
        return None
