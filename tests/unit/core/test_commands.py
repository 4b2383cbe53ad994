"""Commands typed into a conversation of a real core: answered at once, and no model hears of them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from desktop.bus.events import TurnFinished
from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Desk]:
    Program(tmp_path / "home").use_server(server.url, "say:Good day.")
    async with started(Home(tmp_path / "home", tmp_path / "models")) as desk:
        yield desk


async def typed(desk: Desk, text: str) -> str:
    """The reply to a command."""
    reply = await desk.api.turns.submit("s", text)
    assert reply.command is True
    async with asyncio.timeout(60):
        async for event in desk.events:
            if isinstance(event, TurnFinished) and event.turn == reply.turn:
                return event.text
    raise AssertionError("the bus ended")


async def test_help_names_every_command_and_asks_no_model(desk: Desk, server: ScriptedServer) -> None:
    text = await typed(desk, "/Help@nanobot")
    for word in ("/help", "/new", "/stop", "/status", "/model", "/skill", "/history", "/export", "$name"):
        assert word in text
    assert not server.requests


async def test_commands_are_kept_to_be_read_but_never_shown_to_a_model(
    desk: Desk, server: ScriptedServer
) -> None:
    await typed(desk, "/status")
    await desk.ask("s", "Hello")
    assert [m["role"] for m in server.requests[-1].body["messages"]] == ["system", "user"]
    assert next(text for _role, text in await desk.said("s")) == "/status"
    (line,) = await desk.api.conversations.list()
    assert line.title == "Hello"


async def test_new_begins_anew_and_keeps_what_was_said(desk: Desk, server: ScriptedServer) -> None:
    await desk.ask("s", "Remember the word lamp")
    await typed(desk, "/new")
    await desk.ask("s", "Which word?")
    told = str(server.requests[-1].body["messages"])
    assert "lamp" not in told
    assert "Which word?" in told
    assert any("lamp" in text for _role, text in await desk.said("s"))
    records = (await desk.api.conversations.read("s")).messages
    assert [record.get("_new") for record in records].count(True) == 1


async def test_stop_ends_the_answer_that_runs(desk: Desk, server: ScriptedServer) -> None:
    server.script("slow")
    await desk.api.turns.submit("s", "count")
    assert await typed(desk, "/stop") == "Stopped."
    assert (await desk.api.conversations.read("s")).turns == []
    assert await typed(desk, "/stop") == "Nothing to stop."


async def test_the_model_of_a_conversation_is_shown_and_chosen(desk: Desk) -> None:
    assert "say:Good day." in await typed(desk, "/model")
    assert "say:Hi." in await typed(desk, "/model say:Hi.")
    end = await desk.ask("s", "Hello")
    assert isinstance(end, TurnFinished)
    assert end.text == "Hi."
    await typed(desk, "/model auto")
    assert (await desk.api.models.answering("s")).chosen is False


async def test_how_much_the_model_thinks_is_shown_and_chosen(desk: Desk, server: ScriptedServer) -> None:
    assert "decides how much to reason" in await typed(desk, "/reasoning")
    assert "Reasoning level: high" in await typed(desk, "/reasoning High")
    await desk.ask("s", "Hello")
    assert server.requests[-1].body["reasoning_effort"] == "high"
    assert "off, low, medium, high" in await typed(desk, "/reasoning auto")
    await typed(desk, "/model gpt-4.1")
    assert "no reasoning levels" in await typed(desk, "/reasoning")


async def test_history_export_and_skills(desk: Desk) -> None:
    assert await typed(desk, "/history") == "No messages yet."
    await desk.ask("s", "Hello")
    text = await typed(desk, "/history 1")
    assert "Good day." in text
    assert "Hello" not in text
    assert "/history" not in await typed(desk, "/history")
    path = (await typed(desk, "/export")).split("`")[1]
    assert "Good day." in Path(path).read_text("utf-8")
    assert "$skill-creator" in await typed(desk, "/skill")
    assert "skill-creator" in await typed(desk, "/skill skill-creator")
    assert "no skill" in await typed(desk, "/skill nothing")


async def test_a_wrong_word_is_answered_and_a_path_is_text(desk: Desk, server: ScriptedServer) -> None:
    assert "/status" in await typed(desk, "/statsu")
    assert not server.requests
    reply = await desk.api.turns.submit("s", "/etc/hosts")
    assert reply.command is False
    assert isinstance(await desk.end(), TurnFinished)
    assert server.requests


async def test_a_skill_named_in_a_message_is_loaded_with_it(desk: Desk, server: ScriptedServer) -> None:
    text = "---\nname: haiku\ndescription: Poems\n---\nCount 5-7-5."
    await desk.api.skills.save("haiku", text, new=True)
    await desk.ask("s", "$haiku about rain")
    first = server.requests[-1].body["messages"]
    assert "Count 5-7-5." in first[-1]["content"]
    assert "haiku" in first[0]["content"]
    assert "Count 5-7-5." not in first[0]["content"]
    await desk.ask("s", "And $HOME costs $5")
    assert "Count 5-7-5." in server.requests[-1].body["messages"][1]["content"], (
        "it reads the same ever after"
    )
    assert "Count 5-7-5." not in server.requests[-1].body["messages"][-1]["content"]
