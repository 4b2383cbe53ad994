"""Starting at login, as each system does it: the setting writes what the installer writes."""

import sys


def supported() -> bool:
    """Whether this program can see to it itself."""
    return sys.platform in ("win32", "darwin") or sys.platform.startswith("linux")


def set_up(*, wanted: bool) -> None:
    """Have the program start in the tray at login, or not. Blocks. Raises OSError."""
    if sys.platform == "win32":
        from desktop.ui.system import autostart_windows
        from desktop.ui.system.registry import CurrentUser

        autostart_windows.set_up(CurrentUser(), wanted=wanted)
    elif sys.platform == "darwin":
        from desktop.ui.system import autostart_macos

        autostart_macos.set_up(wanted=wanted)
    else:
        from desktop.ui.system import autostart_linux

        autostart_linux.set_up(wanted=wanted)
