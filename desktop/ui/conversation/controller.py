"""The open conversation: opened, asked, stopped, and kept up to date with what the bus tells."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop.bus.events import (
    PermissionAsked,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnJoined,
    TurnSpoke,
    TurnStarted,
)
from desktop.session.names import new_key
from desktop.tasks import in_thread
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.composer.for_new import ForNew
from desktop.ui.conversation.file_cards import FileCards
from desktop.ui.conversation.history import entries_of, new_start
from desktop.ui.conversation.live import Live
from desktop.ui.conversation.questions import Questions
from desktop.ui.conversation.queued_messages import QueuedMessages
from desktop.ui.conversation.revisions import Revisions
from desktop.ui.conversation.steps import Calls
from desktop.ui.conversation.subagents import Subagents, of_subagent
from desktop.ui.conversation.transcript import (
    TO_SETTINGS,
    WITHDRAW,
    Author,
    Entry,
    State,
    Transcript,
    own_words,
)
from desktop.ui.conversation.turns import Early, Turns
from desktop.ui.error_reporter import ErrorReporter

if TYPE_CHECKING:
    from desktop.api.turns import Submitted


class Controller(QObject):
    """One for the window. `key` is the open conversation; empty for one that nobody has written in."""

    busy_changed = Signal()
    opened = Signal()
    """`key` is another one."""
    model_known = Signal(object)
    """api.models.AnsweringModel: which one answers."""
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

    def __init__(self, actions: Actions, reporter: ErrorReporter, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions, self._reporter = actions, reporter
        self.transcript = Transcript(self)
        self.questions = Questions(actions, reporter, self)
        self.calls = Calls(actions, reporter, self.transcript, self.questions, lambda: self.key)
        self.questions.answered_late.connect(self._open_again)
        self.files = FileCards(actions, reporter, self.transcript, lambda: self.key)
        self.revisions = Revisions(actions, reporter, self.transcript, lambda: self.key, self._open_again)
        self.subagents = Subagents(actions, reporter, lambda: self.key, self)
        self.subagents.changed.connect(self.busy_changed)
        self.key = ""
        self.for_new = ForNew()
        self._coming = ""
        """The key that it will have, once something was said in it."""
        self._turns, self._early = Turns(), Early(self._ended)
        self._live = Live(actions.bus, self.transcript)
        self.line = QueuedMessages(
            actions, reporter, self.transcript, self._live, self._turns, lambda: self.key
        )
        self._opened = 0
        """How often a conversation was opened: only what was read for the last one is shown."""
        self._anew: set[str] = set()
        """Turns after which the agent knows nothing of what was said before."""
        self._listen()

    @property
    def busy(self) -> bool:
        return bool(self._turns[self.key]) or self._early.sending(self.key)

    @property
    def stoppable(self) -> bool:
        """Whether an answer is on its way, or a subagent works for this conversation."""
        return self.busy or bool(self.subagents.here)

    # ---- what the person does

    def open(self, key: str, turn: str = "") -> None:
        """Show another conversation, at a turn of it or at its end; an empty key is a new one."""
        if key or self.key:
            self._coming = ""
        self.key = key
        self.for_new = ForNew()
        self._opened += 1
        self.busy_changed.emit()
        self.opened.emit()
        self.subagents.opened()
        if key:
            self._reporter.run(self._load(key, turn), name="conversation:open")
        else:
            self.transcript.fill([])
            self.noted.emit("")
            self._reporter.run(self._model(), name="conversation:model")

    def send(self, text: str, files: Sequence[str] = ()) -> None:
        """Say something in the open conversation, which begins with it if it is new; paths of `files` go
        along."""
        if not self.key and not self._coming:
            self._coming = new_key()
        key = self.key or self._coming
        self._early.begin(self.key)
        work = self._send(self.key, key, text, self.for_new, list(files))
        self._reporter.run(work, name="conversation:send")
        self.busy_changed.emit()

    def stop(self) -> None:
        """End the answer that is on its way, and it alone: what came of it stays, and the next message of
        the line is answered. Where only subagents work, end them."""
        turn = next(iter(self._turns[self.key]), "")
        if not turn and self._early.sending(self.key):
            self._early.stop(self.key)
            return
        work = self._actions.api.turns.stop(self.key, turn)
        self._reporter.run(work, name="conversation:stop")

    def act(self, entry_id: str, what: str) -> None:
        """Do what a button of an entry says: AGAIN, TO_SETTINGS or WITHDRAW."""
        entry = self.transcript.get(entry_id)
        if entry is None or entry.moving != (what == WITHDRAW):
            return
        if what == WITHDRAW:
            self.line.take_back(entry_id.partition("/")[0])
        elif what == TO_SETTINGS:
            self.settings_wanted.emit()
        else:
            self._reporter.run(self._again(), name="conversation:again")

    def settings_changed(self) -> None:
        """A model other than before may answer: what failed can be asked once more."""
        for entry in self.transcript.entries[-1:]:
            if entry.state is State.FAILED:
                entry.to_settings = False
                self.transcript.touch(entry.id)
        self._reporter.run(self._model(), name="conversation:model")

    def choose_model(self, model: str, provider: str) -> None:
        """Have this conversation answered by another model."""
        self._reporter.run(self._choose_model(model, provider), name="conversation:model")

    # ---- how

    def _open_again(self, key: str) -> None:
        if key == self.key:
            self.open(key)

    async def _load(self, key: str, turn: str = "") -> None:
        opened, changes = self._opened, -1
        try:
            while changes != self._turns.changes:
                changes = self._turns.changes
                found = await self._actions.api.conversations.read(key)
                model = await self._actions.api.models.answering(key)
                entries = await in_thread(entries_of, found.messages, found.turns)
                if opened != self._opened:
                    return  # another one was opened meanwhile
        except Exception:
            if opened == self._opened:
                self.transcript.fill([])
            raise
        self._turns.put(key, found.turns)
        shown = self.calls.welcome([self._live.answers.get(entry.id, entry) for entry in entries])
        self.transcript.fill(shown)
        self.transcript.seek(turn)
        self.noted.emit("")
        self.model_known.emit(model)
        self.busy_changed.emit()

    async def _model(self) -> None:
        opened = self._opened  # not the key: a new conversation has one from its first message on
        model, provider = self.for_new.model or ("", "")
        found = await self._actions.api.models.answering(self.key, model=model, provider=provider)
        if opened == self._opened:
            self.model_known.emit(found)

    async def _send(self, said_in: str, key: str, text: str, chosen: ForNew, files: list[str]) -> None:
        try:
            if not said_in:
                await chosen.store(self._actions, key)
            taken = await self._actions.api.turns.submit(key, text, files=files)
        except Exception:
            self.settled.emit(said_in, text)
            self.refused.emit(key if key == self.key else said_in, text)
            self._early.sent(said_in)
            self.busy_changed.emit()
            raise
        self.settled.emit(said_in, text)
        try:
            if self._early.unwanted(said_in):
                await self._actions.api.turns.stop(key, taken.turn)
            await self._show_sent(taken, key, text, files)
        finally:
            self._early.sent(said_in, taken.turn)
            self.busy_changed.emit()

    async def _show_sent(self, taken: "Submitted", key: str, text: str, files: list[str]) -> None:
        """Show a message that is stored, and the answer that is on its way."""
        turn = taken.turn
        asked = Entry(turn, Author.YOU, own_words(text, files), when=datetime.now(UTC), files=files)
        self._early.name(turn)
        answer = self._live.begin(turn, queued=bool(self._turns[key]) and not taken.command)
        if taken.command:
            answer.detail = ""
            if text.lower().split(maxsplit=1)[0].partition("@")[0] == "/new":
                self._anew.add(turn)
        self._turns.begin(key, turn)
        # Each step lays something out anew: between two of them the window gets its turn.
        if not self.key and key == self._coming:
            self.key = self.calls.shown = key
            self.created.emit(key, text)
            self.opened.emit()
            await asyncio.sleep(0)
        self._add(key, asked)
        await asyncio.sleep(0)
        self._add(key, answer)
        await asyncio.sleep(0)
        self.spoken_in.emit(key, False)

    def _add(self, key: str, entry: Entry) -> None:
        if key == self.key:
            self.transcript.add(entry)

    async def _again(self) -> None:
        key = self.key
        turn = await self._actions.api.turns.again(key)
        self._turns.begin(key, turn)
        answer = self._live.begin(turn)
        if key == self.key:
            self.transcript.add(answer)
            self.busy_changed.emit()

    async def _choose_model(self, model: str, provider: str) -> None:
        if not self.key:  # it is stored with the first message
            self.for_new = replace(self.for_new, model=(model, provider))
            await self._model()
            return
        key = self.key
        found = await self._actions.api.models.choose(key, model=model, provider=provider)
        if key == self.key:
            self.model_known.emit(found)

    # ---- what happens

    def _listen(self) -> None:
        bus = self._actions.bus
        bus.on(TurnStarted, _of_conversations(self._started))
        bus.on(TurnJoined, _of_conversations(self._joined))
        bus.on(TurnFinished, _of_conversations(self._ended))
        bus.on(TurnFailed, _of_conversations(self._ended))
        bus.on(TurnSpoke, _of_conversations(self._spoke))
        bus.on(ToolStarted, self._went_on)
        bus.on(ToolFinished, self._went_on)
        bus.on(PermissionAsked, lambda event: self.spoken_in.emit(event.session, True))

    def _went_on(self, _event: TurnEvent) -> None:
        """The log has more than before."""
        self._turns.changes += 1

    def _spoke(self, event: TurnSpoke) -> None:
        if event.session == self.key:
            self._live.spoke(event)
        self._went_on(event)
        self.spoken_in.emit(event.session, True)

    def _started(self, event: TurnStarted) -> None:
        entry = self._live.get(event.turn)
        if entry is None:  # asked from somewhere else: the terminal, another window of the person's
            self._from_elsewhere(event.session, event.turn)
        elif entry.state in (State.QUEUED, State.WAITING):
            entry.state, entry.detail = State.WAITING, _("Waiting for an answer…")
            self._live.touch(entry)
        if event.session == self.key:
            self.noted.emit(event.note)

    def _from_elsewhere(self, key: str, turn: str) -> None:
        self._live.begin(turn)
        self._turns.begin(key, turn)
        if key == self.key:
            self.open(key)
        self.spoken_in.emit(key, False)

    def _joined(self, event: TurnJoined) -> None:
        """The answer goes on below the message that the person wrote meanwhile."""
        self._live.drop(event.turn)
        self._turns.end(event.session, event.turn)
        if self._live.get(event.into) is None:
            self._from_elsewhere(event.session, event.into)

    def _ended(self, event: TurnFinished | TurnFailed) -> None:
        unseen = self._live.get(event.turn) is None
        if self._early.keeps(event, known=not unseen):
            return
        if isinstance(event, TurnFinished) and event.withdrawn:
            self.line.gone(event.session, event.turn)
            self._rest(event)
            return
        self._live.end(event)
        if event.session == self.key:
            self.files.ended(event)
        if event.turn in self._anew:
            self._anew.discard(event.turn)
            self._add(event.session, new_start(event.turn))
        self._rest(event)
        if unseen and event.session == self.key:
            # Of somewhere else, and ended before it began: its model could not even be asked.
            self.open(self.key)

    def _rest(self, event: TurnEvent) -> None:
        self._turns.end(event.session, event.turn)
        self.line.ended(event.session)
        if event.session == self.key:
            self.busy_changed.emit()
        self.spoken_in.emit(event.session, True)


def _of_conversations[E: TurnEvent](handler: Callable[[E], None]) -> Callable[[E], None]:
    """What goes on in a subagent's own session is Subagents' alone."""

    def heard(event: E) -> None:
        if not of_subagent(event.session):
            handler(event)

    return heard
