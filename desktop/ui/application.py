"""The application of Qt, and links that the desktop hands it while it runs, maybe before anybody can
open them."""

from collections.abc import Callable

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Links:
    """Those that came, until somebody opens them."""

    def __init__(self) -> None:
        self._early: list[str] = []
        self._open: Callable[[str], object] = self._early.append

    def hear(self, event: QEvent) -> bool:
        """Whether an event of the application was one."""
        if not isinstance(event, QFileOpenEvent):
            return False
        from desktop.links import is_link

        link = bytes(event.url().toEncoded().data()).decode("ascii", "replace")
        if not is_link(link):
            return False
        self.take(link)
        return True

    def take(self, link: str) -> None:
        """Have one opened, as soon as somebody can."""
        self._open(link)

    def open_with(self, opener: Callable[[str], object]) -> None:
        """Have it open what comes from now on, and what came before."""
        self._open = opener
        while self._early:
            opener(self._early.pop(0))


class App(QApplication):
    """One for the program."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.links = Links()

    def event(self, event: QEvent) -> bool:
        """What is sent to the application itself."""
        return self.links.hear(event) or super().event(event)
