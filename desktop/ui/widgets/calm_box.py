"""A choice in a page that scrolls."""

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate

from desktop.ui.widgets.styled import styled

_LIST = """
QComboBox { combobox-popup: 0; }
QComboBox QAbstractItemView { border-radius: 0; }
QComboBox QAbstractItemView::item:selected { background: $selected; color: $text; }
QComboBox QAbstractItemView::item:disabled { color: $muted; }
"""


class CalmBox(QComboBox):
    """A choice that a turning wheel passes over: pages are scrolled more often than values are changed."""

    def __init__(self) -> None:
        super().__init__()
        styled(self, _LIST)
        self.setItemDelegate(QStyledItemDelegate(self))  # the one that a style sheet can reach

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
