"""A field for a date, and the month that opens under it, in the look of the window."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QShowEvent, QTextCharFormat, QWheelEvent
from PySide6.QtWidgets import QCalendarWidget, QDateEdit, QToolButton

from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.styled import styled

_SHEET = """
QCalendarWidget { background: $raised; border: 1px solid $border_strong; }
QCalendarWidget QWidget { alternate-background-color: $raised; }
QCalendarWidget QWidget#qt_calendar_navigationbar { background: $raised; }
QCalendarWidget QAbstractItemView { background: $raised; color: $text; border: none; border-radius: 0;
  selection-background-color: $accent; selection-color: $on_accent; }
QCalendarWidget QAbstractItemView:disabled { color: $faint; }
QCalendarWidget QToolButton { color: $text; font-weight: 600; }
QCalendarWidget QToolButton::menu-indicator { image: none; }
QCalendarWidget QSpinBox { min-height: 24px; }
"""
_WEEKEND = (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday)


class Calendar(QCalendarWidget):
    """One month."""

    def __init__(self) -> None:
        super().__init__()
        styled(self, _SHEET)
        self.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        for name, sign in (("prevmonth", "chevron-left"), ("nextmonth", "chevron-right")):
            turn = self.findChild(QToolButton, f"qt_calendar_{name}")
            if turn is not None:
                turn.setIcon(icon(sign))
        theme().changed.connect(self._colour)
        self._colour()

    def _colour(self) -> None:
        day, head = QTextCharFormat(), QTextCharFormat()
        day.setForeground(QColor(theme().colors.text))
        head.setForeground(QColor(theme().colors.muted))
        head.setBackground(QColor(theme().colors.raised))
        for weekday in _WEEKEND:
            self.setWeekdayTextFormat(weekday, day)
        self.setHeaderTextFormat(head)


class DateField(QDateEdit):
    """Typed, or chosen in the month."""

    def __init__(self) -> None:
        super().__init__()
        self._made = False
        self.setCalendarPopup(True)
        self.setDisplayFormat("yyyy-MM-dd")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._made:  # a page with a form on it is made faster without
            self._made = True
            self.setCalendarWidget(Calendar())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # pages are scrolled more often than values are changed
