"""The files that went along with a message, over its text: pictures small, documents by name.

A press opens one of the person's own with the program that the desktop has for it; the menu shows its
folder.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QMenu, QToolButton, QWidget

from desktop.text import _
from desktop.ui.conversation.composer.chips import Thumbnail
from desktop.ui.conversation.text.images import Pictures
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.folders import can_open, open_file, show_in_folder
from desktop.ui.widgets.labels import tip
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.styled import styled

_PICTURE, _HEIGHT, _NAME = 88, 36, 200
_KINDS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".heif")
_SHEET = """
QToolButton#given { background: $raised; border: 1px solid $border; border-radius: 10px; padding: 0; }
QToolButton#given:hover { background: $hover; }
QToolButton#given:focus { border-color: $accent; }
"""


class GivenFiles(QWidget):
    """Shows the files of one message; used again for those of another."""

    def __init__(self, parent: QWidget, pictures: Pictures) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self._paths: list[str] = []
        self._own = True
        self.buttons: list[File] = []
        styled(self, _SHEET)

    def show_files(self, paths: Sequence[str], *, own: bool) -> None:
        """Show these. `own`: the person gave them, and a press opens one; else it shows where it lies, for
        what the agent made may be a program."""
        if (list(paths), own) == (self._paths, self._own):
            return
        self._paths, self._own = list(paths), own
        for made in self.buttons:
            made.hide()
            made.deleteLater()
        self.buttons = [File(path, self, own=own) for path in paths]
        for made in self.buttons:
            made.show()
            if made.picture and (image := self._pictures.get(made.path)):
                made.show_image(image)

    def picture_arrived(self, source: str) -> None:
        """A picture is there."""
        for made in self.buttons:
            if made.path == source and (image := self._pictures.get(source)):
                made.show_image(image)

    def arrange(self, width: int, *, right: bool) -> int:
        """Place them in lines of this width, at its right side if so wanted; the height that takes."""
        lines: list[list[File]] = [[]]
        used = 0
        for made in self.buttons:
            size = made.sizeHint()
            if lines[-1] and used + size.width() > width:
                lines.append([])
                used = 0
            lines[-1].append(made)
            used += size.width() + Space.S
        y = 0
        for line in lines:
            sizes = [made.sizeHint() for made in line]
            whole = sum(size.width() for size in sizes) + Space.S * (len(line) - 1)
            x = width - whole if right else 0
            height = max((size.height() for size in sizes), default=0)
            for made, size in zip(line, sizes, strict=True):
                made.setGeometry(QRect(x, y + height - size.height(), size.width(), size.height()))
                x += size.width() + Space.S
            y += height + Space.S
        return max(0, y - Space.S)


class File(QToolButton):
    """One file: opened by a press, or shown in its folder."""

    def __init__(self, path: str, parent: QWidget, *, own: bool) -> None:
        super().__init__(parent)
        self.path, self.picture = path, Path(path).suffix.lower() in _KINDS
        self.setObjectName("given")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        name = " ".join(shown(Path(path).name).split())
        words = _("Open {name}") if own and can_open(path) else _("Show {name} in its folder")
        self.setAccessibleName(words.format(name=name))
        self.setToolTip(tip(path))
        self._sign = Thumbnail("image" if self.picture else "file-text", self._side())
        self._sign.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row = across(self._sign, gap=0, of=self)
        if not self.picture:
            title = QLabel()
            title.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            title.setText(title.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, _NAME))
            row.addWidget(title)
            row.addSpacing(Space.M)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.clicked.connect(partial(open_file if own else show_in_folder, path))

    def _side(self) -> int:
        return _PICTURE if self.picture else _HEIGHT

    def sizeHint(self) -> QSize:
        layout = self.layout()
        wide = layout.sizeHint().width() if layout else 0
        return QSize(max(self._side(), wide), self._side())

    def show_image(self, image: QImage) -> None:
        """Show the picture."""
        self._sign.show_image(image)

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if can_open(self.path):
            menu.addAction(icon("external-link"), _("Open"), partial(open_file, self.path))
        menu.addAction(icon("folder"), _("Show in its folder"), partial(show_in_folder, self.path))
        menu.popup(self.mapToGlobal(at))
