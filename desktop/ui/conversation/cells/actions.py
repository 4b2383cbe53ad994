"""The quiet buttons of a message: seen when the pointer or the keyboard is there, in reach of both."""

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QDate, QLocale, QSize, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from desktop import text as words
from desktop.text import _
from desktop.ui.conversation.cells.revise import EDIT, MORE, REGENERATE
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.plain import whole

_CHECKED_MS = 1200


def copy(text: str) -> None:
    """Put text on the clipboard."""
    QGuiApplication.clipboard().setText(whole(text))


class _Quiet(IconButton):
    """Unseen until somebody is near; keeps its room."""

    def __init__(self, icon_name: str, parent: QWidget | None = None) -> None:
        super().__init__(icon_name, parent=parent)
        self.shown = True
        self.setIconSize(QSize(15, 15))
        self.setFixedSize(26, 26)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.shown or self.hasFocus():
            super().paintEvent(event)


class CopyButton(_Quiet):
    """Copies what `text` gives, and shows for a second that it did."""

    def __init__(self, text: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__("copy", parent)
        self.source = text
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.timeout.connect(lambda: self.setIcon(icon("copy")))
        self.clicked.connect(self._copy)

    def _copy(self) -> None:
        copy(self.source())
        self.setIcon(icon("check", "success"))
        self._back.start(_CHECKED_MS)


class _Time(QLabel):
    """The time of a message; keeps its room while it is not shown."""

    shown = True

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.shown:
            super().paintEvent(event)


class Actions(QWidget):
    """The row under a message. What goes back to the message is made when somebody is near for the first
    time: most messages are only read."""

    HEIGHT = 28
    wanted = Signal(str, str)
    """See revise.py."""

    def __init__(self, text: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.copy = CopyButton(text)
        self._again: _Quiet | None = None
        self._more: _Quiet | None = None
        self._time = _Time()
        self._time.setProperty("kind", "small")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 2, 0, 0)
        self._row.setSpacing(Space.XS)
        self._right: bool | None = None
        self._revisable = False
        self.setFixedHeight(self.HEIGHT)

    @property
    def buttons(self) -> list[QWidget]:
        """From left to right."""
        made = [self.copy, self._again, self._more]
        return [one for one in made if one is not None and not one.isHidden()]

    def arrange(self, *, right: bool, revisable: bool) -> None:
        """On which side of the column; whether one can go back to this message."""
        self._revisable = revisable
        for made in (self._again, self._more):
            if made is not None:
                made.setVisible(revisable)
        if right != self._right:
            self._right = right
            self._place()

    def _place(self) -> None:
        while self._row.takeAt(0):
            pass
        buttons = [made for made in (self.copy, self._again, self._more) if made is not None]
        if self._right:
            self._row.addStretch()
            self._row.addWidget(self._time)
        for made in buttons:
            self._row.addWidget(made)
        if not self._right:
            self._row.addWidget(self._time)
            self._row.addStretch()
        if self._again is not None:
            self._again.setIcon(icon("pencil" if self._right else "refresh-cw"))
            self._name()

    def _make(self) -> None:
        self._again, self._more = _Quiet("pencil", self), _Quiet("ellipsis", self)
        self._again.clicked.connect(lambda: self.wanted.emit(EDIT if self._right else REGENERATE, ""))
        self._more.clicked.connect(self._open_menu)
        self._place()
        self._again.show()
        self._more.show()

    def _open_menu(self) -> None:
        assert self._more is not None
        at = self._more.mapToGlobal(self._more.rect().bottomLeft())
        self.wanted.emit(MORE, f"{at.x()} {at.y()}")

    def _name(self) -> None:
        assert self._again is not None
        assert self._more is not None
        self._again.say(_("Edit and resend") if self._right else _("Regenerate"))
        self._more.say(_("More"))

    def say(self, when: datetime | None) -> None:
        """Set the words."""
        self.copy.say(_("Copy message"))
        if self._again is not None:
            self._name()
        self._time.setText("" if when is None else clock(when))
        self._time.setToolTip("" if when is None else _date(when))

    def reveal(self, shown: bool) -> None:
        """Show them, or keep only their place."""
        if shown and self._revisable and self._again is None:
            self._make()
        for made in (self.copy, self._again, self._more, self._time):
            if made is not None and made.shown != shown:
                made.shown = shown
                made.update()


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
