"""A key that opens the quick chat from everywhere: one small interface, and who can hold such a key here.

On X11 it is grabbed, Windows and macOS hold it; elsewhere the desktop's GlobalShortcuts portal is asked,
where there is one. Where there is no way, or another program has the key, that is said together with the
command to bind instead.
"""

import sys
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence

from desktop.text import _
from desktop.ui.system.shortcut_words import NO_KEY, NO_WAY

COMMAND = "nanobot-desktop quick"


@dataclass(frozen=True, slots=True)
class Held:
    """Whether the key is held; where not, why, for the person."""

    held: bool
    text: str = ""

    @property
    def remedy(self) -> str:
        """What to do instead."""
        if self.held or not self.text:
            return ""
        return _("Choose another one, or bind a key in your desktop’s settings to: {command}").format(
            command=COMMAND
        )


class Grab(Protocol):
    """A way to hold a key."""

    def hold(self, keys: QKeySequence) -> str | None:
        """Hold this key instead of the one before; an empty one holds none. A sentence where it cannot be:
        with {keys} for the key; "" where it can; None where that is known only later."""

    def close(self) -> None:
        """Let go of everything."""


class Shortcut(QObject):
    """The key of the settings."""

    pressed = Signal()
    changed = Signal()
    """It is held, or is not, other than before."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._grab: Grab | None = None
        self._wanted = ""
        self.state = Held(False)

    def use(self, wanted: str) -> None:
        """Hold this key, written as Ctrl+Alt+Space; an empty text holds none."""
        if wanted == self._wanted:
            return
        self._wanted = wanted
        keys = QKeySequence(wanted)
        if wanted and (keys.count() != 1 or not keys.toString()):
            self._say(NO_KEY)
            if self._grab is not None:
                self._grab.hold(QKeySequence())
            return
        if self._grab is None and not wanted:
            self._say("")
            return
        if self._grab is None:
            self._grab = self._made()
        if self._grab is None:
            self._say(NO_WAY)
            return
        trouble = self._grab.hold(keys)
        if trouble is not None:
            self._say(trouble)

    def close(self) -> None:
        """Let go of the key."""
        if self._grab is not None:
            self._grab.close()
            self._grab = None

    def _made(self) -> Grab | None:
        if sys.platform == "win32":
            from desktop.ui.system.windows_keys import Windows, WindowsKeys

            return WindowsKeys(self.pressed.emit, Windows())
        if sys.platform == "darwin":
            from desktop.ui.system.macos_keys import Frameworks, MacKeys

            return MacKeys(self.pressed.emit, Frameworks())
        if QGuiApplication.platformName() == "xcb":
            from desktop.ui.system.x11_keys import X11Keys

            return X11Keys.made(self.pressed.emit, self)
        from desktop.ui.system.portal_keys import PortalKeys

        return PortalKeys(self.pressed.emit, self._say)

    def _say(self, trouble: str) -> None:
        """Take note of what became of the wish: `trouble` is empty where the key is held."""
        held = bool(self._wanted) and not trouble
        self.state = Held(held, _(trouble).format(keys=self._wanted) if trouble else "")
        self.changed.emit()
