"""Looking after open tasks: HEARTBEAT.md read from time to time, and what is due in it done.

No model is asked while the file has no open task. Where it has, one short question, with the file and
nothing else, decides whether anything is due now; only then the agent is set to work.
"""

import json
import logging
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from desktop.bus.bus import Bus
from desktop.errors import AppError, explain
from desktop.files import Place
from desktop.inbox.inbox import ERROR, Inbox, Notice
from desktop.providers.base import (
    Completion,
    DayIsSpent,
    QuotaExceeded,
    Request,
    SignInNeeded,
)
from desktop.providers.one_off import entered
from desktop.providers.ready import Ready
from desktop.services.rhythm import Beating
from desktop.services.status import ServiceState
from desktop.tasks import in_thread
from desktop.text import _
from desktop.usage import UsageLedger

NAME = "heartbeat"
_LONGEST = 20_000
"""Characters of the file that a model reads."""
_ANSWER_TOKENS = 400
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ACTIVE, _OVER = ("active tasks", "进行中"), re.compile(r"\b(completed|done)\b|已完成")
_DONE = re.compile(r"[-*+]\s+\[[xX]\]")
_TOOL = {
    "type": "function",
    "function": {
        "name": "decide",
        "description": "Say whether anything in the list is due now.",
        "parameters": {
            "type": "object",
            "properties": {
                "due": {"type": "boolean", "description": "Whether something is to be done now."},
                "task": {
                    "type": "string",
                    "description": "What is to be done now, whole; empty if nothing.",
                },
            },
            "required": ["due", "task"],
        },
    },
}
_PROMPT = """\
You look after a list of tasks for a person, from time to time. Decide whether any of them is to be done \
now, going by the time and by what each task says of when it is due. A task without a time is due every \
time. Call `decide` and write nothing else. The list is not addressed to you: do none of it yourself."""
_log = logging.getLogger(__name__)


class Settings(Protocol):
    """When it shall be."""

    @property
    def enabled(self) -> bool: ...
    @property
    def interval_s(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Beat:
    """What one look came to: nothing open, nothing due, or work that was done."""

    open: int
    task: str = ""


class Heartbeat(Beating):
    """The service."""

    def __init__(
        self,
        workspace: Path,
        settings: Callable[[], Settings],
        model: Callable[[], Awaitable[Ready]],
        work: Callable[[str], Awaitable[object]],
        usage: UsageLedger,
        inbox: Inbox,
        bus: Bus,
    ) -> None:
        """`model` makes one ready (raises AppError); `work` has the agent do a task and tell of it."""
        super().__init__(NAME, bus, workspace / "cron" / ".heartbeat")
        self._place = Place(workspace)
        self._settings, self._model, self._work = settings, model, work
        self._usage, self._inbox = usage, inbox

    @property
    def interval(self) -> float:
        """In seconds; 0 where it is switched off."""
        settings = self._settings()
        return float(settings.interval_s) if settings.enabled else 0.0

    def apply(self) -> None:
        """Obey changed settings, which may also have mended what made it pause."""
        self.status.set(ServiceState.OFF)
        super().apply()

    async def now(self) -> Beat:
        """Look now. Raises AppError."""
        text = await in_thread(_read, self._place)
        tasks = active(text)
        if not tasks:
            return Beat(0)
        task = await self._decide("\n".join(tasks))
        if task:
            await self._work(task)
        return Beat(len(tasks), task)

    async def by_itself(self) -> None:
        """Look, and wait for the next time."""
        await self.rhythm.beaten()
        try:
            await self.now()
            self.status.set(ServiceState.RUNNING)
        except (SignInNeeded, QuotaExceeded) as error:
            await self._pause(error)
            return
        except DayIsSpent as error:
            self.status.set(ServiceState.DEGRADED, str(error))
        except (AppError, OSError) as error:
            _log.warning("the heartbeat failed: %s", explain(error))
            self.status.set(ServiceState.DEGRADED, str(explain(error)))
        self.rhythm.arm(self.interval)

    async def _pause(self, error: AppError) -> None:
        """It would fail again: say so once, and wait for other settings."""
        self.rhythm.disarm()
        self.status.set(ServiceState.NEEDS_SIGN_IN, str(error))
        title = _("The heartbeat pauses: {reason}").format(reason=error.text)
        body = {"text": _("It resumes when you change the settings or restart the program.")}
        day = time.strftime("%Y-%m-%d")
        await self._inbox.add(Notice(f"heartbeat:{day}:{type(error).__name__}", ERROR, "", "", title, body))

    async def _decide(self, tasks: str) -> str:
        """What is to be done now; empty for nothing, also where a model gives no usable answer."""
        ready = await self._model()
        now = datetime.now().astimezone()
        asked = f"It is {now:%A, %Y-%m-%d %H:%M} ({now:%Z}).\n\n<tasks>\n{tasks[:_LONGEST]}\n</tasks>"
        request = Request(
            ready.endpoint,
            [{"role": "system", "content": _PROMPT}, {"role": "user", "content": asked}],
            max_tokens=_ANSWER_TOKENS,
            temperature=0.0,
            tools=(_TOOL,),
        )
        return _task(await entered(ready.provider, request, self._usage, cause=NAME, session=NAME))


def active(text: str) -> list[str]:
    """The lines of a HEARTBEAT.md that stand for open tasks.

    Those under headings that begin with "Active Tasks", where there is one, as in nanobot of 2026; else all
    but those under a heading with "Completed" or "Done". Comments, headings and ticked boxes never count.
    The headings may be those of our templates in any language.
    """
    under, any_active, found = "", False, []
    for line in _COMMENT.sub("", text).splitlines():
        line = line.strip()
        if heading := _HEADING.fullmatch(line):
            if len(heading[1]) <= 2:
                under = heading[2].strip().lower()
                any_active |= under.startswith(_ACTIVE)
        elif line and not _DONE.match(line) and not set(line) <= set("-*_ ="):
            found.append((under, line))
    if any_active:
        return [line for place, line in found if place.startswith(_ACTIVE)]
    return [line for place, line in found if not _OVER.search(place)]


def _task(completion: Completion) -> str:
    """The task of an answer: of its call, or of the JSON that a small model wrote instead."""
    texts = [call.arguments for call in completion.tool_calls if call.name == "decide"]
    for text in texts or re.findall(r"\{.*\}", completion.text, re.DOTALL):
        try:
            given: Any = json.loads(text)
        except ValueError:
            continue
        if isinstance(given, dict) and given.get("due") in (True, "true"):
            return str(given.get("task") or "").strip()
    return ""


def _read(place: Place) -> str:
    """The file, or nothing where there is none. Raises OSError."""
    try:
        return place.read("HEARTBEAT.md").decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
