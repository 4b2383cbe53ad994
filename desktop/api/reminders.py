"""Reminders in the person's own words: what is understood while they write, ready to be set.

No model is asked for any of this, and nothing is set.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.cron.reminders import understand as rules
from desktop.cron.schedule import At, Cron, Every, Spec
from desktop.cron.wanted import Wanted
from desktop.cron.words import sentence, upcoming
from desktop.paths import temporary
from desktop.tasks import in_thread

if TYPE_CHECKING:
    from desktop.cron.service import Scheduler

__all__ = ["Reminder", "Reminders", "Unclear", "Understood", "Wanted"]

_NAMED = 60
"""Characters of a reminder's name in the list."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """One that was understood; `next` in Unix time, `job` as it is to be added."""

    text: str
    sentence: str
    note: str
    once: bool
    next: float | None
    job: Wanted


@dataclass(frozen=True, slots=True)
class Unclear:
    """A reminder whose time can mean several things, or none."""

    text: str
    question: str
    remedy: str
    choices: tuple[Reminder, ...]


@dataclass(frozen=True, slots=True)
class Understood:
    """What a text means: a reminder, an unclear one, or neither; and the person's time zone."""

    zone: str = ""
    reminder: Reminder | None = None
    unclear: Unclear | None = None


class Reminders:
    """Understands them."""

    def __init__(self, scheduler: "Callable[[], Scheduler]") -> None:
        """It is made when it is first wanted."""
        self._scheduler = scheduler

    async def read(self, text: str, session: str = "", *, meant: bool = False) -> Understood:
        """What a text means, for a session or none. `meant`: it is a reminder for sure, so the text need
        not say so."""
        scheduler = self._scheduler()
        await scheduler.read()
        zone, now = scheduler.zone, scheduler.now()
        of = "" if temporary(session) else session

        def told() -> Understood:
            found = rules.understand(text, now, zone, meant=meant)
            if isinstance(found, rules.Reminder):
                return Understood(zone, reminder=_made(found, now, zone, of))
            if isinstance(found, rules.Unclear):
                choices = tuple(_made(one, now, zone, of) for one in found.choices)
                return Understood(zone, unclear=Unclear(found.text, found.question, found.remedy, choices))
            return Understood(zone)

        return await in_thread(told)


def _made(found: rules.Reminder, now: float, zone: str, session: str) -> Reminder:
    coming = upcoming(found.spec, now, zone, 1)
    return Reminder(
        found.text,
        sentence(found.spec, zone),
        found.note,
        isinstance(found.spec, At),
        coming[0] if coming else None,
        _job(found.spec, " ".join(found.text.split())[:_NAMED], found.text, session),
    )


def _job(spec: Spec, name: str, text: str, session: str) -> Wanted:
    match spec:
        case At(moment):
            return Wanted(at=moment, name=name, message=text, plain=True, session=session)
        case Every(seconds, _anchor):
            return Wanted(every=seconds, name=name, message=text, plain=True, session=session)
        case Cron(expression, _zone):
            return Wanted(cron=expression, name=name, message=text, plain=True, session=session)
