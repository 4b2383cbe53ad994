"""A row of a list: an icon, a title with a tag, lines of words, a switch, a menu."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.column import Remembering
from desktop.ui.widgets.labels import Elided, label, tag
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.tile import Tile

OPEN, ON, OFF, REMOVE = "open", "on", "off", "remove"
"""What is done with every row that can be opened, switched and removed; others have words of their own."""
_NARROW = 360

type Choice = tuple[str, str, str]
"""An icon, a title, and what is wanted."""


class SignLine(QWidget):
    """A small sign, and words beside it; under these, what can be done about it."""

    def __init__(self, sign: str = "circle", role: str = "muted") -> None:
        super().__init__()
        self._sign, self._words = Sign(sign, role, Size.SMALL + 2), label("small", wrap=True)
        self.column = QVBoxLayout()
        self.column.addWidget(self._words)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.XS + 2)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self.column, 1)

    def say(self, words: str, sign: str = "", role: str = "", name: str = "") -> None:
        """Set the words, without which nothing is shown, and the sign where it is another one. `name`: the
        words with what they are about, where that is not plain."""
        self._words.setText(words)
        self._words.setAccessibleName(name)
        if sign:
            self._sign.show_icon(sign, role)
        self._sign.level(self._words)
        self.setVisible(bool(words))

    def count(self, words: str) -> None:
        """Set words that differ from those before by a moment alone: they are heard only once."""
        self._words.setText(words)


class PlainRow(QWidget):
    """A row that is read, and does not open: what can be pressed stands in it."""

    acted = Signal(str, str)
    """As of ListRow."""
    key = ""

    def say(self) -> None:
        """Set the words."""

    def parts(self) -> list[QWidget]:
        """What can have the keyboard."""
        return []

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        _part(self, painter)
        painter.end()


def _part(row: QWidget, painter: QPainter) -> None:
    """Draw the line above a row, unless it is the first of a card."""
    if row.y() > Space.S:
        painter.setPen(QPen(QColor(theme().colors.border), 1))
        painter.drawLine(Space.L, 0, row.width() - Space.L, 0)


class ListRow(QAbstractButton):
    """Pressed anywhere it opens. Who derives from it adds lines, says the words, and sets `key`."""

    acted = Signal(str, str)
    """What is wanted (OPEN and others), and the key of the row."""

    def __init__(self, sign: str, role: str = "muted", *, menu: bool = False) -> None:
        super().__init__()
        self.key = ""
        self.tile, self._title = Tile(sign, role), Elided("title")
        self._tag: Elided | None = None
        """Made when there is something to say: most have none, and a style of its own costs time."""
        self.switch = Switch()
        self.more = IconButton("ellipsis") if menu else None
        self._head, self._lines = QHBoxLayout(), QVBoxLayout()
        self._head.setSpacing(Space.S)
        self._head.addWidget(self._title)
        self._head.addStretch(1)
        self._lines.setSpacing(2)
        self._lines.addLayout(self._head)
        whole = Remembering(QBoxLayout.Direction.LeftToRight, self)
        whole.setContentsMargins(Space.L, Space.M, Space.M if menu else Space.L, Space.M)
        whole.setSpacing(Space.M)
        whole.addWidget(self.tile, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(self._lines, 1)
        whole.addWidget(self.switch)
        if self.more is not None:
            whole.addWidget(self.more)
            self.more.clicked.connect(self._menu)
        for part in (self.tile, self._title):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(lambda: self.act(OPEN))
        self.switch.clicked.connect(lambda on: self.act(ON if on else OFF))

    def add_line(self, line: QWidget, *, pressed: bool = False) -> None:
        """Put one under what is there. `pressed`: it has a button of its own."""
        self._lines.addWidget(line)
        if not pressed:
            line.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def say_title(self, text: str, *, on: bool) -> None:
        """What it is called; pale where it is switched off."""
        self._title.setText(text)
        kind = "title" if on else "muted"
        if kind != self._title.property("kind"):
            self._title.setProperty("kind", kind)
            self._title.style().polish(self._title)

    def say_tag(self, text: str) -> None:
        """A word beside the title; "" for none."""
        if text and self._tag is None:
            self._tag = tag()
            self._tag.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._head.insertWidget(1, self._tag)
        if self._tag is not None:
            self._tag.setText(text)
            self._tag.setVisible(bool(text))

    def say(self) -> None:
        """Set the words."""

    def parts(self) -> list[QWidget]:
        """What can have the keyboard."""
        return [self, self.switch, *([self.more] if self.more is not None else [])]

    def choices(self) -> Sequence[Choice]:
        """Of the menu."""
        return ()

    def act(self, what: str) -> None:
        """Tell what is wanted."""
        self.acted.emit(what, self.key)

    def _menu(self) -> None:
        assert self.more is not None
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for sign, title, what in self.choices():
            if what == REMOVE:
                menu.addSeparator()
            menu.addAction(icon(sign), title, lambda what=what: self.act(what))
        corner = self.more.mapToGlobal(QPoint(self.more.width(), self.more.height() + 2))
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.tile.setVisible(self.width() >= _NARROW)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == Qt.Key.Key_Delete and any(what == REMOVE for _s, _t, what in self.choices()):
            self.act(REMOVE)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colors, painter = theme().colors, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = QRectF(self.rect()).adjusted(4, 3, -4, -3)
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.pressed if self.isDown() else colors.hover))
            painter.drawRoundedRect(inner, Size.RADIUS, Size.RADIUS)
        _part(self, painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inner, Size.RADIUS, Size.RADIUS)
        painter.end()
