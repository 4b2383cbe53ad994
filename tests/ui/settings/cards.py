"""Finding the cards of the page of providers."""

from pathlib import Path

from PySide6.QtWidgets import QAbstractButton, QWidget

from desktop.ui.settings.providers.card import ProviderCard
from desktop.ui.settings.providers.page import ProviderList
from desktop.ui.settings.window import SettingsWindow
from tests.ui.program import Running


def listing(window: SettingsWindow) -> ProviderList:
    """The part of the page that has the cards, with its page in front."""
    window.open_page("model")
    [view] = [view for view in window.views if view.page.key == "model"]
    [found] = [part for part in view.parts if isinstance(part, ProviderList)]
    return found


def opened(window: SettingsWindow, running: Running, name: str) -> ProviderCard:
    """A provider's card, opened as a person does."""
    part = listing(window)
    running.settle()
    if name not in part.cards or not part.cards[name].isVisible():
        part.filter.setText(name)
        running.settle()
    card = part.cards[name]
    if not card.opened:
        card.open_button.click()
    running.settle()
    return card


def order(window: SettingsWindow) -> list[str]:
    """The cards that are seen, from the top."""
    part = listing(window)
    seen = [(card.y(), name) for name, card in part.cards.items() if card.isVisible()]
    return [name for _y, name in sorted(seen)]


def nowhere(root: QWidget, folder: Path, key: str) -> None:
    """No accessible name has a key in it, and no file."""
    for widget in root.findChildren(QWidget):
        assert key not in f"{widget.accessibleName()}{widget.accessibleDescription()}{widget.toolTip()}"
        if isinstance(widget, QAbstractButton):
            assert key not in widget.text()
    for path in folder.rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes()
