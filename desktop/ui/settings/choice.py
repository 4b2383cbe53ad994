"""The list of the providers that are reached with a key, in groups."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

from desktop.api.providers import ProviderLine
from desktop.text import _, mark
from desktop.ui.theme.theme import text_font
from desktop.ui.theme.tokens import Size
from desktop.ui.widgets.calm_box import CalmBox

_OWN, _SERVICES, _MANY = (
    mark("Your own server"),
    mark("Services"),
    mark("Services with models from many makers"),
)
_GROUPS = {
    "direct": _OWN,
    "standard": _SERVICES,
    "gateway": _MANY,
}


class ProviderBox(CalmBox):
    """A choice of providers by name."""

    def __init__(self) -> None:
        super().__init__()
        self.setMaxVisibleItems(16)

    def fill(self, rows: Iterable[ProviderLine], chosen: str) -> None:
        """Show these providers."""
        kept = [row for row in rows if row.kind in _GROUPS]
        model = QStandardItemModel(self)
        for group in dict.fromkeys(_GROUPS.values()):
            members = [row for row in kept if _GROUPS[row.kind] == group]
            if members:
                model.appendRow(_heading(_(group)))
            for row in sorted(members, key=lambda row: row.title.casefold()):
                item = QStandardItem(row.title)
                item.setData(row.name, Qt.ItemDataRole.UserRole)
                model.appendRow(item)
        self.setModel(model)
        self.setCurrentIndex(self.findData(chosen))


def _heading(text: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    item.setFont(text_font(Size.SMALL))
    return item
