"""Being started and asked over the session bus on Linux: the menu's entry, links and notifications do it
(freedesktop.org, Desktop Entry Specification, "D-Bus Activation").

What comes is a greeting, as another window of the same home would send it. Anybody on the bus can send one:
it has something shown, and a link is read as strictly as one of the command line.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import ClassInfo, QObject, Slot
from PySide6.QtDBus import QDBusAbstractAdaptor, QDBusConnection, QDBusConnectionInterface

from desktop.paths import APP_ID

if TYPE_CHECKING:
    from desktop.ui.program import Greeting

_class_info: Any = ClassInfo  # its types know no way to call it
PATH = "/" + APP_ID.replace(".", "/")
ACTIONS = ("quick",)
"""Of the menu's entry."""


def listen(app: QObject, heard: "Callable[[Greeting], object]") -> bool:
    """Answer on the session bus as long as the program runs; False where there is none, or where the window
    of another home has the name. Whoever has the home that the platform gives goes first: the menu's entry
    means that one."""
    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        return False
    there = QObject(app)
    _Application(there, heard)
    if not bus.registerObject(PATH, there, QDBusConnection.RegisterOption.ExportAdaptors):
        return False
    ways = QDBusConnectionInterface.ServiceQueueOptions
    kinds = QDBusConnectionInterface.ServiceReplacementOptions
    asking = (APP_ID, ways.ReplaceExistingService, kinds.DontAllowReplacement)
    if os.environ.get("NANOBOT_DESKTOP_HOME"):
        asking = (APP_ID, ways.DontQueueService, kinds.AllowReplacement)
    reply = bus.interface().registerService(*asking)
    owned = QDBusConnectionInterface.RegisterServiceReply.ServiceRegistered
    return reply.isValid() and reply.value() == owned.value


@_class_info({"D-Bus Interface": "org.freedesktop.Application"})
class _Application(QDBusAbstractAdaptor):
    """The names and types of the methods are those of the specification."""

    def __init__(self, parent: QObject, heard: "Callable[[Greeting], object]") -> None:
        super().__init__(parent)
        self._heard = heard

    @Slot("QVariantMap")
    def Activate(self, told: Mapping[str, Any]) -> None:
        self._ask(("show", {}), told)

    @Slot("QStringList", "QVariantMap")
    def Open(self, links: Sequence[str], told: Mapping[str, Any]) -> None:
        for link in links:
            self._ask(("link", {"link": link}), told)

    @Slot(str, "QVariantList", "QVariantMap")
    def ActivateAction(self, name: str, _parameter: Sequence[Any], told: Mapping[str, Any]) -> None:
        if name in ACTIONS:
            self._ask((name, {}), told)

    def _ask(self, greeting: "Greeting", told: Mapping[str, Any]) -> None:
        token = told.get("activation-token")
        if isinstance(token, str) and token:
            # Qt hands it to Wayland with the next window that wants to be in front, which may then be.
            os.putenv("XDG_ACTIVATION_TOKEN", token)
        self._heard(greeting)
