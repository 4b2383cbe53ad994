"""Changing the language while the window is open: who shows words says them anew."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop import text


class _Language(QObject):
    changed = Signal()
    shown = ""
    """What the window speaks; the core may have changed the catalogue's language already."""


_language = _Language()


def spoken(words: Callable[[], None]) -> None:
    """Call `words`, a method of a widget that sets its texts, now and after each change of the language."""
    words()
    _language.shown = _language.shown or text.language()
    _language.changed.connect(words)


def speak(code: str) -> None:
    """Change the language of the whole window; empty means the system's."""
    text.use(code)
    if text.language() != _language.shown:
        _language.shown = text.language()
        _language.changed.emit()
