"""The verbs of MCP servers, through the door of a real core: the settings, the keychain, real servers."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from desktop.bus.events import ServiceChanged
from desktop.config.mcp import KEYCHAIN
from desktop.core.owner import Owner
from desktop.errors import AppError, UsageError
from desktop.ipc import Ownership
from desktop.paths import Home

type Json = dict[str, Any]

SOUND = str(Path(__file__).parents[2] / "servers" / "mcp" / "sound.py")


class Desk:
    def __init__(self, owner: Owner, home: Home) -> None:
        self.owner, self.home = owner, home

    async def call(self, verb: str, **arguments: Any) -> Json:
        async for line in self.owner.verb(verb, arguments):
            if "result" in line:
                return dict(line["result"])
        raise AssertionError("no result")

    async def one(self, name: str) -> Json:
        found = (await self.call("mcp"))["servers"]
        return next(server for server in found if server["name"] == name)

    async def add(self, name: str = "s", **more: Any) -> None:
        server = {"command": sys.executable, "args": [SOUND], **more.pop("server", {})}
        await self.call("mcp_save", name=name, server=server, new=True, **more)

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
    await owner.start()
    yield Desk(owner, home)
    await owner.stop()


async def test_a_server_is_added_tested_listed_and_used_in_a_turn(desk: Desk) -> None:
    assert (await desk.call("mcp")) == {"servers": []}
    await desk.add()
    line = await desk.one("s")
    assert (line["state"], line["kind"], line["tools_total"]) == ("off", "stdio", 0)
    tested = await desk.call("mcp_test", name="s")
    assert tested["server"] == "sound 1.2"
    with desk.owner.bus.subscribe() as events:
        found = await desk.call("mcp_tools", name="s")
        states = []
        async with asyncio.timeout(60):
            async for event in events:
                if isinstance(event, ServiceChanged) and event.name == "mcp:s":
                    states.append(event.state)
                    if event.state == "running":
                        break
    assert states == ["starting", "running"]
    tools = {tool["name"]: tool for tool in found["tools"]}
    assert tools["wait"]["read_only"]
    assert tools["wipe"]["destructive"]
    assert tools["echo"]["tool"] == "mcp_s_echo"
    line = await desk.one("s")
    assert (line["state"], line["tools_on"], line["title"]) == ("running", len(tools), "sound 1.2")
    assert "here I am" in (await desk.call("mcp_log", name="s"))["text"]
    assert line["changed"] == sorted(tools)
    assert "mcp_s_echo" not in (await desk.owner.core.workshop.kit(lean=False)).tools, "not accepted yet"
    await desk.call("mcp_accept", name="s", tools={"echo": tools["echo"]["digest"], "add": "another"})
    kit = await desk.owner.core.workshop.kit(lean=False)
    assert "mcp_s_echo" in kit.tools
    assert "mcp_s_add" not in kit.tools, "what was seen of it is not what it is"
    assert "mcp_s_echo" not in (await desk.owner.core.workshop.kit(lean=True)).tools


async def test_without_a_server_nothing_of_them_is_loaded(desk: Desk) -> None:
    await desk.owner.core.workshop.kit(lean=False)
    assert desk.owner.core.workshop._servers is None


async def test_secrets_go_to_the_keychain_and_never_to_the_settings(desk: Desk) -> None:
    env = {"API_KEY": "looks-secret", "PLAIN": "p", "OTHER": KEYCHAIN}
    await desk.add(server={"env": env}, secrets={"env": {"OTHER": "given"}})
    assert desk.stored()["s"]["env"] == {"API_KEY": KEYCHAIN, "PLAIN": "p", "OTHER": KEYCHAIN}
    assert "looks-secret" not in desk.home.config.read_text()
    assert await desk.kept("mcp:s:env:API_KEY") == "looks-secret"
    assert await desk.kept("mcp:s:env:OTHER") == "given"
    assert (await desk.one("s"))["env"]["API_KEY"] == KEYCHAIN
    server = {"env": {"API_KEY": KEYCHAIN}}
    await desk.call("mcp_save", name="t", before="s", server=server)
    assert set(desk.stored()) == {"t"}
    assert desk.stored()["t"]["command"] == sys.executable
    assert await desk.kept("mcp:t:env:API_KEY") == "looks-secret"
    assert await desk.kept("mcp:s:env:API_KEY") is None
    assert await desk.kept("mcp:s:env:OTHER") is None
    undo = (await desk.call("mcp_remove", name="t"))["undo"]
    assert desk.stored() == {}
    assert await desk.kept("mcp:t:env:API_KEY") is None
    await desk.call("mcp_restore", undo=undo)
    assert desk.stored()["t"]["env"] == {"API_KEY": KEYCHAIN}
    assert await desk.kept("mcp:t:env:API_KEY") == "looks-secret"
    with pytest.raises(UsageError, match="nothing to bring back"):
        await desk.call("mcp_restore", undo=undo)


async def test_switches(desk: Desk) -> None:
    await desk.add()
    await desk.call("mcp_tools", name="s")
    await desk.call("mcp_tool", name="s", tool="echo", on=False)
    assert desk.stored()["s"]["disabledTools"] == ["echo"]
    tools = {tool["name"]: tool["on"] for tool in (await desk.call("mcp_tools", name="s"))["tools"]}
    assert not tools["echo"]
    assert tools["add"]
    await desk.call("mcp_tool", name="s", tool="echo", on=True)
    assert "disabledTools" not in desk.stored()["s"]
    await desk.call("mcp_save", name="s", server={"enabledTools": ["add"]})
    await desk.call("mcp_tool", name="s", tool="echo", on=True)
    assert desk.stored()["s"]["enabledTools"] == ["add", "echo"]
    await desk.call("mcp_trust", name="s", on=True)
    assert desk.stored()["s"]["trusted"] is True
    await desk.call("mcp_local", name="s", on=True)
    assert desk.stored()["s"]["local"] is True
    assert (await desk.one("s"))["local"] is True
    await desk.call("mcp_switch", name="s", on=False)
    assert (await desk.one("s"))["state"] == "off"
    with pytest.raises(UsageError, match="switched off"):
        await desk.call("mcp_tools", name="s")


async def test_what_was_accepted_goes_with_a_new_name_and_comes_back_with_the_server(desk: Desk) -> None:
    await desk.add()
    await desk.call("mcp_accept", name="s")
    await desk.call("mcp_save", name="t", before="s", server={})
    assert not [t["name"] for t in (await desk.call("mcp_tools", name="t"))["tools"] if t["changed"]]
    undo = (await desk.call("mcp_remove", name="t"))["undo"]
    await desk.call("mcp_restore", undo=undo)
    assert not [t["name"] for t in (await desk.call("mcp_tools", name="t"))["tools"] if t["changed"]]
    await desk.call("mcp_remove", name="t")
    await desk.add("t")
    assert all(t["changed"] for t in (await desk.call("mcp_tools", name="t"))["tools"])


async def test_all_that_a_model_would_be_told_is_shown_before_it_is_accepted(desk: Desk) -> None:
    await desk.add()
    tools = {t["name"]: t["told"] for t in (await desk.call("mcp_tools", name="s"))["tools"]}
    assert tools["add"].splitlines()[1:] == ["a (integer)", "b (integer)"]


async def test_what_cannot_be_is_refused_and_changes_nothing(desk: Desk) -> None:
    await desk.add()
    before = desk.home.config.read_text()
    for arguments, text in (
        ({"name": "s", "new": True, "server": {"command": "x"}}, "called s already"),
        ({"name": "a b", "new": True, "server": {"command": "x"}}, "letters, digits"),
        ({"name": "x", "new": True, "server": {}}, "a command or an address"),
        ({"name": "x", "new": True, "server": {"url": "ftp://x"}}, "url"),
        ({"name": "nobody", "server": {"command": "x"}}, "no MCP server called nobody"),
    ):
        with pytest.raises(UsageError, match=text):
            await desk.call("mcp_save", **arguments)
    for verb in (
        "mcp_tools",
        "mcp_log",
        "mcp_test",
        "mcp_remove",
        "mcp_switch",
        "mcp_restart",
        "mcp_sign_in",
    ):
        with pytest.raises(UsageError, match="no MCP server called nobody"):
            await desk.call(verb, name="nobody", on=True)
    assert desk.home.config.read_text() == before


async def test_a_server_is_tested_before_it_is_saved(desk: Desk) -> None:
    server = {"command": sys.executable, "args": [SOUND], "env": {"TOKEN": KEYCHAIN}}
    found = await desk.call("mcp_test", server=server, secrets={"env": {"TOKEN": "typed"}})
    assert "echo" in found["tools"]
    with pytest.raises(AppError, match="The keychain has no value for TOKEN"):
        await desk.call("mcp_test", server=server)
    with pytest.raises(AppError, match="no program no-such"):
        await desk.call("mcp_test", server={"command": "no-such"})


async def test_a_name_with_a_dot_that_a_person_wrote_works_too(desk: Desk) -> None:
    servers = {"my.server": {"command": sys.executable, "args": [SOUND], "note": "mine"}}
    desk.home.config.write_text(json.dumps({"tools": {"mcpServers": servers}}))
    await desk.call("settings")
    await desk.call("mcp_trust", name="my.server", on=True)
    assert desk.stored() == {"my.server": {**servers["my.server"], "trusted": True}}
    assert "mcp_my_server_echo" in {
        t["tool"] for t in (await desk.call("mcp_tools", name="my.server"))["tools"]
    }


async def test_the_command_that_changes_an_address_replaces_it(desk: Desk) -> None:
    await desk.call(
        "mcp_save", name="x", new=True, server={"url": "https://x.org/mcp", "headers": {"A": "b"}}
    )
    assert (await desk.one("x"))["kind"] == "streamableHttp"
    await desk.call("mcp_save", name="x", server={"command": "true"})
    assert desk.stored()["x"] == {"command": "true"}


async def test_a_sign_in_that_is_no_longer_wanted_is_taken_out(desk: Desk) -> None:
    server = {"url": "http://127.0.0.1:9/mcp", "auth": "oauth", "enabled": False}
    await desk.call("mcp_save", name="far", server=server, new=True)
    assert (await desk.one("far"))["oauth"] is True
    await desk.call("mcp_save", name="far", server={"auth": None}, new=False)
    assert (await desk.one("far"))["oauth"] is False
    assert desk.stored()["far"]["url"] == "http://127.0.0.1:9/mcp"
