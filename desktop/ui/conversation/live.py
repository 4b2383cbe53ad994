"""Answers on their way: words that grow, tools at work, and the order in which both are shown.

The answer of a turn is one entry at its end. Before it comes what is already said and done: words that a
tool was called after, the calls, and messages of their own.
"""

from datetime import UTC, datetime
from itertools import count

from desktop.bus.bus import Bus
from desktop.bus.events import (
    ReasoningDelta,
    ServiceChanged,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFailed,
    TurnFinished,
    TurnSpoke,
    TurnWaiting,
)
from desktop.text import _
from desktop.ui.conversation.history import answer_id, failed, step_id, waiting
from desktop.ui.conversation.step import Outcome, Step, ended
from desktop.ui.conversation.transcript import Author, Entry, State, Transcript

MODELS = ("model_host", "builtin-model")
"""Services that an answer waits for while they start."""


class Live:
    """Keeps answers of all conversations, and shows those of the open one."""

    def __init__(self, bus: Bus, transcript: Transcript) -> None:
        self._transcript = transcript
        self.answers: dict[str, Entry] = {}
        """By the entry's id."""
        self._numbers = count(1)
        bus.on(ServiceChanged, self._service)
        bus.on(TextDelta, self._text)
        bus.on(ReasoningDelta, self._reasoning)
        bus.on(TurnWaiting, self._waiting)
        bus.on(ToolStarted, self._tool_started)
        bus.on(ToolFinished, self._tool_finished)

    def get(self, turn: str) -> Entry | None:
        """The answer of a turn, if it is on its way."""
        return self.answers.get(answer_id(turn))

    def begin(self, turn: str, *, queued: bool = False) -> Entry:
        """The answer of a turn, which is on its way from now on, or once those before it are there."""
        return self.answers.setdefault(answer_id(turn), waiting(turn, queued=queued))

    def move_up(self, turn: str) -> None:
        """Nothing is answered before this turn any more."""
        entry = self.get(turn)
        if entry is not None and entry.state is State.QUEUED:
            entry.state, entry.detail = State.WAITING, waiting(turn).detail
            self.touch(entry)

    def drop(self, turn: str) -> None:
        """The turn goes on as another one; its answer is that one's."""
        entry = self.answers.pop(answer_id(turn), None)
        if entry is not None and self._shown(entry):
            self._transcript.remove(entry.id)

    def _service(self, event: ServiceChanged) -> None:
        """Say what answers without a word yet wait for."""
        if event.name not in MODELS or event.state != "starting":
            return
        for entry in self.answers.values():
            if entry.state is State.WAITING:
                entry.detail = event.detail or _("Starting the model…")
                self.touch(entry)

    def end(self, event: TurnFinished | TurnFailed) -> None:
        """The last word of a turn."""
        entry = self.answers.pop(answer_id(event.turn), None)
        if entry is None:
            return
        if isinstance(event, TurnFailed):
            failed(entry, event.error, event.remedy, event.kind_of_error)
        else:
            entry.text = event.text
            entry.state = State.STOPPED if event.stopped else State.DONE
            entry.detail = _("Stopped") if event.stopped else ""
        entry.when = datetime.now(UTC)
        if not self._shown(entry):
            return
        self._leave_undone(event.turn)
        if entry.text.strip() or entry.state is not State.DONE:
            self._transcript.touch(entry.id)
        else:
            self._transcript.remove(entry.id)

    def _shown(self, entry: Entry) -> bool:
        return self._transcript.get(entry.id) is entry

    def touch(self, entry: Entry) -> None:
        """Tell that an answer has changed, if it is shown."""
        if self._shown(entry):
            self._transcript.touch(entry.id)

    def _text(self, event: TextDelta) -> None:
        if entry := self.get(event.turn):
            entry.text += event.text
            entry.state, entry.detail = State.STREAMING, ""
            self.touch(entry)

    def _reasoning(self, event: ReasoningDelta) -> None:
        if entry := self.get(event.turn):
            entry.reasoning += event.text
            entry.state, entry.detail = State.STREAMING, ""
            self.touch(entry)

    def _waiting(self, event: TurnWaiting) -> None:
        if entry := self.get(event.turn):
            entry.detail = _("{reason} Retrying in {seconds} s…").format(
                reason=event.reason, seconds=round(event.seconds)
            )
            self.touch(entry)

    # ---- tools

    def _part(self, turn: str) -> None:
        """What was said so far is an entry of its own; what comes is said in another, after the tools."""
        entry = self.get(turn)
        if entry is None:
            return
        if not (entry.text.strip() or entry.reasoning):
            entry.text, entry.state, entry.detail = "", State.WAITING, ""
            self.touch(entry)
            return
        fresh = Entry(answer_id(turn), Author.NANOBOT, state=State.WAITING)
        self.answers[fresh.id] = fresh
        if not self._shown(entry):
            return
        index = self._transcript.place(entry.id)
        self._transcript.rename(entry, f"{turn}/said-{next(self._numbers)}")
        entry.state, entry.detail, entry.aside = State.DONE, "", True
        entry.when = datetime.now(UTC)
        self._transcript.put(fresh, index + 1)
        self._transcript.touch(entry.id)

    def _tool_started(self, event: ToolStarted) -> None:
        self._part(event.turn)
        answer = self.get(event.turn)
        if answer is None or not self._shown(answer):
            return
        if known := self._at_work(event):
            assert known.step
            known.step.gist = event.gist
            self.touch(known)
            return
        step = Step(event.call, event.tool, event.gist)
        id_ = step_id(event.turn, event.call, self._transcript)
        entry = Entry(id_, Author.STEP, state=State.STREAMING, step=step)
        self._transcript.insert(entry, answer.id)

    def _tool_finished(self, event: ToolFinished) -> None:
        entry = self._at_work(event)
        if entry is None or entry.step is None:
            return
        step = entry.step
        step.outcome = ended(event.outcome)
        step.seconds, step.decision, step.read = event.seconds, event.decision, False
        entry.state = State.DONE
        self.touch(entry)

    def _at_work(self, event: ToolStarted | ToolFinished) -> Entry | None:
        """The entry of a call that is shown and has no result."""
        start = f"{event.turn}/{event.call}"
        for entry in reversed(self._transcript.entries):
            if entry.step and entry.moving and entry.id.partition("#")[0] == start:
                return entry
        return None

    def _leave_undone(self, turn: str) -> None:
        """Calls that were wanted, and that the turn ended before."""
        for entry in self._transcript.entries:
            if entry.step and entry.moving and entry.id.startswith(f"{turn}/"):
                entry.step.outcome, entry.state = Outcome.INTERRUPTED, State.DONE
                self._transcript.touch(entry.id)

    def spoke(self, event: TurnSpoke) -> None:
        """A message of its own came in the conversation that is shown."""
        said = Entry(f"said-{next(self._numbers)}", Author.NANOBOT, event.text, when=datetime.now(UTC))
        said.files = list(event.files)
        answer = self.get(event.turn)
        if answer is not None and self._shown(answer):
            self._transcript.insert(said, answer.id)
        else:
            self._transcript.add(said)
