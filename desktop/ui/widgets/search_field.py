"""A field in which one searches: its sign, and a signal once nothing was typed for a moment."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from desktop.text import _
from desktop.ui.theme.icons import icon
from desktop.ui.words import spoken


class SearchField(QLineEdit):
    """What is looked for is `wanted`."""

    searched = Signal()
    """Something else is looked for."""

    def __init__(self, pause_ms: int = 0) -> None:
        """`pause_ms`: how long to wait for the next letter."""
        super().__init__()
        self._sign = QAction(icon("search"), "", self)
        """Qt makes a button of it, which has to have a name."""
        self.addAction(self._sign, QLineEdit.ActionPosition.LeadingPosition)
        self.setClearButtonEnabled(True)
        self._typing = QTimer(self, singleShot=True, interval=pause_ms)
        self._typing.timeout.connect(self.searched)
        self.textChanged.connect(lambda: self._typing.start())
        spoken(self._name_sign)

    def _name_sign(self) -> None:
        self._sign.setText(_("Search"))

    def say(self, words: str) -> None:
        """Set the words."""
        self.setPlaceholderText(words)
        self.setAccessibleName(words)

    @property
    def wanted(self) -> str:
        """In small letters; "" while it is hidden."""
        return "" if self.isHidden() else self.text().strip().casefold()

    @property
    def typing(self) -> bool:
        """Whether `searched` is still to come."""
        return self._typing.isActive()


class Finder(SearchField):
    """Down goes to what was found, Enter takes the first of it, Escape empties the field."""

    down = Signal()
    taken = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case Qt.Key.Key_Down:
                self.down.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.taken.emit()
            case _:
                super().keyPressEvent(event)
