"""What odd servers list, answer and print: it costs at most the part that is odd."""

import asyncio
import os
from pathlib import Path

import pytest

from desktop.config import mcp_last
from desktop.errors import AppError
from desktop.services.status import ServiceState
from desktop.tools.base import ToolFailure
from desktop.tools.mcp.drain import LARGEST
from tests.servers.mcp.odd import FAULTS, RESULTS
from tests.unit.tools.mcp.conftest import Place


async def test_an_odd_tool_costs_no_other_one(place: Place) -> None:
    tools = await place.up(s=place.odd("strange"))
    usable = {tool.listed.name for tool in tools.values()}  # type: ignore[attr-defined]
    assert usable == {
        *("sound", "any-of", "no-type", "empty", "null", "true", "missing", "words", "text-typed", "loop"),
        *("odd-properties", "odd-list", "enum", "output", "description", "half"),
    }
    schemas = {name: tool.schema["function"]["parameters"] for name, tool in tools.items()}
    assert all(schema["type"] == "object" for schema in schemas.values())
    assert schemas["mcp_s_any-of"]["properties"] == {"a": {"type": "string"}}
    assert schemas["mcp_s_no-type"]["properties"] == {"a": {"type": "string"}}
    assert set(schemas["mcp_s_odd-properties"]["properties"]) == {"a", "b", "c"}
    for name in tools:
        assert "{" in (await place.call(name, a="x")).text, name
    problem = place.server("s").problem
    assert problem
    assert "left out: 7, a name, a tool without a name" in problem.text
    assert "can’t be read; the server checks them itself: text-typed, words" in problem.text
    assert place.server("s").status.state is ServiceState.RUNNING
    assert "left out" in place.server("s").status.detail


async def test_what_a_server_adds_later_is_told_where_it_is_odd(place: Place) -> None:
    await place.up(s=place.odd("later"))
    await place.call("mcp_s_add")
    await place.until(lambda: "new" in place.server("s").tools)
    await place.until(lambda: "left out: 9" in place.server("s").status.detail)


async def test_a_list_that_goes_round_is_read_once(place: Place) -> None:
    tools = await place.up(s=place.odd("still"))
    assert set(tools) == {"mcp_s_one"}
    problem = place.server("s").problem
    assert problem
    assert "never ends" in problem.text


@pytest.mark.parametrize("fault", FAULTS)
async def test_an_error_of_the_server_is_its_words_and_no_broken_connection(
    place: Place, fault: str
) -> None:
    await place.up(s=place.odd("faults"))
    before = {child.pid for child in place.children()}
    for _again in range(2):
        with pytest.raises(ToolFailure) as raised:
            await place.call(f"mcp_s_{fault}")
        assert str(FAULTS[fault]["message"]) in str(raised.value)
        assert "did not carry this out" in str(raised.value)
    assert {child.pid for child in place.children()} == before
    assert place.server("s").status.state is ServiceState.RUNNING


@pytest.mark.parametrize("name", ["mislabelled", "unlabelled", "address", "unpadded", "wrapped"])
async def test_a_picture_is_told_by_its_bytes(place: Place, name: str) -> None:
    await place.up(s=place.odd("results"))
    found = await place.call(f"mcp_s_{name}")
    (picture,) = found.images
    assert picture.suffix == ".png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.read_bytes().endswith(b"\x42\x60\x82")
    assert "image/png" in found.text


async def test_odd_parts_leave_the_others(place: Place) -> None:
    await place.up(s=place.odd("results"))
    said = {name: await _text(place, name) for name in RESULTS}
    assert "image/jpeg, kept as" in said["jpg"]
    assert said["no-picture"].startswith("before\n[An image, bytes of an unknown kind, kept as")
    assert said["no-base64"] == "[An image can't be read: it is not Base64.]\nafter"
    assert said["unknown"].startswith("before\n[A part of a kind that is not known here: video")
    assert said["unknown"].endswith("after")
    assert "bare words" in said["garbled"]
    assert said["garbled"].endswith("after")
    assert "alone" in said["no-list"]
    assert said["nothing"] == "[The tool gave no text.]"
    assert "42" in said["old"]
    assert said["structured"] == "[\n 1,\n 2\n]"
    assert "reports an error: no room" in said["failed"]
    assert "inner words" in said["no-uri"]
    assert said["marked"] == "fine"


async def _text(place: Place, name: str) -> str:
    try:
        return (await place.call(f"mcp_s_{name}")).text
    except ToolFailure as failure:
        return str(failure)


async def test_a_server_that_floods_its_stderr_costs_no_disk(place: Place) -> None:
    await place.up(s=place.odd("noisy"))
    log = place.server("s").log
    for number in range(200):
        assert str(number) in (await place.call("mcp_s_echo", text=number)).text
        assert _size(log) <= LARGEST + 1_000
        await asyncio.sleep(0.01)
    assert "a warning that nobody needs" in place.servers.log("s")
    await place.servers.stop()
    assert not place.children()
    assert _size(log) <= LARGEST + 1_000


def _size(log: Path) -> int:
    return os.stat(log).st_size if log.exists() else 0


async def test_a_server_that_ends_when_nobody_asks_it_to_is_gone_with_the_others(place: Place) -> None:
    place.config.update(a=place.odd("stubborn"), b=place.odd("stubborn"), c=place.odd("deaf"))
    place.servers.wake()
    await place.until(lambda: len(place.children()) == 6)
    await place.servers.stop()
    assert not place.children()


def test_that_a_server_did_not_come_up_is_known_the_next_time(tmp_path: Path) -> None:
    odd = AppError("What is odd.", "A remedy.")
    assert mcp_last.came_up(tmp_path, "never-tried")
    for up in (True, False):
        mcp_last.keep(tmp_path, "s", odd, up=up)
        assert mcp_last.came_up(tmp_path, "s") is up
        assert mcp_last.read(tmp_path, "s") == ("What is odd.", "A remedy.")
    (tmp_path / "old.problem").write_text('["What was wrong.", "A remedy."]', "utf-8")
    assert mcp_last.came_up(tmp_path, "old")
