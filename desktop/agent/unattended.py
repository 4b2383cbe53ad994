"""Turns that nobody waits for, of a job and of the heartbeat: how they begin, and who gets what they find.

What one found is in the inbox before its conversation gets it; a turn that found nothing worth telling says
so in one word, and nobody is bothered.
"""

import asyncio
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from desktop.agent.deliveries import Deliveries
from desktop.agent.loop import Loop
from desktop.agent.scope import AUTONOMOUS
from desktop.agent.subagents import Subagents
from desktop.agent.turn import Inbound, Turn
from desktop.bus.bus import Bus
from desktop.cron.job import Job
from desktop.cron.ledger import Run
from desktop.cron.service import Done
from desktop.errors import AppError
from desktop.inbox.inbox import HEARTBEAT, REMINDER, Inbox, Notice
from desktop.origin import TRUSTED
from desktop.providers.base import DayIsSpent, Message
from desktop.session.names import own
from desktop.session.sessions import Sessions
from desktop.session.title import first_words
from desktop.usage import UsageLedger

NOTHING = "NOTHING_TO_TELL"
JOB, BEAT = "job", "heartbeat"
"""Fronts; also the session of the heartbeat, and before a colon what a job's begins with, is `cron`."""
_NOTHING_ALONE = re.compile(rf"[\W_]*{NOTHING}[\W_]*")
_AUTONOMOUS_S = 3600.0
_LATE_S = 120.0
_ANSWER_TOKENS = 8_000


@dataclass(frozen=True, slots=True)
class Parts:
    """What such turns are made with."""

    sessions: Sessions
    loop: Loop
    subagents: Subagents
    inbox: Inbox
    usage: UsageLedger
    deliveries: Deliveries
    bus: Bus
    check_budget: Callable[[Mapping[str, Any]], Awaitable[None]]
    """Told the metadata of the session. Raises DayIsSpent where the budget of such work is spent."""


class Unattended:
    """The scheduler's Runner, and the heartbeat's work."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._going = asyncio.Event()
        self._going.set()

    def pause(self, *, paused: bool) -> None:
        """Begin nothing until it is taken back; what is under way goes on."""
        if paused:
            self._going.clear()
        else:
            self._going.set()

    async def begun(self, job: Job, run: Run) -> bool:
        """Whether the message of a run is on disk. Raises StorageError."""
        session = await self._parts.sessions.open(session_of(job))
        return bool(session.of_turn(run.id))

    async def __call__(self, job: Job, run: Run) -> Done:
        """Do a job once. Raises StorageError."""
        await self._going.wait()
        key = session_of(job)
        session = await self._parts.sessions.open(key)
        try:
            await self._parts.check_budget(session.metadata)
        except DayIsSpent as error:
            return Done("skipped", error.text)
        until = time.time() + _AUTONOMOUS_S if job.mode == AUTONOMOUS else None
        await session.set_metadata(title=job.name, mode=job.mode or None, mode_until=until)
        turn = await self._turn(_inbound(key, job.message, JOB, _about(job, run)), run.id)
        spent = await self._parts.usage.of_turn(run.id)
        if turn.outcome == "done" and _worth_telling(turn):
            await self._tell(turn, f"run:{run.id}", REMINDER, job.session or key, job.name, job.chat)
        outcome = {"done": "ok", "stopped": "stopped"}.get(turn.outcome, "failed")
        return Done(outcome, turn.answer.strip(), spent.tokens, spent.cost)

    async def remind(self, job: Job, run: Run) -> None:
        """Put a reminder into the conversation in which it was made. Raises StorageError."""
        if job.session:
            text = job.message if job.name in job.message else f"{job.name}: {job.message}"
            await self._parts.deliveries.put(
                f"run:{run.id}",
                job.session,
                f"⏰ {text}",
                session_of(job),
                TRUSTED,
                again=True,
                chat=job.chat,
            )

    async def heartbeat(self, task: str) -> None:
        """Do what is due, and tell of it where there is something to tell. Raises AppError."""
        await self._going.wait()
        turn = await self._turn(_inbound(BEAT, task, BEAT, _BEAT_ABOUT), uuid.uuid4().hex[:12])
        if turn.outcome == "failed":
            raise AppError(turn.answer)
        if turn.outcome == "done" and _worth_telling(turn):
            title = first_words(task, 80)
            await self._tell(turn, f"beat:{turn.id}", HEARTBEAT, await self._latest() or BEAT, title)

    async def _tell(
        self, turn: Turn, id_: str, kind: str, session: str, title: str, chat: str = ""
    ) -> None:
        """Put what was found into the inbox, then into its conversation. Raises StorageError."""
        text = turn.answer.strip()
        body = {"text": text, **turn.mark.fields_if_marked()}
        await self._parts.inbox.add(Notice(id_, kind, session, turn.id, title, body))
        if session != turn.key:
            await self._parts.deliveries.put(id_, session, text, turn.key, turn.mark, chat=chat)

    async def _turn(self, inbound: Inbound, id_: str) -> Turn:
        """Begin a turn and wait for its end; where it had subagents, its answer is what came of all."""
        parts = self._parts
        with parts.bus.subscribe() as events:
            turn = await parts.loop.answered(inbound, id_)
            more = False
            while parts.subagents.of(turn.key) or parts.loop.turns(turn.key):
                more = True
                await anext(events)  # one of them may have ended
        if more and turn.outcome == "done":
            turn.answer = _last_answer(turn.session.history(_ANSWER_TOKENS)) or turn.answer
        return turn

    async def _latest(self) -> str:
        """The conversation that the person used last, in which nobody else reads; empty where there is
        none."""
        for info in await self._parts.sessions.list():
            if own(info.key):
                continue
            chat = (await self._parts.sessions.open(info.key)).metadata.get("chat")
            if not isinstance(chat, dict) or chat.get("own"):
                return info.key
        return ""


_BEAT_ABOUT = (
    "[The message above is from the program, not from the person, who may not be there: a task of "
    "HEARTBEAT.md that is due. Do it; ask nothing back. Where a task is done for good, mark it so in "
    f"HEARTBEAT.md. Your answer is told to the person. If there is nothing worth telling, answer {NOTHING} "
    "and nothing else.]"
)


def _about(job: Job, run: Run) -> str:
    """What the model is told beside a job's message."""
    planned = datetime.fromtimestamp(run.planned).astimezone()
    late = " It is late: the computer was off or asleep." if run.claimed - run.planned > _LATE_S else ""
    missed = f" It stands for {run.missed} missed times before it, too." if run.missed else ""
    return (
        f"[The message above is the task {job.name!r}, begun by the program and not by the person, who may "
        f"not be there. It was due at {planned:%Y-%m-%d %H:%M}.{late}{missed} Do what it says; ask nothing "
        "back. Your answer is told to the person: begin with what matters and be short. If there is "
        f"nothing worth telling, answer {NOTHING} and nothing else.]"
    )


def _inbound(session: str, text: str, front: str, about: str) -> Inbound:
    """A message of the program: what needs an answer of the person is parked at once."""
    return Inbound(session, text, front, approve="never", note=True, about=about, cause=front)


def _last_answer(messages: Sequence[Message]) -> str:
    """What the agent said last."""
    answers = (str(m.get("content") or "") for m in reversed(messages) if m.get("role") == "assistant")
    return next(answers, "")


def _worth_telling(turn: Turn) -> bool:
    """Not where the word for nothing is the whole answer; beside anything else it is only a word."""
    answer = turn.answer.strip()
    return bool(answer) and not _NOTHING_ALONE.fullmatch(answer)


def session_of(job: Job) -> str:
    """The session in which a job works."""
    return f"cron:{job.id}"
