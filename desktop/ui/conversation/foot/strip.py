"""Over the message field: the subagents at work for this conversation, a line each, and how to stop one."""

import time
from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QWidget

from desktop.text import _, ngettext, titled
from desktop.ui.conversation.subagents import Subagent
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.labels import tip
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.spinner import Spinner
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_HEIGHT, _MOST = 30, 3
_SECOND_MS = 1000
_SHEET = """
QFrame#subagents { background: $code; border: 1px solid $border; border-radius: 12px; }
QToolButton { padding: 0; }
"""


class Line(QWidget):
    """One subagent."""

    stop_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.subagent = Subagent("", "", "", "", 0.0)
        self._spinner, self._waits = Spinner(), Sign("clock")
        self._text = _Text()
        self.stop = IconButton("stop")
        self.stop.setIconSize(QSize(Size.ICON - 2, Size.ICON - 2))
        self.stop.setFixedSize(26, 26)
        self.stop.clicked.connect(lambda: self.stop_wanted.emit(self.subagent.id))
        across(self._spinner, self._waits, (self._text, 1), self.stop, of=self)
        self.setFixedHeight(_HEIGHT)

    def show_subagent(self, subagent: Subagent) -> None:
        """Show what this one does."""
        self.subagent = subagent
        runs = subagent.state == "running"
        works = runs and not subagent.asks
        self._spinner.setVisible(works)
        self._waits.setVisible(not works)
        self._waits.show_icon("clock", "warning" if subagent.asks else "muted")
        doing = subagent.doing if works else _("waiting for your answer")
        if not runs:
            doing = _("queued")
        self.stop.say(_("Stop subagent {label}").format(label=subagent.label))
        self._text.say(subagent.label, doing)
        name = _("Subagent {label}").format(label=subagent.label)
        self.setAccessibleName(f"{name}, {doing}" if doing else name)
        self.setToolTip(tip(titled(subagent.label, doing)))
        self.tick()

    def tick(self) -> None:
        """Tell how long it has been at work."""
        seconds = max(0, int(time.time() - self.subagent.started))
        self._text.count(_lasts(seconds) if self.subagent.state == "running" else "")


class _Text(QWidget):
    """Label, what it does, and the time at the right: in one line that is drawn by hand."""

    def __init__(self) -> None:
        super().__init__()
        self._label = self._doing = self._time = ""

    def say(self, label: str, doing: str) -> None:
        self._label, self._doing = label, doing
        self.update()

    def count(self, words: str) -> None:
        if words != self._time:
            self._time = words
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        small, right = text_font(Size.SMALL), self.width()
        if self._time:
            width = QFontMetrics(small).horizontalAdvance(self._time)
            _write(
                painter, QRect(right - width - 2, 0, width + 2, self.height()), self._time, small, "muted"
            )
            right -= width + Space.M
        name = text_font(weight=QFont.Weight.Medium)
        used = _write(painter, QRect(0, 0, right, self.height()), self._label, name, "text")
        left = used + Space.S
        if left < right:
            rect = QRect(left, 0, right - left, self.height())
            _write(painter, rect, self._doing, text_font(Size.TEXT - 1), "muted")
        painter.end()


def _write(painter: QPainter, rect: QRect, text: str, font: QFont, role: str) -> int:
    metrics = QFontMetrics(font)
    words = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.setFont(font)
    painter.setPen(QColor(getattr(theme().colors, role)))
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
    return metrics.horizontalAdvance(words)


class Strip(QFrame):
    """Hidden while there is none. The seconds are counted while it is seen."""

    stop_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("subagents")
        styled(self, _SHEET)
        self.lines: dict[str, Line] = {}
        """By the subagent's id, so that a button never becomes that of another one."""
        self._subagents: Sequence[Subagent] = ()
        self._all = False
        self.more = button("link")
        self.more.clicked.connect(self._unfold)
        self._column = down(
            (self.more, Qt.AlignmentFlag.AlignLeft),
            gap=0,
            edges=(Space.M, Space.XS, Space.XS, Space.XS),
            of=self,
        )
        self._seconds = QTimer(self, interval=_SECOND_MS)
        self._seconds.timeout.connect(self._tick)
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        self.setAccessibleName(_("Running subagents"))
        self._show()

    def show_subagents(self, subagents: Sequence[Subagent]) -> None:
        """Show these; none of them hides the strip."""
        if not subagents:
            self._all = False
        self._subagents = list(subagents)
        self._show()
        self.setVisible(bool(subagents))

    def _show(self) -> None:
        count = len(self._subagents)
        seen = count if self._all or count <= _MOST else _MOST
        shown = self._subagents[:seen]
        for gone in self.lines.keys() - {subagent.id for subagent in shown}:
            self._drop(self.lines.pop(gone))
        for number, subagent in enumerate(shown):
            line = self.lines.get(subagent.id) or self._add(subagent.id, number)
            line.show_subagent(subagent)
        left = count - seen
        self.more.setText(ngettext("and {count} more", "and {count} more", left).format(count=left))
        self.more.setVisible(left > 0)

    def _add(self, id_: str, place: int) -> Line:
        line = self.lines[id_] = Line()
        line.stop_wanted.connect(self.stop_wanted)
        self._column.insertWidget(place, line)
        return line

    def _drop(self, line: Line) -> None:
        self._column.removeWidget(line)
        line.hide()
        line.deleteLater()

    def _unfold(self) -> None:
        self._all = True
        self._show()
        self.lines[self._subagents[_MOST].id].stop.setFocus()

    def _tick(self) -> None:
        for line in self.lines.values():
            line.tick()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._seconds.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._seconds.stop()


def _lasts(seconds: int) -> str:
    if seconds < 60:
        return _("{seconds} s").format(seconds=seconds)
    return _("{minutes} min {seconds} s").format(minutes=seconds // 60, seconds=seconds % 60)
