"""What a screen reader gets beyond the cells: a finished answer, once, and a transcript of all the rest.

Cells exist for what is visible only, so the transcript is a text of its own, one pixel large. It is filled
when an assistive technology is there, and not before.
"""

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QPlainTextEdit

from desktop.text import _, sentences, titled
from desktop.ui.conversation.step import sentence
from desktop.ui.conversation.text.slices import Slices, run
from desktop.ui.conversation.transcript import Author, Entry, State, Transcript
from desktop.ui.widgets.plain import shown

_ANNOUNCED = 2_000
"""Characters of an answer that are read out of themselves."""
_WRITTEN = 50_000
"""Characters of a message that the transcript has: a line of millions takes seconds to lay out."""
_PART = 1_000
_AT_ONCE_S = 0.004


class Speech(QObject):
    """Listens to a transcript for somebody who listens to it."""

    announced = Signal(str)

    def __init__(
        self, view: QAbstractScrollArea, transcript: Transcript, name: Callable[[Entry], str]
    ) -> None:
        super().__init__(view)
        self._view, self._transcript, self._name = view, transcript, name
        self.written: QPlainTextEdit | None = None
        self._count = 0
        """How many entries stand in it."""
        self._coming: set[str] = set()
        """Answers that were not finished when last looked at."""
        self._asked: set[str] = set()
        self._slices = Slices(self)
        transcript.reset.connect(self._anew)
        transcript.added.connect(self._changed)
        transcript.changed.connect(self._changed)

    def _anew(self) -> None:
        self._coming = {entry.id for entry in self._transcript.entries if entry.moving}
        self._count = 0
        self._slices.drop(self)
        if self.written:
            self.written.clear()
        self._write()

    def _changed(self, index: int) -> None:
        entry = self._transcript.entries[index]
        if entry.step is not None and entry.step.question is not None:
            self._ask(entry)
        if entry.moving:
            self._coming.add(entry.id)
            return
        if entry.id in self._coming:
            self._coming.discard(entry.id)
            self._announce(entry)
        self._write()

    def _ask(self, entry: Entry) -> None:
        """A question is read out once."""
        step = entry.step
        if step and step.question and step.question.id not in self._asked:
            self._asked.add(step.question.id)
            self._tell(sentence(step))

    def _announce(self, entry: Entry) -> None:
        if entry.author is Author.NANOBOT:
            text = entry.text if entry.state is State.DONE else sentences(entry.detail, entry.remedy)
            self._tell(titled(self._name(entry), shown(text[:_ANNOUNCED])))

    def _tell(self, said: str) -> None:
        self.announced.emit(said)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._view, said))

    def say(self) -> None:
        """Set the words."""
        if self.written:
            self.written.setAccessibleName(_("Transcript"))

    def _write(self) -> None:
        """Add what is finished and not yet written; of a long conversation, bit by bit."""
        if not QAccessible.isActive() or self._slices.busy(self):
            return
        if self.written is None:
            self.written = self._made()
            self.say()
        steps = self._lines(self.written)
        if not run(steps, _AT_ONCE_S):
            self._slices.add(self, steps, lambda: None)

    def _lines(self, written: QPlainTextEdit) -> Iterator[None]:
        entries = self._transcript.entries
        while self._count < len(entries) and not entries[self._count].moving:
            entry = entries[self._count]
            self._count += 1
            for part in _parts(self._words(entry)):
                written.appendPlainText(part)
                yield

    def _words(self, entry: Entry) -> str:
        if entry.step is not None:
            return shown(sentence(entry.step)[:_WRITTEN])
        if entry.author is Author.BREAK:
            return _("New session")
        if entry.author is Author.FILES:
            return _("Files were changed.")
        said = shown((entry.text or entry.detail)[:_WRITTEN])
        name = self._name(entry)
        return f"{name}: {said}" if name else said

    def _made(self) -> QPlainTextEdit:
        # Of a scroll area's children, only those of its viewport are told to assistive technologies.
        made = QPlainTextEdit(self._view.viewport())
        made.setReadOnly(True)
        made.setUndoRedoEnabled(False)
        made.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        made.setFrameShape(QFrame.Shape.NoFrame)
        made.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        made.setGeometry(0, 0, 1, 1)
        made.lower()
        made.show()
        return made


def _parts(text: str) -> Iterator[str]:
    """A text in parts that are quick to lay out, each of which begins a line."""
    at = 0
    while at < len(text):
        end = at + _PART
        if end < len(text):
            end = text.rfind("\n", at, end) + 1 or text.rfind(" ", at, end) + 1 or end
        yield text[at:end].removesuffix("\n")
        at = end
