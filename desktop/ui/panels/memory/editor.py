"""A note as plain text, to be changed. Where the file was changed meanwhile, both texts are kept."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.panels.memory import words
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.code_field import CodeField
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.text_field import TextField
from desktop.ui.words import spoken

_LINES = 14


class NoteEditor(QWidget):
    """What is written is kept until it is saved or cancelled."""

    save_wanted = Signal(str, str)
    """The text, and the one that it was made from."""
    left = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._base, self._start = name, "", ""
        self.text, self.outcome = TextField(_LINES, code=True), Outcome()
        self._theirs, self.theirs = label("section"), CodeField()
        self.cancel, self.take, self.save = button(), button(), button("primary")
        acts, edges = across(None, self.take, self.cancel, self.save), (Space.M, Space.XS, Space.M, Space.M)
        down(self.text, self.outcome, self._theirs, self.theirs, acts, edges=edges, of=self)
        self.text.textChanged.connect(self._typed)
        self.text.save_wanted.connect(self._save)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.left)
        self.take.clicked.connect(lambda: self.begin(self._base))
        spoken(self._words)

    def _words(self) -> None:
        title = words.title(self._name)
        self.text.setAccessibleName(_("Text of {name}").format(name=title))
        self._theirs.setText(_("Current text of the file"))
        self.theirs.setAccessibleName(_("Current text of the file"))
        self.take.setText(_("Use the file’s text"))
        self.cancel.setText(_("Cancel"))
        self.save.setText(_("Save"))

    @property
    def changed(self) -> bool:
        """Whether there is something to save."""
        return self.text.toPlainText() != self._start

    def begin(self, text: str) -> None:
        """Have this text changed."""
        self._base = text
        self.text.show_text(shown(text))
        self._start = self.text.toPlainText()
        self._conflict(shown=False)
        self.outcome.clear()
        self._typed()
        self.text.setFocus()

    def conflict(self, now: str) -> None:
        """The file has this text now: show it beside what was written, which the next Save puts there."""
        self._base = now
        self.theirs.show_text(shown(now))
        self._start = self.theirs.toPlainText()
        self._conflict(shown=True)
        self.outcome.failed(
            _("The file changed while you were editing. Both versions are kept."),
            _("Save replaces it with yours. Copy over anything you need from the other version first."),
            tone="warning",
        )
        self._typed()

    def _conflict(self, *, shown: bool) -> None:
        for part in (self._theirs, self.theirs, self.take):
            part.setVisible(shown)

    def _typed(self) -> None:
        self.save.setEnabled(self.changed)

    def _save(self) -> None:
        if self.changed and not self.save.busy:
            self.save_wanted.emit(self.text.toPlainText(), self._base)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.changed:
            self.cancel.setFocus()  # a slip of the finger loses nothing
        else:
            self.left.emit()
