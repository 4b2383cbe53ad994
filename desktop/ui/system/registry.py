"""The part of Windows' registry that belongs to the person: what the program writes there."""

import sys
from contextlib import suppress
from typing import Protocol


class Registry(Protocol):
    """Texts by key and name; "" is the name of a key's own value."""

    def get(self, key: str, name: str) -> str | None:
        """The text; None where there is none."""

    def put(self, key: str, name: str, text: str) -> None:
        """Write it, and make the key where it is missing. Raises OSError."""

    def drop(self, key: str, name: str) -> None:
        """Take it away, where it is there. Raises OSError."""


class CurrentUser:
    """HKEY_CURRENT_USER."""

    def get(self, key: str, name: str) -> str | None:
        """See Registry."""
        if sys.platform == "win32":
            import winreg

            with suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, key) as opened:
                value, kind = winreg.QueryValueEx(opened, name)
                return str(value) if kind in (winreg.REG_SZ, winreg.REG_EXPAND_SZ) else None
        return None

    def put(self, key: str, name: str, text: str) -> None:
        """See Registry."""
        if sys.platform == "win32":
            import winreg

            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, key) as opened:
                winreg.SetValueEx(opened, name, 0, winreg.REG_SZ, text)

    def drop(self, key: str, name: str) -> None:
        """See Registry."""
        if sys.platform == "win32":
            import winreg

            with suppress(FileNotFoundError):
                access = winreg.KEY_SET_VALUE
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, key, 0, access) as opened:
                    winreg.DeleteValue(opened, name)
