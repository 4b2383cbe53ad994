"""Starting at login on Windows: a value of the registry, the same that the installer writes.

It can set no variable: a home that is elsewhere has to be named in the account's environment.
"""

import subprocess
import sys
from pathlib import Path

from desktop.paths import APP, self_command
from desktop.ui.system.registry import Registry

KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
NAME = "NanobotDesktop"


def set_up(registry: Registry, *, wanted: bool) -> None:
    """See autostart. A person may have turned it off in the Task Manager besides: that is kept elsewhere,
    and stays."""
    if not wanted:
        registry.drop(KEY, NAME)
    elif registry.get(KEY, NAME) != (line := command("--hidden")):
        registry.put(KEY, NAME, line)


def command(*arguments: str) -> str:
    """The command line that starts the program with its window, without a console."""
    program, *rest = self_command(*arguments)
    return f'"{windowed(program)}" {subprocess.list2cmdline(rest)}'.rstrip()


def windowed(program: str) -> str:
    """Of a program and its console twin in the same folder, the one without a console."""
    path = Path(program)
    name = f"{APP}.exe" if getattr(sys, "frozen", False) else path.name.replace("python.exe", "pythonw.exe")
    return str(path.with_name(name))
