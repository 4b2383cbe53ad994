"""A list whose rows a delegate paints: read and chosen from, never edited, scrolled smoothly."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QListView

from desktop.ui.theme.theme import theme


class CalmList(QListView):
    """Rows are as wide as the list, and are painted anew in another theme."""

    def __init__(self) -> None:
        super().__init__()
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme().changed.connect(self.viewport().update)
