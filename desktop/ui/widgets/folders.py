"""Showing a file or folder in the system's own program for files."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def show_in_folder(path: str) -> None:
    """Open the folder of a file, or a folder itself; the nearest one that there is."""
    place = Path(path)
    while not place.is_dir() and place != place.parent:
        place = place.parent
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(place)))
