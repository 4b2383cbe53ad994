"""How far this month's budget is used."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from desktop.api.usage import Budget
from desktop.text import _
from desktop.ui.panels.usage import words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.labels import label
from desktop.ui.words import spoken
from desktop.usage import money

type Json = Mapping[str, Any]

_COLOURS = {"": "link", "warned": "warning", "spent": "danger"}
_HIGH = 8


class _Gauge(QWidget):
    """A bar that fills; the words beside it say the same."""

    def __init__(self) -> None:
        super().__init__()
        self._part, self._colour = 0.0, "link"
        self.setFixedHeight(_HIGH)

    def tell(self, part: float, colour: str) -> None:
        """How much of it is full, from 0 to 1, in a role of Colors."""
        self._part, self._colour = part, colour
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, whole = QPainter(self), QRectF(self.rect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().colors.pressed))
        painter.drawRoundedRect(whole, _HIGH / 2, _HIGH / 2)
        if self._part > 0:
            painter.setBrush(QColor(getattr(theme().colors, self._colour)))
            whole.setWidth(max(_HIGH, whole.width() * min(1.0, self._part)))
            painter.drawRoundedRect(whole, _HIGH / 2, _HIGH / 2)
        painter.end()


class BudgetCard(QFrame):
    """Shows the month's budget; hidden where there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._budget = Budget()
        self.setProperty("kind", "card")
        self._title, self._amount = label("title"), label()
        self._gauge, self._part = _Gauge(), label("small", wrap=True)
        self._unknown = label("small", wrap=True)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._amount)
        down(
            head,
            self._gauge,
            self._part,
            self._unknown,
            edges=(Space.L, Space.M, Space.L, Space.M),
            of=self,
        )
        self.hide()
        spoken(self._words)

    def show_budget(self, budget: Budget) -> None:
        """Show this one."""
        self._budget = budget
        self._words()

    def _words(self) -> None:
        budget = self._budget
        limit = budget.limit
        self.setVisible(limit is not None)
        if limit is None:
            return
        self._title.setText(_("This month"))
        self._amount.setText(_("{spent} of {limit}").format(spent=money(budget.usd), limit=money(limit)))
        part = budget.usd / limit if limit else 1.0
        self._gauge.tell(part, _COLOURS[budget.state])
        self._part.setText(self._said(part, limit))
        tokens = words.tokens(budget.unpriced)
        self._unknown.setText(
            _("Does not include {tokens} of unknown price.").format(tokens=tokens)
            if budget.unpriced
            else ""
        )
        self._unknown.setVisible(bool(budget.unpriced))

    def _said(self, part: float, limit: float) -> str:
        if self._budget.state == "spent":
            return _("The budget is used up. Until next month, only models on this computer are used.")
        left = max(0.0, limit - self._budget.usd)
        return _("{part}% used, {left} left").format(part=int(100 * part), left=money(left))
