"""The program's icon as Windows and macOS want it, as packaging/icons.py draws it."""

import struct
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage

SCRIPT = Path(__file__).parents[2] / "packaging" / "icons.py"


def sizes(pictures: list[bytes]) -> list[tuple[int, int]]:
    images = [QImage.fromData(picture) for picture in pictures]
    return [(image.width(), image.height()) for image in images]


def test_the_icon_is_drawn_for_windows_and_macos(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], check=True)
    data = (tmp_path / "nanobot-desktop.ico").read_bytes()
    nothing, kind, count = struct.unpack_from("<HHH", data)
    assert (nothing, kind) == (0, 1)
    rows = [struct.unpack_from("<BBBBHHII", data, 6 + 16 * row) for row in range(count)]
    assert sizes([data[row[7] : row[7] + row[6]] for row in rows]) == [(row[0] or 256,) * 2 for row in rows]
    assert {16, 32, 48, 0} <= {row[0] for row in rows}

    data = (tmp_path / "nanobot-desktop.icns").read_bytes()
    assert (data[:4], struct.unpack_from(">I", data, 4)[0]) == (b"icns", len(data))
    pictures, at = {}, 8
    while at < len(data):
        name, length = struct.unpack_from(">4sI", data, at)
        pictures[name] = data[at + 8 : at + length]
        at += length
    known = {b"ic11": 32, b"ic12": 64, b"ic07": 128, b"ic13": 256, b"ic08": 256, b"ic14": 512, b"ic09": 512}
    assert sizes(list(pictures.values())) == [(known.get(name, 1024),) * 2 for name in pictures]
    assert b"ic10" in pictures
