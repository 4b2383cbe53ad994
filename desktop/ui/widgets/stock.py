"""Rows of a list that may be long: made a few at a time, and used again for other items."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QWidget

from desktop.ui.widgets.boxes import laid_out_once

_STEP_S = 0.003
"""Seconds for making rows in one go, one at least: more would be felt."""


class Stock[Row: QWidget, Item](QObject):
    """Shows each item in a row of `column`."""

    whole = Signal()
    """Every item has its row."""

    def __init__(
        self, column: QBoxLayout, make: Callable[[], Row], show: Callable[[Row, Item], None]
    ) -> None:
        super().__init__(column)
        self._column, self._make_row, self._show_row = column, make, show
        self.rows: list[Row] = []
        self._items: Sequence[Item] = ()
        self._next = 0
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._step)

    @property
    def waiting(self) -> bool:
        """Whether some items have no row yet."""
        return self._next < len(self._items)

    @property
    def seen(self) -> list[Row]:
        """The rows that stand for an item."""
        return self.rows[: self._next]

    def show_items(self, items: Sequence[Item]) -> None:
        """Show these, the first of them at once."""
        self._items, self._next = items, 0
        for row in self.rows[len(items) :]:
            row.hide()
        self._step()

    def _step(self) -> None:
        end = time.perf_counter() + _STEP_S
        parent = self._column.parentWidget()
        assert parent is not None
        with laid_out_once(parent):
            while self.waiting:
                self._show_next()
                if time.perf_counter() >= end:
                    break
        if self.waiting:
            self._timer.start()
        else:
            self.whole.emit()

    def _show_next(self) -> None:
        if self._next == len(self.rows):
            self.rows.append(self._make_row())
            self._show_row(self.rows[-1], self._items[self._next])
            self._column.addWidget(self.rows[-1])
        else:
            self._show_row(self.rows[self._next], self._items[self._next])
        self.rows[self._next].show()
        self._next += 1
