"""serve: everything that the program does by itself, without a window, until it is told to end.

A window that starts takes the home over once nothing is under way; when it quits, serving goes on.
"""

import asyncio
from contextlib import suppress

import click

from desktop import remedies
from desktop.cli import options
from desktop.cli.output import block, emit, say
from desktop.cli.run import run
from desktop.errors import AppError, UsageError
from desktop.ipc.connection import NoOwnerError, ask
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _

_PATIENCE, _PAUSE_S = 100, 0.1


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "serve", _("Run tasks and reminders without a window, until Ctrl+C or SIGTERM."))
    @click.option("--print-unit", is_flag=True, help=_("Print a systemd unit for this."))
    def serve_command(print_unit: bool, *, as_json: bool) -> None:
        command = _print_unit if print_unit else _until_told
        run(lambda home: command(home, as_json), as_json=as_json)


async def _print_unit(home: Home, as_json: bool) -> None:
    """On stdout, for `sudo tee /etc/systemd/system/nanobot.service`."""
    if not remedies.here().linux:
        raise UsageError(_("This system has no systemd."), _("Start it at login in Settings instead."))
    from desktop.cli import unit
    from desktop.cli.skills import skills_of

    config, skills = await skills_of(home)
    text = await in_thread(unit.text, home, config, skills.wanted)
    if as_json:
        emit({"unit": text})
    else:
        block(text.removesuffix("\n"))


async def _until_told(home: Home, as_json: bool) -> None:
    """To be told to end is no failure of what has no other end."""
    with suppress(asyncio.CancelledError):
        await _serve(home, as_json)


async def _serve(home: Home, as_json: bool) -> None:
    from desktop.cli.owner import Owner
    from desktop.cli.reach import ending, until_gone
    from desktop.ipc.ownership import SERVE, take_over

    def tell(event: str, text: str) -> None:
        if as_json:
            emit({"event": event})
        else:
            say(text)

    while True:
        ownership = await take_over(home, front=SERVE)
        if ownership is None:
            tell("waiting", _("The window is running. This resumes when it quits."))
            if await until_gone(home):
                return
            continue
        owner = Owner(home, SERVE, ownership, end=ending())
        await owner.start()
        tell("serving", _("Running reminders, tasks and the heartbeat. Press Ctrl+C to stop."))
        try:
            await owner.left()
        finally:
            await owner.stop()
        await _until_taken(home)


async def _until_taken(home: Home) -> None:
    """Give who asked for the home the time to take it; who does not, has gone."""
    for _attempt in range(_PATIENCE):
        with suppress(NoOwnerError, AppError):
            await ask(home, "status")
            return
        await asyncio.sleep(_PAUSE_S)
