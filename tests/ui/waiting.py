"""Waiting for a window. Those of pytest-qt are context managers: a bare call of one waits for nothing."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


def exposed(qtbot: QtBot, widget: QWidget) -> None:
    """Wait until its window is on the screen."""

    def there() -> bool:
        window = widget.window()
        return window.isVisible() and window.windowHandle().isExposed()

    qtbot.waitUntil(there)


def active(qtbot: QtBot, widget: QWidget) -> None:
    """Wait until its window has the keyboard."""
    qtbot.waitUntil(widget.isActiveWindow)
