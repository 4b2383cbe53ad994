"""What is said of an MCP server that is there: how far it is trusted, and as what one signs in to it."""

from typing import Any

import click

from desktop.cli import options
from desktop.cli.output import emit, say
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.config.mcp import CLIENT_SECRET
from desktop.errors import UsageError
from desktop.paths import Home
from desktop.text import _, mark

type Json = dict[str, Any]

TRUSTED = mark("Believe what it says about its tools: read-only ones run without asking.")
CLIENT_ID_HELP = mark("The client ID you registered there, or the address of a client metadata document.")
CLIENT_SECRET_HELP = mark("Ask for the secret that belongs to the client ID. It is stored in the keychain.")
LOCAL = mark("Confirm that it runs locally and is read-only: nothing it receives leaves this computer.")


def register_set(group: click.Group) -> None:
    """Add `set`."""

    @options.verb(group, "set", _("Set how far you trust a server, or the client used to sign in to it."))
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
        client = (client_id, client_secret)
        run(lambda home: _set(home, name, trusted, local, client, as_json), as_json=as_json)


async def _set(
    home: Home,
    name: str,
    trusted: bool | None,
    local: bool | None,
    client: tuple[str | None, bool],
    as_json: bool,
) -> None:
    id_, secret = client
    if trusted is None and local is None and id_ is None and not secret:
        raise UsageError(
            _("Nothing to set."),
            _("Give one of: {options}.").format(
                options="--trusted, --not-trusted, --local-reads, --no-local-reads, --client-id, "
                "--client-secret"
            ),
        )
    server: Json = {} if id_ is None else {"clientId": id_}
    given = {CLIENT_SECRET: await asked(_("the client secret"))} if secret else {}
    async with connect(home, "mcp") as api:
        servers = api.servers
        if trusted is not None:
            await servers.trust(name, on=trusted)
        if local is not None:
            await servers.say_local(name, on=local)
        if server or given:
            from desktop.api.servers import Secrets

            await servers.save(name, server, Secrets(client=given))
    if as_json:
        emit({"name": name})
    else:
        say(_("Done."))


async def asked(key: str) -> str:
    """A secret value, typed unseen or read from standard input: never an argument."""
    from desktop.cli.prompt import Lines

    return (await Lines().secret(_("Value of {name}: ").format(name=key))).strip()
