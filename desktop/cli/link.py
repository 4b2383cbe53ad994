"""The program started with a link, as the desktop does it: a running window takes it, else one begins.

What is wrong with a link is said where somebody can see it: in the window that runs, and in the terminal.
"""

import asyncio
from typing import Any

from desktop import links
from desktop.cli import window
from desktop.cli.output import complain, ready
from desktop.config import given
from desktop.errors import AppError, UsageError, told
from desktop.ipc.connection import NoOwnerError, ask
from desktop.ipc.ownership import STATUS, WINDOW
from desktop.paths import Home, home
from desktop.text import _

type Json = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Open a link; the exit code. `arguments`: of the command line, of which a link is the first."""
    ready()
    given.tidy()
    try:
        if len(arguments) != 1:
            raise UsageError(_("Nothing else can stand beside a link."), _("Open one link at a time."))
        [link] = arguments
        reply = asyncio.run(_handed_over(home(), link[: links.LONGEST + 1]))
        if reply is None:
            return _begin(link)
        if failed := reply.get("failed"):
            raise told(failed["kind"], failed["text"], failed["remedy"])
    except AppError as error:
        complain(error)
        return 2 if isinstance(error, UsageError) else 1
    return 0


def _begin(link: str) -> int:
    """Be the window that opens it. Raises UsageError; then there is none."""
    hidden = isinstance(links.parse(link), links.OfferText)
    return window.main(hidden=hidden, wanted=("link", {"link": link}))


async def _handed_over(place: Home, link: str) -> Json | None:
    """What a running window replies; None where there is none. Raises AppError."""
    try:
        if (await ask(place, STATUS))["front"] != WINDOW:
            return None
        return await ask(place, "link", {"link": link})
    except NoOwnerError:
        return None
