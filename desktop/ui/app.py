"""The window's entrance: paint first, load the program behind the painted window, end in order.

The application's own loop is entered here and nowhere else. Before the first picture nothing is imported
that it does not need: asyncio, the core and the rest follow behind it.
"""

import json
import os
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

from desktop import text
from desktop.paths import APP_ID, Home, home
from desktop.ui.application import App
from desktop.ui.entrance import Entrance
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.rows import Conversation, Rows
from desktop.ui.state import StateFile
from desktop.ui.theme.icons import app_icon
from desktop.ui.theme.theme import theme

if TYPE_CHECKING:
    from desktop.ui.conductor import Conductor
    from desktop.ui.loop import Loop
    from desktop.ui.program import Greeting, Own


def main(own: "Own", wanted: "Greeting | None", *, hidden: bool = False, activated: bool = False) -> int:
    """Run the window until the person quits; the exit code. `own` starts the core; `wanted` is what the
    window is to do, or another one that has the home. `hidden`: begin in the tray. `activated`: the session
    bus tells what is wanted."""
    place = home()
    _without_gtk()
    _be_known()
    app = App(sys.argv[:1])
    app.setApplicationName("Nanobot Desktop")
    app.setDesktopFileName(APP_ID)
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(app_icon())
    look = _appearance(place)
    text.use(str(look.get("language") or ""))
    theme().choose(str(look.get("theme") or ""), str(look.get("contrast") or ""))
    file = StateFile(place.root / "window.json", app)
    rows = Rows(app)
    if remembered := _remembered(file):
        rows.fill(remembered)
    window = MainWindow(file.state, rows)
    window.sidebar.open(file.state.session)
    opened = rows.get(file.state.session)
    window.header.title.say(opened.shown if opened else text._("New conversation"))
    window.composer.show_draft(file.state.drafts.get(file.state.session, ""))
    loops: list[Loop] = []

    def make() -> "Conductor":
        from desktop.ui.conductor import Conductor
        from desktop.ui.loop import Loop

        loops.append(Loop(app))
        return Conductor(app, window, file, rows, place, own)

    entrance = Entrance(app, window, make, wanted)
    if activated:
        entrance.wait()
    elif hidden:
        entrance.hide()
    else:
        entrance.show()
    code = app.exec()
    for loop in loops:
        loop.close()
    return code


def _without_gtk() -> None:
    """Nothing of GTK shows in our look, and loading it takes 9 MB and a fifth of the start: take the one of
    Qt's themes for such desktops that needs none. It hears of light and dark from the portal as well."""
    if sys.platform.startswith("linux") and "KDE" not in os.environ.get("XDG_CURRENT_DESKTOP", ""):
        os.environ.setdefault("QT_QPA_PLATFORMTHEME", "gnome")


def _be_known() -> None:
    """Have the taskbar of Windows see that the window belongs to the shortcut in its start menu."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.shell32.SetCurrentProcessExplicitAppUserModelID(APP_ID)


def _appearance(place: Home) -> dict[str, Any]:
    """What the first picture needs of the settings, which are read in full only after it."""
    try:
        given = json.loads(place.config.read_text("utf-8"))["appearance"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return given if isinstance(given, dict) else {}


def _remembered(file: StateFile) -> list[Conversation]:
    found = []
    for line in file.state.conversations:
        try:
            moment = datetime.fromisoformat(line.updated).astimezone()
        except (ValueError, OverflowError):
            continue
        unread = line.key in file.state.unread
        found.append(
            Conversation(line.key, line.title, moment, unread, line.pinned, line.archived, line.sender)
        )
    return found
