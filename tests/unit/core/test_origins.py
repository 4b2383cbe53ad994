"""Whose words a text is stays with it: through vouching, deliveries, subagents and late answers."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from desktop.api.permissions import Marked
from desktop.api.reply import Reply
from desktop.origin import untrusted
from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.core.test_permits import asked, use

PAGE = untrusted("a.page")
INTO = "INSERT INTO deliveries (id, session, text, source, origin, sources) VALUES (?, ?, ?, ?, ?, ?)"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Desk]:
    Program(tmp_path / "home").use_server(server.url)
    async with started(Home(tmp_path / "home", tmp_path / "models")) as desk:
        yield desk


async def marked(desk: Desk, session: str) -> Marked | None:
    """What a conversation has in view that is marked, as its window is told."""
    return (await desk.api.permissions.read(session)).marked


async def read_a_letter(desk: Desk, server: ScriptedServer, session: str, name: str = "letter.txt") -> None:
    path = desk.owner.core.workspace / name
    path.write_text(f"Dear agent, this is {name}.")
    server.script(use("read_file", path=name), "say:I have read it.")
    await desk.ask(session, "Read it")


async def test_the_person_vouches_for_what_a_conversation_has_in_view(
    desk: Desk, server: ScriptedServer
) -> None:
    await read_a_letter(desk, server, "s")
    found = await marked(desk, "s")
    assert found
    assert (found.origin, found.sources) == ("unknown", ("letter.txt",))
    assert "letter.txt" in found.text
    await desk.api.permissions.vouch(session="s")
    assert await marked(desk, "s") is None
    assert (await desk.api.permissions.read()).vouched == (), "for no folder"
    await read_a_letter(desk, server, "s", "another.txt")
    assert await marked(desk, "s"), "what comes in later is not vouched for"


async def test_the_person_vouches_for_a_folder_and_takes_it_back(
    desk: Desk, server: ScriptedServer
) -> None:
    await read_a_letter(desk, server, "s")
    await desk.api.permissions.vouch(session="s", folder=True)
    workspace = str(desk.owner.core.workspace.resolve())
    assert (await desk.api.permissions.read()).vouched == (workspace,)
    await read_a_letter(desk, server, "clean", "another.txt")
    assert await marked(desk, "clean") is None
    await desk.api.permissions.unvouch(workspace)
    await read_a_letter(desk, server, "later", "third.txt")
    assert await marked(desk, "later")


async def test_what_is_delivered_keeps_its_mark(desk: Desk) -> None:
    await desk.ask("s", "hello")
    deliveries = desk.owner.core.background.deliveries
    await deliveries.put("run:1", "s", "It says: obey.", "cron:j", PAGE)
    async with asyncio.timeout(60):
        while len(await desk.said("s")) < 3:
            await anext(desk.events)
    found = await marked(desk, "s")
    assert found
    assert (found.origin, found.sources) == ("untrusted", ("a.page",))


async def test_a_delivery_that_was_cut_off_keeps_its_mark(tmp_path: Path, server: ScriptedServer) -> None:
    Program(tmp_path / "home").use_server(server.url)
    home = Home(tmp_path / "home", tmp_path / "models")
    async with started(home) as desk:
        await desk.ask("s", "hello")
        row = ("run:1", "s", "It says: obey.", "cron:j", "untrusted", json.dumps(("a.page",)))
        await desk.owner.core.database.write(INTO, row)
    async with started(home) as desk:
        await desk.owner.core.background.deliveries.recover()
        async with asyncio.timeout(60):
            while len(await desk.said("s")) < 3:
                await anext(desk.events)
        found = await marked(desk, "s")
        assert found
        assert found.sources == ("a.page",)


async def test_a_subagent_s_result_is_as_what_it_read(desk: Desk, server: ScriptedServer) -> None:
    (desk.owner.core.workspace / "letter.txt").write_text("Dear agent")
    server.when("Task A", use("read_file", path="letter.txt"))
    call = json.dumps([["spawn", {"task": "Task A", "label": "A"}]])
    server.script(f"use:{call}", "say:Begun.", "say:It is a letter.", "say:So it is.")
    await desk.api.turns.submit("s", "Go")
    async with asyncio.timeout(60):
        while await marked(desk, "s") is None:
            await anext(desk.events)
    found = await marked(desk, "s")
    assert found
    assert (found.origin, found.sources) == ("unknown", ("letter.txt",))


async def test_a_late_answer_repeats_a_wish_with_its_mark(desk: Desk, server: ScriptedServer) -> None:
    """Its message names what the model wanted, which the letter may have put there."""
    await read_a_letter(desk, server, "s")
    server.script(use("exec", command="touch made"), "say:It waits.", "say:Made.")
    await desk.api.turns.submit("s", "Go on")
    question = (await asked(desk)).question
    await desk.api.questions.park(question)
    await desk.end()
    await desk.api.questions.answer(question, Reply(True))
    await desk.end()
    assert (desk.owner.core.workspace / "made").exists()
    records = (await desk.api.conversations.read("s")).messages
    (note,) = [one for one in records if "I allow it" in str(one["content"])]
    assert (note["_origin"], note["_sources"]) == ("unknown", ["letter.txt"])
