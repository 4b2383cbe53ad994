"""The view of rows that come, go and move while a person reads and edits them."""

from collections import Counter
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPersistentModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QHoverEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from desktop.ui.widgets.steady_rows import SteadyRows

type Places = list[tuple[QPersistentModelIndex, int]]


class SteadyList(QListView):
    """Keeps through a change of its rows what Qt's own would lose: that a row is being edited, what the
    person has scrolled to, and which row lies under the mouse."""

    def __init__(self, rows: SteadyRows[Any]) -> None:
        super().__init__()
        self._before: Places = []
        self._editing = self._changing = False
        self.setModel(rows)
        rows.changing.connect(self._note)
        rows.changed.connect(self._restore)

    def doItemsLayout(self) -> None:
        if self._changing:
            self.scheduleDelayedItemsLayout()  # once, whatever the change has of parts
        else:
            super().doItemsLayout()

    def _note(self) -> None:
        self._editing = self.state() == QAbstractItemView.State.EditingState
        at_top = self.verticalScrollBar().value() == 0  # there, what is new is shown
        self._before = [] if at_top else self._seen()
        self._changing = True

    def _restore(self) -> None:
        self._changing = False
        here = Qt.FindChildOption.FindDirectChildrenOnly
        editors = self.viewport().findChildren(QWidget, options=here) if self._editing else []
        if any(not editor.isHidden() for editor in editors):
            self.setState(QAbstractItemView.State.EditingState)  # rows that go have ended it
        moved = Counter(self._top(index) - top for index, top in self._before if index.isValid())
        if moved:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + moved.most_common(1)[0][0])
        self._before = []
        if self.viewport().underMouse():
            self._hover()

    def _hover(self) -> None:
        at = QCursor.pos()
        here = QPointF(self.viewport().mapFromGlobal(at))
        event = QHoverEvent(QEvent.Type.HoverMove, here, QPointF(at), here)
        QCoreApplication.sendEvent(self.viewport(), event)

    def _seen(self) -> Places:
        """The rows before the person's eyes, and where each is."""
        found: Places = []
        index = self.indexAt(QPoint(self.viewport().width() // 2, 0))
        while index.isValid() and (top := self._top(index)) < self.viewport().height():
            found.append((QPersistentModelIndex(index), top))
            index = index.siblingAtRow(index.row() + 1)
        return found

    def _top(self, index: Any) -> int:
        return self.visualRect(index).top()
