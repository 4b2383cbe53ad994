"""The inbox: what waits for the person is listed, opened, dismissed, snoozed and answered."""

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from desktop.agent.turn import Inbound
from desktop.errors import UsageError
from desktop.inbox.inbox import APPROVAL, WAITING, Inbox, Notice
from desktop.origin import mark_of
from desktop.text import _, listed

if TYPE_CHECKING:
    from desktop.agent.loop import Loop
    from desktop.cron.service import Scheduler

SNOOZES = ("10m", "1h", "tomorrow")
_MORNING = 9
_ALL = 10_000


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of the inbox, the newest first."""

    notices: tuple[Notice, ...]
    open: int
    """How many wait in all."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a notice leads: a conversation and a turn of it, "" for none."""

    session: str
    turn: str


@dataclass(frozen=True, slots=True)
class Snoozed:
    """When a notice comes again, in Unix time; False where it was not open any more."""

    until: float
    snoozed: bool


class Notices:
    """Acts on the inbox. What is done with a notice closes it, but a question stays open until it is
    answered. Every method raises StorageError, and UsageError for a notice that is not there."""

    def __init__(
        self,
        inbox: Inbox,
        approve: Callable[[str, bool], Awaitable[object]],
        scheduler: "Callable[[], Scheduler]",
        loop: "Loop",
    ) -> None:
        """`approve` tells what waits for a yes whether it has one."""
        self._inbox, self._approve, self._scheduler, self._loop = inbox, approve, scheduler, loop

    async def list(
        self,
        *,
        done: bool = False,
        kind: str = "",
        words: str = "",
        before: float | None = None,
        limit: int = 200,
    ) -> Listed:
        """What waits, and with `done` what does not any more; of one `kind`, with these `words`, older than
        `before` (Unix time)."""
        found = await self._inbox.list(all_=done, kind=kind, words=words, before=before, limit=limit)
        return Listed(tuple(found), await self._inbox.count())

    async def dismiss(self, id_: str) -> bool:
        """Close one; whether it was open. A missed job that asked is left out, what waits for a yes has a
        no."""
        return await self._close(await self._get(id_))

    async def dismiss_all(self) -> int:
        """Close all but questions; how many."""
        closed = [n for n in await self._inbox.list(limit=_ALL) if n.kind not in (APPROVAL, WAITING)]
        for notice in closed:
            await self._close(notice)
        return len(closed)

    async def _close(self, notice: Notice) -> bool:
        if notice.kind == WAITING:
            await self._approve(notice.id, False)
            return True
        if notice.body.get("ask"):
            with suppress(UsageError):  # who runs the jobs is another program: there it stays asked
                return await self._scheduler().answer(str(notice.body.get("run")), False)
        return await self._inbox.settle(notice.id, "done")

    async def open(self, id_: str) -> Place:
        """The person looks at it."""
        notice = await self._get(id_)
        if notice.kind not in (APPROVAL, WAITING):
            await self._inbox.settle(notice.id, "seen")
        return Place(notice.session, notice.turn)

    async def snooze(self, id_: str, until: float | str = SNOOZES[0]) -> Snoozed:
        """Have one come again later: in Unix time, or one of SNOOZES."""
        notice = await self._get(id_)
        moment = later(until) if isinstance(until, str) else until
        return Snoozed(moment, await self._inbox.snooze(notice.id, moment))

    async def reply(self, id_: str, text: str) -> Place:
        """Answer in the conversation of a notice, or in a new one; the turn that this began."""
        notice = await self._get(id_)
        session = notice.session or f"reminder:{notice.id}"
        turn = await self._loop.submit(
            Inbound(session, text, "window", about=_about(notice), mark=mark_of(notice.body))
        )
        await self._inbox.settle(notice.id, "replied")
        return Place(session, turn)

    async def seen(self, session: str) -> None:
        """The person looks at a conversation: that an answer is ready there needs no telling any more."""
        await self._inbox.seen(session)

    async def _get(self, id_: str) -> Notice:
        notice = await self._inbox.get(id_)
        if notice is None:
            raise UsageError(_("This notice no longer exists."))
        return notice


def later(how: str, now: float | None = None) -> float:
    """The moment that one of SNOOZES means, in Unix time. Raises UsageError."""
    now = time.time() if now is None else now
    if how == "10m":
        return now + 600
    if how == "1h":
        return now + 3600
    if how == "tomorrow":
        day = datetime.fromtimestamp(now).astimezone() + timedelta(days=1)
        return day.replace(hour=_MORNING, minute=0, second=0, microsecond=0).timestamp()
    raise UsageError(_("Snooze for one of: {words}.").format(words=listed(SNOOZES)))


def _about(notice: Notice) -> str:
    """What the model is told of the notice that the person answers."""
    text = str(notice.body.get("text") or "")
    return f"[The person answers this notice: {notice.title!r}, {text[:2000]!r}]" if text else ""
