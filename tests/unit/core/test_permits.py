"""The verbs of permissions and of what was done, through the door of a real core."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.bus.events import PermissionAsked
from desktop.errors import UsageError
from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started

type Json = dict[str, Any]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Desk]:
    Program(tmp_path / "home").use_server(server.url)
    async with started(Home(tmp_path / "home", tmp_path / "models")) as desk:
        yield desk


async def asked(desk: Desk) -> PermissionAsked:
    async for event in desk.events:
        if isinstance(event, PermissionAsked):
            return event
    raise AssertionError("the bus ended")


def use(name: str, **given: Any) -> str:
    return f"use:{json.dumps([[name, given]])}"


async def test_a_question_is_answered_while_the_call_waits(desk: Desk, server: ScriptedServer) -> None:
    server.script(use("exec", command="wc -c note.txt"), "say:Counted.")
    await desk.call("submit", session="s", text="Count", front="window")
    question = (await asked(desk)).question
    assert (await desk.call("inbox"))["open"] == 1
    assert await desk.call("permit", question=question, yes=True, always=True) == {"late": False}
    await desk.end()
    assert (await desk.call("inbox"))["open"] == 0
    found = await desk.call("permissions", session="s")
    (rule,) = found["rules"]
    assert (rule["tool"], rule["program"]) == ("exec", "wc")
    assert "wc" in rule["sentence"]
    (entry,) = (await desk.call("audit", session="s"))["entries"]
    assert (entry["tool"], entry["reason"]) == ("exec", "person")
    await desk.call("forget_rule", rule=rule)
    assert (await desk.call("permissions"))["rules"] == []
    with pytest.raises(UsageError, match="not open any more"):
        await desk.call("permit", question=question, yes=True)


async def test_later_lets_the_turn_go_on_and_the_question_be_answered_then(
    desk: Desk, server: ScriptedServer
) -> None:
    server.script(use("exec", command="touch made"), "say:It waits.", "say:Made.")
    await desk.call("submit", session="s", text="Make", front="window")
    question = (await asked(desk)).question
    assert await desk.call("later", question=question) == {"parked": True}
    assert (await desk.end()).turn
    (notice,) = (await desk.call("inbox"))["notices"]
    assert notice["body"]["card"]["command"] == "touch made"
    assert await desk.call("permit", question=question, yes=True) == {"late": True}
    await desk.end()
    assert (desk.owner.core.workspace / "made").exists()


async def test_without_a_sandbox_there_is_no_autonomous_mode(desk: Desk) -> None:
    assert (await desk.call("permissions"))["autonomous"]
    await desk.call("set", values={"tools.exec.sandbox": "off"})
    assert not (await desk.call("permissions"))["autonomous"]
    with pytest.raises(UsageError, match="Without a sandbox"):
        await desk.call("mode", session="s", mode="autonomous")
    await desk.call("set", values={"tools.exec.enable": False})
    assert (await desk.call("permissions"))["autonomous"]
    await desk.call("mode", session="s", mode="autonomous")


async def test_a_conversation_has_a_mode_of_its_own_for_a_while(desk: Desk) -> None:
    assert (await desk.call("permissions", session="s"))["mode"] == "risky"
    told = await desk.call("mode", session="s", mode="autonomous")
    found = await desk.call("permissions", session="s")
    assert (found["mode"], found["until"]) == ("autonomous", told["until"])
    assert (await desk.call("permissions", session="other"))["mode"] == "risky"
    await desk.call("mode", session="s", mode="")
    assert (await desk.call("permissions", session="s"))["mode"] == "risky"
    with pytest.raises(UsageError):
        await desk.call("mode", session="s", mode="anything")


async def test_folders_are_granted_for_all_or_for_one_conversation(desk: Desk, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    await desk.call("grant", path=str(tmp_path / "a"), write=True)
    await desk.call("grant", path=str(tmp_path / "b"), session="s")
    await desk.call("folder", session="s", folder=str(tmp_path / "a"))
    found = await desk.call("permissions", session="s")
    assert found["folders"] == [{"path": str(tmp_path / "a"), "write": True}]
    assert found["session_folders"] == [{"path": str(tmp_path / "b")}]
    assert found["folder"] == str(tmp_path / "a")
    await desk.call("revoke", path=str(tmp_path / "a"))
    await desk.call("revoke", path=str(tmp_path / "b"), session="s")
    found = await desk.call("permissions", session="s")
    assert (found["folders"], found["session_folders"]) == ([], [])
    with pytest.raises(UsageError, match="no folder"):
        await desk.call("grant", path=str(tmp_path / "missing"))


async def test_the_tools_are_listed_and_commands_can_be_switched_off(
    desk: Desk, server: ScriptedServer
) -> None:
    tools = {tool["name"]: tool for tool in (await desk.call("tools"))["tools"]}
    assert tools["exec"]["on"]
    assert [name for name, tool in tools.items() if tool["lean"]] == [
        "read_file",
        "write_file",
        "edit_file",
        "list_dir",
        "web_fetch",
        "cron",
        "add_line",
        "search_files",
    ]
    await desk.call("set", values={"tools.exec.enable": False})
    await desk.ask("s", "hello")
    sent = [tool["function"]["name"] for tool in server.requests[-1].body["tools"]]
    assert "exec" not in sent
    assert "read_file" in sent


async def test_a_message_reaches_another_conversation_that_is_there(
    desk: Desk, server: ScriptedServer
) -> None:
    await desk.ask("window:one", "hello")
    server.script(use("message", content="Hi.", channel="window", chat_id="one"), "say:Sent.")
    await desk.call("submit", session="window:two", text="Tell them", front="window")
    await desk.call("permit", question=(await asked(desk)).question, yes=True)
    await desk.end()
    assert (await desk.said("window:one"))[-1] == ("assistant", "Hi.")
    server.script(use("message", content="Hi.", channel="window", chat_id="none"), "say:No such.")
    await desk.call("submit", session="window:two", text="Tell them", front="window")
    await desk.call("permit", question=(await asked(desk)).question, yes=True)
    await desk.end()
    assert "no conversation window:none" in server.requests[-1].body["messages"][-1]["content"]
