"""What all pieces of pages that are made by hand have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.bus.bus import Bus
from desktop.bus.events import Event
from desktop.ui.theme.tokens import Space

if TYPE_CHECKING:
    from desktop.api.providers import AllProviders
    from desktop.api.settings import AllSettings
    from desktop.ui.settings.rows import SettingRow


@dataclass(frozen=True, slots=True)
class PageData:
    """What is read for the pages whenever they are shown."""

    settings: "AllSettings"
    providers: "AllProviders"


class Part(QWidget):
    """A piece of a page. `saved` tells that settings have changed."""

    saved = Signal(str)
    page_wanted = Signal(str)
    """Another page of the settings: its key."""
    help_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(Space.S)

    def refresh(self) -> None:
        """Read what is shown: it came into sight, or settings were changed while it is."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def show_all(self, data: PageData) -> None:
        """Show what was read."""
        if self.isVisible():
            self.refresh()

    def hear[E: Event](self, bus: Bus, kind: type[E], handler: Callable[[E], object] | None = None) -> None:
        """Have events handled while this piece is there; without a handler they make it stale."""
        self.destroyed.connect(bus.on(kind, handler or self.stale))

    def stale(self, _event: Event) -> None:
        """Something happened that it may show: read it anew where it is seen."""
        if self.isVisible():
            self.refresh()

    def open_used(self) -> None:
        """Open what answers now, for it did not: its key may be wrong."""

    def reach(self, name: str, show: "Callable[[SettingRow], object]") -> bool:
        """Open what has the row of a setting, and have it shown as soon as it is there; False where it is
        no setting of this piece."""
        return False

    async def offer(self, text: str) -> None:
        """Show what a link brings; it counts once the person saves it. Raises AppError."""

    def leave(self) -> None:
        """The window was closed: drop what was not saved."""


class ListPart(Part):
    """A list, and what stands in its place for a while, from which Esc leads back."""

    def __init__(self) -> None:
        super().__init__()
        self._places: list[QWidget] = []

    def add_place(self, place: QWidget) -> None:
        """Put one at the end; the first of them is seen."""
        place.setVisible(not self._places)
        self._places.append(place)
        self.column.addWidget(place)

    def show_place(self, shown: QWidget) -> None:
        """Show this one, and no other."""
        for place in self._places:
            place.setVisible(place is shown)

    def drop_place(self, place: QWidget) -> None:
        """It is not wanted any more."""
        self._places.remove(place)
        self.column.removeWidget(place)
        place.hide()
        place.deleteLater()

    @property
    def away(self) -> bool:
        """Whether something stands in the place of the list."""
        return self._places[0].isHidden()

    def go_back(self) -> None:
        """Back to the list."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.away:
            self.go_back()
        else:
            super().keyPressEvent(event)
