"""Opening a page in the person's browser, wherever there is one."""

import os
import shutil
import sys
import webbrowser
from contextlib import suppress

from desktop.cli.output import hint
from desktop.tasks import in_daemon
from desktop.text import _

_SECONDS = 20.0


async def show_page(address: str) -> None:
    """Say the address, and open it where this computer has a browser with a window."""
    if not address.startswith(("https://", "http://")):
        return
    if not _is_there():
        hint(_("Open this page in a browser: {address}").format(address=address))
        return
    hint(_("Opening this page in your browser: {address}").format(address=address))
    opened = False
    with suppress(OSError, webbrowser.Error, TimeoutError):
        opened = await in_daemon(webbrowser.open, address, seconds=_SECONDS)
    if not opened:
        hint(_("No browser opened. Open the page yourself."))


def _is_there() -> bool:
    """One in the terminal does not count: it would take the terminal away."""
    if sys.platform != "linux" or os.environ.get("BROWSER"):
        return True
    windows = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(windows or shutil.which("wslview"))
