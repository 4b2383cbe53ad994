"""A QR code as a picture: black on white in every theme, for cameras read nothing else for sure."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

_PIXELS, _QUIET = 272, 3
"""Its width and height; modules of white around it."""


class QR(QWidget):
    """Shows one code at a time; drawn by whole pixels, so that its edges are sharp."""

    def __init__(self) -> None:
        super().__init__()
        self._image = QImage()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_code(self, code: str) -> None:
        """Draw a code."""
        import segno

        rows = list(segno.make_qr(code).matrix_iter(border=_QUIET))
        image = QImage(len(rows), len(rows), QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        for y, row in enumerate(rows):
            _paint(image, y, row)
        self._image = image
        self.update()

    @property
    def image(self) -> QImage:
        """One pixel a module."""
        return self._image

    def sizeHint(self) -> QSize:
        return QSize(_PIXELS, _PIXELS)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.GlobalColor.white)
        if self._image.isNull():
            return
        ratio = self.devicePixelRatioF()
        whole = int(self.width() * ratio) // self._image.width() * self._image.width()
        side = whole / ratio
        at = (self.width() - side) / 2
        painter.translate(at, at)
        painter.scale(side / self._image.width(), side / self._image.width())
        painter.drawImage(0, 0, self._image)


def _paint(image: QImage, y: int, row: object) -> None:
    for x, dark in enumerate(bytes(row)):  # type: ignore[call-overload]
        if dark:
            image.setPixelColor(x, y, Qt.GlobalColor.black)
