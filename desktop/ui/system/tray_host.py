"""Whether anybody shows tray icons, told also when somebody begins to.

Qt asks the session bus for a StatusNotifierWatcher once in the life of a process and remembers the answer,
so a program that starts before the panel would never get an icon. Here the bus is watched first, and Qt
is asked only when the answer is yes. Older panels own an X selection instead, which is looked up by libxcb.
"""

import ctypes
import ctypes.util
import os
import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSystemTrayIcon

_WATCHER = "org.kde.StatusNotifierWatcher"


class TrayHost(QObject):
    """`changed` comes when a host appears or goes."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._on_bus = False
        if sys.platform.startswith("linux"):
            self._watch()

    @property
    def present(self) -> bool:
        """Whether an icon would be seen now."""
        if not sys.platform.startswith("linux"):
            return QSystemTrayIcon.isSystemTrayAvailable()
        return self._on_bus or _x11_tray()

    @property
    def on_bus(self) -> bool:
        """Whether icons go over the bus: then messages of an icon go to the notification daemon too."""
        return self._on_bus

    def _watch(self) -> None:
        from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher

        bus = QDBusConnection.sessionBus()
        if not bus.isConnected():
            return
        mode = QDBusServiceWatcher.WatchModeFlag
        watcher = QDBusServiceWatcher(_WATCHER, bus, mode.WatchForOwnerChange, self)
        watcher.serviceRegistered.connect(lambda _name: self._set(on_bus=True))
        watcher.serviceUnregistered.connect(lambda _name: self._set(on_bus=False))
        self._on_bus = bool(bus.interface().isServiceRegistered(_WATCHER).value())

    def _set(self, *, on_bus: bool) -> None:
        self._on_bus = on_bus
        self.changed.emit()


class _Cookie(ctypes.Structure):
    _fields_ = (("sequence", ctypes.c_uint),)


def _x11_tray() -> bool:
    """Whether a window owns _NET_SYSTEM_TRAY_S0 (freedesktop.org, System Tray Protocol)."""
    if not os.environ.get("DISPLAY"):
        return False
    try:
        xcb = ctypes.CDLL(ctypes.util.find_library("xcb") or "libxcb.so.1")
    except OSError:
        return False
    for name, result, arguments in (
        ("xcb_connect", ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_void_p]),
        ("xcb_connection_has_error", ctypes.c_int, [ctypes.c_void_p]),
        ("xcb_disconnect", None, [ctypes.c_void_p]),
        ("xcb_intern_atom", _Cookie, [ctypes.c_void_p, ctypes.c_uint8, ctypes.c_uint16, ctypes.c_char_p]),
        (
            "xcb_intern_atom_reply",
            ctypes.POINTER(ctypes.c_uint32),
            [ctypes.c_void_p, _Cookie, ctypes.c_void_p],
        ),
        ("xcb_get_selection_owner", _Cookie, [ctypes.c_void_p, ctypes.c_uint32]),
        (
            "xcb_get_selection_owner_reply",
            ctypes.POINTER(ctypes.c_uint32),
            [ctypes.c_void_p, _Cookie, ctypes.c_void_p],
        ),
    ):
        function = getattr(xcb, name)
        function.restype, function.argtypes = result, arguments
    connection = xcb.xcb_connect(None, None)
    try:
        return not xcb.xcb_connection_has_error(connection) and _owned(xcb, connection)
    finally:
        xcb.xcb_disconnect(connection)


def _owned(xcb: ctypes.CDLL, connection: int) -> bool:
    """Both replies have the number that is wanted in their third word: an atom, a window."""
    name = b"_NET_SYSTEM_TRAY_S0"
    atom = xcb.xcb_intern_atom_reply(connection, xcb.xcb_intern_atom(connection, 0, len(name), name), None)
    if not atom:
        return False
    owner = xcb.xcb_get_selection_owner_reply(
        connection, xcb.xcb_get_selection_owner(connection, atom[2]), None
    )
    return bool(owner and owner[2])
