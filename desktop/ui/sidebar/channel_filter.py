"""Which conversations the list shows: all, those of one chat app, or those of none."""

from collections.abc import Sequence

from PySide6.QtCore import Signal

from desktop.text import _
from desktop.ui.sidebar.channels import ALL, HERE, title
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.words import spoken


class ChannelFilter(CalmBox):
    """Hidden while there is nothing to choose."""

    chosen = Signal(str)
    """ALL, HERE or an app's name."""

    def __init__(self) -> None:
        super().__init__()
        self._apps: tuple[str, ...] = ()
        self.hide()
        self.currentIndexChanged.connect(lambda _index: self.chosen.emit(self.value))
        spoken(self._words)

    @property
    def value(self) -> str:
        """What is chosen."""
        return str(self.currentData() or ALL)

    def offer(self, apps: Sequence[str]) -> None:
        """Let these apps be chosen; what is chosen stays, where it is still there."""
        if tuple(apps) == self._apps:
            return
        self._apps, before = tuple(apps), self.value
        self._fill(before if before in (ALL, HERE, *apps) else ALL)
        self.setVisible(bool(apps))
        if self.value != before:
            self.chosen.emit(self.value)

    def choose(self, value: str) -> None:
        """Choose it."""
        self.setCurrentIndex(max(0, self.findData(value)))

    def _words(self) -> None:
        self.setAccessibleName(_("Conversations of"))
        self._fill(self.value)

    def _fill(self, value: str) -> None:
        self.blockSignals(True)
        self.clear()
        for one in (ALL, HERE, *self._apps):
            self.addItem(title(one), one)
        self.choose(value)
        self.blockSignals(False)
