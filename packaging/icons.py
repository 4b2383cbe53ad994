"""The program's icon in the formats that systems want: python icons.py FOLDER

Linux: FOLDER/hicolor, by the icon theme specification of freedesktop.org. Windows: nanobot-desktop.ico, an
ICONDIR of PNG files (Windows Vista and later), a picture for its installer. macOS: nanobot-desktop.icns,
PNG files by type.
"""

import os
import shutil
import struct
import sys
from functools import cache
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QLinearGradient, QPainter
from PySide6.QtSvg import QSvgRenderer

NAME = "nanobot-desktop"
SOURCE = Path(__file__).resolve().parents[1] / "resources" / "icons" / "nanobot.svg"
LINUX = (16, 22, 24, 32, 48, 64, 128, 256, 512)
WINDOWS = (16, 20, 24, 32, 40, 48, 64, 256)
_MAC = ("ic11", 32), ("ic12", 64), ("ic07", 128), ("ic13", 256), ("ic08", 256), ("ic14", 512), ("ic09", 512)
MAC = {kind.encode(): size for kind, size in (*_MAC, ("ic10", 1024))}


@cache
def png(size: int) -> bytes:
    """The icon, so many pixels wide and high."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(SOURCE)).render(painter)
    painter.end()
    return _saved(image, "PNG")


def _saved(image: QImage, kind: str) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, kind)  # type: ignore[call-overload]
    return bytes(data.data())


def ico() -> bytes:
    """The icon for Windows."""
    head, body = struct.pack("<HHH", 0, 1, len(WINDOWS)), b""
    start = len(head) + 16 * len(WINDOWS)
    for size in WINDOWS:
        picture = png(size)
        side = size % 256  # 0 says 256
        head += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(picture), start + len(body))
        body += picture
    return head + body


def icns() -> bytes:
    """The icon for macOS."""
    body = b"".join(kind + struct.pack(">I", len(png(size)) + 8) + png(size) for kind, size in MAC.items())
    return b"icns" + struct.pack(">I", len(body) + 8) + body


def side() -> bytes:
    """The picture beside the last page of the installer for Windows: a BMP of 164 by 314 pixels."""
    width, height, icon = 164, 314, 96
    image = QImage(width, height, QImage.Format.Format_RGB888)
    painter = QPainter(image)
    ground = QLinearGradient(0, 0, width, height)
    ground.setColorAt(0, QColor("#17a2a8"))
    ground.setColorAt(1, QColor("#07545b"))
    painter.fillRect(image.rect(), ground)
    QSvgRenderer(str(SOURCE)).render(painter, QRectF((width - icon) / 2, 40, icon, icon))
    painter.end()
    return _saved(image, "BMP")


def main(folder: Path) -> None:
    """Write them all into a folder."""
    _app = QGuiApplication([])
    theme = folder / "hicolor"
    for size in LINUX:
        place = theme / f"{size}x{size}" / "apps"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{NAME}.png").write_bytes(png(size))
    scalable = theme / "scalable" / "apps"
    scalable.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(SOURCE, scalable / f"{NAME}.svg")
    (folder / f"{NAME}.ico").write_bytes(ico())
    (folder / f"{NAME}-side.bmp").write_bytes(side())
    (folder / f"{NAME}.icns").write_bytes(icns())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
