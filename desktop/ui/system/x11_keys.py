"""A key held on X11: grabbed at the root window, whatever Caps Lock and Num Lock are.

By libxcb, on a connection of its own: its checked requests tell of a key that another program has, where
Xlib would end the process.
"""

import ctypes
import ctypes.util
from collections.abc import Callable, Iterator

from PySide6.QtCore import QKeyCombination, QObject, QSocketNotifier, Qt
from PySide6.QtGui import QKeySequence

from desktop.ui.system.shortcut_words import NO_KEY, TAKEN

_KEY_PRESS, _MAPPING_NOTIFY = 2, 34
_ASYNC = 1
_LOCKS = (0, 2, 16, 18)
"""Neither, Caps Lock (Lock), Num Lock (Mod2), both."""
_MODIFIERS = (
    (Qt.KeyboardModifier.ShiftModifier, 1),
    (Qt.KeyboardModifier.ControlModifier, 4),
    (Qt.KeyboardModifier.AltModifier, 8),
    (Qt.KeyboardModifier.MetaModifier, 64),
)
# X.Org, keysymdef.h: printing keys have their code in Latin-1, small letters; the others are listed.
_KEYSYMS = {
    Qt.Key.Key_Tab: 0xFF09,
    Qt.Key.Key_Return: 0xFF0D,
    Qt.Key.Key_Escape: 0xFF1B,
    Qt.Key.Key_Backspace: 0xFF08,
    Qt.Key.Key_Delete: 0xFFFF,
    Qt.Key.Key_Insert: 0xFF63,
    Qt.Key.Key_Home: 0xFF50,
    Qt.Key.Key_End: 0xFF57,
    Qt.Key.Key_PageUp: 0xFF55,
    Qt.Key.Key_PageDown: 0xFF56,
    Qt.Key.Key_Left: 0xFF51,
    Qt.Key.Key_Up: 0xFF52,
    Qt.Key.Key_Right: 0xFF53,
    Qt.Key.Key_Down: 0xFF54,
    Qt.Key.Key_Pause: 0xFF13,
    Qt.Key.Key_Print: 0xFF61,
}
_F1, _MOST_F = 0xFFBE, 35


class _Cookie(ctypes.Structure):
    _fields_ = (("sequence", ctypes.c_uint),)


class _Event(ctypes.Structure):
    """The beginning of any event (xproto.h)."""

    _fields_ = (("response_type", ctypes.c_uint8), ("detail", ctypes.c_uint8))


class X11Keys(QObject):
    """A Grab."""

    def __init__(
        self,
        xcb: ctypes.CDLL,
        keysyms: ctypes.CDLL,
        connection: int,
        pressed: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._xcb, self._keysyms, self._connection, self._pressed = xcb, keysyms, connection, pressed
        self._held: list[tuple[int, int]] = []
        self._keys = QKeySequence()
        screen = xcb.xcb_setup_roots_iterator(xcb.xcb_get_setup(connection)).data
        self._root = ctypes.cast(screen, ctypes.POINTER(ctypes.c_uint32))[0]
        fd = xcb.xcb_get_file_descriptor(connection)
        self._notifier = QSocketNotifier(fd, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    @classmethod
    def made(cls, pressed: Callable[[], object], parent: QObject) -> "X11Keys | None":
        """None where the libraries or the server are missing."""
        try:
            xcb, keysyms = _libraries()
        except OSError:
            return None
        connection = xcb.xcb_connect(None, None)
        if xcb.xcb_connection_has_error(connection):
            xcb.xcb_disconnect(connection)
            return None
        return cls(xcb, keysyms, connection, pressed, parent)

    def hold(self, keys: QKeySequence) -> str | None:
        """See Grab."""
        self._let_go()
        self._keys = keys
        if keys.isEmpty():
            return ""
        combination: QKeyCombination = keys[0]  # type: ignore[index]
        codes = self._codes(_keysym(combination))
        if not codes:
            return NO_KEY
        modifiers = _modifiers(combination)
        for code in codes:
            for lock in _LOCKS:
                if not self._grab(code, modifiers | lock):
                    self._let_go()
                    return TAKEN
        return ""

    def close(self) -> None:
        """See Grab."""
        self._let_go()
        self._notifier.setEnabled(False)
        self._xcb.xcb_disconnect(self._connection)
        self.deleteLater()

    def _grab(self, code: int, modifiers: int) -> bool:
        xcb = self._xcb
        cookie = xcb.xcb_grab_key_checked(self._connection, 1, self._root, modifiers, code, _ASYNC, _ASYNC)
        error = xcb.xcb_request_check(self._connection, cookie)
        if error:
            _free(error)
            return False
        self._held.append((code, modifiers))
        return True

    def _let_go(self) -> None:
        for code, modifiers in self._held:
            self._xcb.xcb_ungrab_key(self._connection, code, self._root, modifiers)
        self._held.clear()
        self._xcb.xcb_flush(self._connection)

    def _codes(self, keysym: int) -> list[int]:
        """The keys of this keyboard that have a sign on them."""
        if not keysym:
            return []
        symbols = self._keysyms.xcb_key_symbols_alloc(self._connection)
        found = self._keysyms.xcb_key_symbols_get_keycode(symbols, keysym)
        codes = list(_until_zero(found)) if found else []
        if found:
            _free(ctypes.cast(found, ctypes.c_void_p).value or 0)
        self._keysyms.xcb_key_symbols_free(symbols)
        return codes

    def _read(self) -> None:
        while event := self._xcb.xcb_poll_for_event(self._connection):
            kind = ctypes.cast(event, ctypes.POINTER(_Event))[0].response_type & 0x7F
            _free(event)
            if kind == _KEY_PRESS:
                self._pressed()
            elif kind == _MAPPING_NOTIFY and not self._keys.isEmpty():
                self.hold(self._keys)  # another keyboard: the sign may be on another key
        if self._xcb.xcb_connection_has_error(self._connection):
            self._notifier.setEnabled(False)


class _Screens(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("rem", ctypes.c_int), ("index", ctypes.c_int))


def _libraries() -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """libxcb and its keysyms, which Qt's own plugin needs too. Raises OSError."""
    xcb = ctypes.CDLL(ctypes.util.find_library("xcb") or "libxcb.so.1")
    keysyms = ctypes.CDLL(ctypes.util.find_library("xcb-keysyms") or "libxcb-keysyms.so.1")
    pointer, number, byte = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint8
    modifiers = ctypes.c_uint16
    for library, name, result, arguments in (
        (xcb, "xcb_connect", pointer, [ctypes.c_char_p, pointer]),
        (xcb, "xcb_connection_has_error", ctypes.c_int, [pointer]),
        (xcb, "xcb_disconnect", None, [pointer]),
        (xcb, "xcb_get_file_descriptor", ctypes.c_int, [pointer]),
        (xcb, "xcb_get_setup", pointer, [pointer]),
        (xcb, "xcb_setup_roots_iterator", _Screens, [pointer]),
        (xcb, "xcb_flush", ctypes.c_int, [pointer]),
        (xcb, "xcb_poll_for_event", pointer, [pointer]),
        (xcb, "xcb_request_check", pointer, [pointer, _Cookie]),
        (xcb, "xcb_grab_key_checked", _Cookie, [pointer, byte, number, modifiers, byte, byte, byte]),
        (xcb, "xcb_ungrab_key", _Cookie, [pointer, byte, number, modifiers]),
        (keysyms, "xcb_key_symbols_alloc", pointer, [pointer]),
        (keysyms, "xcb_key_symbols_free", None, [pointer]),
        (keysyms, "xcb_key_symbols_get_keycode", ctypes.POINTER(byte), [pointer, number]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return xcb, keysyms


def _free(address: int) -> None:
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    libc.free(address)


def _until_zero(codes: "ctypes._Pointer[ctypes.c_uint8]") -> Iterator[int]:
    at = 0
    while code := codes[at]:
        yield code
        at += 1


def _modifiers(combination: QKeyCombination) -> int:
    given = combination.keyboardModifiers()
    return sum(mask for modifier, mask in _MODIFIERS if given & modifier)


def _keysym(combination: QKeyCombination) -> int:
    """X's name of a key; 0 where it has none that we know."""
    key = combination.key()
    if key in _KEYSYMS:
        return _KEYSYMS[key]
    number = int(key)
    if int(Qt.Key.Key_F1) <= number < int(Qt.Key.Key_F1) + _MOST_F:
        return _F1 + number - int(Qt.Key.Key_F1)
    return ord(chr(number).lower()) if 0x20 <= number <= 0xFF else 0
