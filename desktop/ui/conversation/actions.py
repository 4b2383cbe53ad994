"""The quiet buttons of a message: seen when the pointer or the keyboard is there, in reach of both."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QDate, QLocale, QSize, QTimer
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from desktop import text as words
from desktop.text import _
from desktop.ui.conversation.plain import whole
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import IconButton

_CHECKED_MS = 1200


def copy(text: str) -> None:
    """Put text on the clipboard."""
    QGuiApplication.clipboard().setText(whole(text))


class CopyButton(IconButton):
    """Copies what `text` gives, and shows for a second that it did."""

    def __init__(self, text: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__("copy", parent=parent)
        self.source = text
        self.shown = True
        self.setIconSize(QSize(15, 15))
        self.setFixedSize(26, 26)
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.timeout.connect(lambda: self.setIcon(icon("copy")))
        self.clicked.connect(self._copy)

    def _copy(self) -> None:
        copy(self.source())
        self.setIcon(icon("check", "success"))
        self._back.start(_CHECKED_MS)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.shown or self.hasFocus():
            super().paintEvent(event)


class _Time(QLabel):
    """The time of a message; keeps its room while it is not shown."""

    shown = True

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.shown:
            super().paintEvent(event)


class Actions(QWidget):
    """The row under a message."""

    HEIGHT = 28

    def __init__(self, text: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.copy = CopyButton(text)
        self._time = _Time()
        self._time.setProperty("kind", "small")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 2, 0, 0)
        self._row.setSpacing(Space.XS)
        self._right: bool | None = None
        self.setFixedHeight(self.HEIGHT)

    def arrange(self, *, right: bool) -> None:
        """On which side of the column."""
        if right == self._right:
            return
        self._right = right
        while self._row.takeAt(0):
            pass
        order: tuple[QWidget, QWidget] = (self._time, self.copy) if right else (self.copy, self._time)
        if right:
            self._row.addStretch()
        for widget in order:
            self._row.addWidget(widget)
        if not right:
            self._row.addStretch()

    def say(self, when: datetime | None) -> None:
        """Set the words."""
        self.copy.say(_("Copy message"))
        self._time.setText("" if when is None else clock(when))
        self._time.setToolTip("" if when is None else _date(when))

    def reveal(self, shown: bool) -> None:
        """Show them, or keep only their place."""
        if shown != self.copy.shown:
            self.copy.shown = self._time.shown = shown
            self.update()
            self.copy.update()
            self._time.update()


def _day(when: datetime, form: QLocale.FormatType) -> str:
    return QLocale(words.language()).toString(QDate(when.year, when.month, when.day), form)


def clock(when: datetime) -> str:
    """The time of day, and the day where it is not today."""
    local = when.astimezone() if when.tzinfo else when
    today = datetime.now(local.tzinfo).date() == local.date()
    time = f"{local:%H:%M}"
    return time if today else f"{_day(local, QLocale.FormatType.ShortFormat)} {time}"


def _date(when: datetime) -> str:
    local = when.astimezone() if when.tzinfo else when
    return f"{_day(local, QLocale.FormatType.LongFormat)} {local:%H:%M:%S}"
