"""MCP servers as they are asked of a real core: the settings, the keychain, real servers."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest

from desktop.api.client import Api
from desktop.api.servers import Secrets, ServerLine, SignInPage
from desktop.bus.events import ServiceChanged
from desktop.cli.owner import Owner
from desktop.config.mcp import KEYCHAIN
from desktop.errors import AppError, UsageError
from desktop.ipc.ownership import Ownership
from desktop.paths import Home
from tests import warm
from tests.streamed import end_of

type Json = dict[str, Any]

SOUND = str(Path(__file__).parents[2] / "servers" / "mcp" / "sound.py")


class Desk:
    def __init__(self, owner: Owner, home: Home) -> None:
        self.owner, self.home, self.api = owner, home, Api(owner).servers

    async def one(self, name: str) -> ServerLine:
        return next(server for server in await self.api.all() if server.name == name)

    async def add(
        self, name: str = "s", server: Json | None = None, secrets: Secrets | None = None
    ) -> None:
        command, *args = warm.mcp_command(SOUND)
        whole = {"command": command, "args": args, **(server or {})}
        await self.api.save(name, whole, secrets, new=True)

    async def waiting(self, name: str) -> list[str]:
        """The tools that are not accepted as they are now."""
        return [tool.name for tool in (await self.api.tools(name)).tools if tool.changed]

    def stored(self) -> Json:
        servers: Json = json.loads(self.home.config.read_text())["tools"]["mcpServers"]
        return servers

    async def kept(self, entry: str) -> str | None:
        self.owner.core.keychain.forget(entry)
        return await self.owner.core.keychain.get(entry)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    home = Home(tmp_path / "home", tmp_path / "home" / "models")
    ownership = Ownership.take(home)
    assert ownership is not None
    owner = Owner(home, "window", ownership)
    owner.host = warm.host(owner.bus)
    await owner.start()
    yield Desk(owner, home)
    await owner.stop()


async def test_a_server_is_added_tested_listed_and_used_in_a_turn(desk: Desk) -> None:
    assert await desk.api.all() == ()
    await desk.add()
    line = await desk.one("s")
    assert (line.state, line.kind, line.tools_total) == ("off", "stdio", 0)
    assert (await desk.api.test("s")).server == "sound 1.2"
    with desk.owner.bus.subscribe() as events:
        found = await desk.api.tools("s")
        states = []
        async with asyncio.timeout(60):
            async for event in events:
                if isinstance(event, ServiceChanged) and event.name == "mcp:s":
                    states.append(event.state)
                    if event.state == "running":
                        break
    assert states == ["starting", "running"]
    tools = {tool.name: tool for tool in found.tools}
    assert tools["wait"].read_only
    assert tools["wipe"].destructive
    assert tools["echo"].tool == "mcp_s_echo"
    line = await desk.one("s")
    assert (line.state, line.tools_on, line.title) == ("running", len(tools), "sound 1.2")
    assert "here I am" in await desk.api.log("s")
    assert line.changed == tuple(sorted(tools))
    assert "mcp_s_echo" not in (await desk.owner.core.toolbox.toolset(small_model=False)).tools, (
        "not accepted yet"
    )
    await desk.api.accept("s", {"echo": tools["echo"].digest, "add": "another"})
    toolset = await desk.owner.core.toolbox.toolset(small_model=False)
    assert "mcp_s_echo" in toolset.tools
    assert "mcp_s_add" not in toolset.tools, "what was seen of it is not what it is"
    assert "mcp_s_echo" not in (await desk.owner.core.toolbox.toolset(small_model=True)).tools


async def test_without_a_server_nothing_of_them_is_loaded(desk: Desk) -> None:
    await desk.owner.core.toolbox.toolset(small_model=False)
    assert desk.owner.core.toolbox._servers is None


async def test_secrets_go_to_the_keychain_and_never_to_the_settings(desk: Desk) -> None:
    env = {"API_KEY": "looks-secret", "PLAIN": "p", "OTHER": KEYCHAIN}
    await desk.add(server={"env": env}, secrets=Secrets(env={"OTHER": "given"}))
    assert desk.stored()["s"]["env"] == {"API_KEY": KEYCHAIN, "PLAIN": "p", "OTHER": KEYCHAIN}
    assert "looks-secret" not in desk.home.config.read_text()
    assert await desk.kept("mcp:s:env:API_KEY") == "looks-secret"
    assert await desk.kept("mcp:s:env:OTHER") == "given"
    assert (await desk.one("s")).env["API_KEY"] == KEYCHAIN
    await desk.api.save("t", {"env": {"API_KEY": KEYCHAIN}}, before="s")
    assert set(desk.stored()) == {"t"}
    assert desk.stored()["t"]["command"] == sys.executable
    assert await desk.kept("mcp:t:env:API_KEY") == "looks-secret"
    assert await desk.kept("mcp:s:env:API_KEY") is None
    assert await desk.kept("mcp:s:env:OTHER") is None
    undo = await desk.api.remove("t")
    assert desk.stored() == {}
    assert await desk.kept("mcp:t:env:API_KEY") is None
    await desk.api.restore(undo)
    assert desk.stored()["t"]["env"] == {"API_KEY": KEYCHAIN}
    assert await desk.kept("mcp:t:env:API_KEY") == "looks-secret"
    with pytest.raises(UsageError, match="nothing to restore"):
        await desk.api.restore(undo)


async def test_switches(desk: Desk) -> None:
    await desk.add()
    await desk.api.tools("s")
    await desk.api.switch_tool("s", "echo", on=False)
    assert desk.stored()["s"]["disabledTools"] == ["echo"]
    tools = {tool.name: tool.on for tool in (await desk.api.tools("s")).tools}
    assert not tools["echo"]
    assert tools["add"]
    await desk.api.switch_tool("s", "echo", on=True)
    assert "disabledTools" not in desk.stored()["s"]
    await desk.api.save("s", {"enabledTools": ["add"]})
    await desk.api.switch_tool("s", "echo", on=True)
    assert desk.stored()["s"]["enabledTools"] == ["add", "echo"]
    await desk.api.trust("s", on=True)
    assert desk.stored()["s"]["trusted"] is True
    await desk.api.say_local("s", on=True)
    assert desk.stored()["s"]["local"] is True
    assert (await desk.one("s")).local is True
    await desk.api.switch("s", on=False)
    assert (await desk.one("s")).state == "off"
    with pytest.raises(UsageError, match="off"):
        await desk.api.tools("s")


async def test_what_was_accepted_goes_with_a_new_name_and_comes_back_with_the_server(desk: Desk) -> None:
    await desk.add()
    await desk.api.accept("s")
    await desk.api.save("t", {}, before="s")
    assert not await desk.waiting("t")
    undo = await desk.api.remove("t")
    await desk.api.restore(undo)
    assert not await desk.waiting("t")
    await desk.api.remove("t")
    await desk.add("t")
    assert await desk.waiting("t") == [tool.name for tool in (await desk.api.tools("t")).tools]


async def test_all_that_a_model_would_be_told_is_shown_before_it_is_accepted(desk: Desk) -> None:
    await desk.add()
    tools = {tool.name: tool.told for tool in (await desk.api.tools("s")).tools}
    assert tools["add"].splitlines()[1:] == ["a (integer)", "b (integer)"]


async def test_what_cannot_be_is_refused_and_changes_nothing(desk: Desk) -> None:
    await desk.add()
    before = desk.home.config.read_text()
    api = desk.api
    for save, text in (
        (api.save("s", {"command": "x"}, new=True), "already a server named s"),
        (api.save("a b", {"command": "x"}, new=True), "letters, digits"),
        (api.save("x", {}, new=True), "a command or an address"),
        (api.save("x", {"url": "ftp://x"}, new=True), "url"),
        (api.save("nobody", {"command": "x"}), "no MCP server named nobody"),
    ):
        with pytest.raises(UsageError, match=text):
            await save
    name = "nobody"
    works: tuple[Awaitable[object], ...] = (
        *(api.tools(name), api.log(name), api.test(name), api.remove(name)),
        *(api.switch(name, on=True), api.restart(name), end_of(api.sign_in(name), SignInPage)),
    )
    for work in works:
        with pytest.raises(UsageError, match="no MCP server named nobody"):
            await work
    assert desk.home.config.read_text() == before


async def test_a_server_is_tested_before_it_is_saved(desk: Desk) -> None:
    command, *args = warm.mcp_command(SOUND)
    server = {"command": command, "args": args, "env": {"TOKEN": KEYCHAIN}}
    found = await desk.api.test(server=server, secrets=Secrets(env={"TOKEN": "typed"}))
    assert "echo" in found.tools
    with pytest.raises(AppError, match="The keychain has no value for TOKEN"):
        await desk.api.test(server=server)
    with pytest.raises(AppError, match="The program no-such"):
        await desk.api.test(server={"command": "no-such"})


async def test_a_name_with_a_dot_that_a_person_wrote_works_too(desk: Desk) -> None:
    command, *args = warm.mcp_command(SOUND)
    servers = {"my.server": {"command": command, "args": args, "note": "mine"}}
    desk.home.config.write_text(json.dumps({"tools": {"mcpServers": servers}}))
    await Api(desk.owner).settings.all()
    await desk.api.trust("my.server", on=True)
    assert desk.stored() == {"my.server": {**servers["my.server"], "trusted": True}}
    assert "mcp_my_server_echo" in {tool.tool for tool in (await desk.api.tools("my.server")).tools}


async def test_the_command_that_changes_an_address_replaces_it(desk: Desk) -> None:
    await desk.api.save("x", {"url": "https://x.org/mcp", "headers": {"A": "b"}}, new=True)
    assert (await desk.one("x")).kind == "streamableHttp"
    await desk.api.save("x", {"command": "true"})
    assert desk.stored()["x"] == {"command": "true"}


async def test_a_sign_in_that_is_no_longer_wanted_is_taken_out(desk: Desk) -> None:
    server = {"url": "http://127.0.0.1:9/mcp", "auth": "oauth", "enabled": False}
    await desk.api.save("far", server, new=True)
    assert (await desk.one("far")).oauth is True
    await desk.api.save("far", {"auth": None})
    assert (await desk.one("far")).oauth is False
    assert desk.stored()["far"]["url"] == "http://127.0.0.1:9/mcp"
