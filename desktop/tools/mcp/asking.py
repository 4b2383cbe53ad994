"""What a server asks back while calls are under way, brought to the call that it is about.

The clock of a call stands still while the person is asked: it measures the server. In the protocol before
2026 nothing tells which call a question belongs to; then it is the one that was begun last.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from desktop.errors import StorageError
from desktop.tasks import cancel, spawn
from desktop.text import _
from desktop.tools.form import Asker, Form, Purpose, Reply
from desktop.tools.mcp.elicit import Refused, form_of
from desktop.tools.mcp.renewing import Consent

_MOST_ASKED = 10
"""How often a server may ask in one call."""
_OVERTIME = 2.0
"""Seconds in which it may be told that a call has ended."""
_log = logging.getLogger(__name__)
_TOO_OFTEN = "The MCP server kept asking the person; what it asked at last was declined."


class Underway:
    """One call that waits for the server's answer."""

    def __init__(self, asker: Asker | None, limit: asyncio.Timeout) -> None:
        self.asker, self._limit = asker, limit
        self._asked, self._paused, self._left = 0, 0, 0.0
        self._tasks: set[asyncio.Task[Reply]] = set()
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the call has ended."""

    async def ask(self, form: Form) -> Reply:
        """The person's reply; a call that ends takes its question back."""
        if self.asker is None:
            return Reply("cancel")
        self._asked += 1
        if self._asked > _MOST_ASKED:
            self.note(_TOO_OFTEN)
            return Reply("decline")
        with self.paused():
            task = spawn(_reply(self.asker, form), name=f"mcp:ask:{form.service}")
            self._tasks.add(task)
            try:
                await asyncio.wait({task})
                return Reply("cancel") if task.cancelled() else task.result()
            finally:
                self._tasks.discard(task)
                await cancel(task)

    def note(self, told: str) -> None:
        """Have the model told of it."""
        if self.asker is not None and told not in self.asker.notes:
            self.asker.notes.append(told)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The clock stands still."""
        loop = asyncio.get_running_loop()
        if not self._paused and (when := self._limit.when()) is not None:
            self._left = when - loop.time()
            self._limit.reschedule(None)
        self._paused += 1
        try:
            yield
        finally:
            self._paused -= 1
            if not (self._paused or self._limit.expired()):
                self._limit.reschedule(loop.time() + max(self._left, 0.1))

    async def end(self) -> None:
        """What is still asked is asked no longer."""
        self.over.set_result(None)
        await cancel(*self._tasks)


async def _reply(asker: Asker, form: Form) -> Reply:
    try:
        return await asker.ask(form)
    except StorageError as error:
        _log.warning("a question could not be put to the person: %s", error)
        return Reply("cancel")


_OURS: ContextVar[Underway | None] = ContextVar("mcp_call", default=None)
"""The call that this code works for, where that is known."""


async def _outcome(work: Coroutine[Any, Any, Any]) -> tuple[Any, Exception | None]:
    try:
        return await work, None
    except Exception as error:
        return None, error


class Asking:
    """The calls under way at one server, and what it asks in them."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._calls: list[Underway] = []
        self._late: set[asyncio.Task[Any]] = set()

    @property
    def count(self) -> int:
        """How many calls are under way."""
        return len(self._calls)

    async def call(self, asker: Asker | None, seconds: float, work: Coroutine[Any, Any, Any]) -> Any:
        """What a call brings, which may take so long. Raises TimeoutError, and what the call does."""
        async with asyncio.timeout(seconds) as limit:
            under_way = Underway(asker, limit)
            self._calls.append(under_way)
            token = _OURS.set(under_way)
            task = spawn(_outcome(work), name=f"mcp:call:{self._service}")
            try:
                await asyncio.wait({task})
            finally:
                _OURS.reset(token)
                self._calls.remove(under_way)
                await under_way.end()
                await self._let_go(task)
        result, error = task.result()
        if error is not None:
            raise error
        return result

    async def _let_go(self, task: asyncio.Task[Any]) -> None:
        """The server is told that its answer is not wanted; one that reads no more is not waited for."""
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=_OVERTIME)
        if not task.done():
            self._late.add(task)
            task.add_done_callback(self._late.discard)

    async def stop(self) -> None:
        """Nothing is waited for any more."""
        await cancel(*self._late)

    def _about(self) -> Underway | None:
        ours = _OURS.get()
        if ours in self._calls:
            return ours
        return self._calls[-1] if self._calls else None

    async def elicit(self, _context: Any, params: Any) -> Any:
        """The SDK's callback for what the server asks the person."""
        from mcp_types import INVALID_REQUEST, ElicitResult, ErrorData

        call = self._about()
        if call is None:
            return ErrorData(code=INVALID_REQUEST, message="The person is only asked while a call is made.")
        try:
            form = form_of(self._service, params)
        except Refused as refused:
            call.note(refused.told)
            return ElicitResult(action="decline")
        reply = await call.ask(form)
        fills = reply.action == "accept" and form.purpose is Purpose.FORM
        return ElicitResult(action=reply.action, content=reply.content if fills else None)

    async def widen(self, rights: frozenset[str]) -> Consent | None:
        """Whether the person signs in again for more rights, in the middle of a call of theirs. A
        connection that is made by itself asks nobody."""
        call = _OURS.get()
        if call is None or call not in self._calls:
            return None
        named = " ".join(sorted(rights)) or _("The server doesn’t say which.")
        reply = await call.ask(Form(self._service, named, Purpose.RIGHTS))
        if reply.action != "accept" or reply.open_page is None:
            return None
        return Consent(reply.open_page, call.over)
