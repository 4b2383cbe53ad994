"""Reminders in the person's own words: what is understood while they write, ready to be set."""

from typing import TYPE_CHECKING

from desktop.core.verbs import Json, Send, Verb
from desktop.cron.reminders.understand import Reminder, Unclear, understand
from desktop.cron.schedule import At, Cron, Every, Spec
from desktop.cron.words import sentence, upcoming
from desktop.paths import temporary
from desktop.tasks import in_thread

if TYPE_CHECKING:
    from desktop.core.core import Core

_NAMED = 60
"""Characters of a reminder's name in the list."""


class ReminderVerbs:
    """No model is asked for any of this, and nothing is set: that is for `job_add`."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {"reminder_read": self.read}

    async def read(self, arguments: Json, _send: Send) -> Json:
        """What a `text` means: `reminder` where that is one thing, `unclear` where it is not, else neither.
        Each reminder has as `job` what job_add takes, for a `session` or none. `meant`: it is one for
        sure, so the text need not say so."""
        scheduler = self._core.background.scheduler
        await scheduler.read()
        zone, now = scheduler.zone, scheduler.now()
        said, meant = str(arguments["text"]), bool(arguments.get("meant"))
        session = str(arguments.get("session") or "")
        session = "" if temporary(session) else session

        def told() -> Json:
            found = understand(said, now, zone, meant=meant)
            if isinstance(found, Reminder):
                return {"zone": zone, "reminder": _line(found, now, zone, session)}
            if isinstance(found, Unclear):
                choices = [_line(one, now, zone, session) for one in found.choices]
                unclear = {"text": found.text, "question": found.question, "remedy": found.remedy}
                return {"zone": zone, "unclear": {**unclear, "choices": choices}}
            return {"zone": zone}

        return await in_thread(told)


def _line(found: Reminder, now: float, zone: str, session: str) -> Json:
    """A reminder in JSON types; `next` in Unix time."""
    coming = upcoming(found.spec, now, zone, 1)
    job = {"name": " ".join(found.text.split())[:_NAMED], "message": found.text, "plain": True}
    return {
        "text": found.text,
        "sentence": sentence(found.spec, zone),
        "note": found.note,
        "once": isinstance(found.spec, At),
        "next": coming[0] if coming else None,
        "job": {**job, **_when(found.spec), "session": session},
    }


def _when(spec: Spec) -> Json:
    match spec:
        case At(moment):
            return {"at": moment}
        case Every(seconds, _anchor):
            return {"every": seconds}
        case Cron(expression, _zone):
            return {"cron": expression}
