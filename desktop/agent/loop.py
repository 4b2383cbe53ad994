"""From a message to an answer: one mailbox a session, one turn at a time in it, sessions side by side.

A message is on disk before submit() returns and before any model is asked. A turn that fails or is stopped
leaves a mark in the log, so that after any end of the program a message without an answer or a mark is one
that nobody dealt with: it is shown as such and never run again by itself. A message that comes while tools
are at work joins the turn after the step that runs.
"""

import asyncio
import logging
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from desktop.agent.attachments import take
from desktop.agent.commands import parse
from desktop.agent.context import Context
from desktop.agent.runner import Runner
from desktop.agent.turn import Inbound, Joined, Models, Slot, Turn
from desktop.bus.bus import Bus
from desktop.bus.events import TurnFailed, TurnFinished, TurnStarted
from desktop.errors import StorageError, explain
from desktop.paths import temporary
from desktop.providers.ready import ModelWanted
from desktop.session.log import Session
from desktop.session.model import Message, withdrawal
from desktop.session.records import clean
from desktop.session.sessions import Sessions
from desktop.tasks import cancel, see_through, spawn
from desktop.tools.toolset import Toolset

FLEETING = (
    "[This conversation is temporary: the person wants nothing of it kept. Write nothing of it into your "
    "notes, memory or tasks.]"
)
"""What the model is told beside each message of a temporary conversation."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command came to. `anew`: the context begins anew after it."""

    text: str
    anew: bool = False


class Commands(Protocol):
    """Who answers what is for the program and not for a model."""

    async def answer(self, inbound: Inbound) -> Reply:
        """Do it. What goes wrong is said in the reply."""


class Watcher(Protocol):
    """Who is told when turns begin and end."""

    async def begun(self, turn: Turn, /) -> None:
        """It has its place. Raises StorageError."""

    async def ended(self, turn: Turn, /) -> None:
        """Its end is in the log. Raises StorageError."""


class Toolsets(Protocol):
    """Where the tools of a turn come from."""

    async def toolset(self, *, small_model: bool) -> Toolset:
        """Those that a model gets; few and simple ones for a small model."""


@dataclass(slots=True)
class _Mailbox:
    session: Session
    waiting: deque[Joined] = field(default_factory=deque)
    turn: Turn | None = None
    """The one being answered; stays until it is closed in the log."""
    at_rest: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while no turn is being answered."""
    current: asyncio.Task[None] | None = None
    worker: asyncio.Task[None] | None = None

    def take_waiting(self) -> list[Joined]:
        """What came meanwhile and can join the turn that runs: up to one that has to have its own, as one
        of another chat, where its answer is read."""
        chat = self.turn.inbound.chat if self.turn else ""
        taken: list[Joined] = []
        while self.waiting and not (one := self.waiting[0].inbound).alone and one.chat == chat:
            taken.append(self.waiting.popleft())
        return taken


class Loop:
    """Runs turns."""

    def __init__(
        self,
        sessions: Sessions,
        context: Context,
        models: Models,
        toolbox: Toolsets,
        runner: Runner,
        bus: Bus,
        *,
        concurrent_turns: int = 64,
        unattended_turns: int = 4,
        steps: Callable[[], int] = lambda: 200,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        """`concurrent_turns`: of one provider, if it takes so many. `steps`: after how many rounds of tools
        a turn is broken off."""
        self._sessions, self._context, self._models = sessions, context, models
        self._toolbox, self._runner, self._bus, self._steps = toolbox, runner, bus, steps
        self._watchers = watchers
        self.commands: Commands | None = None
        """Answers what is for the program and not for a model."""
        self._most = {False: concurrent_turns, True: unattended_turns}
        self._slots: dict[tuple[str, bool], asyncio.Semaphore] = {}
        """By provider and whether nobody waits for it: the person's own conversations never wait for what
        works by itself."""
        self._awaited: dict[str, asyncio.Future[Turn]] = {}
        self._boxes: dict[str, _Mailbox] = {}

    def watch(self, watcher: Watcher) -> None:
        """Tell one more of turns."""
        self._watchers = (*self._watchers, watcher)

    async def submit(self, inbound: Inbound, turn: str = "") -> str:
        """Put a message on disk and in its session's mailbox; returns the turn's id, which may be given.

        Raises StorageError if it could not be stored; then nothing happened at all.
        """
        turn = turn or uuid.uuid4().hex[:12]
        session = await self._sessions.open(inbound.session)
        inbound = replace(inbound, session=session.key)
        own = not (inbound.note or inbound.source)
        if own and self.commands and parse(inbound.text):
            await self._command(self.commands, session, turn, inbound)
            return turn
        if inbound.files:
            inbound = replace(inbound, pictures=await take(session, inbound.files))
        known = await self._context.about(inbound.text) if own else ""
        fleeting = FLEETING if temporary(session.key) else ""
        about = "\n\n".join(part for part in (known, inbound.about, fleeting) if part)
        runtime = self._context.runtime(inbound.front, datetime.now().astimezone(), inbound.files, about)
        message = inbound.record() | {"_turn": turn, "_runtime": runtime}
        await see_through(self._put(session, turn, inbound, message), name=f"put:{turn}")
        return turn

    async def _put(self, session: Session, turn: str, inbound: Inbound, message: Message) -> None:
        """What is stored is answered, whatever becomes of who brought it."""
        await session.append(message)
        self._queue(session, turn, inbound)

    async def _command(self, commands: Commands, session: Session, turn: str, inbound: Inbound) -> None:
        """Answer a command at once, also while a turn runs; a model never sees either. It is noted before
        it is done: one that comes again from a chat is not done twice."""
        await session.append(inbound.record() | {"_turn": turn, "_command": True})
        reply = await commands.answer(inbound)
        answered = {"role": "assistant", "content": reply.text, "_turn": turn, "_command": True}
        await session.append(answered | ({"_new": True} if reply.anew else {}))
        self._bus.publish(TurnFinished(session.key, turn, reply.text))

    async def answered(self, inbound: Inbound, turn: str) -> Turn:
        """Submit a message and wait for the end of its turn, or of the one that took it up.

        Raises StorageError if it could not be stored.
        """
        future: asyncio.Future[Turn] = asyncio.get_running_loop().create_future()
        self._awaited[turn] = future
        try:
            await self.submit(inbound, turn)
            return await future
        finally:
            del self._awaited[turn]

    async def at_rest(self, key: str) -> None:
        """Wait until a session has nothing to answer."""
        while (box := self._boxes.get(clean(key))) and box.worker:
            await asyncio.wait({box.worker})

    async def all_at_rest(self) -> None:
        """Wait until there is nothing to answer anywhere."""
        while boxes := [box.worker for box in self._boxes.values() if box.worker]:
            await asyncio.wait(boxes)

    async def again(self, key: str, front: str = "window") -> str:
        """Answer the last message of a session anew; the turn's id, empty if there is nothing to answer.

        Nothing is added to the log for it: what failed stays there, and the answer belongs to its message.
        Calls that were made are not made again: the turn goes on after them.
        """
        session = await self._sessions.open(key)
        asked = session.last_asked
        turn = str((asked or {}).get("_turn") or "")
        if asked is None or turn in self.turns(key):
            return ""
        files = tuple(str(path) for path in asked.get("_files") or ())
        text = str(asked.get("content") or "")
        chat = str(asked.get("_chat") or "")
        self._queue(session, turn, Inbound(session.key, text, front, files=files, chat=chat))
        return turn

    def turns(self, key: str) -> list[str]:
        """The turns of a session that are not at their end, the running one first."""
        box = self._boxes.get(clean(key))
        if box is None:
            return []
        running = [box.turn.id] if box.turn and not box.turn.closed else []
        return running + [joined.id for joined in box.waiting]

    def _queue(self, session: Session, turn: str, inbound: Inbound) -> None:
        box = self._boxes.setdefault(session.key, _Mailbox(session))
        box.waiting.append(Joined(turn, inbound))
        if box.worker is None:
            box.worker = spawn(self._work(box), name=f"session:{session.key}")

    async def stop(self, key: str, only: str = "") -> bool:
        """End the running turn of a session and drop those waiting; False if there was none.

        With `only`, a turn's id, the others of the session go on.
        """
        box = self._boxes.get(clean(key))
        if box is None:
            return False
        dropped = [joined for joined in box.waiting if only in ("", joined.id)]
        box.waiting = deque(joined for joined in box.waiting if joined not in dropped)
        for joined in dropped:
            turn = self._turn(box, joined, self._slot(box, joined.inbound))
            await self._close_stopped(turn)
            await self._tell_watchers(turn)
        if box.turn and only in ("", box.turn.id):
            await cancel(box.current)
            await box.at_rest.wait()
        return True

    async def withdraw(self, key: str, turn: str) -> Inbound | None:
        """Take back a message of the person that still waits for its turn, which hides it in the log; what
        it was, None where it waits no more. Raises StorageError, and then it waits on."""
        box = self._boxes.get(clean(key))
        joined = next((one for one in box.waiting if one.id == turn), None) if box else None
        if box is None or joined is None or joined.inbound.note:
            return None
        place = box.waiting.index(joined)
        box.waiting.remove(joined)
        try:
            await box.session.append(withdrawal(turn))
        except BaseException:
            box.waiting.insert(min(place, len(box.waiting)), joined)
            raise
        gone = self._turn(box, joined, self._slot(box, joined.inbound))
        gone.closed, gone.outcome = True, "stopped"
        self._bus.publish(TurnFinished(gone.key, turn, stopped=True, withdrawn=True))
        await self._tell_watchers(gone)
        return joined.inbound

    async def close(self) -> None:
        """End every turn, keeping what each had said."""
        boxes = list(self._boxes.values())
        await asyncio.gather(*(self.stop(box.session.key) for box in boxes))
        await asyncio.gather(*(box.worker for box in boxes if box.worker), return_exceptions=True)

    def _turn(self, box: _Mailbox, joined: Joined, slot: Slot) -> Turn:
        return Turn(joined.id, box.session, joined.inbound, slot, waiting=box.take_waiting)

    def _slot(self, box: _Mailbox, inbound: Inbound) -> Slot:
        unattended = bool(inbound.cause)
        provider, places = self._models.places(*_model_of(inbound, box.session))
        places = min(places, self._most[unattended])
        return Slot(self._slots.setdefault((provider, unattended), asyncio.Semaphore(places)))

    async def _work(self, box: _Mailbox) -> None:
        while box.waiting:
            slot = self._slot(box, box.waiting[0].inbound)
            await slot.take()
            try:
                if box.waiting:
                    await self._one(box, slot)
            finally:
                slot.give()
        self._boxes.pop(box.session.key, None)

    async def _one(self, box: _Mailbox, slot: Slot) -> None:
        box.turn = turn = self._turn(box, box.waiting.popleft(), slot)
        box.at_rest.clear()
        box.current = spawn(self._answer(turn), name=f"turn:{turn.id}")
        await asyncio.wait({box.current})
        if not turn.closed:
            await self._close_stopped(turn)
        box.turn = None
        box.at_rest.set()
        await self._tell_watchers(turn)

    async def _tell_watchers(self, turn: Turn) -> None:
        for id_ in (turn.id, *turn.joined):
            future = self._awaited.get(id_)
            if future and not future.done():
                future.set_result(turn)
        for watcher in self._watchers:
            try:
                await watcher.ended(turn)
            except StorageError as error:
                _log.warning("the end of turn %s could not be stored: %s", turn.id, error)

    async def _answer(self, turn: Turn) -> None:
        try:
            for watcher in self._watchers:
                await watcher.begun(turn)
            model, provider = _model_of(turn.inbound, turn.session)
            ready = await self._models.ready(
                ModelWanted(
                    model,
                    provider,
                    turn.key,
                    turn.id,
                    unattended=bool(turn.inbound.cause),
                    pictures=bool(turn.inbound.pictures),
                    reasoning=str(turn.session.metadata.get("reasoning") or ""),
                )
            )
            toolset = await self._toolbox.toolset(small_model=ready.small_model)
            there = ready.endpoint
            self._bus.publish(TurnStarted(turn.key, turn.id, there.provider, there.model, ready.note))
            await self._runner.run(turn, ready, toolset, self._steps())
        except Exception as error:
            await see_through(self._failed(turn, error), name=f"failed:{turn.id}")

    async def _close_stopped(self, turn: Turn) -> None:
        try:
            await self._runner.stopped(turn)
        except Exception as error:
            await self._failed(turn, error)

    async def _failed(self, turn: Turn, error: Exception) -> None:
        told = explain(error)
        turn.closed, turn.outcome, turn.answer = True, "failed", str(told)
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
    if inbound.model or inbound.provider:
        return inbound.model, inbound.provider
    named = (str(session.metadata.get(name) or "") for name in ("model", "provider"))
    model, provider = named
    return model, provider
