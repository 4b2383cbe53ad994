"""What a small model is not needed for: a reminder is set by the rules that read dates and times.

Half of the times that the smallest model makes of "in two hours" are wrong; the rules make none, or ask.
"""

import json
from datetime import datetime
from typing import TYPE_CHECKING

from desktop.agent.small_model import wanted
from desktop.providers.base import ToolCall
from desktop.tasks import in_thread
from desktop.text import sentences

if TYPE_CHECKING:
    from collections.abc import Callable

    from desktop.cron.schedule import Spec
    from desktop.cron.service import Scheduler


class PlainReminders:
    """Reads the words of a person."""

    def __init__(self, jobs: "Callable[[], Scheduler]") -> None:
        self._jobs = jobs

    async def call(self, text: str) -> ToolCall | str:
        """The call of the tool `cron` for a reminder; what to ask where its time is not clear; else ""."""
        if wanted(text).must_call != ("cron",):
            return ""
        scheduler = self._jobs()
        return await in_thread(_read, text, scheduler.now(), scheduler.zone)


def _read(text: str, now: float, zone: str) -> ToolCall | str:
    """Blocks: the rules are loaded when they are first needed."""
    from desktop.cron.reminders.understand import Reminder, Unclear, understand
    from desktop.cron.words import sentence

    found = understand(text, now, zone)
    if isinstance(found, Unclear):
        choices = [f"- {sentence(one.spec, zone)}" for one in found.choices]
        return "\n".join([sentences(found.question, found.remedy), *choices])
    if not isinstance(found, Reminder):
        return ""
    given = {"action": "add", "message": found.text, "plain": True, **_when(found.spec, zone)}
    return ToolCall("", "cron", json.dumps(given, ensure_ascii=False))


def _when(spec: "Spec", zone: str) -> dict[str, object]:
    from desktop.cron.schedule import At, Cron, Every, zone_of

    match spec:
        case At(moment):
            return {"at": datetime.fromtimestamp(moment, zone_of(zone)).isoformat()}
        case Every(seconds, _anchor):
            return {"every_seconds": seconds}
        case Cron(expression, _zone):
            return {"cron_expr": expression}
