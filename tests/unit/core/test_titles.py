"""Titles by the model, over a real core beside a real server: who is named, by whom, and what stays."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.titles import LONGEST, cleaned
from desktop.agent.turn import Inbound
from desktop.bus.events import ConversationChanged
from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started

ASKED = "You name conversations"


def configure(folder: Path, url: str, **defaults: Any) -> None:
    program = Program(folder)
    program.use_server(url, "say:Good day.")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["agents"]["defaults"] |= {"autoTitles": True, **defaults}
    program.configure(**config)


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Desk]:
    configure(tmp_path, server.url)
    server.when(ASKED, "say:Trip to Rome")
    async with started(Home(tmp_path, tmp_path / "models")) as desk:
        yield desk


async def rest(desk: Desk) -> None:
    """Wait until every turn is over and nobody is being named."""
    await desk.owner.core.at_rest()
    while work := list(desk.owner.core.titles._work.values()):
        await asyncio.wait(work)


async def title(desk: Desk, key: str = "window:a") -> str:
    found = await desk.api.conversations.list()
    return next(line.title for line in found if line.key == key)


def titles_asked(server: ScriptedServer) -> list[str]:
    """What the model was shown each time it was to name something."""
    bodies = [seen.body["messages"] for seen in server.requests]
    return [messages[-1]["content"] for messages in bodies if ASKED in str(messages[0]["content"])]


async def test_a_conversation_is_named_after_its_first_answer_and_who_shows_it_is_told(
    desk: Desk, server: ScriptedServer
) -> None:
    with desk.owner.bus.subscribe() as events:
        await desk.ask("window:a", "Where shall we stay in Rome in May?")
        async for event in events:
            if isinstance(event, ConversationChanged):
                break
    assert event == ConversationChanged("window:a", title="Trip to Rome")
    assert await title(desk) == "Trip to Rome"
    (shown,) = titles_asked(server)
    assert shown == "[Person] Where shall we stay in Rome in May?\n\n[Assistant] Good day."
    await desk.ask("window:a", "And in June?")
    await rest(desk)
    assert len(titles_asked(server)) == 1, "it has a title"
    lines = (await desk.api.usage.report(by="cause")).lines
    assert {line.name[0]: line.calls for line in lines} == {"turn": 2, "title": 1}


async def test_a_title_of_the_person_is_never_replaced(desk: Desk, server: ScriptedServer) -> None:
    held = server.hold("hotel")
    await desk.api.turns.submit("window:a", "A hotel, please")
    await asyncio.to_thread(server.wait_for_request)
    await desk.api.conversations.rename("window:a", "Mine")
    held.set()
    await desk.end()
    await rest(desk)
    assert (await title(desk), titles_asked(server)) == ("Mine", [])


async def test_the_person_is_quicker_than_the_model(desk: Desk, server: ScriptedServer) -> None:
    held = server.hold("[Assistant]")
    await desk.ask("window:a", "A hotel, please")
    await asyncio.to_thread(server.wait_for_request, 2)
    await desk.api.conversations.rename("window:a", "")
    held.set()
    await rest(desk)
    assert await title(desk) == "A hotel, please", "an empty name is a choice, too"
    await desk.ask("window:a", "again")
    await rest(desk)
    assert len(titles_asked(server)) == 1


async def test_what_was_deleted_meanwhile_does_not_come_back(desk: Desk, server: ScriptedServer) -> None:
    held = server.hold("[Assistant]")
    await desk.ask("window:a", "A hotel, please")
    await asyncio.to_thread(server.wait_for_request, 2)
    await desk.api.conversations.delete("window:a")
    held.set()
    await rest(desk)
    assert (await desk.api.conversations.list()) == ()


async def test_an_answer_is_not_delayed_and_the_end_waits_for_no_title(
    desk: Desk, server: ScriptedServer
) -> None:
    server.hold("[Assistant]")
    await desk.ask("window:a", "first")
    await desk.ask("window:a", "second")
    assert await title(desk) == "first"


async def test_a_failure_leaves_the_first_words_and_the_next_answer_tries_again(
    tmp_path: Path, server: ScriptedServer
) -> None:
    configure(tmp_path, server.url)
    answers = iter(["status:500", "say:***"])
    server.when(ASKED, lambda _seen: next(answers, "say:At last"))
    async with started(Home(tmp_path, tmp_path / "models")) as desk:
        for text, expected in (("one", "one"), ("two", "one"), ("three", "At last")):
            await desk.ask("window:a", text)
            await rest(desk)
            assert await title(desk) == expected


async def test_only_the_beginning_of_a_conversation_is_worth_a_try(
    tmp_path: Path, server: ScriptedServer
) -> None:
    configure(tmp_path, server.url)
    server.when(ASKED, "say:***")
    async with started(Home(tmp_path, tmp_path / "models")) as desk:
        for text in "abcde":
            await desk.ask("window:a", text)
            await rest(desk)
    assert len(titles_asked(server)) == 3


@pytest.mark.parametrize("key", ["cron:1", "heartbeat", "subagent:x"])
async def test_the_programs_own_sessions_are_not_named(
    desk: Desk, server: ScriptedServer, key: str
) -> None:
    await desk.ask(key, "do it")
    await rest(desk)
    assert titles_asked(server) == []


async def test_a_turn_of_a_job_is_not_named(desk: Desk, server: ScriptedServer) -> None:
    turn = Inbound("window:a", "do it", "job", approve="never", note=True, cause="job")
    await desk.owner.core.loop.answered(turn, "t1")
    await rest(desk)
    assert titles_asked(server) == []


async def test_the_small_model_names_where_there_is_one(tmp_path: Path, server: ScriptedServer) -> None:
    configure(tmp_path, server.url, smallModel={"model": "say:By the small one", "provider": "custom"})
    async with started(Home(tmp_path, tmp_path / "models")) as desk:
        await desk.ask("window:a", "hello")
        await rest(desk)
        assert await title(desk) == "By the small one"


async def test_nobody_is_asked_for_a_title_where_the_budget_is_spent(
    desk: Desk, server: ScriptedServer
) -> None:
    await desk.api.settings.change({"limits.daily_usd": 0})
    await desk.ask("window:a", "hello")
    await rest(desk)
    assert (titles_asked(server), await title(desk)) == ([], "hello")
    assert (await desk.api.inbox.list()).notices == (), "nor is the person bothered with it"


async def test_titles_can_be_switched_off(desk: Desk, server: ScriptedServer) -> None:
    await desk.api.settings.change({"agents.defaults.auto_titles": False})
    await desk.ask("window:a", "hello")
    await rest(desk)
    assert titles_asked(server) == []


async def test_what_is_said_on_this_computer_is_not_taken_elsewhere_for_a_title(
    tmp_path: Path, server: ScriptedServer
) -> None:
    configure(
        tmp_path, server.url, provider="vllm", smallModel={"model": "say:Elsewhere", "provider": "custom"}
    )
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    config["providers"]["vllm"] = {"apiBase": server.url}
    Program(tmp_path).configure(**config)
    async with started(Home(tmp_path, tmp_path / "models")) as desk:
        await desk.ask("window:a", "hello")
        await rest(desk)
        assert (await title(desk), len(server.requests)) == ("hello", 1)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Trip to Rome", "Trip to Rome"),
        ('  "Trip to Rome."\n\nI chose this because', "Trip to Rome"),
        ("\n**Title:** Trip to Rome", "Trip to Rome"),
        ("# 标题：罗马之旅。", "罗马之旅"),
        ("「罗马之旅」", "罗马之旅"),
        ("a\u202eb\u200b\tc", "abc"),
        ("", ""),
        ("...\n---", ""),
    ],
)
def test_an_answer_becomes_one_clean_line(answer: str, expected: str) -> None:
    assert cleaned(answer) == expected


@pytest.mark.parametrize("answer", ["word " * 40, "字" * 200, "x" * 61])
def test_a_title_is_never_too_long(answer: str) -> None:
    made = cleaned(answer)
    assert len(made) <= LONGEST
    assert made.endswith("…")
