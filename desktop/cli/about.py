"""about: versions, and the licences of everything that is shipped."""

import click

from desktop.cli import options
from desktop.cli.output import block, emit, say, table
from desktop.cli.run import run
from desktop.paths import Home
from desktop.text import _


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "about", _("Show versions and licences; with a NAME, the text of its licence."))
    @click.argument("name", required=False)
    def about_command(name: str | None, *, as_json: bool) -> None:
        run(lambda _home: _about(_home, name, as_json), as_json=as_json)


async def _about(_home: Home, name: str | None, as_json: bool) -> None:
    from desktop.core import about

    if name:
        found = await about.verbs()["licence"]({"name": name}, lambda _line: None)
    else:
        found = await about.verbs()["about"]({}, lambda _line: None)
    if as_json:
        emit(found)
    elif name:
        block(found["text"])
    else:
        for what, which in found["versions"]:
            say(f"{what} {which}")
        say()
        lines = [[one["name"], one["version"], one["licence"]] for one in found["shipped"]]
        table([_("Name"), _("Version"), _("Licence")], lines)
