"""A key held on Windows: RegisterHotKey, whose messages come through Qt's own loop."""

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QAbstractNativeEventFilter, QCoreApplication, QKeyCombination, Qt
from PySide6.QtGui import QKeySequence

from desktop.ui.system.shortcut_words import NO_KEY, TAKEN

_ID = 0x6E62
"""Ours alone in this process; below 0xC000, as programs have them."""
_WM_HOTKEY = 0x0312
_ALREADY_REGISTERED = 1409
_NO_REPEAT = 0x4000
_MODIFIERS = (
    (Qt.KeyboardModifier.AltModifier, 1),
    (Qt.KeyboardModifier.ControlModifier, 2),
    (Qt.KeyboardModifier.ShiftModifier, 4),
    (Qt.KeyboardModifier.MetaModifier, 8),
)
# Microsoft, "Virtual-Key Codes"; letters and digits have their ASCII code.
_KEYS = {
    Qt.Key.Key_Space: 0x20,
    Qt.Key.Key_Tab: 0x09,
    Qt.Key.Key_Return: 0x0D,
    Qt.Key.Key_Escape: 0x1B,
    Qt.Key.Key_Backspace: 0x08,
    Qt.Key.Key_Delete: 0x2E,
    Qt.Key.Key_Insert: 0x2D,
    Qt.Key.Key_Home: 0x24,
    Qt.Key.Key_End: 0x23,
    Qt.Key.Key_PageUp: 0x21,
    Qt.Key.Key_PageDown: 0x22,
    Qt.Key.Key_Left: 0x25,
    Qt.Key.Key_Up: 0x26,
    Qt.Key.Key_Right: 0x27,
    Qt.Key.Key_Down: 0x28,
    Qt.Key.Key_Pause: 0x13,
    Qt.Key.Key_Print: 0x2C,
}
_F1, _MOST_F = 0x70, 24


class User32(Protocol):
    """The calls of Windows that are needed."""

    def register(self, id_: int, modifiers: int, code: int) -> int:
        """Hold a key for this thread; 0, or the number of the error."""

    def unregister(self, id_: int) -> None:
        """Let go of it."""


class WindowsKeys(QAbstractNativeEventFilter):
    """A Grab."""

    def __init__(self, pressed: Callable[[], object], calls: User32) -> None:
        super().__init__()
        self._pressed, self._calls, self._held = pressed, calls, False
        app = QCoreApplication.instance()
        assert app is not None
        app.installNativeEventFilter(self)

    def hold(self, keys: QKeySequence) -> str | None:
        """See Grab."""
        self._let_go()
        if keys.isEmpty():
            return ""
        combination: QKeyCombination = keys[0]  # type: ignore[index]
        code = _code(combination.key())
        if not code:
            return NO_KEY
        given = combination.keyboardModifiers()
        modifiers = sum(mask for modifier, mask in _MODIFIERS if given & modifier)
        error = self._calls.register(_ID, modifiers | _NO_REPEAT, code)
        self._held = not error
        if error:
            return TAKEN if error == _ALREADY_REGISTERED else NO_KEY
        return ""

    def close(self) -> None:
        """See Grab."""
        self._let_go()
        if (app := QCoreApplication.instance()) is not None:
            app.removeNativeEventFilter(self)

    def nativeEventFilter(self, kind: Any, message: int) -> Any:
        """A message of the thread: whether it was ours."""
        if bytes(kind) == b"windows_generic_MSG":
            found = _Message.from_address(int(message))
            if (found.message, found.first) == (_WM_HOTKEY, _ID):
                self._pressed()
                return True, 0
        return False, 0

    def _let_go(self) -> None:
        if self._held:
            self._calls.unregister(_ID)
            self._held = False


class _Message(ctypes.Structure):
    """The beginning of MSG (winuser.h)."""

    _fields_ = (
        ("window", ctypes.c_void_p),
        ("message", ctypes.c_uint),
        ("first", ctypes.c_size_t),
        ("second", ctypes.c_ssize_t),
    )


class Windows:
    """User32 of the system."""

    def register(self, id_: int, modifiers: int, code: int) -> int:
        """See User32."""
        if sys.platform == "win32":
            user32 = ctypes.WinDLL("user32", use_last_error=True)
            if not user32.RegisterHotKey(None, id_, modifiers, code):
                return ctypes.get_last_error() or 1
        return 0

    def unregister(self, id_: int) -> None:
        """See User32."""
        if sys.platform == "win32":
            ctypes.WinDLL("user32").UnregisterHotKey(None, id_)


def _code(key: Qt.Key) -> int:
    """Windows' number of a key; 0 where it has none that we know."""
    if key in _KEYS:
        return _KEYS[key]
    number = int(key)
    if 0 <= number - int(Qt.Key.Key_F1) < _MOST_F:
        return _F1 + number - int(Qt.Key.Key_F1)
    return number if chr(number & 0x7F).isalnum() and number < 0x7F else 0
