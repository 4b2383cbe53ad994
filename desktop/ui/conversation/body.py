"""The text of one message: a read-only browser as tall as its content, which fetches nothing."""

from functools import partial
from math import ceil

from PySide6.QtCore import QMimeData, QRect, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDesktopServices,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QTextOption,
    QTextTable,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QToolTip, QWidget

from desktop.text import _
from desktop.ui.conversation.actions import CopyButton
from desktop.ui.conversation.blocks import Code
from desktop.ui.conversation.formats import HEAD, Formats, formats
from desktop.ui.conversation.page import Page, Piece
from desktop.ui.conversation.stream import Stream
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space

_SCHEMES = ("http", "https", "mailto")
_BUTTONS = 60
"""Of so many blocks of code in one message each has a button."""


class Body(QTextBrowser):
    """Shows a text; its owner gives it width and place."""

    hovered = Signal(str)
    """The address under the pointer or the keyboard; empty for none."""
    menu_wanted = Signal(QContextMenuEvent)
    reached = Signal(QRect)
    """The keyboard moved the end of the selection there."""

    focused = Signal()
    """The keyboard came or went."""

    def __init__(self, parent: QWidget | None = None, *, muted: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.viewport().setAutoFillBackground(False)
        document = self.document()
        document.setDocumentMargin(0)
        document.setDefaultFont(text_font())
        self._muted = muted
        self.page = Page(document)
        self.stream = Stream(self.page)
        self._buttons: list[CopyButton] = []
        self.by_keyboard = False
        self.anchorClicked.connect(_open)
        self.highlighted.connect(self._hover)

    def formats_now(self) -> Formats:
        """The formats of the palette in use."""
        return formats(theme().colors, self._muted)

    def set_width(self, width: int) -> None:
        """Wrap at this width."""
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)

    def needed_height(self) -> int:
        """How tall the text is at its width."""
        return ceil(self.document().size().height())

    def arrange_buttons(self) -> None:
        """Put a button on each block of code, after the text or its width has changed."""
        heads = [(code, rect) for code, rect in self._codes() if code >= 0][:_BUTTONS]
        while len(self._buttons) < len(heads):
            self._buttons.append(CopyButton(str, self.viewport()))
        for button, (which, rect) in zip(self._buttons, heads, strict=False):
            button.source = partial(self._code_text, which)
            button.say(_("Copy code"))
            button.move(int(rect.right()) - button.width() - 6, int(rect.top()) + 4)
            button.show()
        for button in self._buttons[len(heads) :]:
            button.hide()

    @property
    def buttons(self) -> list[CopyButton]:
        """Those on the blocks of code, in order."""
        return [button for button in self._buttons if not button.isHidden()]

    def _all_codes(self) -> list[tuple[Code, QTextTable]]:
        return [code for piece in self.page.pieces for code in piece.codes]

    def _codes(self) -> list[tuple[int, QRectF]]:
        layout = self.document().documentLayout()
        return [
            (number if code.head else -1, layout.frameBoundingRect(table))
            for number, (code, table) in enumerate(self._all_codes())
        ]

    def _code_text(self, which: int) -> str:
        codes = [code for code, _table in self._all_codes()][which:]
        text = codes[0].text
        for code in codes[1:]:
            if code.glue is None:
                break
            text += code.glue + code.text
        return text

    def _hover(self, url: QUrl) -> None:
        address = url.toString()
        self.hovered.emit(address)
        self.viewport().setToolTip(address)
        if not address:
            QToolTip.hideText()

    def loadResource(self, kind: int, name: QUrl | str) -> QImage:
        """Nothing is ever fetched, from the disk or the network."""
        return QImage()

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText().replace("\ufffc", ""))
        return data

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        reasons = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self.by_keyboard = event.reason() in reasons
        super().focusInEvent(event)
        self.focused.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        key = Qt.Key
        moves = (key.Key_Up, key.Key_Down, key.Key_PageUp, key.Key_PageDown, key.Key_Home, key.Key_End)
        if event.key() in moves and not shift:
            event.ignore()
            return
        super().keyPressEvent(event)
        if shift and self.textCursor().hasSelection():
            self.reached.emit(self.cursorRect())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(event.rect())
        for piece in self.page.pieces:
            self._decorate(painter, piece, area)
        painter.end()
        super().paintEvent(event)

    def _decorate(self, painter: QPainter, piece: Piece, area: QRectF) -> None:
        layout, colors = self.document().documentLayout(), theme().colors
        for code, table in piece.codes:
            rect = layout.frameBoundingRect(table)
            if rect.intersects(area):
                _box(painter, rect, colors.code, colors.border)
                if code.head and code.language:
                    painter.setFont(text_font(Size.SMALL))
                    painter.setPen(QColor(colors.muted))
                    place = QRectF(rect.left() + Space.M + 2, rect.top() + 2, rect.width() - 80, HEAD - 4)
                    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, code.language)
        for table in piece.quotes:
            rect = layout.frameBoundingRect(table)
            if rect.intersects(area):
                bar = QRectF(rect.left(), rect.top(), 3, rect.height())
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(colors.quote))
                painter.drawRoundedRect(bar, 1.5, 1.5)
        for position in piece.rules:
            rect = layout.blockBoundingRect(self.document().findBlock(position))
            painter.fillRect(QRectF(rect.left(), rect.center().y(), rect.width(), 1), QColor(colors.border))


def _box(painter: QPainter, rect: QRectF, fill: str, edge: str) -> None:
    painter.setPen(QColor(edge))
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), Size.RADIUS, Size.RADIUS)


def _open(url: QUrl) -> None:
    """Open a link that the person clicked, if it leads to the web or to mail; nothing else."""
    if url.scheme() in _SCHEMES:
        QDesktopServices.openUrl(url)
