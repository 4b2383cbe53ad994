"""Files and folders in the system's own programs for them."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_file(path: str) -> None:
    """Open a file with the program that the desktop has for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(path))


def show_in_folder(path: str) -> None:
    """Open the folder of a file, or a folder itself; the nearest one that there is."""
    place = Path(path)
    while not place.is_dir() and place != place.parent:
        place = place.parent
    open_file(str(place))
