"""quick: the quick chat, for a key of the desktop: opened where a window runs, else one begins."""

import asyncio
import sys

import click

from desktop.cli import options, window
from desktop.cli.output import emit
from desktop.errors import AppError
from desktop.ipc.connection import NoOwnerError, call
from desktop.paths import home
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "quick", _("Open quick chat."))
    @click.option("--clipboard", is_flag=True, help=_("Start with the text on the clipboard."))
    @click.option("--selection", is_flag=True, help=_("Start with the text selected in another window."))
    def quick_command(clipboard: bool, selection: bool, *, as_json: bool) -> None:
        source = "selection" if selection else "clipboard" if clipboard else ""
        if asyncio.run(_open(source)):
            if as_json:
                emit({"opened": True})
            return
        sys.exit(window.main(hidden=True, wanted=("quick", {"source": source})))


async def _open(source: str) -> bool:
    """Have a running window open it; False where there is none."""
    try:
        async for _line in call(home(), "quick", {"source": source}):
            pass
    except (NoOwnerError, AppError):  # nobody, or a command that has no window
        return False
    return True
