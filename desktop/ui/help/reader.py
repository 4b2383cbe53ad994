"""One page of the help, drawn as an answer is: the text of a conversation in a column that scrolls."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QScrollArea, QTextEdit, QWidget

from desktop.help import HelpPage, topic_of
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.text.images import Pictures
from desktop.ui.conversation.text.slices import Slices, run
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space

_AT_ONCE_S = 0.008
_ABOVE = 80
"""Pixels over a place that was looked for."""


class _Sheet(QWidget):
    """What is scrolled."""

    def __init__(self, slices: Slices, pictures: Pictures) -> None:
        super().__init__()
        self.body = Body(self, slices, pictures)

    def keyboard_parts(self) -> list[QWidget]:
        """From top to bottom."""
        return [self.body, *self.body.copies.buttons]


class Reader(QScrollArea):
    """Shows a page. `topic_wanted`: a link leads to another one; links to the web open in the browser."""

    topic_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._slices = Slices(self)
        self._sheet = _Sheet(self._slices, Pictures(self))
        self.body = self._sheet.body
        self.setWidget(self._sheet)
        self._page = HelpPage("", "", "")
        self._words: list[str] = []
        self.body.anchorClicked.connect(self._follow)
        self.body.highlighted.connect(self._hover)
        theme().changed.connect(self._draw)

    def show_page(self, page: HelpPage, words: list[str]) -> None:
        """Show a page from its beginning, or where the first of these words stands; they are marked."""
        again = page == self._page
        self._page, self._words = page, words
        self.body.setAccessibleName(page.title)
        if not again:
            self._draw()
        elif not self._slices.busy(self):
            self._drawn()

    def _draw(self) -> None:
        self._slices.drop(self)
        self.body.stream.forget()
        self.body.copies.text, self.body.copies.shown = self._page.text, len(self._page.text)
        self.body.set_width(self._column())
        steps = self.body.stream.whole(self._page.text, self.body.formats_now())
        if run(steps, _AT_ONCE_S):
            self._drawn()
        else:
            self._slices.add(self, steps, self._went_on)

    def _went_on(self) -> None:
        if not self._slices.busy(self):
            self._drawn()

    def _drawn(self) -> None:
        self.body.colours.settle(final=True)
        self._arrange()
        found = list(self._found())
        self.body.setExtraSelections([_marked(cursor) for cursor in found])
        top = self.body.y_of(found[0].selectionStart()) - _ABOVE if found else 0
        self.verticalScrollBar().setValue(top)

    def _found(self) -> Iterator[QTextCursor]:
        """Every place of the words, from top to bottom."""
        text = self.body.toPlainText().casefold()
        places = []
        for word in self._words:
            at = text.find(word)
            while at >= 0:
                places.append((at, at + len(word)))
                at = text.find(word, at + len(word))
        for begin, end in sorted(places):
            cursor = QTextCursor(self.body.document())
            cursor.setPosition(begin)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            yield cursor

    def _column(self) -> int:
        return max(120, min(Size.COLUMN, self.viewport().width() - 2 * Space.XL))

    def _arrange(self) -> None:
        width = self._column()
        self.body.set_width(width)
        height = self.body.needed_height()
        left = (self.viewport().width() - width) // 2
        self._sheet.setMinimumHeight(height + 2 * Space.XL)
        self.body.setGeometry(left, Space.XL, width, height)
        self.body.copies.arrange()

    def _follow(self, url: QUrl) -> None:
        if topic := topic_of(url.toString()):
            self.topic_wanted.emit(topic)

    def _hover(self, url: QUrl) -> None:
        """Behind the body's own: the name of a file says nothing about a page."""
        if topic_of(url.toString()):
            self.body.viewport().setToolTip("")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Home:
                bar.setValue(bar.minimum())
            case Qt.Key.Key_End:
                bar.setValue(bar.maximum())
            case Qt.Key.Key_Space:
                bar.setValue(bar.value() + bar.pageStep())
            case _:
                super().keyPressEvent(event)


def _marked(cursor: QTextCursor) -> QTextEdit.ExtraSelection:
    made, look = QTextEdit.ExtraSelection(), QTextCharFormat()
    look.setBackground(QColor(theme().colors.accent_soft))
    made.cursor, made.format = cursor, look
    return made
