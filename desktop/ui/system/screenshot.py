"""A picture of the screen, or of a part of it that the person chooses.

Where the desktop has a portal for it (Wayland has no other way) the portal asks; else the screen with the
cursor is taken, and shown for a part of it to be drawn.
"""

import asyncio
from pathlib import Path
from urllib.parse import unquote, urlsplit

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QCursor,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QScreen,
)
from PySide6.QtWidgets import QWidget

from desktop.errors import AppError
from desktop.tasks import in_thread
from desktop.text import _
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space

_GONE_S = 0.25
"""Until a compositor has drawn the screen without our window."""
_LEAST = 8
"""Pixels; less was a click."""


async def take() -> QImage | None:
    """What the person chose; None where nothing. Raises AppError where the desktop gives no picture."""
    if QGuiApplication.platformName().startswith("wayland"):
        return await _from_portal()
    await asyncio.sleep(_GONE_S)
    screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
    pixmap = screen.grabWindow(0)
    if pixmap.isNull():
        raise AppError(_("This desktop doesn’t allow screenshots."))
    chosen: asyncio.Future[QRect | None] = asyncio.get_running_loop().create_future()
    chooser = Chooser(screen, pixmap)
    chooser.chosen.connect(lambda rect: None if chosen.done() else chosen.set_result(rect))
    chooser.present()
    try:
        rect = await chosen
    finally:
        chooser.hide()
        chooser.deleteLater()
    return None if rect is None else pixmap.copy(rect).toImage()


class Chooser(QWidget):
    """Covers a screen with its own picture, on which a part is drawn with the mouse."""

    chosen = Signal(object)
    """A QRect in pixels of the picture; None where nothing was chosen."""

    def __init__(self, screen: QScreen, picture: QPixmap) -> None:
        flags = Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(None, flags | Qt.WindowType.Tool)
        self._picture = picture
        self._from: QPoint | None = None
        self._part = QRect()
        self.setGeometry(screen.geometry())
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setWindowTitle(_("Select part of the screen"))
        self.setAccessibleName(_("Select part of the screen"))

    def present(self) -> None:
        """Come, with the keyboard."""
        self.showFullScreen()
        self.raise_()
        self.activateWindow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.chosen.emit(None)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self._picture.rect())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._from = event.position().toPoint()
            self._part = QRect()
        else:
            self.chosen.emit(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is not None:
            self._part = QRect(self._from, event.position().toPoint()).normalized()
            self.update()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        part, self._from = self._part, None
        if part.width() < _LEAST or part.height() < _LEAST:
            self._part = QRect()
            self.update()
            return
        x, y = (
            self._picture.width() / max(1, self.width()),
            self._picture.height() / max(1, self.height()),
        )
        left, top = round(part.left() * x), round(part.top() * y)
        self.chosen.emit(QRect(left, top, round(part.width() * x), round(part.height() * y)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawPixmap(self.rect(), self._picture)
        shade = QColor(0, 0, 0, 120)
        if self._part.isNull():
            painter.fillRect(self.rect(), shade)
            self._hint(painter)
        else:
            part, whole = self._part, self.rect()
            for rect in (
                QRect(0, 0, whole.width(), part.top()),
                QRect(0, part.bottom() + 1, whole.width(), whole.height()),
                QRect(0, part.top(), part.left(), part.height()),
                QRect(part.right() + 1, part.top(), whole.width(), part.height()),
            ):
                painter.fillRect(rect, shade)
            painter.setPen(QColor("white"))
            painter.drawRect(part.adjusted(-1, -1, 0, 0))
        painter.end()

    def _hint(self, painter: QPainter) -> None:
        words = _("Drag to select · Enter for the whole screen · Esc to cancel")
        painter.setFont(text_font(Size.TEXT))
        room = painter.fontMetrics().boundingRect(words).adjusted(-Space.L, -Space.S, Space.L, Space.S)
        room.moveCenter(QPoint(self.width() // 2, self.height() // 3))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme().colors.raised))
        painter.drawRoundedRect(room, Size.RADIUS, Size.RADIUS)
        painter.setPen(QColor(theme().colors.text))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, words)


async def _from_portal() -> QImage | None:
    from dbus_fast import Variant

    from desktop.ui.system.portal import Refused, ask, connect

    interface, options = "org.freedesktop.portal.Screenshot", {"interactive": Variant("b", True)}
    try:
        bus = await connect()
        try:
            code, given = await ask(bus, interface, "Screenshot", "sa{sv}", "", options)
        finally:
            bus.disconnect()
    except Refused as error:
        raise AppError(_("This desktop doesn’t allow screenshots.")) from error
    if code or "uri" not in given:
        return None
    path = Path(unquote(urlsplit(str(given["uri"])).path))
    image = await in_thread(QImage, str(path))
    return None if image.isNull() else image
