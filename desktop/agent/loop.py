"""From a message to an answer: one mailbox a session, one turn at a time in it, sessions side by side.

A message is on disk before submit() returns and before any model is asked. A turn that fails or is stopped
leaves a mark in the log, so that after any end of the program a message without an answer or a mark is one
that nobody dealt with: it is shown as such and never run again by itself.
"""

import asyncio
import logging
import uuid
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from desktop.agent.context import Context
from desktop.agent.runner import Runner, Turn
from desktop.bus.bus import Bus
from desktop.bus.events import TurnFailed, TurnStarted
from desktop.errors import explain
from desktop.providers.base import Endpoint, Provider, Request
from desktop.session.log import Session, Sessions
from desktop.session.model import text_tokens
from desktop.session.records import clean
from desktop.tasks import cancel, see_through, spawn

_MARGIN_TOKENS = 200
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message of the person, and where its answer will be read."""

    session: str
    text: str
    front: str = "terminal"
    model: str = ""
    """Another model for this turn alone; empty for the configured one."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A model that can be asked now."""

    provider: Provider
    endpoint: Endpoint
    window: int
    """Tokens that fit, question and answer together."""
    max_tokens: int
    temperature: float | None = None
    reasoning_effort: str | None = None
    lean: bool = False
    note: str = ""
    """What the person should know about this model."""


class Models(Protocol):
    """Finds the model for a turn, starting what it needs."""

    async def ready(self, model: str, provider: str, session: str, turn: str) -> Ready:
        """The named model, else by the configured order of choice. Raises AppError when there is none."""


@dataclass(slots=True)
class _Mailbox:
    session: Session
    waiting: deque[tuple[str, Inbound]] = field(default_factory=deque)
    turn: Turn | None = None
    """The one being answered; stays until it is closed in the log."""
    at_rest: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while no turn is being answered."""
    current: asyncio.Task[None] | None = None
    worker: asyncio.Task[None] | None = None


class Loop:
    """Runs turns."""

    def __init__(
        self,
        sessions: Sessions,
        context: Context,
        models: Models,
        runner: Runner,
        bus: Bus,
        *,
        concurrent_turns: int = 4,
    ) -> None:
        self._sessions, self._context, self._models = sessions, context, models
        self._runner, self._bus = runner, bus
        self._slots = asyncio.Semaphore(concurrent_turns)
        self._boxes: dict[str, _Mailbox] = {}

    async def submit(self, inbound: Inbound) -> str:
        """Put a message on disk and in its session's mailbox; returns the turn's id.

        Raises StorageError if it could not be stored; then nothing happened at all.
        """
        turn = uuid.uuid4().hex[:12]
        session = await self._sessions.open(inbound.session)
        inbound = replace(inbound, session=session.key)
        await session.append(
            {
                "role": "user",
                "content": inbound.text,
                "_turn": turn,
                "_runtime": self._context.runtime(inbound.front, datetime.now().astimezone()),
            }
        )
        self._queue(session, turn, inbound)
        return turn

    async def again(self, key: str) -> str:
        """Answer the last message of a session anew; the turn's id, empty if there is nothing to answer.

        Nothing is added to the log for it: what failed stays there, and the answer belongs to its message.
        """
        session = await self._sessions.open(key)
        asked = session.last_asked
        turn = str((asked or {}).get("_turn") or "")
        if asked is None or turn in self.turns(key):
            return ""
        self._queue(session, turn, Inbound(session.key, str(asked.get("content") or "")))
        return turn

    def turns(self, key: str) -> list[str]:
        """The turns of a session that are not at their end, the running one first."""
        box = self._boxes.get(clean(key))
        if box is None:
            return []
        running = [box.turn.id] if box.turn and not box.turn.closed else []
        return running + [turn for turn, _inbound in box.waiting]

    def _queue(self, session: Session, turn: str, inbound: Inbound) -> None:
        box = self._boxes.setdefault(session.key, _Mailbox(session))
        box.waiting.append((turn, inbound))
        if box.worker is None:
            box.worker = spawn(self._work(box), name=f"session:{session.key}")

    async def stop(self, key: str, only: str = "") -> bool:
        """End the running turn of a session and drop those waiting; False if there was none.

        With `only`, a turn's id, the others of the session go on.
        """
        box = self._boxes.get(clean(key))
        if box is None:
            return False
        dropped = [turn for turn, _inbound in box.waiting if only in ("", turn)]
        box.waiting = deque(item for item in box.waiting if item[0] not in dropped)
        for turn in dropped:
            await self._close_stopped(Turn(turn, box.session))
        if box.turn and only in ("", box.turn.id):
            await cancel(box.current)
            await box.at_rest.wait()
        return True

    async def close(self) -> None:
        """End every turn, keeping what each had said."""
        boxes = list(self._boxes.values())
        await asyncio.gather(*(self.stop(box.session.key) for box in boxes))
        await asyncio.gather(*(box.worker for box in boxes if box.worker), return_exceptions=True)

    async def _work(self, box: _Mailbox) -> None:
        while box.waiting:
            async with self._slots:
                if not box.waiting:
                    break
                turn_id, inbound = box.waiting.popleft()
                turn = Turn(turn_id, box.session)
                box.turn = turn
                box.at_rest.clear()
                box.current = spawn(self._answer(turn, inbound), name=f"turn:{turn_id}")
                await asyncio.wait({box.current})
                if not turn.closed:
                    await self._close_stopped(turn)
                box.turn = None
                box.at_rest.set()
        self._boxes.pop(box.session.key, None)

    async def _answer(self, turn: Turn, inbound: Inbound) -> None:
        try:
            model, provider = _model_of(inbound, turn.session)
            ready = await self._models.ready(model, provider, inbound.session, turn.id)
            request = await self._request(turn, ready)
            self._bus.publish(
                TurnStarted(
                    inbound.session, turn.id, ready.endpoint.provider, ready.endpoint.model, ready.note
                )
            )
            await self._runner.run(turn, ready.provider, request)
        except Exception as error:
            await see_through(self._failed(turn, error), name=f"failed:{turn.id}")

    async def _request(self, turn: Turn, ready: Ready) -> Request:
        prompt = await self._context.system_prompt(lean=ready.lean)
        room = ready.window - ready.max_tokens - text_tokens(prompt) - _MARGIN_TOKENS
        history = turn.session.history(room)
        while history and not (history[-1].get("_turn") == turn.id and history[-1].get("role") == "user"):
            history.pop()  # a question that came later has a turn of its own; so has an answer that failed
        return Request(
            endpoint=ready.endpoint,
            messages=[{"role": "system", "content": prompt}, *history],
            max_tokens=ready.max_tokens,
            temperature=ready.temperature,
            reasoning_effort=ready.reasoning_effort,
            conversation=turn.session.key,
        )

    async def _close_stopped(self, turn: Turn) -> None:
        try:
            await self._runner.stopped(turn)
        except Exception as error:
            await self._failed(turn, error)

    async def _failed(self, turn: Turn, error: Exception) -> None:
        turn.closed = True
        told = explain(error)
        if told is not error:
            _log.error("turn %s failed", turn.id, exc_info=error)
        try:
            await turn.session.append(
                turn.record(error=type(error).__name__, error_text=told.text, error_remedy=told.remedy)
            )
        except Exception as unwritten:
            _log.warning("the failure of turn %s could not be stored: %s", turn.id, explain(unwritten))
        self._bus.publish(
            TurnFailed(turn.session.key, turn.id, told.text, told.remedy, type(error).__name__)
        )


def _model_of(inbound: Inbound, session: Session) -> tuple[str, str]:
    """Model and provider: the message's own, else the conversation's, else empty for the usual ones."""
    if inbound.model:
        return inbound.model, ""
    named = (str(session.metadata.get(name) or "") for name in ("model", "provider"))
    model, provider = named
    return model, provider
