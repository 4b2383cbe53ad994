"""The calls among the entries of a conversation: their open questions, and what the log has of one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject

from desktop.tasks import in_thread
from desktop.ui.actions import Actions
from desktop.ui.conversation.history import entries_of
from desktop.ui.conversation.question import Question
from desktop.ui.conversation.transcript import Entry, Transcript
from desktop.ui.funnel import Funnel
from desktop.ui.questions import Questions


class Calls(QObject):
    """Keeps the calls of the open conversation, whose key `key` gives, in step with questions and log."""

    def __init__(
        self,
        actions: Actions,
        funnel: Funnel,
        transcript: Transcript,
        questions: Questions,
        key: Callable[[], str],
    ) -> None:
        super().__init__(transcript)
        self._actions, self._funnel, self._key = actions, funnel, key
        self._transcript, self._questions = transcript, questions
        questions.changed.connect(self._questions_changed)

    def attach(self, entries: Sequence[Entry]) -> list[str]:
        """Put the open questions to the calls that they are about; the ids of entries that changed."""
        return attach(entries, self._key(), self._questions.all)

    def look_into(self, entry_id: str) -> None:
        """A call was opened: read its arguments and its result, where they are not known yet."""
        entry = self._transcript.get(entry_id)
        if entry is not None and entry.step is not None and not entry.step.read:
            self._funnel.run(self._look_into(entry), name="conversation:step")

    async def _look_into(self, entry: Entry) -> None:
        found = await self._actions.call("conversation", session=self._key())
        known = await in_thread(look_into, found["messages"], entry)
        if known and self._transcript.get(entry.id) is entry:
            self._transcript.touch(entry.id)

    def _questions_changed(self) -> None:
        for entry_id in self.attach(self._transcript.entries):
            self._transcript.touch(entry_id)


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
