"""The parts of a page beside one another, one of them in sight."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton

from desktop.ui.widgets.styled import styled

_SHEET = """
QFrame#tabs { background: $hover; border: none; border-radius: 9px; }
QPushButton { background: transparent; border: 1px solid transparent; border-radius: 7px; color: $muted;
  padding: 0 10px; min-height: 26px; }
QPushButton:hover { color: $text; }
QPushButton:checked { background: $raised; color: $text; border-color: $border_strong; }
QPushButton:focus { border-color: $accent; }
"""


class Tabs(QFrame):
    """Left and Right step through them."""

    chosen = Signal(int)

    def __init__(self, count: int) -> None:
        super().__init__()
        self.setObjectName("tabs")
        styled(self, _SHEET)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self.buttons = [QPushButton() for _number in range(count)]
        row = QHBoxLayout(self)
        row.setContentsMargins(3, 3, 3, 3)
        row.setSpacing(2)
        for number, made in enumerate(self.buttons):
            made.setCheckable(True)
            made.setCursor(Qt.CursorShape.PointingHandCursor)
            self._group.addButton(made, number)
            row.addWidget(made, 1)
        self.buttons[0].setChecked(True)
        self._group.idToggled.connect(lambda number, on: self.chosen.emit(number) if on else None)

    @property
    def current(self) -> int:
        """The place of the one that is chosen."""
        return self._group.checkedId()

    def choose(self, number: int) -> None:
        """Choose another one."""
        self.buttons[number].setChecked(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if not by:
            super().keyPressEvent(event)
            return
        number = (self.current + by) % len(self.buttons)
        self.choose(number)
        self.buttons[number].setFocus()
