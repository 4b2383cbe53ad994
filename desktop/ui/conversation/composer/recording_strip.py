"""What shows over the message field while it is dictated to: the level, the time, and a way to end it."""

from collections import deque

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from desktop.text import _
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.spinner import Spinner
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_BARS, _BAR, _GAP = 40, 3, 2
_SHEET = """
QFrame#recording { background: $accent_soft; border: none; border-radius: 10px; }
"""


class Level(QWidget):
    """How loud it was just now, the newest at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(QSize(_BARS * (_BAR + _GAP), Size.CONTROL - Space.S))
        self.levels: deque[float] = deque(maxlen=_BARS)

    def add(self, level: float) -> None:
        """One more, from 0 to 1."""
        self.levels.append(level)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().colors.link))
        at = self.width() - len(self.levels) * (_BAR + _GAP)
        for level in self.levels:
            height = max(_BAR, level * self.height())
            painter.drawRoundedRect(QRectF(at, (self.height() - height) / 2, _BAR, height), 1.5, 1.5)
            at += _BAR + _GAP
        painter.end()


class RecordingStrip(QFrame):
    """Recording, waiting for the words, or what was said and could not be understood."""

    ended = Signal()
    """No more is said: turn it into text; or try that again."""
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("recording")
        styled(self, _SHEET)
        self.state = "recording"
        self.level, self._spinner, self._sign = Level(), Spinner(), Sign("mic", "link")
        self._text, self._time = label(wrap=True), label("small")
        self.cancel, self.end = button("quiet"), button("primary")
        across(
            self._sign,
            self._spinner,
            (self._text, 1),
            self.level,
            self._time,
            self.cancel,
            self.end,
            edges=(Space.M, Space.XS, Space.XS, Space.XS),
            of=self,
        )
        self.end.clicked.connect(self.ended)
        self.cancel.clicked.connect(self.cancelled)
        self._left = 0
        spoken(self._words)

    def _words(self) -> None:
        texts = {
            "recording": _("Recording"),
            "waiting": _("Turning into text…"),
            "failed": _("The recording is still here."),
        }
        self._text.setText(texts[self.state])
        failed = self.state == "failed"
        self.cancel.say(_("Discard") if failed else _("Cancel"), "")
        self.end.say(_("Try again") if failed else _("Done"), "")
        self.level.setAccessibleName(_("Level"))

    def show_state(self, state: str) -> None:
        """recording, waiting or failed."""
        self.state = state
        self._words()
        for part in (self.level, self._time, self._sign):
            part.setVisible(state == "recording")
        self._spinner.setVisible(state == "waiting")
        self.end.setVisible(state != "waiting")

    def tell(self, seconds: float, left: float) -> None:
        """How long it has been, and how long it may go on."""
        whole = int(seconds)
        text = f"{whole // 60}:{whole % 60:02}"
        if left < 10:
            text += " · " + _("{n} s left").format(n=max(0, round(left)))
        if text != self._time.text():
            self._time.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)
