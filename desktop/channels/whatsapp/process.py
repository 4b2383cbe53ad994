"""The process that has the library, as the program sees it: calls and their results, and what it tells."""

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Self

from desktop import frames
from desktop.channels.whatsapp.failures import call_failed, crashed, ended
from desktop.child import Child, start
from desktop.errors import AppError
from desktop.paths import self_command
from desktop.text import _

type Json = Mapping[str, Any]

_log = logging.getLogger(__name__)


class Process:
    """One run of it. Belongs to the event loop's thread."""

    def __init__(self) -> None:
        self._child: Child
        self._calls: dict[int, asyncio.Future[Json]] = {}
        self._numbers = itertools.count(1)
        self._told: asyncio.Queue[Json | None] = asyncio.Queue()
        self.reason: AppError | None = None
        """Why it ended, once it has."""

    @classmethod
    async def started(cls, folder: Path, proxy: str, *, links: bool = False, phone: str = "") -> Self:
        """One for the account in a folder; `links`: to link one, by a phone number where there is one.
        Raises AppError."""
        made = cls()
        try:
            made._child = await start(
                lambda: Child("whatsapp", made._receive, lambda _child: made._over(), logging.INFO),
                self_command("--whatsapp"),
            )
        except OSError as error:
            text = _("The process of WhatsApp could not be started: {reason}.")
            raise AppError(
                text.format(reason=error.strerror or error), _("Reinstall the program.")
            ) from error
        opening = {"op": "open", "folder": str(folder), "proxy": proxy, "links": links, "phone": phone}
        made._child.write(frames.pack(opening))
        return made

    @property
    def pid(self) -> int:
        """Of the running process."""
        return self._child.pid

    async def told(self) -> AsyncIterator[Json]:
        """What it tells by itself, until it ends. Raises the reason."""
        while (frame := await self._told.get()) is not None:
            yield frame
        raise self.reason or crashed()

    def left(self) -> list[Json]:
        """What it told and nobody took; once it has ended."""
        found = []
        while not self._told.empty():
            if (frame := self._told.get_nowait()) is not None:
                found.append(frame)
        return found

    async def call(self, what: str, seconds: float, **given: Any) -> Json:
        """Have it do something. Raises TimeoutError, ConnectionError where it has ended, and as
        call_failed()."""
        if self.reason is not None:
            raise ConnectionError
        number = next(self._numbers)
        waiter = self._calls[number] = asyncio.get_running_loop().create_future()
        self.tell({"op": "call", "id": number, "what": what, "with": given})
        try:
            async with asyncio.timeout(seconds):
                done: Json = await waiter
                return done
        finally:
            del self._calls[number]

    def tell(self, frame: Json) -> None:
        """Send it something that has no answer."""
        self._child.write(frames.pack(frame))

    async def close(self) -> None:
        """End it, and wait until it is gone."""
        await self._child.end()

    def _receive(self, frame: Json) -> None:
        match frame["op"]:
            case "done" | "failed":
                waiter = self._calls.get(frame["id"])
                if waiter is not None and not waiter.done():
                    if frame["op"] == "done":
                        waiter.set_result(frame["result"])
                    else:
                        waiter.set_exception(call_failed(frame["kind"], frame["detail"]))
            case "down":
                _log.info("WhatsApp ended: %s %s", frame["why"], frame["detail"])
                self.reason = self.reason or ended(frame["why"], frame["detail"])
            case "odd":
                _log.error("a message of WhatsApp could not be read: %s", frame["detail"])
            case _:
                self._told.put_nowait(frame)

    def _over(self) -> None:
        self.reason = self.reason or crashed()
        for waiter in self._calls.values():
            if not waiter.done():
                waiter.set_exception(ConnectionError())
        self._told.put_nowait(None)
