"""Subagents: how many work, what comes back and to whom, what a stop and a crash leave."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.api.reply import Reply
from desktop.bus.events import (
    Event,
    PermissionAsked,
    SubagentChanged,
    ToolFinished,
    TurnFinished,
)
from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started

type Json = dict[str, Any]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        server.when("comes to this conversation", "say:Begun.")
        yield server


@pytest.fixture
def home(tmp_path: Path, server: ScriptedServer) -> Home:
    program = Program(tmp_path / "home")
    program.use_server(server.url, "say:Noted.")
    config = json.loads((tmp_path / "home" / "config.json").read_text("utf-8"))
    config["agents"]["defaults"]["maxConcurrentSubagents"] = 2
    (tmp_path / "home" / "config.json").write_text(json.dumps(config), "utf-8")
    return Home(tmp_path / "home", tmp_path / "models")


@pytest.fixture
async def desk(home: Home) -> AsyncIterator[Desk]:
    async with started(home) as desk:
        yield desk


def spawning(*labels: str) -> str:
    return f"use:{json.dumps([['spawn', {'task': f'Task {label}', 'label': label}] for label in labels])}"


async def until[E: Event](desk: Desk, kind: type[E], **values: Any) -> E:
    """The next event of a kind with these values; those of others wait to be asked for."""

    def fits(event: Event) -> bool:
        return isinstance(event, kind) and all(getattr(event, name) == v for name, v in values.items())

    try:
        async with asyncio.timeout(60):
            while (found := next(filter(fits, SEEN), None)) is None:
                SEEN.append(await anext(desk.events))
    except TimeoutError:
        raise AssertionError(f"no {kind.__name__} {values} among {SEEN}") from None
    SEEN.remove(found)
    assert isinstance(found, kind)
    return found


async def ask(desk: Desk, text: str) -> str:
    """The agent's answer in the conversation "s", which a quick result may have joined."""
    await desk.api.turns.submit("s", text)
    return (await until(desk, TurnFinished, session="s")).text


SEEN: list[Event] = []


@pytest.fixture(autouse=True)
def nothing_seen() -> None:
    SEEN.clear()


async def test_two_of_three_work_and_each_result_is_told_in_the_agents_words(
    desk: Desk, server: ScriptedServer
) -> None:
    held = {label: server.hold(f"Task {label}") for label in "ABC"}
    for label in "ABC":
        server.when(f"Task {label}", f"say:Found {label}.")
        server.when(f"Found {label}.", f"say:They found {label} for you.")
    server.script(spawning("A", "B", "C"))
    assert await ask(desk, "Look into all three") == "Begun."
    found = await desk.api.conversations.subagents("s")
    assert [one.label for one in found] == ["A", "B", "C"]
    async with asyncio.timeout(60):
        while [one.state for one in found] != ["running", "running", "queued"]:
            await until(desk, SubagentChanged, state="running")
            found = await desk.api.conversations.subagents("s")
    held["B"].set()
    assert (await until(desk, TurnFinished, session="s")).text == "They found B for you."
    held["C"].set()
    assert (await until(desk, TurnFinished, session="s")).text == "They found C for you."
    held["A"].set()
    assert (await until(desk, TurnFinished, session="s")).text == "They found A for you."
    records = (await desk.api.conversations.read("s")).messages
    results = [record for record in records if str(record.get("_from", "")).startswith("subagent:")]
    assert [(r["content"], r["_label"]) for r in results] == [(f"Found {n}.", n) for n in "BCA"]
    assert await desk.api.conversations.subagents("s") == ()
    assert [line.key for line in (await desk.api.conversations.list())] == ["s"]


async def test_a_subagent_has_its_own_prompt_and_only_tools_for_itself(
    desk: Desk, server: ScriptedServer
) -> None:
    server.when("Task A", "say:Found.")
    server.script(spawning("A"), "say:Done.")
    await ask(desk, "Go")
    await until(desk, SubagentChanged, state="done")
    request = next(r for r in server.requests if "Task A" in str(r.body["messages"][-1]["content"])).body
    names = {tool["function"]["name"] for tool in request["tools"]}
    assert {"read_file", "exec", "web_fetch"} <= names
    assert not names & {"message", "spawn", "cron"}
    assert "subagent" in request["messages"][0]["content"]
    assert "Go" not in json.dumps(request["messages"]), "it knows nothing of the conversation"


async def test_stop_ends_all_of_a_conversation_and_nobody_is_told(
    desk: Desk, server: ScriptedServer
) -> None:
    server.hold("Task")
    server.script(spawning("A", "B", "C"))
    await ask(desk, "Go")
    assert await desk.api.turns.stop("s")
    assert await desk.api.conversations.subagents("s") == ()
    assert not await desk.api.turns.stop("s")
    assert [text for _role, text in await desk.said("s")][-1] == "Begun."


async def test_one_that_is_stopped_alone_is_told_of(desk: Desk, server: ScriptedServer) -> None:
    server.hold("Task")
    server.script(spawning("A", "B", "C"))
    await ask(desk, "Go")
    server.when("stopped", "say:C was stopped.")
    *_others, waiting = await desk.api.conversations.subagents("s")
    assert await desk.api.conversations.stop_subagent(waiting.id)
    assert (await until(desk, TurnFinished, session="s", text="C was stopped.")).text
    assert [one.label for one in await desk.api.conversations.subagents("s")] == ["A", "B"]


async def test_a_model_that_fails_is_the_result_and_the_others_go_on(
    desk: Desk, server: ScriptedServer
) -> None:
    server.when("Task A", "status:400")
    server.when("Task B", "say:Found B.")
    server.script(spawning("A", "B"))
    await ask(desk, "Go")
    for _number in range(2):
        await until(desk, SubagentChanged, state="running")
    states: dict[str, str] = {}
    while len(states) < 2:
        event = await until(desk, SubagentChanged)
        if event.state in ("done", "failed"):
            states[event.label] = event.state
    assert states == {"A": "failed", "B": "done"}


async def test_its_question_is_asked_in_the_conversation_it_works_for(
    desk: Desk, server: ScriptedServer
) -> None:
    server.when("Task A", f"use:{json.dumps([['exec', {'command': 'wc -c note.txt'}]])}")
    server.script(spawning("A"), "say:Counted.", "say:It counted.")
    await desk.api.turns.submit("s", "Go")
    asked = await until(desk, PermissionAsked)
    assert asked.session == "s"
    assert "A" in asked.card["origin"]
    (notice,) = (await desk.api.inbox.list()).notices
    assert notice.session == "s"
    await desk.api.questions.answer(asked.question, Reply(True))
    done = await until(desk, ToolFinished, tool="exec")
    assert (done.session.startswith("subagent:"), done.outcome) == (True, "ok")


async def test_text_from_outside_marks_the_result_and_what_follows_it(
    desk: Desk, server: ScriptedServer, home: Home
) -> None:
    kept = desk.owner.core.workspace / "files" / "results" / "page.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("From a page: see https://example.org/next", "utf-8")
    server.when("Task A", f"use:{json.dumps([['read_file', {'path': str(kept)}]])}")
    search = f"use:{json.dumps([['web_search', {'query': 'more'}]])}"
    server.script(spawning("A"), "say:It says next.", search, "say:Asked.")
    await ask(desk, "Go")
    asked = await until(desk, PermissionAsked)
    assert (asked.session, asked.card["tool"], asked.card["outside"]) == ("s", "web_search", True)
    await desk.api.questions.answer(asked.question, Reply(False))
    records = (await desk.api.conversations.read("s")).messages
    (result,) = [record for record in records if record.get("_label") == "A"]
    assert result["_origin"] == "unknown"


async def test_what_was_not_told_before_a_crash_is_told_once_after_it(
    home: Home, server: ScriptedServer
) -> None:
    async with started(home) as desk:
        await ask(desk, "Hello")
        core = desk.owner.core
        row = (
            "abc",
            "s",
            "t",
            "A",
            "Task",
            "window",
            "ask",
            1.0,
            "done",
            "Found it.",
            0,
            "[]",
            0,
            "[]",
            "",
            "",
        )
        await core.database.write(
            f"INSERT INTO subagents VALUES ({', '.join('?' * len(row))})",
            row,
        )
        lost = ("def", "s", "t", "B", "Task", "window", "ask", 2.0, "running", "", 0, "[]", 0, "[]", "", "")
        await core.database.write(f"INSERT INTO subagents VALUES ({', '.join('?' * len(lost))})", lost)
    server.forget()
    server.when("Found it.", "say:They found it.")
    server.when("interrupted", "say:B was cut off.")
    async with started(home) as desk:
        await desk.owner.core.subagents.recover()
        texts: set[str] = set()
        async with asyncio.timeout(60):
            while texts != {"They found it.", "B was cut off."}:
                records = (await desk.api.conversations.read("s")).messages
                texts = {r["content"] for r in records if r["role"] == "assistant"} - {"Noted."}
                if texts != {"They found it.", "B was cut off."}:
                    await until(desk, TurnFinished, session="s")
    async with started(home) as desk:
        await desk.owner.core.subagents.recover()
        records = (await desk.api.conversations.read("s")).messages
        assert sum(record.get("_from") == "subagent:abc" for record in records) == 1
        assert sum(record.get("_from") == "subagent:def" for record in records) == 1


async def test_a_result_that_is_in_the_log_but_not_marked_is_not_told_twice(
    home: Home, server: ScriptedServer
) -> None:
    async with started(home) as desk:
        server.when("Task A", "say:Found.")
        server.script(spawning("A"), "say:Told.")
        await ask(desk, "Go")
        await until(desk, SubagentChanged, state="done")
        await until(desk, TurnFinished, session="s")
        await desk.owner.core.database.write("UPDATE subagents SET told = 0", ())
    async with started(home) as desk:
        await desk.owner.core.subagents.recover()
        records = (await desk.api.conversations.read("s")).messages
        assert sum(str(record.get("_from", "")).startswith("subagent:") for record in records) == 1
        assert not await desk.owner.core.database.read("SELECT 1 FROM subagents WHERE told = 0")


async def test_an_ask_waits_for_the_results_and_tells_them(desk: Desk, server: ScriptedServer) -> None:
    server.when("Task A", "say:Found.")
    server.script(spawning("A"), "say:It found it.")
    told = [event async for event in desk.api.turns.ask("Go", session="s")]
    finished = [event.text for event in told if isinstance(event, TurnFinished)]
    assert finished == ["Begun.", "It found it."]


async def test_a_subagent_that_never_ends_is_broken_off_after_its_steps(
    home: Home, server: ScriptedServer
) -> None:
    config = json.loads(home.config.read_text("utf-8"))
    config["agents"]["defaults"]["maxSubagentIterations"] = 2
    home.config.write_text(json.dumps(config), "utf-8")
    looks = [f"use:{json.dumps([['list_dir', {'path': name}]])}" for name in (".", "skills")]
    async with started(home) as desk:
        server.script(spawning("A"))
        server.when("Task A", looks[0])
        server.when("AGENTS.md", looks[1])
        server.when("used all steps", "say:Only half done.")
        server.when("Only half done.", "say:Half of it.")
        await desk.api.turns.submit("s", "Go")
        assert (await until(desk, TurnFinished, session="s", text="Half of it.")).text
