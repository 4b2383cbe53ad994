"""Servers that misbehave: each is named with a remedy, and keeps nobody else waiting."""

import asyncio

import psutil
import pytest

from desktop.config import mcp_last
from desktop.config.mcp import KEYCHAIN, McpServer
from desktop.errors import AppError
from desktop.logs import masked
from desktop.services.status import ServiceState
from desktop.tools.base import ToolFailure
from desktop.tools.mcp.failures import Misconfigured
from tests.servers.mcp.odd import LONG
from tests.unit.tools.mcp.conftest import Place

BROKEN = {
    "missing": (
        McpServer(command="no-such-program-anywhere"),
        "The program no-such-program-anywhere was not found",
    ),
    "nowhere": (McpServer(command="sh", cwd="/no/such/folder"), "folder does not exist: /no/such/folder"),
    "nothing": (McpServer(), "has no command"),
    "variable": (
        McpServer(command="sh", env={"A": "${NOT_SET_ANYWHERE}"}),
        "variable NOT_SET_ANYWHERE is not set",
    ),
    "key": (McpServer(command="sh", env={"API_KEY": KEYCHAIN}), "The keychain has no value for API_KEY"),
    "address": (McpServer(url="http://127.0.0.1:9/mcp"), "can’t be reached: Connection refused"),
}


async def test_each_broken_server_is_named_and_the_sound_one_works(place: Place) -> None:
    broken = {name: server for name, (server, _text) in BROKEN.items()}
    ways = {way: place.odd(way) for way in ("exits", "flood", "endless")}
    await place.up(**broken, **ways, s=place.sound())
    assert (await place.call("mcp_s_echo", text="x")).text == "x"
    for name, (_server, text) in BROKEN.items():
        found = place.server(name)
        assert found.problem
        assert text in found.problem.text, name
        assert found.problem.remedy, name
        permanent = isinstance(found.problem, Misconfigured)
        # A connection that could be had later is tried again, and may be at that just now.
        await place.state(name, ServiceState.FAILED if permanent else ServiceState.DEGRADED)
    for name, text in (
        ("exits", "exited with code 3"),
        ("flood", "not an MCP message: nothing of use"),
        ("endless", "more than 32 MB in one message"),
    ):
        await place.until(lambda name=name: place.server(name).problem is not None)  # type: ignore[misc]
        problem = place.server(name).problem
        assert problem
        assert text in problem.text
        assert problem.remedy
        kept = mcp_last.read(place.folder / "logs", name)
        assert kept
        assert text in kept[0]
    assert mcp_last.read(place.folder / "logs", "s") is None


async def test_a_server_that_never_answers_holds_up_one_turn_for_some_seconds_only(place: Place) -> None:
    await place.up(s=place.sound())
    place.config["silent"] = place.odd("silent")
    assert "mcp_s_echo" in await place.servers.tools()
    silent = place.server("silent")
    assert not silent.settled.is_set(), "the turn waited for its end"
    assert "mcp_s_echo" in await place.servers.tools()
    assert not silent.settled.is_set(), "another turn waited"


async def test_a_test_says_what_the_server_printed_last_and_no_key(place: Place) -> None:
    place.keychain.entries["mcp:x:env:API_KEY"] = "hunter2hunter2"
    server = place.odd("exits", env={"API_KEY": KEYCHAIN})
    with pytest.raises(AppError) as raised:
        await place.servers.test("x", server, {})
    assert "exited with code 3" in raised.value.text
    assert "Error: API_KEY=[hidden] is not valid" in raised.value.text
    assert "hunter2" not in masked(raised.value.text)
    assert raised.value.remedy


async def test_a_test_counts_time_and_tools_and_leaves_nothing(place: Place) -> None:
    found = await place.servers.test("x", place.sound(), {})
    assert "echo" in found.tools
    assert found.server == "sound 1.2"
    assert found.seconds > 0
    assert not place.children()


async def test_a_line_that_is_no_message_is_passed_over_and_told_when_nothing_else_comes(
    place: Place,
) -> None:
    with pytest.raises(AppError, match="not an MCP message: Welcome to my server!"):
        async with asyncio.timeout(60):
            await place.servers.test("x", place.odd("garbage"), {})


async def test_an_answer_of_100_mb_ends_the_server_and_not_us(place: Place) -> None:
    await place.up(loud=place.odd("loud"), s=place.sound())
    before = psutil.Process().memory_info().rss
    with pytest.raises(ToolFailure, match="more than 32 MB in one message"):
        await place.call("mcp_loud_shout")
    assert psutil.Process().memory_info().rss - before < 100e6
    await place.state("loud", ServiceState.RUNNING)
    assert (await place.call("mcp_s_echo", text="x")).text == "x"


async def test_a_call_to_a_server_that_reads_no_more_ends_in_time(place: Place) -> None:
    await place.up(deaf=place.odd("deaf", tool_timeout=1))
    with pytest.raises(ToolFailure, match="no answer within 1 s"):
        await place.call("mcp_deaf_anything", text="x" * 1_000_000)


async def test_names_are_what_providers_take_and_all_different(place: Place) -> None:
    tools = await place.up(n=place.odd("names"))
    assert len(tools) == 6
    assert {"mcp_n_a_b", "mcp_n_twice"} <= set(tools)
    assert all(len(name) <= 64 and name.replace("_", "").replace("-", "").isalnum() for name in tools)
    assert all(name.isascii() for name in tools)
    raw = {tool.listed.name: name for name, tool in tools.items()}  # type: ignore[attr-defined]
    assert set(raw) == {"a.b", "a b", "twice", LONG, LONG + "y", "搜索"}
    assert (await place.call(raw[LONG])).text == "{}"
    problem = place.server("n").problem
    assert problem
    assert "lists these tools twice" in problem.text
    assert set(await place.up()) == set(tools)


async def test_schemas_of_every_kind_become_plain_ones(place: Place) -> None:
    tools = await place.up(z=place.odd("schemas"))
    schema = tools["mcp_z_recursive"].schema["function"]["parameters"]
    assert schema["properties"]["name"] == {"type": "string"}
    assert schema["properties"]["size"] == {"type": "integer"}
    assert schema["properties"]["far"] == {"description": "see: https://example.org/schema.json"}
    assert schema["required"] == ["tree", "nowhere"]
    assert schema["properties"]["nowhere"] == {}
    assert "$ref" not in str(schema)
    assert "$defs" not in str(schema)
    node = schema["properties"]["tree"]
    assert node["properties"]["children"]["items"]["properties"]["value"] == {
        "type": "string",
        "description": 'pattern: "^(a+)+$"',
    }
    assert tools["mcp_z_recursive"].brief_schema
    with pytest.raises(ToolFailure, match="'value' is a required property"):
        place.claim("mcp_z_recursive", tree={"children": []}, nowhere=1)
    place.claim("mcp_z_recursive", tree={"value": "a" * 40 + "!"}, name=None, nowhere=1)
    assert tools["mcp_z_huge"].schema["function"]["parameters"] == {"type": "object", "properties": {}}
    problem = place.server("z").problem
    assert problem
    assert "too great a length" in problem.text


async def test_all_pages_of_a_list_are_read(place: Place) -> None:
    assert len(await place.up(p=place.odd("pages"))) == 25
