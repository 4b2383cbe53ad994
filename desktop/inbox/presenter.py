"""Brings notices to the screen: each once, in its time, whatever ends in between.

A notice is marked before it is handed over and again when the screen has it. Only where the program was
killed in between is it not known whether the person saw it, and it is shown a second time.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from desktop.config.presence import Notifications
from desktop.errors import AppError
from desktop.inbox.alarm import Alarm, LoopAlarm
from desktop.inbox.inbox import ANSWER, APPROVAL, SUBAGENT, Inbox, Notice
from desktop.inbox.quiet import quiet_until
from desktop.inbox.screen import Screen, Toast
from desktop.inbox.toasts import digest, toast
from desktop.tasks import cancel, spawn
from desktop.text import _, sentences

_MANY = 4
"""More than this many at once are one toast."""
_AGAIN_S, _END_S = 60.0, 1.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class How:
    """How notices come to the person: "daemon" (the desktop's notifications), "tray" or "inbox" (nowhere
    else); `missing`: a sentence for the person on what there is not, if anything."""

    way: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class _Pile:
    """Notices that may be shown together, and whether they were held back by quiet hours."""

    notices: Sequence[Notice]
    at_most: int
    held: bool = False


class Presenter:
    """Waits for the inbox's bell and for the next due moment."""

    def __init__(
        self,
        inbox: Inbox,
        settings: Callable[[], Notifications],
        screen: Screen,
        *,
        fallback: Callable[[Toast], bool] | None = None,
        clock: Callable[[], float] = time.time,
        alarm: Alarm | None = None,
        zone: Callable[[], tzinfo | None] = lambda: None,
    ) -> None:
        """`zone`: the person's; that of the system where it gives None."""
        self._inbox, self._settings, self._screen = inbox, settings, screen
        self._clock, self._zone = clock, zone
        self._alarm: Alarm = alarm or LoopAlarm(clock)
        self.fallback = fallback
        """Shows a toast where the desktop's notifications do not; False where it cannot either."""
        self.attended: Callable[[Notice], bool] = lambda _notice: False
        """Whether the person has this question, result or answer before their eyes already."""
        self.away: Callable[[Notice], bool] = lambda _notice: False
        """Whether the person asked in a window and does not see the answer come; only a window can tell."""
        self._bell = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._ending = False
        self._way = "inbox"
        self._up: dict[str, frozenset[str]] = {}
        """The toasts that may be on the screen, and the notices that each stands for."""

    # ---- for the program

    def start(self) -> None:
        """Show what is due, and from now on what becomes due."""
        self._inbox.rung = self._screen.appeared = self.look
        self._alarm.start(self.look, self.look)
        self._task = spawn(self._present(), name="presenter")
        self.look()

    async def stop(self) -> None:
        """Show nothing more. What is just being handed over is seen through, if that does not take long."""
        self._inbox.rung = self._screen.appeared = None
        self._ending = True
        self.look()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_END_S)
            await cancel(self._task)
            self._alarm.stop()
        await self._screen.stop()

    def look(self) -> None:
        """The clock was set, settings have changed, or a notice came: see what is due."""
        self._bell.set()

    @property
    def how(self) -> How:
        """How the last notice came to the person."""
        if self._way == "daemon":
            return How("daemon", self._lacking())
        missing = _("No program on this desktop shows notifications.")
        if self._way == "tray":
            return How("tray", missing)
        return How("inbox", sentences(missing, _("Notifications are in the inbox.")))

    async def reach(self) -> How:
        """How a notice would come to the person now."""
        if await self._screen.reach():
            self._way = "daemon"
        elif self._way == "daemon":
            self._way = "inbox"
        return self.how

    def _lacking(self) -> str:
        can = self._screen.capabilities
        if not can.buttons:
            return _("{name} doesn’t show buttons. Answer in the inbox.").format(name=can.name)
        if not can.reply:
            return _("{name} doesn’t support replies. Reply opens the conversation.").format(name=can.name)
        return ""

    # ---- the loop

    async def _present(self) -> None:
        while not self._ending:
            await self._bell.wait()
            self._bell.clear()
            try:
                await self._take_down()
                self._alarm.set(await self._show_due())
            except AppError as error:  # a full disk passes, the notice stays
                _log.info("notices could not be shown: %s", error.text)
                self._alarm.set(self._clock() + _AGAIN_S)

    async def _take_down(self) -> None:
        """What was answered, done or snoozed elsewhere goes from the screen."""
        if not self._up:
            return
        still = await self._inbox.on_screen({id_ for ids in self._up.values() for id_ in ids})
        for name in [name for name, ids in self._up.items() if not ids & still]:
            del self._up[name]
            await self._screen.clear(name)

    async def _show_due(self) -> float | None:
        """Show what is to be shown now; when to look again."""
        now, settings = self._clock(), self._settings()
        quiet_end = self._quiet_end(now, settings)
        ready, held = list[Notice](), False
        for notice in await self._inbox.unshown(now):
            if not getattr(settings, notice.kind, True):
                await self._inbox.pass_over(notice)
            elif self._is_attended(notice):
                # A question is told later, should the person look away without an answer.
                if notice.kind != APPROVAL:
                    await self._inbox.pass_over(notice)
            elif quiet_end is not None and notice.kind != APPROVAL:
                held = True
            else:
                ready.append(notice)
        reached = True
        for pile in self._piles(ready, settings):
            reached = await self._show(pile, reached)
        due = await self._inbox.next_due(now)
        return min((moment for moment in (due, quiet_end if held else None) if moment), default=None)

    def _quiet_end(self, moment: float, settings: Notifications) -> float | None:
        if not settings.quiet:
            return None
        return quiet_until(moment, settings.quiet_from, settings.quiet_to, self._zone())

    def _is_attended(self, notice: Notice) -> bool:
        return notice.kind in (APPROVAL, ANSWER, SUBAGENT) and self.attended(notice)

    def _piles(self, ready: Iterable[Notice], settings: Notifications) -> list[_Pile]:
        """Questions; what quiet hours held back; the rest. Where that is too much at once, it is one."""
        questions, late, fresh = list[Notice](), list[Notice](), list[Notice]()
        for notice in ready:
            if notice.kind == APPROVAL:
                questions.append(notice)
            elif self._quiet_end(max(notice.at, notice.due), settings) is not None:
                late.append(notice)
            else:
                fresh.append(notice)
        piles = [_Pile(questions, _MANY)]
        if len(late) + len(fresh) > _MANY:
            piles.append(_Pile([*late, *fresh], 1, held=not fresh))
        else:
            piles += [_Pile(late, 1, held=True), _Pile(fresh, _MANY)]
        return piles

    async def _show(self, pile: _Pile, reached: bool) -> bool:
        """Show a pile as one toast, or each; whether the screen can still be reached."""
        if len(pile.notices) > pile.at_most:
            toasts = [(digest(pile.notices, after_quiet=pile.held), pile.notices)]
        else:
            toasts = [(toast(notice), [notice]) for notice in pile.notices]
        for shown, notices in toasts:
            reached = await self._hand(shown, notices, reached)
        return reached

    async def _hand(self, shown: Toast, notices: Iterable[Notice], reached: bool) -> bool:
        """Hand a toast over. A screen that has just not answered is not waited for again."""
        if self._ending or not (reached or self.fallback):
            return False
        wanted = [notice.id for notice in notices if await self._inbox.handing(notice.id)]
        if not wanted:
            return reached
        if reached and await self._screen.show(shown):
            self._way = "daemon"
            self._up[shown.notice] = frozenset(wanted)
        elif self.fallback is not None and self.fallback(shown):
            self._way, reached = "tray", False
            await self._screen.clear(shown.notice)  # it may have come late, and is shown already
        else:
            self._way = "inbox"
            return False  # it stays to be shown
        for id_ in wanted:
            await self._inbox.handed(id_)
        return reached
