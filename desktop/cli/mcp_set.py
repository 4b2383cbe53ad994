"""What is said of an MCP server that is there: how far it is trusted, and as what one signs in to it."""

from typing import Any

import click

from desktop.cli import options
from desktop.cli.output import emit, say
from desktop.cli.reach import reach, result
from desktop.cli.run import run
from desktop.config.mcp import CLIENT_SECRET
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.text import _, mark

type Json = dict[str, Any]

TRUSTED = mark("What it says of its tools is believed: those that only read run without a question.")
CLIENT_ID_HELP = mark(
    "The client id that you registered there, or the address of a client metadata document."
)
CLIENT_SECRET_HELP = mark("Ask for the secret that came with the client id. The keychain keeps it.")
LOCAL = mark("You say that it is on this computer and only reads: nothing it is given leaves it.")


def register_set(group: click.Group) -> None:
    """Add `set`."""

    @options.verb(group, "set", _("Say how far you trust a server, or as what you sign in to it."))
    @click.argument("name")
    @click.option("--trusted/--not-trusted", "trusted", default=None, help=_(TRUSTED))
    @click.option("--local-reads/--no-local-reads", "local", default=None, help=_(LOCAL))
    @click.option("--client-id", default=None, help=_(CLIENT_ID_HELP))
    @click.option("--client-secret", is_flag=True, help=_(CLIENT_SECRET_HELP))
    def set_command(
        name: str,
        trusted: bool | None,
        local: bool | None,
        client_id: str | None,
        client_secret: bool,
        *,
        as_json: bool,
    ) -> None:
        wanted = {"mcp_trust": trusted, "mcp_local": local}
        client = (client_id, client_secret)
        run(lambda home: _set(home, name, wanted, client, as_json), as_json=as_json)


async def _set(
    home: Home,
    name: str,
    wanted: dict[str, bool | None],
    client: tuple[str | None, bool],
    as_json: bool,
) -> None:
    said = {what: on for what, on in wanted.items() if on is not None}
    id_, secret = client
    if not said and id_ is None and not secret:
        raise UsageError(
            _("Nothing was given to set."),
            _("Give one of: {options}.").format(
                options="--trusted, --not-trusted, --local-reads, --no-local-reads, --client-id, "
                "--client-secret"
            ),
        )
    server: Json = {} if id_ is None else {"clientId": id_}
    secrets: Json = {"client": {CLIENT_SECRET: await asked(_("the client secret"))}} if secret else {}
    async with reach(home, "mcp") as verb:
        for what, on in said.items():
            await result(verb, what, name=name, on=on)
        if server or secrets:
            await result(verb, "mcp_save", name=name, server=server, secrets=secrets)
    if as_json:
        emit({"name": name})
    else:
        say(_("Done."))


async def asked(key: str) -> str:
    """A secret value, typed unseen or read from standard input: never an argument."""
    from desktop.cli.prompt import Lines

    return (await Lines().secret(_("Value of {name}: ").format(name=key))).strip()
