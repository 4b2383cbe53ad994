"""Starting at login on Linux: a file in the desktop's autostart folder (freedesktop.org, Autostart
Specification)."""

import os
from pathlib import Path

from desktop.paths import APP_ID, self_command

NAME = f"{APP_ID}.desktop"
"""As the menu's entry is called, so that desktops take both for one program."""
_QUOTED = str.maketrans({"\\": "\\\\\\\\", '"': '\\\\"', "`": "\\\\`", "$": "\\\\$", "%": "%%"})
"""Desktop Entry Specification, "The Exec key": quoted once for the argument and once for the value."""


def path() -> Path:
    """Where the file is."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "autostart" / NAME


def set_up(*, wanted: bool) -> None:
    """Have the program start in the tray at login, or not. Blocks. Raises OSError."""
    file = path()
    if not wanted:
        file.unlink(missing_ok=True)
        return
    text = _entry()
    if _read(file) == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{NAME}.new")
    unfinished.write_text(text, "utf-8")
    unfinished.replace(file)


def _entry() -> str:
    command = " ".join(f'"{part.translate(_QUOTED)}"' for part in _command())
    return (
        "[Desktop Entry]\nType=Application\nName=Nanobot Desktop\nIcon=nanobot-desktop\n"
        f"Exec={command}\nTerminal=false\nX-GNOME-Autostart-enabled=true\n"
    )


def _command() -> list[str]:
    """How the program is started with the home that it has now."""
    home = os.environ.get("NANOBOT_DESKTOP_HOME")
    before = ["env", f"NANOBOT_DESKTOP_HOME={home}"] if home else []
    return [*before, *self_command("--hidden")]


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError):
        return ""
