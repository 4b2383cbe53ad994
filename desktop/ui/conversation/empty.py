"""What stands where nothing was said yet: a greeting, and a few ways to begin."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.theme.icons import app_icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.words import spoken

_ICON = 56


class EmptyState(QWidget):
    """A suggestion that is pressed is put into the message field, to be gone on with."""

    suggested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        picture = QLabel()
        picture.setPixmap(app_icon().pixmap(_ICON, _ICON))
        picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._greeting = label("greeting")
        self._greeting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint = label("muted", wrap=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._buttons = [button("chip") for _number in range(3)]
        row = across(None, *self._buttons, None)
        for made in self._buttons:
            made.clicked.connect(lambda _on=False, made=made: self.suggested.emit(made.toolTip()))
        column = QVBoxLayout(self)
        column.setSpacing(Space.M)
        column.addStretch()
        column.addWidget(picture)
        column.addWidget(self._greeting)
        column.addWidget(self._hint)
        column.addSpacing(Space.S)
        column.addLayout(row)
        column.addStretch()
        spoken(self._words)

    def _words(self) -> None:
        self._greeting.setText(_("What can I help with?"))
        self._hint.setText(_("Ask anything. Your conversations stay on this computer."))
        suggestions = (
            (_("Explain something"), _("Explain in simple words: ")),
            (_("Write something"), _("Write a short, friendly message about ")),
            (_("Make a plan"), _("Make a plan, step by step, for ")),
        )
        for made, (words, text) in zip(self._buttons, suggestions, strict=True):
            made.setText(words)
            made.setToolTip(text)
            made.setAccessibleName(words)
