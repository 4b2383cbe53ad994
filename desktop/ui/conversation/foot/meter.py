"""Beside the mode, under the message field: how full the context of the conversation is, and with what.

A ring that fills; pointed at or pressed it opens a list. That is a part of the window, not a window of its
own, and never takes the keyboard.
"""

from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QGridLayout, QSizePolicy, QWidget

from desktop.text import _, mark
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.context import ContextUsage


_FULL = 80
"""Percent from which on it warns."""
_HOVER_MS = 250
_RING, _DOT, _BAR, _WIDTH = 14, 8, 6, 288
_SHEET = """
QFrame#context { background: $raised; border: 1px solid $border_strong; border-radius: 10px; }
"""
_PARTS = {
    "system": (mark("Instructions"), "muted", 1.0),
    "tools": (mark("Tools"), "muted", 0.45),
    "memory": (mark("Memory"), "success", 1.0),
    "skills": (mark("Skills"), "warning", 1.0),
    "recent": (mark("Earlier summaries"), "link", 0.5),
    "history": (mark("Conversation"), "link", 1.0),
}
"""In the order of a request: the name of each, a role of Colors, and how much of that colour."""


def thousands(tokens: int) -> str:
    """Tokens in thousands: 0.3k, 4.2k, 131k."""
    return f"{tokens / 1000:.1f}k" if tokens < 10_000 else f"{tokens / 1000:.0f}k"


def percent(found: "ContextUsage | None") -> int:
    """How full it is, never 0 while there is something in it."""
    return min(100, ceil(100 * found.used / found.window)) if found and found.window else 0


class Meter(QAbstractButton):
    """Shows what it is told."""

    def __init__(self, around: QWidget) -> None:
        """`around`: what the list stands in, over this."""
        super().__init__()
        self._around = around
        self._found: ContextUsage | None = None
        self._list: MeterList | None = None
        self._kept = False
        """Whether the list was opened by a press, and stays when the pointer goes."""
        self._hover = QTimer(self, singleShot=True, interval=_HOVER_MS)
        self._hover.timeout.connect(self._open)
        self.setFont(text_font(Size.SMALL))
        self.setFixedHeight(26)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._pressed)
        spoken(self._words)

    def tell(self, found: "ContextUsage | None") -> None:
        """Show how full it is; nothing where that is not known."""
        if found != self._found:
            self._found = found
            self._words()
            if self._list is not None and self._list.isVisible():
                self._open()

    @property
    def full(self) -> bool:
        """Whether there is so little room that it warns."""
        return percent(self._found) >= _FULL

    def _words(self) -> None:
        self.setText(_("{percent}%").format(percent=percent(self._found)))
        self.setAccessibleName(_("Context: {percent}% full").format(percent=percent(self._found)))
        self.setAccessibleDescription(
            ", ".join(f"{name} {size}" for name, size, _colour in lines(self._found))
        )
        self.updateGeometry()
        self.update()

    # ---- the list

    def _open(self) -> None:
        if self._list is None:
            self._list = MeterList(self._around)
        self._list.tell(self._found)
        self._list.stand_over(self)

    def _close(self) -> None:
        self._hover.stop()
        self._kept = False
        if self._list is not None:
            self._list.hide()

    def _pressed(self) -> None:
        self._hover.stop()
        if self._kept and self._list is not None and self._list.isVisible():
            self._close()
        else:
            self._kept = True
            self._open()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._hover.start()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self._kept:
            self._close()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._list is not None and self._list.isVisible():
            self._close()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    # ---- how it looks

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(Space.S + _RING + Space.XS + 2 + words + Space.S, self.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        colors, painter = theme().colors, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        ground = colors.warning_soft if self.full else colors.hover
        painter.setPen(QPen(QColor(colors.accent), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground) if self.full or self.underMouse() else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(inner, Size.RADIUS, Size.RADIUS)
        ring = QRectF(Space.S, (self.height() - _RING) / 2, _RING, _RING).adjusted(1.5, 1.5, -1.5, -1.5)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        used = colors.warning if self.full else colors.accent
        for color, span in ((colors.border_strong, 360.0), (used, 3.6 * percent(self._found))):
            painter.setPen(QPen(QColor(color), 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawArc(ring, 90 * 16, round(-span * 16))
        painter.setPen(QColor(colors.warning if self.full else colors.muted))
        words = self.rect().adjusted(Space.S + _RING + Space.XS + 2, 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.end()


class MeterList(QFrame):
    """What fills the context, as a bar and in numbers."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        self._found: ContextUsage | None = None
        self.setObjectName("context")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        styled(self, _SHEET)
        self._title, self._sum, self._bar = label("title"), label("small"), _Bar()
        self._about = label("small", wrap=True)
        self._rows = [(_Dot(), label("small"), label("small")) for _part in (*_PARTS, "free")]
        grid = QGridLayout()
        grid.setHorizontalSpacing(Space.S)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for number, (dot, name, size) in enumerate(self._rows):
            grid.addWidget(dot, number, 0)
            grid.addWidget(name, number, 1)
            grid.addWidget(size, number, 2, Qt.AlignmentFlag.AlignRight)
        down(
            self._title,
            self._sum,
            self._bar,
            grid,
            self._about,
            edges=(Space.L, Space.M, Space.L, Space.M),
            of=self,
        )
        self.setFixedWidth(_WIDTH)
        parent.installEventFilter(self)
        self.hide()
        spoken(self._words)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.hide()
        return super().eventFilter(watched, event)

    def tell(self, found: "ContextUsage | None") -> None:
        """Show how full it is; nothing where that is not known."""
        self._found = found
        self._words()

    def _words(self) -> None:
        found = self._found
        self._title.setText(_("Context: {percent}% full").format(percent=percent(found)))
        self.setAccessibleName(self._title.text())
        used, window = thousands(found.used if found else 0), thousands(found.window if found else 0)
        self._sum.setText(_("{used} of {window} tokens").format(used=used, window=window))
        self._about.setText(
            _("When it is nearly full, the oldest messages are summarized. Nothing is lost.")
        )
        given = lines(found)
        for number, (dot, name, size) in enumerate(self._rows):
            for part in (dot, name, size):
                part.setVisible(number < len(given))
            if number < len(given):
                name.setText(given[number][0])
                size.setText(given[number][1])
                dot.show_colour(given[number][2])
        self._bar.tell(found)

    def stand_over(self, below: QWidget) -> None:
        """Take the place right over a widget of the same window, with its right edge."""
        layout = self.layout()
        assert layout is not None
        self.resize(_WIDTH, layout.totalHeightForWidth(_WIDTH))
        corner = below.mapTo(self._around, QPoint(below.width(), 0))
        left = max(Space.XS, min(corner.x(), self._around.width() - Space.XS) - self.width())
        self.move(left, max(0, corner.y() - self.height() - Space.XS))
        self.show()
        self.raise_()


class _Dot(QWidget):
    """The colour of one part."""

    def __init__(self) -> None:
        super().__init__()
        self._colour = ("muted", 1.0)
        self.setFixedSize(_DOT, _DOT)

    def show_colour(self, colour: tuple[str, float]) -> None:
        """A role of Colors, and how much of it."""
        self._colour = colour
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_mixed(*self._colour))
        painter.drawRoundedRect(self.rect(), 2, 2)
        painter.end()


class _Bar(QWidget):
    """The parts beside one another, as long as they are large."""

    def __init__(self) -> None:
        super().__init__()
        self._found: ContextUsage | None = None
        self.setFixedHeight(_BAR)

    def tell(self, found: "ContextUsage | None") -> None:
        self._found = found
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme().colors.pressed))
        window, at = max(1, self._found.window if self._found else 0), 0.0
        for name, tokens in _parts(self._found):
            wide = self.width() * tokens / window
            painter.fillRect(QRectF(at, 0, max(1.0, wide), _BAR), _mixed(*_PARTS[name][1:]))
            at += max(1.0, wide)
        painter.end()


def lines(found: "ContextUsage | None") -> list[tuple[str, str, tuple[str, float]]]:
    """Name, size and colour of each part that takes room, and of what is left."""
    made = [(_(_PARTS[name][0]), thousands(tokens), _PARTS[name][1:]) for name, tokens in _parts(found)]
    free = max(0, found.window - found.used) if found else 0
    return [*made, (_("Free"), thousands(free), ("pressed", 1.0))]


def _parts(found: "ContextUsage | None") -> list[tuple[str, int]]:
    parts = found.parts if found else {}
    return [(name, parts[name]) for name in _PARTS if parts.get(name)]


def _mixed(role: str, share: float) -> QColor:
    """So much of a colour on that of the list."""
    over, under = QColor(getattr(theme().colors, role)), QColor(theme().colors.raised)
    return QColor.fromRgbF(
        *(
            share * top + (1 - share) * ground
            for top, ground in zip(over.getRgbF()[:3], under.getRgbF()[:3], strict=True)  # type: ignore[index]
        )
    )
