"""The files that will go along with a message: small pictures and names over the text being written."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QLocale, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.text import _
from desktop.ui.conversation.text.images import Pictures
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

_HEIGHT, _SIGN, _NAME = 44, 36, 180
_ICONS = {"picture": "image", "folder": "folder"}
_SHEET = """
QFrame#chip { background: $window; border: 1px solid $border; border-radius: 10px; }
QFrame#chip:focus { border-color: $accent; }
"""


@dataclass(frozen=True, slots=True)
class Given:
    """A file that goes along, as the api tells of it."""

    path: str
    name: str
    kind: str = "file"
    """picture, folder or file."""
    bytes: int = 0

    @property
    def about(self) -> str:
        """How large it is, or what."""
        if self.kind == "folder":
            return _("Folder")
        return QLocale().formattedDataSize(self.bytes, 0, QLocale.DataSizeFormat.DataSizeSIFormat)


def read(lines: object) -> list[Given]:
    """Files that the window remembered, as asdict() has them; what is none is left out."""
    found = []
    for line in lines if isinstance(lines, list) else ():
        if isinstance(line, dict) and isinstance(line.get("path"), str):
            size = line.get("bytes")
            found.append(
                Given(
                    line["path"],
                    str(line.get("name") or ""),
                    str(line.get("kind") or "file"),
                    size if isinstance(size, int) else 0,
                )
            )
    return found


class Chips(QWidget):
    """Shows files; each can be taken away again."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pictures = Pictures(self)
        self._pictures.arrived.connect(self._arrived)
        self._flow = Flow(self)
        self.chips: list[Chip] = []
        spoken(self._words)

    def _words(self) -> None:
        self.setAccessibleName(_("Attachments"))
        for chip in self.chips:
            chip.say()

    @property
    def files(self) -> list[Given]:
        """In their order."""
        return [chip.file for chip in self.chips]

    def fill(self, files: Iterable[Given]) -> None:
        """Show these instead."""
        for chip in self.chips:
            self._drop(chip)
        self.chips = []
        for file in files:
            self.add(file)
        self._tell()

    def add(self, file: Given) -> None:
        """One more; one that is there already is not taken twice."""
        if any(chip.file.path == file.path for chip in self.chips):
            return
        chip = Chip(file, self)
        chip.removed.connect(self._remove)
        self.chips.append(chip)
        self._flow.addWidget(chip)
        chip.show()
        if file.kind == "picture" and (image := self._pictures.get(file.path)):
            chip.sign.show_image(image)
        self._tell()

    def _remove(self, chip: "Chip") -> None:
        place = self.chips.index(chip)
        self.chips.remove(chip)
        if self.chips:
            self.chips[min(place, len(self.chips) - 1)].setFocus()
        self._drop(chip)
        self._tell()

    def _drop(self, chip: "Chip") -> None:
        self._flow.removeWidget(chip)
        chip.hide()
        chip.deleteLater()

    def _tell(self) -> None:
        self.setVisible(bool(self.chips))
        self.updateGeometry()
        self.changed.emit()

    def _arrived(self, path: str) -> None:
        for chip in self.chips:
            if chip.file.path == path and (image := self._pictures.get(path)):
                chip.sign.show_image(image)


class Chip(QFrame):
    """One file."""

    removed = Signal(object)

    def __init__(self, file: Given, parent: QWidget) -> None:
        super().__init__(parent)
        self.file = file
        self.setObjectName("chip")
        self.setFixedHeight(_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        styled(self, _SHEET)
        self.sign = Thumbnail(_ICONS.get(file.kind, "file-text"))
        self._name, self._about = label(), label("small")
        self.away = IconButton("x")
        self.away.setFixedSize(QSize(26, 26))
        self.away.setIconSize(QSize(14, 14))
        self.away.clicked.connect(lambda: self.removed.emit(self))
        words = down(self._name, self._about, gap=0)
        across(self.sign, words, self.away, edges=(Space.XS, 0, Space.XS, 0), of=self)
        self.say()

    def say(self) -> None:
        """Set the words."""
        name = " ".join(shown(self.file.name or self.file.path).split())
        _elide(self._name, name)
        self._about.setText(self.file.about)
        self.setToolTip(tip(self.file.path))
        self.setAccessibleName(f"{name}, {self.file.about}")
        self.away.say(_("Remove {name}").format(name=name), "Del")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(self)
        else:
            super().keyPressEvent(event)


class Thumbnail(QWidget):
    """A picture cut to a small square, or an icon where there is none."""

    def __init__(self, icon_name: str, size: int = _SIGN) -> None:
        super().__init__()
        self._icon, self._image = icon(icon_name), QImage()
        self.setFixedSize(size, size)

    def show_image(self, image: QImage) -> None:
        """Show it instead of the icon."""
        side = round(self.width() * self.devicePixelRatioF())
        mode = Qt.AspectRatioMode.KeepAspectRatioByExpanding
        scaled = image.scaled(side, side, mode, Qt.TransformationMode.SmoothTransformation)
        left, top = (scaled.width() - side) // 2, (scaled.height() - side) // 2
        self._image = scaled.copy(left, top, side, side)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._image.isNull():
            room = (self.width() - Size.ICON) // 2
            self._icon.paint(painter, self.rect().adjusted(room, room, -room, -room))
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            path = QPainterPath()
            path.addRoundedRect(QRectF(self.rect()), 6, 6)
            painter.setClipPath(path)
            painter.drawImage(self.rect(), self._image)
            painter.setClipping(False)
            painter.setPen(QColor(theme().colors.border))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.end()


def _elide(where: QLabel, text: str) -> None:
    where.setText(where.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, _NAME))
