"""The text of one message: a read-only browser as tall as its content, which fetches nothing."""

import re
from bisect import bisect_right
from functools import cache, partial
from math import ceil

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, QRectF, QSize, QSizeF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDesktopServices,
    QFocusEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QToolTip, QWidget

from desktop.addresses import readable
from desktop.text import _, titled
from desktop.ui.conversation.text.blocks import Code, Quote, Table
from desktop.ui.conversation.text.colours import Colours
from desktop.ui.conversation.text.copies import Copies
from desktop.ui.conversation.text.formats import BOX_GAP, HEAD, Formats, formats
from desktop.ui.conversation.text.highlight import lexers
from desktop.ui.conversation.text.images import Pictures
from desktop.ui.conversation.text.maths import maths
from desktop.ui.conversation.text.maths_rules import is_formula
from desktop.ui.conversation.text.page import Page, Piece
from desktop.ui.conversation.text.slices import Slices
from desktop.ui.conversation.text.stream import Stream
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.labels import tip

_SCHEMES = ("http", "https", "mailto")
_MOVES = (
    Qt.Key.Key_Space,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)
"""Without Shift these scroll the conversation."""
_marker = re.compile(r"^(\d+\.|•|\[[ x]\])\t", re.MULTILINE)


class Body(QTextBrowser):
    """Shows a text; its owner gives it width and place."""

    hovered = Signal(str)
    """The address under the pointer or the keyboard; empty for none."""
    menu_wanted = Signal(QContextMenuEvent)
    reached = Signal(QRect)
    """The keyboard moved the end of the selection there."""

    dragged = Signal(QPoint)
    """A selection is drawn with the mouse, which is there on the screen."""
    focused = Signal()
    """The keyboard came or went."""

    def __init__(self, parent: QWidget, slices: Slices, pictures: Pictures, *, muted: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(lambda: bar.setRange(0, 0))  # the gap under a last box is not there
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.viewport().setAutoFillBackground(False)
        document = QTextDocument(self)  # ours: a reference to Qt's own may outlive it unnoticed
        document.setUndoRedoEnabled(False)
        self.setDocument(document)
        document.setDocumentMargin(0)
        document.setDefaultFont(text_font())
        self._muted = muted
        self._pictures = pictures
        self.page = Page(document, partial(_size_of, pictures))
        self.stream = Stream(self.page)
        self.colours = Colours(self.page, slices)
        self.copies = Copies(self.page, self._rect, self)
        self.by_keyboard = False
        self.dragging = False
        """Whether the mouse selects at this moment."""
        self.anchorClicked.connect(_open)
        self.highlighted.connect(self._hover)
        lexers().arrived.connect(self._language_arrived)

    def _language_arrived(self, language: str) -> None:
        self.colours.language_arrived(language)

    def formats_now(self) -> Formats:
        """The formats of the palette in use."""
        return formats(theme().colors, self._muted)

    def set_width(self, width: int) -> None:
        """Wrap at this width."""
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)
            self.page.fit(width)

    def formulas_arrived(self, sources: set[str]) -> bool:
        """Formulas have been set: write them in place of what was typed. Whether there were any here."""
        if not self.page.write_again(sources, self.formats_now()):
            return False
        self.colours.settle(final=True)
        return True

    def picture_arrived(self, source: str) -> bool:
        """A picture has been read; whether the text must be made anew, because it cannot be shown."""
        name = next((name for name, where in self.page.pictures().items() if where == source), None)
        if name is None:
            return False
        image = self._pictures.get(source)
        if image is None:
            return True
        self.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
        self.viewport().update()
        return False

    def needed_height(self) -> int:
        """How tall the text is at its width."""
        blocks = [piece.block for piece in self.page.pieces[-1:]]
        under = BOX_GAP if blocks and isinstance(blocks[0], Code | Table | Quote) else 0
        return ceil(self.document().size().height()) - under

    def position_at(self, y: int) -> int:
        """The position in the text at that height of the parent."""
        return self.cursorForPosition(QPoint(2, y - self.y())).position()

    def y_of(self, position: int) -> int:
        """At which height of the parent a position in the text stands."""
        cursor = self.textCursor()
        cursor.setPosition(min(position, self.document().characterCount() - 1))
        return self.y() + self.cursorRect(cursor).top()

    def _hover(self, url: QUrl) -> None:
        address = readable(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
        self.hovered.emit(address)
        self.viewport().setToolTip(tip(address))
        if not address:
            QToolTip.hideText()

    def loadResource(self, kind: int, name: QUrl | str) -> QImage:
        """Only what this program itself put in a page is given; nothing is fetched."""
        source = self.page.pictures().get(name.toString() if isinstance(name, QUrl) else name)
        if kind != QTextDocument.ResourceType.ImageResource.value or source is None:
            return _nothing()
        if is_formula(source):
            formula = maths().get(source)
            return formula.image if formula else _nothing()
        return self._pictures.get(source) or _nothing()

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        cursor = self.textCursor()
        written = iter(self.page.typed_between(cursor.selectionStart(), cursor.selectionEnd()))
        text = re.sub("\ufffc", lambda _sign: next(written, ""), cursor.selection().toPlainText())
        data.setText(_marker.sub(r"\1 ", text))
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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        left = event.button() is Qt.MouseButton.LeftButton
        if left and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.dragged.emit(event.globalPosition().toPoint())
            if not self.hasFocus():  # whole messages are chosen now
                return
        super().mousePressEvent(event)
        self.dragging = left

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if self.dragging:
            self.dragged.emit(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.dragging = False
        super().mouseReleaseEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self.dragging = False

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.key() in _MOVES and not shift:
            event.ignore()
            return
        super().keyPressEvent(event)
        if shift and self.textCursor().hasSelection():
            self.reached.emit(self.cursorRect())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(event.rect())
        for piece in self._visible(event.rect()):
            self._decorate(painter, piece, area)
        painter.end()
        super().paintEvent(event)

    def _visible(self, area: QRect) -> list[Piece]:
        """The pieces that may be seen there."""
        pieces = self.page.pieces
        if len(pieces) < 20:
            return pieces
        first = self.cursorForPosition(area.topLeft()).position()
        last = self.cursorForPosition(area.bottomRight()).position()
        begin = bisect_right(pieces, first, key=lambda piece: piece.start) - 2
        return pieces[max(0, begin) : bisect_right(pieces, last, key=lambda piece: piece.start) + 1]

    def _decorate(self, painter: QPainter, piece: Piece, area: QRectF) -> None:
        layout, colors = self.document().documentLayout(), theme().colors
        for code, place in piece.codes:
            rect = self._rect(place)
            if rect.intersects(area):
                _box(painter, rect, code)
        for place, rtl in piece.quotes:
            rect = self._rect(place)
            if rect.intersects(area):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(colors.quote))
                left = rect.right() - 3 if rtl else rect.left()
                painter.drawRoundedRect(QRectF(left, rect.top(), 3, rect.height()), 1.5, 1.5)
        for position, ticked in piece.tasks:
            block = self.document().findBlock(position)
            rect = layout.blockBoundingRect(block)
            if rect.intersects(area):
                line = block.layout().lineAt(0)
                top = rect.top() + line.y() + line.ascent() - 12
                rtl = block.textDirection() is Qt.LayoutDirection.RightToLeft
                left = rect.left() + (line.naturalTextRect().right() - 16 if rtl else line.x())
                _tick_box(painter, QRectF(left, top, 15, 15), ticked)
        for position in piece.rules:
            rect = layout.blockBoundingRect(self.document().findBlock(position))
            painter.fillRect(QRectF(rect.left(), rect.center().y(), rect.width(), 1), QColor(colors.border))

    def _rect(self, position: int) -> QRectF:
        """Where a box is: Qt's answer begins at the text inside, and is larger by the margins."""
        table = self.page.box(position)
        rect = self.document().documentLayout().frameBoundingRect(table)
        outside, inside = table.format(), table.cellAt(0, 0).format().toTableCellFormat()
        rect.translate(-inside.leftPadding(), -inside.topPadding())
        height = rect.height() - outside.topMargin() - outside.bottomMargin()
        return QRectF(rect.topLeft(), QSizeF(rect.width() - outside.leftMargin(), height))


def describe(body: Body) -> None:
    """Say the formulas of a text to who cannot see their pictures, in the order in which they stand."""
    formulas = body.page.formulas()
    said = titled(_("Formulas"), "; ".join(formulas)) if formulas else ""
    if said != body.accessibleDescription():
        body.setAccessibleDescription(said)


def _size_of(pictures: Pictures, source: str) -> QSize | None:
    if not is_formula(source):
        return pictures.size(source)
    formula = maths().get(source)
    return formula.size if formula else None


@cache
def _nothing() -> QImage:
    image = QImage(1, 1, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    return image


def _box(painter: QPainter, rect: QRectF, code: Code) -> None:
    """Rounded where the code begins and where it ends."""
    colors, hidden = theme().colors, Size.RADIUS * 2
    top, bottom = (0 if code.head else -hidden), (hidden if code.more else 0)
    painter.save()
    painter.setClipRect(rect)
    painter.setPen(QColor(colors.border))
    painter.setBrush(QColor(colors.code))
    whole = rect.adjusted(0.5, top + 0.5, -0.5, bottom - 0.5)
    painter.drawRoundedRect(whole, Size.RADIUS, Size.RADIUS)
    if code.head and code.language:
        painter.setFont(text_font(Size.SMALL))
        painter.setPen(QColor(colors.muted))
        place = QRectF(rect.left() + Space.M + 2, rect.top() + 2, rect.width() - 80, HEAD - 4)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, code.language)
    painter.restore()


def _tick_box(painter: QPainter, rect: QRectF, ticked: bool) -> None:
    colors = theme().colors
    painter.setPen(QColor(colors.accent if ticked else colors.faint))
    painter.setBrush(QColor(colors.accent if ticked else colors.window))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3.5, 3.5)
    if ticked:
        painter.setPen(QPen(QColor(colors.on_accent), 1.8))
        x, y = rect.left(), rect.top()
        painter.drawPolyline([QPointF(x + 4, y + 8), QPointF(x + 6.5, y + 10.5), QPointF(x + 11, y + 5)])


def _open(url: QUrl) -> None:
    """Open a link that the person clicked, if it leads to the web or to mail; nothing else."""
    if url.scheme() in _SCHEMES:
        QDesktopServices.openUrl(url)
