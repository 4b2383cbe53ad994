"""The commands of MCP servers: list, add, remove, test, tools, sign-in."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from desktop.api.client import Api
from desktop.cli import options
from desktop.cli.browser import show_page
from desktop.cli.mcp_set import CLIENT_ID_HELP, CLIENT_SECRET_HELP, LOCAL, TRUSTED, asked, register_set
from desktop.cli.output import complain, emit, hint, say, table
from desktop.cli.reach import connect
from desktop.cli.run import run
from desktop.config.mcp import CLIENT_SECRET
from desktop.errors import AppError, UsageError
from desktop.paths import Home
from desktop.text import _, listed, ngettext

if TYPE_CHECKING:
    from desktop.api.servers import Secrets, ServerLine, ServerTool

type Json = dict[str, Any]


def register(app: click.Group) -> None:
    """Add the commands to the command line."""
    group = click.Group("mcp", help=_("MCP servers: programs and services that give the agent more tools."))
    app.add_command(group)

    @options.verb(group, "list", _("List the MCP servers and their states."))
    def list_command(*, as_json: bool) -> None:
        run(lambda home: _list(home, as_json), as_json=as_json)

    _register_add(group)

    @options.verb(group, "remove", _("Remove a server and its keys from the settings."))
    @click.argument("name")
    def remove_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _remove(home, name, as_json), as_json=as_json)

    @options.verb(group, "test", _("Connect to a server and show what it offers."))
    @click.argument("name")
    def test_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _test(home, name, as_json), as_json=as_json)

    @options.verb(group, "tools", _("List the tools of a server."))
    @click.argument("name")
    def tools_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _tools(home, name, as_json), as_json=as_json)

    @options.verb(group, "accept", _("Show a server’s new and changed tools, and let the agent use them."))
    @click.argument("name")
    def accept_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _accept(home, name, as_json), as_json=as_json)

    register_set(group)

    @options.verb(group, "update", _("Show newer versions of a server’s package, and switch to them."))
    @click.argument("name")
    @click.option("--yes", is_flag=True, help=_("Update without asking."))
    def update_command(name: str, yes: bool, *, as_json: bool) -> None:
        run(lambda home: _update(home, name, yes, as_json), as_json=as_json)

    @options.verb(group, "sign-in", _("Sign in to a remote server in the browser."))
    @click.argument("name")
    def sign_in_command(name: str, *, as_json: bool) -> None:
        run(lambda home: _sign_in(home, name, as_json), as_json=as_json)


def _register_add(group: click.Group) -> None:
    @options.verb(group, "add", _("Add a server: a command with arguments, or an address."), cls=_Adding)
    @click.argument("name")
    @click.argument("command", nargs=-1, type=click.UNPROCESSED)
    @click.option("--url", default="", help=_("Address of a remote server."))
    @click.option("--sse", is_flag=True, help=_("The server uses the older SSE transport."))
    @click.option(
        "--env", multiple=True, help=_("Environment variable NAME=VALUE. For secrets, only NAME.")
    )
    @click.option("--header", multiple=True, help=_("Header NAME=VALUE. For secrets, only NAME."))
    @click.option("--client-id", default="", help=_(CLIENT_ID_HELP))
    @click.option("--client-secret", is_flag=True, help=_(CLIENT_SECRET_HELP))
    @click.option("--trusted", is_flag=True, help=_(TRUSTED))
    @click.option("--local-reads", "local", is_flag=True, help=_(LOCAL))
    def add_command(
        name: str,
        command: tuple[str, ...],
        url: str,
        sse: bool,
        env: tuple[str, ...],
        header: tuple[str, ...],
        client_id: str,
        client_secret: bool,
        trusted: bool,
        local: bool,
        *,
        as_json: bool,
    ) -> None:
        given = {"command": command, "url": url, "sse": sse, "env": env, "headers": header}
        given |= {"trusted": trusted, "local": local, "id": client_id, "secret": client_secret}
        run(lambda home: _add(home, name, given, as_json), as_json=as_json)


class _Adding(click.Command):
    """Options are ours until the command begins; what follows it is the command's own, but for a last
    --json. After -- nothing is ours."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ours: list[str] = []
        words: list[str] = []
        left = list(args)
        while left:
            word = left.pop(0)
            if word == "--" or (words and not word.startswith("-")):
                words += [] if word == "--" else [word]
                if word != "--" and left[-1:] == ["--json"] and "--" not in left:
                    ours.append(left.pop())
                words += left
                break
            if not word.startswith("-"):
                words.append(word)
                continue
            ours.append(word)
            if word in ("--url", "--env", "--header", "--client-id") and left:
                ours.append(left.pop(0))
        return super().parse_args(ctx, [*ours, "--", *words])


async def _list(home: Home, as_json: bool) -> None:
    async with connect(home, "mcp") as api:
        found = await api.servers.all()
    if as_json:
        for server in found:
            emit(asdict(server))
        return
    table(
        [_("Server"), _("State"), _("Tools"), _("Type")],
        [
            [
                server.name,
                _state(server),
                f"{server.tools_on}/{server.tools_total}" if server.tools_total else "",
                server.url or " ".join([server.command, *server.args]),
            ]
            for server in found
        ],
        _("No MCP servers yet. Add one with: nanobot-desktop mcp add NAME COMMAND"),
    )
    for server in found:
        if server.changed:
            hint(
                _(
                    "{name} has new or changed tools that the agent can’t use yet. Review and accept them "
                    "with: nanobot-desktop mcp accept {name}"
                ).format(name=server.name)
            )
        if server.problem:
            hint(f"{server.name}: {server.problem} {server.remedy}".rstrip())


def _state(server: "ServerLine") -> str:
    if not server.enabled:
        return _("off")
    return {
        "off": _("not started"),
        "starting": _("starting"),
        "running": _("running"),
        "degraded": _("retrying"),
        "needs_sign_in": _("needs sign-in"),
        "failed": _("not working"),
    }[server.state]


async def _add(home: Home, name: str, given: Json, as_json: bool) -> None:
    if bool(given["command"]) == bool(given["url"]):
        raise UsageError(
            _("Give a command or an address for the server."), _("Give one of the two, and try again.")
        )
    server: Json = {}
    if given["command"]:
        program, *words = given["command"]
        if Path(program).name != program:
            program = str(Path(program).expanduser().absolute())
        server = {"command": program, "args": words}
    else:
        server = {"url": given["url"], **({"type": "sse"} if given["sse"] else {})}
        server |= {"clientId": given["id"]} if given["id"] else {}
    secrets = await _secrets(given, server)
    server |= {key: True for key in ("trusted", "local") if given[key]}
    async with connect(home, "mcp") as api:
        name = await api.servers.save(name, server, secrets, new=True)
        if not as_json:
            say(_("Added. Starting it to list its tools."))
        try:
            seen = await _accepted(api, name, as_json)
        except AppError as error:
            seen = []
            if not as_json:
                complain(error)
                say(
                    _(
                        "Once it works, let the agent use its tools with: nanobot-desktop mcp accept {name}"
                    ).format(name=name)
                )
    if as_json:
        emit({"name": name, "tools": seen})


async def _secrets(given: Json, server: Json) -> "Secrets":
    """Ask for the secret values; the others go into the server."""
    from desktop.api.servers import Secrets

    secrets: dict[str, dict[str, str]] = {}
    for kind in ("env", "headers"):
        pairs = [entry.partition("=") for entry in given[kind]]
        server[kind] = {key: value for key, equals, value in pairs if equals}
        secrets[kind] = {key: await asked(key) for key, equals, _value in pairs if not equals}
    if given["secret"]:
        secrets["client"] = {CLIENT_SECRET: await asked(_("the client secret"))}
    return Secrets(**secrets)


async def _accept(home: Home, name: str, as_json: bool) -> None:
    async with connect(home, "mcp") as api:
        seen = await _accepted(api, name, as_json)
    if as_json:
        emit({"name": name, "tools": seen})


async def _accepted(api: Api, name: str, as_json: bool) -> list[Json]:
    """Show all that a server says of its new and changed tools, then accept just that: what it changes
    after it was shown stays unaccepted. Raises AppError."""
    new = [tool for tool in (await api.servers.tools(name)).tools if tool.changed]
    if not as_json:
        _show_whole(new)
    if new:
        await api.servers.accept(name, {tool.name: tool.digest for tool in new})
    if not as_json:
        say(
            ngettext(
                "The agent can now use {count} new tool.",
                "The agent can now use {count} new tools.",
                len(new),
            ).format(count=len(new))
        )
    return [{"name": tool.name, "tool": tool.tool, "told": tool.told} for tool in new]


def _show_whole(tools: "Sequence[ServerTool]") -> None:
    for tool in tools:
        say(tool.tool)
        for line in tool.told.splitlines():
            say(f"    {line}")


async def _update(home: Home, name: str, yes: bool, as_json: bool) -> None:
    """Just the versions that were shown are taken."""
    async with connect(home, "mcp") as api:
        found = await api.servers.newer(name)
        if as_json:
            updates = [asdict(one) for one in found]
            emit({"name": name, "updates": updates, "taken": yes and bool(found)})
        else:
            for one in found:
                say(f"{one.package}: {one.now or '?'} → {one.new}")
        if not found and not as_json:
            say(_("No newer version."))
        if not found or not (yes or (not as_json and await _agreed())):
            return
        await api.servers.take(name, {one.package: one.new for one in found})
        if not as_json:
            say(
                _(
                    "The server now uses the new version. Accept its changed tools with: nanobot-desktop "
                    "mcp accept {name}"
                ).format(name=name)
            )


async def _agreed() -> bool:
    from desktop.cli.prompt import Lines

    answer = await Lines().next(_("Use this version? [y/N] "))
    return (answer or "").strip().casefold() in ("y", "yes", _("y"), _("yes"))


async def _remove(home: Home, name: str, as_json: bool) -> None:
    async with connect(home, "mcp") as api:
        undo = await api.servers.remove(name)
    if as_json:
        emit({"undo": undo})
    else:
        say(_("Done."))


async def _test(home: Home, name: str, as_json: bool) -> None:
    async with connect(home, "mcp") as api:
        done = await api.servers.test(name)
    if as_json:
        emit(asdict(done))
        return
    told = _("{server} answered after {seconds} s.")
    say(told.format(server=done.server or name, seconds=done.seconds))
    for tool in done.tools:
        say(f"  {tool}")
    if done.unused:
        told = _("It also offers {what}, which Nanobot doesn’t use.")
        hint(told.format(what=listed(done.unused)))


async def _tools(home: Home, name: str, as_json: bool) -> None:
    async with connect(home, "mcp") as api:
        found = (await api.servers.tools(name)).tools
    if as_json:
        for tool in found:
            emit(asdict(tool))
        return
    table(
        [_("Tool"), "", _("What it does")],
        [[tool.tool, _standing(tool), _line(tool.description)] for tool in found],
        _("It has no tools."),
    )
    if new := [tool for tool in found if tool.changed]:
        _show_whole(new)
        hint(
            _(
                "The agent can’t use these tools until you accept them with: nanobot-desktop mcp accept "
                "{name}"
            ).format(name=name)
        )


def _standing(tool: "ServerTool") -> str:
    if not tool.on:
        return _("off")
    return _("not accepted") if tool.changed else ""


def _line(text: str) -> str:
    first = " ".join(text.split())
    return first if len(first) <= 100 else f"{first[:99]}…"


async def _sign_in(home: Home, name: str, as_json: bool) -> None:
    async with connect(home, "mcp") as api:
        async for page in api.servers.sign_in(name):
            if as_json:  # a script opens it
                emit({"event": "open", "url": page.url})
            else:
                await show_page(page.url)
        if not as_json:
            say(_("Signed in."))
        try:
            await _accepted_first(api, name, as_json)
        except AppError as error:
            if not as_json:
                complain(error)


async def _accepted_first(api: Api, name: str, as_json: bool) -> None:
    """Where the sign-in is the end of adding a server, its tools are accepted as adding does it; what a
    known server changed is not. Raises AppError."""
    if not (await api.servers.tools(name)).known:
        await _accepted(api, name, as_json)
