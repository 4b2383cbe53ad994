"""A key held on macOS: RegisterEventHotKey of Carbon, the one way that needs no permission of the person.

"Ctrl" in the setting is the key with that name, and "Meta" is Command, as they are written; in Qt itself
the two are swapped on a Mac.
"""

import ctypes
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence

from desktop.ui.system.shortcut_words import NO_KEY, TAKEN

_EXISTS = -9878  # eventHotKeyExistsErr
_CARBON = "/System/Library/Frameworks/Carbon.framework/Carbon"
_KEYBOARD, _PRESSED = int.from_bytes(b"keyb"), 5
_SIGNATURE = int.from_bytes(b"nano")
_MODIFIERS = (
    (Qt.KeyboardModifier.MetaModifier, 0x0100),
    (Qt.KeyboardModifier.ShiftModifier, 0x0200),
    (Qt.KeyboardModifier.AltModifier, 0x0800),
    (Qt.KeyboardModifier.ControlModifier, 0x1000),
)
# HIToolbox, Events.h: the places of keys on an ANSI keyboard.
_LETTERS = dict(
    zip(
        "ASDFHGZXCVBQWERYT123465=97-80]OU[IPLJ'K;\\,/NM.",
        (*range(10), *range(11, 36), *range(37, 48)),
        strict=True,
    )
)
_KEYS = {
    Qt.Key.Key_Space: 49,
    Qt.Key.Key_Tab: 48,
    Qt.Key.Key_Return: 36,
    Qt.Key.Key_Escape: 53,
    Qt.Key.Key_Backspace: 51,
    Qt.Key.Key_Delete: 117,
    Qt.Key.Key_Home: 115,
    Qt.Key.Key_End: 119,
    Qt.Key.Key_PageUp: 116,
    Qt.Key.Key_PageDown: 121,
    Qt.Key.Key_Left: 123,
    Qt.Key.Key_Up: 126,
    Qt.Key.Key_Right: 124,
    Qt.Key.Key_Down: 125,
}
_FUNCTION = (122, 120, 99, 118, 96, 97, 98, 100, 101, 109, 103, 111, 105, 107, 113, 106, 64, 79, 80, 90)
"""F1 to F20."""


class Carbon(Protocol):
    """The calls of macOS that are needed."""

    def register(self, code: int, modifiers: int, pressed: Callable[[], object]) -> int:
        """Hold a key; 0, or the number of the error."""

    def unregister(self) -> None:
        """Let go of it."""


class MacKeys:
    """A Grab."""

    def __init__(self, pressed: Callable[[], object], calls: Carbon) -> None:
        self._pressed, self._calls, self._held = pressed, calls, False

    def hold(self, keys: QKeySequence) -> str | None:
        """See Grab."""
        self.close()
        if keys.isEmpty():
            return ""
        combination: QKeyCombination = keys[0]  # type: ignore[index]
        code = _code(combination.key())
        if code is None:
            return NO_KEY
        given = combination.keyboardModifiers()
        modifiers = sum(mask for modifier, mask in _MODIFIERS if given & modifier)
        error = self._calls.register(code, modifiers, self._pressed)
        self._held = not error
        if error:
            return TAKEN if error == _EXISTS else NO_KEY
        return ""

    def close(self) -> None:
        """See Grab."""
        if self._held:
            self._calls.unregister()
            self._held = False


class _Kind(ctypes.Structure):
    _fields_ = (("event_class", ctypes.c_uint32), ("kind", ctypes.c_uint32))


class _Id(ctypes.Structure):
    _fields_ = (("signature", ctypes.c_uint32), ("id", ctypes.c_uint32))


_Handler = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Frameworks:
    """Carbon of the system."""

    def __init__(self) -> None:
        """Raises OSError."""
        self._carbon: Any = ctypes.CDLL(_CARBON)
        self._carbon.GetApplicationEventTarget.restype = ctypes.c_void_p
        self._key, self._events = ctypes.c_void_p(), ctypes.c_void_p()
        self._handler: Any = None

    def register(self, code: int, modifiers: int, pressed: Callable[[], object]) -> int:
        """See Carbon."""
        target = ctypes.c_void_p(self._carbon.GetApplicationEventTarget())

        def handle(_next: Any, _event: Any, _data: Any) -> int:
            pressed()
            return 0

        self._handler = _Handler(handle)  # Carbon keeps no reference to it
        kind = _Kind(_KEYBOARD, _PRESSED)
        error = int(
            self._carbon.InstallEventHandler(
                target,
                self._handler,
                ctypes.c_ulong(1),
                ctypes.byref(kind),
                None,
                ctypes.byref(self._events),
            )
        )
        if error:
            return error
        error = int(
            self._carbon.RegisterEventHotKey(
                ctypes.c_uint32(code),
                ctypes.c_uint32(modifiers),
                _Id(_SIGNATURE, 1),
                target,
                ctypes.c_uint32(0),
                ctypes.byref(self._key),
            )
        )
        if error:
            self._carbon.RemoveEventHandler(self._events)
        return error

    def unregister(self) -> None:
        """See Carbon."""
        self._carbon.UnregisterEventHotKey(self._key)
        self._carbon.RemoveEventHandler(self._events)
        self._handler = None


def _code(key: Qt.Key) -> int | None:
    """The place of a key; None where we know none. The place of A is 0."""
    if key in _KEYS:
        return _KEYS[key]
    number = int(key)
    function = number - int(Qt.Key.Key_F1)
    if 0 <= function < len(_FUNCTION):
        return _FUNCTION[function]
    return _LETTERS.get(chr(number)) if number < 0x7F else None
