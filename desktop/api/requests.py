"""What is asked of the process that owns a home: calls of the api, and a few plain requests by name.

Those names stay as they are, for by them versions of the program know one another: status and wait here,
hand_over and quit of the owner, show, quick and link of a window.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from desktop.api.subjects import Subjects
from desktop.errors import UsageError
from desktop.text import _

type Json = dict[str, Any]
type Send = Callable[[Json], None]
type Request = Callable[[Json], Awaitable[Json]]
"""Takes arguments and gives a reply, as they travel between processes. Raises AppError."""


class Requests:
    """Answers other processes."""

    def __init__(self, subjects: Subjects, front: str, own: Mapping[str, Request] | None = None) -> None:
        """`own`: what the front end that owns the home can do besides."""
        self._subjects, self._front = subjects, front
        self._goes, self._quits = asyncio.Event(), False
        self._named: dict[str, Request] = {**(own or {}), "status": self._status, "wait": self._wait}

    async def answer(self, name: str, arguments: Json, send: Send) -> Json:
        """Do one thing; what a stream yields goes to `send`. Cancelling ends what it began: the turn of an
        ask is stopped. Raises AppError."""
        if "." in name:
            return await self._subjects.answer(name, arguments, send)
        return await self.named(name, arguments)

    async def named(self, name: str, arguments: Json) -> Json:
        """One of the plain requests. Raises AppError."""
        if name not in self._named:
            raise UsageError(_("Unknown request: {verb}.").format(verb=name))
        return await self._named[name](arguments)

    def quit(self) -> None:
        """The program was told to quit: who waits for its end is told, too, and is not to go on in its
        place."""
        self._quits = True
        self._goes.set()

    def leave(self) -> None:
        """The owner is going, and the program is not: who waits for that is no reason for it to stay."""
        self._goes.set()

    async def _status(self, _arguments: Json) -> Json:
        """Who owns the home, for any version of the program that comes."""
        return {"pid": os.getpid(), "front": self._front}

    async def _wait(self, _arguments: Json) -> Json:
        """Who asks learns that the owner goes, by the end of the connection at the latest; `quit` where the
        whole program is to go."""
        await self._goes.wait()
        return {"quit": True} if self._quits else {}
