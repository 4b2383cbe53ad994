"""The calls among the entries of a conversation: their open questions, and what the log has of one.

A question of a subagent's call is asked in the conversation that the subagent works for, whose log does
not have the call: it stands at the end, as a guest, for as long as it is open.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject

from desktop.tasks import in_thread
from desktop.ui.actions import Actions
from desktop.ui.conversation.history import answer_id, entries_of
from desktop.ui.conversation.question import Question
from desktop.ui.conversation.questions import Questions
from desktop.ui.conversation.step import Step
from desktop.ui.conversation.transcript import Author, Entry, Transcript
from desktop.ui.error_reporter import ErrorReporter


class Calls(QObject):
    """Keeps the calls of the open conversation, whose key `key` gives, in step with questions and log."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        transcript: Transcript,
        questions: Questions,
        key: Callable[[], str],
    ) -> None:
        super().__init__(transcript)
        self._actions, self._reporter, self._key = actions, reporter, key
        self._transcript, self._questions = transcript, questions
        self.shown = ""
        """The conversation whose entries are shown; the open one is being read where it is another."""
        questions.changed.connect(self._questions_changed)

    def welcome(self, entries: Sequence[Entry]) -> list[Entry]:
        """Put the open questions to the calls of these entries, which are to be shown; all there is to
        show then, with the calls of subagents that wait for an answer."""
        self.shown = self._key()
        attach(entries, self._key(), self._questions.all)
        return [*entries, *self._guests({entry.id for entry in entries})]

    def _guests(self, there: Container[str]) -> list[Entry]:
        if self.shown != self._key():
            return []
        questions = (question for question in self._questions.all if question.session == self.shown)
        return [guest(question) for question in questions if not of(question.turn, there)]

    def look_into(self, entry_id: str) -> None:
        """A call was opened: read its arguments and its result, where they are not known yet."""
        entry = self._transcript.get(entry_id)
        if entry is not None and entry.step is not None and not entry.step.read:
            self._reporter.run(self._look_into(entry), name="conversation:step")

    async def _look_into(self, entry: Entry) -> None:
        found = await self._actions.api.conversations.read(self._key())
        known = await in_thread(look_into, found.messages, entry)
        if known and self._transcript.get(entry.id) is entry:
            self._transcript.touch(entry.id)

    def _questions_changed(self) -> None:
        for entry_id in attach(self._transcript.entries, self._key(), self._questions.all):
            entry = self._transcript.get(entry_id)
            if entry is not None and entry.guest and entry.step and entry.step.question is None:
                self._transcript.remove(entry_id)
            else:
                self._transcript.touch(entry_id)
        for entry in self._guests(self._transcript):
            if entry.id not in self._transcript:
                self._transcript.add(entry)


def of(turn: str, there: Container[str]) -> bool:
    """Whether a turn is one of the conversation with these entries."""
    return turn in there or answer_id(turn) in there


def guest(question: Question) -> Entry:
    """The call of a subagent that waits for an answer."""
    card = question.card
    about = str(card.get("command") or " ".join(map(str, card.get("lines") or ())))
    step = Step(question.call, str(card.get("tool") or ""), about, question=question, read=True)
    return Entry(f"{question.turn}/{question.call}", Author.STEP, step=step, guest=True)


def attach(entries: Sequence[Entry], session: str, questions: Iterable[Question]) -> list[str]:
    """Put the open questions of this conversation to their calls; the ids of entries that changed."""
    left = {
        (question.turn, question.call): question for question in questions if question.session == session
    }
    changed = []
    for entry in reversed(entries):
        if entry.step is None:
            continue
        found = left.pop((entry.id.partition("/")[0], entry.step.call), None)
        if found != entry.step.question:
            entry.step.question = found
            changed.append(entry.id)
    return changed


def look_into(records: Iterable[Mapping[str, Any]], entry: Entry) -> bool:
    """Read arguments and result of a call in the log; whether they are there."""
    step = entry.step
    assert step
    found = next((known for known in entries_of(records, ()) if known.id == entry.id), None)
    if found is None or found.step is None:
        return False
    logged = found.step
    step.arguments, step.result = logged.arguments, logged.result
    step.outside, step.pictures, step.read = logged.outside, logged.pictures, True
    return True
