"""diagnostics and wipe: a bundle for who helps, and deleting everything."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from desktop.cli import options
from desktop.cli.output import block, emit, hint, say
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.errors import AppError, UsageError
from desktop.ipc.ownership import Ownership
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _, listed

if TYPE_CHECKING:
    from desktop.api.diagnostics import Bundle, Preview


def register(app: click.Group) -> None:
    """Add the commands to the command line."""

    @options.verb(app, "diagnostics", _("Save what support needs to know to one file, without secrets."))
    @click.argument("file", required=False)
    @click.option("--preview", is_flag=True, help=_("Only show what it would contain."))
    def diagnostics_command(file: str | None, preview: bool, *, as_json: bool) -> None:
        path = str(Path(file or ".").expanduser().absolute())
        run(lambda home: _diagnostics(home, "" if preview else path, as_json), as_json=as_json)

    @options.verb(app, "wipe", _("Delete everything of this program, including its keys."))
    @click.option("--sure", is_flag=True, help=_("Required. This can’t be undone."))
    def wipe_command(sure: bool, *, as_json: bool) -> None:
        run(lambda home: _wipe(home, sure), as_json=as_json)


async def _diagnostics(home: Home, path: str, as_json: bool) -> None:
    async with connect(home, "diagnostics") as api:
        if path:
            _saved(await api.diagnostics.make(path), as_json)
        else:
            _preview(await api.diagnostics.look(), as_json)


def _saved(made: "Bundle", as_json: bool) -> None:
    if as_json:
        emit(asdict(made))
        return
    say(_("Saved as {path}.").format(path=made.path))
    hint(_("Read it before you share it: {names}.").format(names=listed(made.names)))


def _preview(found: "Preview", as_json: bool) -> None:
    if as_json:
        emit(asdict(found))
        return
    for file in found.files:
        say(f"--- {file.name}")
        block(file.text)


async def _wipe(home: Home, sure: bool) -> None:
    from desktop.api.privacy import finish_wipe

    if not sure:
        raise UsageError(
            _("This permanently deletes settings, conversations, memory and keys."),
            _("To go ahead: nanobot-desktop wipe --sure"),
        )
    probe = await in_thread(Ownership.take, home)
    if probe is None:
        raise AppError(_("Nanobot is running in this home."), _("Quit it first."))
    await in_thread(probe.release)
    async with connect(home, "wipe") as api:
        await api.privacy.wipe(sure=True)
    await in_thread(finish_wipe, home)
    say(_("Everything was deleted."))
