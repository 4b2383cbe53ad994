"""waiting: what came with a backup or an import and is off until the person says yes to it."""

from dataclasses import asdict

import click

from desktop.cli import options
from desktop.cli.output import emit, hint, say, table
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.paths import Home
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group(
        "waiting", help=_("What came with a backup or an import and is off until you approve it.")
    )
    app.add_command(group)

    @options.verb(group, "list", _("List what is off until you approve it."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    @options.verb(group, "accept", _("Turn on items by their IDs from the list."))
    @click.argument("ids", nargs=-1, required=True)
    def accept_command(ids: tuple[str, ...], *, as_json: bool) -> None:
        run(lambda home: _answer(home, ids, True, as_json), as_json=as_json)

    @options.verb(group, "refuse", _("Keep items off and remove them from the list."))
    @click.argument("ids", nargs=-1, required=True)
    def refuse_command(ids: tuple[str, ...], *, as_json: bool) -> None:
        run(lambda home: _answer(home, ids, False, as_json), as_json=as_json)


async def _list(home: Home, as_json: bool) -> None:
    async with connect(home, "waiting") as api:
        items = await api.waiting.list()
    if as_json:
        for item in items:
            emit(asdict(item))
        return
    rows = [[item.id, item.name, " · ".join(item.text.split("\n"))] for item in items]
    table([_("ID"), _("Name"), _("If you approve")], rows, _("Nothing is waiting for your approval."))
    if items:
        hint(_("Approve with: nanobot-desktop waiting accept ID"), dim=True)


async def _answer(home: Home, ids: tuple[str, ...], yes: bool, as_json: bool) -> None:
    async with connect(home, "waiting") as api:
        for id_ in ids:
            name = await api.waiting.answer(id_, yes)
            if as_json:
                emit({"name": name, "yes": yes})
            else:
                text = _("{name} is on.") if yes else _("{name} stays off.")
                say(text.format(name=name))
