"""about: versions, and the licences of everything that is shipped."""

from dataclasses import asdict

import click

from desktop.cli import options
from desktop.cli.output import block, emit, say, table
from desktop.cli.run import run
from desktop.paths import Home
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "about", _("Show versions and licenses, or with NAME the text of its license."))
    @click.argument("name", required=False)
    def about_command(name: str | None, *, as_json: bool) -> None:
        run(lambda _home: _about(_home, name, as_json), as_json=as_json)


async def _about(_home: Home, name: str | None, as_json: bool) -> None:
    from desktop.api.about import About

    if name:
        licence = await About().licence(name)
        if as_json:
            emit(asdict(licence))
        else:
            block(licence.text)
        return
    made = await About().made()
    if as_json:
        emit(asdict(made))
    else:
        for what, which in made.versions:
            say(f"{what} {which}")
        say()
        lines = [[one.name, one.version, one.licence] for one in made.shipped]
        table([_("Name"), _("Version"), _("License")], lines)
