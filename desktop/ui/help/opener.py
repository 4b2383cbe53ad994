"""Opens the window of the help, which is loaded when it is first wanted."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from desktop.ui.help.window import HelpWindow


class HelpOpener(QObject):
    """One for the program; `parent`: the window that the help stands in front of."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.window: HelpWindow | None = None

    def open(self, topic: str = "") -> None:
        """Show the help, on this topic or the one shown last."""
        if self.window is None:
            from desktop.ui.help.window import HelpWindow

            self.window = HelpWindow(self._parent)
        self.window.open_topic(topic)
