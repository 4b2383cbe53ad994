"""A selection drawn past the edge of the window goes on: the text comes to the pointer."""

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QAbstractScrollArea

from desktop.ui.conversation.text.body import Body

_STEP_MS = 30
_MOST = 60


class Drag(QObject):
    """Scrolls an area while a selection is drawn past its edge; armed only then."""

    def __init__(self, area: QAbstractScrollArea) -> None:
        super().__init__(area)
        self._area = area
        self._body: Body | None = None
        self._pointer = QPoint()
        self._in_text = True
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._step)

    def select(self, in_text: bool) -> None:
        """Whether letters are selected; else messages are, and the conversation only scrolls."""
        self._in_text = in_text

    def follow(self, body: Body, pointer: QPoint) -> None:
        """The pointer is there, on the screen, while text of this body is being selected."""
        self._body, self._pointer = body, pointer
        if self._beyond() and not self._timer.isActive():
            self._timer.start(_STEP_MS)

    def _beyond(self) -> int:
        """How far the pointer is below the window; negative above it."""
        y, height = self._area.viewport().mapFromGlobal(self._pointer).y(), self._area.viewport().height()
        return min(0, y) + max(0, y - height + 1)

    def _step(self) -> None:
        body, beyond = self._body, self._beyond()
        if body is None or not body.dragging or not beyond:
            return
        bar = self._area.verticalScrollBar()
        before = bar.value()
        bar.setValue(before + max(-_MOST, min(_MOST, beyond)))
        if not body.dragging:  # its message is out of sight
            return
        if self._in_text:
            edge = self._pointer - QPoint(0, self._beyond())
            place = body.viewport().mapFromGlobal(edge)
            cursor = body.textCursor()
            cursor.setPosition(body.cursorForPosition(place).position(), QTextCursor.MoveMode.KeepAnchor)
            body.setTextCursor(cursor)
        if bar.value() != before:
            self._timer.start(_STEP_MS)
