"""Pictures in a message: only from this machine, only of some kinds, small enough, and decoded in a thread.

Nothing is fetched, nothing drawn that could run code or blow up when opened (SVG): what cannot be shown is
named in words.
"""

import stat
from collections import OrderedDict
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from PySide6.QtCore import QObject, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QImage, QImageReader

from desktop.api.previews import preview
from desktop.paths import elsewhere

KINDS = (b"png", b"jpeg", b"gif", b"webp")
MOST_BYTES, MOST_PIXELS = 20_000_000, 40_000_000
_WIDTH, _HEIGHT = 1_520, 1_200
"""What is kept: twice what is ever shown, for screens of twice the density."""
_KEPT = 48_000_000


class Pictures(QObject):
    """Knows the sizes of pictures, and the pictures when they have been read."""

    arrived = Signal(str)
    """A picture that was asked for is there, or turned out not to be one."""
    _read = Signal(str, QImage)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._images: OrderedDict[str, QImage] = OrderedDict()
        self._refused: set[str] = set()
        self._reading: set[str] = set()
        self._read.connect(self._keep)

    def size(self, source: str) -> QSize | None:
        """How large a picture is; None if it may not or cannot be shown."""
        path = local(source)
        if path is None or source in self._refused:
            return None
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                return None
        except (OSError, ValueError):
            return None
        reader = _reader(path)
        size = reader.size()
        known = reader.format().data() in KINDS
        fits = not size.isEmpty() and size.width() * size.height() <= MOST_PIXELS
        return size if known and fits else None

    def get(self, source: str) -> QImage | None:
        """The picture, if it is there; else it is read, and `arrived` tells when."""
        if source in self._images:
            self._images.move_to_end(source)
            return self._images[source]
        path = local(source)
        if path is not None and source not in self._reading and source not in self._refused:
            self._reading.add(source)
            QThreadPool.globalInstance().start(partial(self._decode, source, path))
        return None

    def _decode(self, source: str, path: Path) -> None:
        reader = _reader(path)
        size = reader.size()
        if size.width() > _WIDTH or size.height() > _HEIGHT:
            reader.setScaledSize(size.scaled(_WIDTH, _HEIGHT, Qt.AspectRatioMode.KeepAspectRatio))
        known = reader.format().data() in KINDS
        image = reader.read() if known else _small(QImage.fromData(preview(path)))
        try:
            self._read.emit(source, image)
        except RuntimeError:  # the window is gone
            return

    def _keep(self, source: str, image: QImage) -> None:
        self._reading.discard(source)
        if image.isNull():
            self._refused.add(source)
        else:
            self._images[source] = image
        while len(self._images) > 1 and sum(i.sizeInBytes() for i in self._images.values()) > _KEPT:
            self._images.popitem(last=False)
        self.arrived.emit(source)


def _small(image: QImage) -> QImage:
    if image.width() <= _WIDTH and image.height() <= _HEIGHT:
        return image
    return image.scaled(
        _WIDTH, _HEIGHT, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )


def local(source: str) -> Path | None:
    """The file that a picture's address means; None if it is no absolute path on this machine."""
    try:
        parts = urlsplit(source)
        plain = unquote(parts.path if parts.scheme == "file" else source)
        if parts.scheme == "file" and parts.netloc not in ("", "localhost"):
            return None
        path = Path(plain)
        return None if elsewhere(source) or not path.is_absolute() else path
    except ValueError:
        return None


def _reader(path: Path) -> QImageReader:
    reader = QImageReader(str(path))
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    return reader
