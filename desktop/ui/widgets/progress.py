"""How far a piece of work is, in words and as a bar, and a way to end it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from desktop.text import _
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.words import spoken

_STEPS = 1000


class Progress(QWidget):
    """Hidden until begin(). `cancelled`: the person wants it to end."""

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.bar, self._text, self.cancel = QProgressBar(), label("small"), button("quiet")
        self.bar.setTextVisible(False)
        self.cancel.clicked.connect(self.cancelled)
        row = QHBoxLayout()
        row.addWidget(self._text, 1)
        row.addWidget(self.cancel)
        down(self.bar, row, gap=0, edges=(0, Space.XS, 0, 0), of=self)
        spoken(self._words)
        self.hide()

    def _words(self) -> None:
        self.cancel.setText(_("Cancel"))

    def begin(self, text: str) -> None:
        """Something of unknown length is under way."""
        self.tell(text, 0, 0)
        self.show()

    def tell(self, text: str, done: int, total: int) -> None:
        """So much of it is done; a total of 0 where nobody knows."""
        self.bar.setRange(0, _STEPS if total else 0)
        self.bar.setValue(_STEPS * min(done, total) // total if total else 0)
        self.bar.setAccessibleName(text)
        percent = f" {100 * min(done, total) // total} %" if total else ""
        self._text.setText(f"{text}…{percent}")
