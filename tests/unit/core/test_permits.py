"""The verbs of permissions and of what was done, through the door of a real core."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.api.permissions import GrantedFolder
from desktop.api.reply import Reply
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
    await desk.api.turns.submit("s", "Count")
    question = (await asked(desk)).question
    assert (await desk.api.inbox.list()).open == 1
    assert (await desk.api.questions.answer(question, Reply(True, always=True))).late is False
    await desk.end()
    assert (await desk.api.inbox.list()).open == 0
    found = await desk.api.permissions.read("s")
    (rule,) = found.rules
    assert (rule.rule["tool"], rule.rule["program"]) == ("exec", "wc")
    assert "wc" in rule.sentence
    (entry,) = await desk.api.tools.audit(session="s")
    assert (entry.tool, entry.reason) == ("exec", "person")
    await desk.api.permissions.forget(rule.rule)
    assert (await desk.api.permissions.read()).rules == ()
    with pytest.raises(UsageError, match="no longer open"):
        await desk.api.questions.answer(question, Reply(True))


async def test_later_lets_the_turn_go_on_and_the_question_be_answered_then(
    desk: Desk, server: ScriptedServer
) -> None:
    server.script(use("exec", command="touch made"), "say:It waits.", "say:Made.")
    await desk.api.turns.submit("s", "Make")
    question = (await asked(desk)).question
    assert await desk.api.questions.park(question)
    assert (await desk.end()).turn
    (notice,) = (await desk.api.inbox.list()).notices
    assert notice.body["card"]["command"] == "touch made"
    assert (await desk.api.questions.answer(question, Reply(True))).late is True
    await desk.end()
    assert (desk.owner.core.workspace / "made").exists()


async def test_without_a_sandbox_there_is_no_autonomous_mode(desk: Desk) -> None:
    assert (await desk.api.permissions.read()).autonomous
    await desk.api.settings.change({"tools.exec.sandbox": "off"})
    assert not (await desk.api.permissions.read()).autonomous
    with pytest.raises(UsageError, match="Without a sandbox"):
        await desk.api.permissions.set_mode("s", "autonomous")
    await desk.api.settings.change({"tools.exec.enable": False})
    assert (await desk.api.permissions.read()).autonomous
    await desk.api.permissions.set_mode("s", "autonomous")


async def test_a_conversation_has_a_mode_of_its_own_for_a_while(desk: Desk) -> None:
    assert (await desk.api.permissions.read("s")).mode == "risky"
    told = await desk.api.permissions.set_mode("s", "autonomous")
    found = await desk.api.permissions.read("s")
    assert (found.mode, found.until) == ("autonomous", told.until)
    assert (await desk.api.permissions.read("other")).mode == "risky"
    await desk.api.permissions.set_mode("s", "")
    assert (await desk.api.permissions.read("s")).mode == "risky"
    with pytest.raises(UsageError):
        await desk.api.permissions.set_mode("s", "anything")


async def test_folders_are_granted_for_all_or_for_one_conversation(desk: Desk, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    await desk.api.permissions.grant(str(tmp_path / "a"), write=True)
    await desk.api.permissions.grant(str(tmp_path / "b"), session="s")
    await desk.api.permissions.set_folder("s", str(tmp_path / "a"))
    found = await desk.api.permissions.read("s")
    assert found.folders == (GrantedFolder(str(tmp_path / "a"), write=True),)
    assert found.session_folders == (GrantedFolder(str(tmp_path / "b")),)
    assert found.folder == str(tmp_path / "a")
    await desk.api.permissions.revoke(str(tmp_path / "a"))
    await desk.api.permissions.revoke(str(tmp_path / "b"), session="s")
    found = await desk.api.permissions.read("s")
    assert (found.folders, found.session_folders) == ((), ())
    with pytest.raises(UsageError, match="no folder"):
        await desk.api.permissions.grant(str(tmp_path / "missing"))


async def test_the_tools_are_listed_and_commands_can_be_switched_off(
    desk: Desk, server: ScriptedServer
) -> None:
    tools = {tool.name: tool for tool in await desk.api.tools.list()}
    assert tools["exec"].on
    assert [name for name, tool in tools.items() if tool.small_model] == [
        "read_file",
        "write_file",
        "edit_file",
        "list_dir",
        "web_fetch",
        "cron",
        "add_line",
        "search_files",
    ]
    await desk.api.settings.change({"tools.exec.enable": False})
    await desk.ask("s", "hello")
    sent = [tool["function"]["name"] for tool in server.requests[-1].body["tools"]]
    assert "exec" not in sent
    assert "read_file" in sent


async def test_a_message_reaches_another_conversation_that_is_there(
    desk: Desk, server: ScriptedServer
) -> None:
    await desk.ask("window:one", "hello")
    server.script(use("message", content="Hi.", channel="window", chat_id="one"), "say:Sent.")
    await desk.api.turns.submit("window:two", "Tell them")
    await desk.api.questions.answer((await asked(desk)).question, Reply(True))
    await desk.end()
    assert (await desk.said("window:one"))[-1] == ("assistant", "Hi.")
    server.script(use("message", content="Hi.", channel="window", chat_id="none"), "say:No such.")
    await desk.api.turns.submit("window:two", "Tell them")
    await desk.api.questions.answer((await asked(desk)).question, Reply(True))
    await desk.end()
    assert "no conversation window:none" in server.requests[-1].body["messages"][-1]["content"]
