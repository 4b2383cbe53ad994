"""The list of providers, in groups."""

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

from desktop.text import _, mark
from desktop.ui.settings.editors import CalmBox
from desktop.ui.theme.theme import text_font
from desktop.ui.theme.tokens import Size

_HERE, _OWN, _SERVICES, _MANY = (
    mark("On this computer"),
    mark("Your own server"),
    mark("Services"),
    mark("Services with models of many makers"),
)
_GROUPS = {
    "auto": "",
    "builtin": _HERE,
    "local": _HERE,
    "direct": _OWN,
    "standard": _SERVICES,
    "oauth": _SERVICES,
    "gateway": _MANY,
}
_FIRST_RUN = ("direct", "standard", "gateway")


class ProviderBox(CalmBox):
    """A choice of providers by name; in the first run only of those that are reached with a key."""

    def __init__(self, *, first_run: bool) -> None:
        super().__init__()
        self._first = first_run
        self.setMaxVisibleItems(16)

    def fill(self, rows: Iterable[Mapping[str, Any]], chosen: str) -> None:
        """Show these rows of the verb `providers`."""
        kept = [row for row in rows if not self._first or row["kind"] in _FIRST_RUN]
        if not self._first:
            kept.insert(0, {"name": "auto", "kind": "auto", "title": _("Automatic")})
        model = QStandardItemModel(self)
        for group in dict.fromkeys(_GROUPS.values()):
            members = [row for row in kept if _GROUPS[row["kind"]] == group]
            if group and members:
                model.appendRow(_heading(_(group)))
            for row in sorted(members, key=lambda row: (row["kind"] == "local", row["title"].casefold())):
                item = QStandardItem(row["title"])
                item.setData(row["name"], Qt.ItemDataRole.UserRole)
                model.appendRow(item)
        self.setModel(model)
        self.setCurrentIndex(self.findData(chosen))


def _heading(text: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    item.setFont(text_font(Size.SMALL))
    return item
