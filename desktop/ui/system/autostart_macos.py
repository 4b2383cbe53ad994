"""Starting at login on macOS: an agent of launchd for this account, read at the next login."""

import os
import plistlib
from pathlib import Path
from typing import Any

from desktop.paths import self_command

LABEL = "io.github.nanobot-desktop.login"
"""Letters, digits, points and hyphens, as in the bundle's identifier."""


def path() -> Path:
    """Where its file is."""
    return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def set_up(*, wanted: bool) -> None:
    """See autostart. launchd is not told: it would start the program now, a second time."""
    file = path()
    if not wanted:
        file.unlink(missing_ok=True)
        return
    data = plistlib.dumps(agent())
    if _read(file) == data:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name}.new")
    unfinished.write_bytes(data)
    unfinished.replace(file)


def agent() -> dict[str, Any]:
    """What launchd is to do (man launchd.plist), with the home that the program has now."""
    found: dict[str, Any] = {
        "Label": LABEL,
        "ProgramArguments": self_command("--hidden"),
        "RunAtLoad": True,
        "ProcessType": "Interactive",
        "LimitLoadToSessionType": "Aqua",
    }
    if home := os.environ.get("NANOBOT_DESKTOP_HOME"):
        found["EnvironmentVariables"] = {"NANOBOT_DESKTOP_HOME": home}
    return found


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
