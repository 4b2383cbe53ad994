"""The open conversation: opened, asked, stopped, and kept up to date with what the bus tells."""

import asyncio
import uuid
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.bus.events import (
    Event,
    ReasoningDelta,
    ServiceChanged,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    TurnWaiting,
)
from desktop.tasks import in_thread
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.history import answer_id, entries_of, failed, waiting
from desktop.ui.conversation.transcript import Author, Entry, State, Transcript
from desktop.ui.funnel import Funnel

type Json = dict[str, Any]


class Controller(QObject):
    """One for the window. `key` is the open conversation; empty for one that nobody has written in."""

    busy_changed = Signal()
    model_known = Signal(object)
    """The line of the `conversation` verb that says which model answers."""
    created = Signal(str, str)
    """Key and first words of a conversation that has just begun."""
    spoken_in = Signal(str, bool)
    """Key of a conversation in which something was said, and whether it is now at rest."""
    settled = Signal(str, str)
    """Key at the time of sending and text of a message that is stored now, or refused."""
    refused = Signal(str, str)
    """Key and text of a message that could not be stored, to be written there again."""
    settings_wanted = Signal()
    noted = Signal(str)
    """What the person should know about the model that answers."""

    def __init__(self, actions: Actions, funnel: Funnel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions, self._funnel = actions, funnel
        self.transcript = Transcript(self)
        self.key = ""
        self._for_new = ("", "")
        """Model and provider chosen for a conversation that has not begun."""
        self._coming = ""
        """The key that it will have, once something was said in it."""
        self._turns: dict[str, list[str]] = {}
        """Turns that are not at their end, by conversation."""
        self._live: dict[str, Entry] = {}
        """Answers on their way, also those of conversations that are not open."""
        self._opened = 0
        """How often a conversation was opened: only what was read for the last one is shown."""
        self._turned = 0
        """How often a turn began or ended: what was read before that is old."""

    @property
    def busy(self) -> bool:
        return bool(self._turns.get(self.key))

    # ---- what the person does

    def open(self, key: str) -> None:
        """Show another conversation; an empty key is a new one."""
        if key or self.key:
            self._coming = ""
        self.key = key
        self._for_new = ("", "")
        self._opened += 1
        self.busy_changed.emit()
        if key:
            self._funnel.run(self._load(key), name="conversation:open")
        else:
            self.transcript.fill([])
            self.noted.emit("")
            self._funnel.run(self._model(), name="conversation:model")

    def send(self, text: str) -> None:
        """Say something in the open conversation, which begins with it if it is new."""
        if not self.key and not self._coming:
            self._coming = f"window:{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:4]}"
        key = self.key or self._coming
        self._funnel.run(self._send(self.key, key, text, self._for_new), name="conversation:send")

    def stop(self) -> None:
        """End the answer that is on its way; what came of it stays."""
        self._funnel.run(self._actions.call("stop", session=self.key), name="conversation:stop")

    def act(self, entry_id: str) -> None:
        """Carry out the remedy of an entry: ask once more, or see to the settings first."""
        entry = self.transcript.get(entry_id)
        if entry is None or entry.moving:
            return
        if entry.to_settings:
            self.settings_wanted.emit()
        else:
            self._funnel.run(self._again(), name="conversation:again")

    def settings_changed(self) -> None:
        """A model other than before may answer: what failed can be asked once more."""
        for entry in self.transcript.entries[-1:]:
            if entry.state is State.FAILED:
                entry.action, entry.to_settings = _("Try again"), False
                self.transcript.touch(entry.id)
        self._funnel.run(self._model(), name="conversation:model")

    def choose_model(self, model: str, provider: str) -> None:
        """Have this conversation answered by another model."""
        self._funnel.run(self._choose_model(model, provider), name="conversation:model")

    # ---- how

    async def _load(self, key: str) -> None:
        opened, turned = self._opened, -1
        try:
            while turned != self._turned:
                turned = self._turned
                found = await self._actions.call("conversation", session=key)
                entries = await in_thread(entries_of, found["messages"], found["turns"])
                if opened != self._opened:
                    return  # another one was opened meanwhile
        except Exception:
            if opened == self._opened:
                self.transcript.fill([])
            raise
        self._turns[key] = [str(turn) for turn in found["turns"]]
        self.transcript.fill(self._live.get(entry.id, entry) for entry in entries)
        self.noted.emit("")
        self.model_known.emit(found)
        self.busy_changed.emit()

    async def _model(self) -> None:
        key = self.key
        model, provider = ("", "") if key else self._for_new
        found = await self._actions.call("model", session=key, model=model, provider=provider)
        if key == self.key:
            self.model_known.emit(found)

    async def _send(self, said_in: str, key: str, text: str, chosen: tuple[str, str]) -> None:
        try:
            if not said_in and any(chosen):
                model, provider = chosen
                await self._actions.call("choose_model", session=key, model=model, provider=provider)
            turn = (await self._actions.call("submit", session=key, text=text, front="window"))["turn"]
        except Exception:
            self.settled.emit(said_in, text)
            self.refused.emit(key if key == self.key else said_in, text)
            raise
        self.settled.emit(said_in, text)
        asked = Entry(turn, Author.YOU, text, when=datetime.now(UTC))
        answer = self._live.setdefault(answer_id(turn), waiting(turn))
        self._begin(key, turn)
        # Each step lays something out anew: between two of them the window gets its turn.
        if not self.key and key == self._coming:
            self.key = key
            self.created.emit(key, text)
            await asyncio.sleep(0)
        self._add(key, asked)
        await asyncio.sleep(0)
        self._add(key, answer)
        await asyncio.sleep(0)
        self.busy_changed.emit()
        await asyncio.sleep(0)
        self.spoken_in.emit(key, False)

    def _add(self, key: str, entry: Entry) -> None:
        if key == self.key:
            self.transcript.add(entry)

    async def _again(self) -> None:
        key = self.key
        turn = (await self._actions.call("again", session=key))["turn"]
        self._begin(key, turn)
        answer = self._live.setdefault(answer_id(turn), waiting(turn))
        if key == self.key:
            self.transcript.add(answer)
            self.busy_changed.emit()

    async def _choose_model(self, model: str, provider: str) -> None:
        if not self.key:  # it is stored with the first message
            self._for_new = (model, provider)
            await self._model()
            return
        key = self.key
        found = await self._actions.call("choose_model", session=key, model=model, provider=provider)
        if key == self.key:
            self.model_known.emit(found)

    def _begin(self, key: str, turn: str) -> None:
        self._turned += 1
        turns = self._turns.setdefault(key, [])
        if turn not in turns:
            turns.append(turn)

    # ---- what happens

    def handle(self, event: Event) -> None:
        """Take in one event of the bus."""
        if isinstance(event, TurnEvent):
            self._turn_event(event)
        elif isinstance(event, ServiceChanged) and event.state == "starting":
            self._explain_waiting(event.detail or _("Starting the model…"))

    def _turn_event(self, event: TurnEvent) -> None:
        if isinstance(event, TurnStarted):
            self._started(event)
        entry = self._live.get(answer_id(event.turn))
        if entry is None:
            if isinstance(event, TurnFinished | TurnFailed):
                self._ended_unseen(event)
            return
        if isinstance(event, TextDelta):
            entry.text += event.text
            entry.state, entry.detail = State.STREAMING, ""
        elif isinstance(event, ReasoningDelta):
            entry.reasoning += event.text
            entry.state, entry.detail = State.STREAMING, ""
        elif isinstance(event, TurnWaiting):
            entry.detail = _("{reason} Trying again in {seconds} s…").format(
                reason=event.reason, seconds=round(event.seconds)
            )
        elif isinstance(event, TurnFinished | TurnFailed):
            self._ended(event, entry)
        self._touch(event.session, entry)

    def _started(self, event: TurnStarted) -> None:
        entry = self._live.get(answer_id(event.turn))
        if entry is None:  # asked from somewhere else: the terminal, another window of the person's
            self._live[answer_id(event.turn)] = waiting(event.turn)
            self._begin(event.session, event.turn)
            if event.session == self.key:
                self.open(self.key)
            self.spoken_in.emit(event.session, False)
        else:
            entry.detail = _("Waiting for the first word…")
        if event.session == self.key:
            self.noted.emit(event.note)

    def _ended(self, event: TurnFinished | TurnFailed, entry: Entry) -> None:
        if isinstance(event, TurnFailed):
            failed(entry, event.error, event.remedy, event.kind_of_error)
        else:
            entry.text = event.text
            entry.state = State.STOPPED if event.stopped else State.DONE
            entry.detail = _("Stopped") if event.stopped else ""
        entry.when = datetime.now(UTC)
        del self._live[entry.id]
        self._rest(event)

    def _ended_unseen(self, event: TurnFinished | TurnFailed) -> None:
        """A turn of somewhere else ended before it began: its model could not even be asked."""
        self._rest(event)
        if event.session == self.key:
            self.open(self.key)

    def _rest(self, event: TurnEvent) -> None:
        self._turned += 1
        turns = self._turns.get(event.session, [])
        if event.turn in turns:
            turns.remove(event.turn)
        if not turns:
            self._turns.pop(event.session, None)
        if event.session == self.key:
            self.busy_changed.emit()
        self.spoken_in.emit(event.session, True)

    def _explain_waiting(self, detail: str) -> None:
        for key, turns in self._turns.items():
            for turn in turns:
                entry = self._live.get(answer_id(turn))
                if entry is not None and entry.state is State.WAITING:
                    entry.detail = detail
                    self._touch(key, entry)

    def _touch(self, key: str, entry: Entry) -> None:
        if key == self.key and self.transcript.get(entry.id) is entry:
            self.transcript.touch(entry.id)
