"""Which notifications this system has."""

import sys

from desktop.inbox.dbus_screen import DBusScreen
from desktop.inbox.notifier_screen import NotifierScreen
from desktop.inbox.screen import Screen


def desktop_screen() -> Screen:
    """The notifications of this system; nothing is loaded or asked before the first toast. Needs a loop."""
    return DBusScreen() if sys.platform.startswith("linux") else NotifierScreen()
