"""Who opens our links on Windows: keys of the registry, the same that the installer writes.

A program that was unpacked without the installer enters itself. Where another copy of the program is
entered and is still there, that stays: the person chose it. On Linux and macOS the package says it.
"""

import shlex
import sys
from pathlib import Path

from desktop.links import SCHEMES
from desktop.ui.system.autostart_windows import command
from desktop.ui.system.registry import Registry

_CLASSES = r"Software\Classes"


def set_up() -> None:
    """Enter this program where that is its own task: installed or unpacked on Windows, not a checkout."""
    if sys.platform == "win32" and getattr(sys, "frozen", False):
        from desktop.ui.system.registry import CurrentUser

        register(CurrentUser())


def register(registry: Registry) -> None:
    """Enter this program for links that nobody opens. Blocks. Raises OSError."""
    for scheme in SCHEMES:
        key = rf"{_CLASSES}\{scheme}"
        line = f'{command()} "%1"'
        if _is_there(registry.get(rf"{key}\shell\open\command", "")):
            continue
        registry.put(key, "", "URL:Nanobot Desktop")
        registry.put(key, "URL Protocol", "")
        registry.put(rf"{key}\DefaultIcon", "", f"{_program(line)},0")
        registry.put(rf"{key}\shell\open\command", "", line)


def _is_there(line: str | None) -> bool:
    return bool(line) and Path(_program(str(line))).is_file()


def _program(line: str) -> str:
    """The program of a command line."""
    words = shlex.split(line, posix=False)
    return words[0].strip('"') if words else ""
