"""Conversations and their models, by the api of a real core beside a real server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from desktop.api.client import Api
from desktop.api.models import Reasoning
from desktop.bus.bus import Subscription
from desktop.bus.events import ConversationChanged, TurnFailed, TurnFinished
from desktop.cli.owner import Owner
from desktop.errors import AppError, UsageError
from desktop.ipc.ownership import Ownership
from desktop.paths import Home
from tests import warm
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


class Desk:
    """A running core and its events."""

    def __init__(self, owner: Owner, events: Subscription) -> None:
        self.owner, self.events, self.api = owner, events, Api(owner)

    async def ask(self, session: str, text: str) -> TurnFinished | TurnFailed:
        await self.api.turns.submit(session, text)
        return await self.end()

    async def end(self) -> TurnFinished | TurnFailed:
        async for event in self.events:
            if isinstance(event, TurnFinished | TurnFailed):
                return event
        raise AssertionError("the bus ended")

    async def said(self, session: str) -> list[tuple[str, str]]:
        found = await self.api.conversations.read(session)
        return [(message["role"], message["content"]) for message in found.messages]


@asynccontextmanager
async def started(home: Home) -> AsyncIterator[Desk]:
    ownership = Ownership.take(home)
    assert ownership is not None
    owner = Owner(home, "window", ownership)
    owner.host = warm.host(owner.bus)
    await owner.start()
    try:
        with owner.bus.subscribe() as events:
            yield Desk(owner, events)
    finally:
        await owner.stop()


async def test_a_conversation_is_listed_with_its_first_words_until_it_is_named(desk: Desk) -> None:
    await desk.ask("window:a", "What is this?")
    (line,) = await desk.api.conversations.list()
    assert (line.key, line.title) == ("window:a", "What is this?")
    await desk.api.conversations.rename("window:a", "  My \n title ")
    assert (await desk.api.conversations.list())[0].title == "My title"
    await desk.api.conversations.rename("window:a", "")
    assert (await desk.api.conversations.list())[0].title == "What is this?"


async def test_deleting_stops_the_answer_and_can_be_taken_back(desk: Desk, server: ScriptedServer) -> None:
    server.script("slow")
    await desk.api.turns.submit("window:a", "count")
    assert (await desk.api.conversations.read("window:a")).turns
    await desk.api.conversations.delete("window:a")
    assert (await desk.api.conversations.list()) == ()
    assert await desk.api.conversations.restore("window:a")
    found = await desk.api.conversations.read("window:a")
    assert found.messages[0]["content"] == "count"
    assert found.turns == []


async def test_a_failed_question_is_asked_again_without_a_second_copy(
    desk: Desk, server: ScriptedServer
) -> None:
    server.script("status:400")
    assert isinstance(await desk.ask("window:a", "Hello?"), TurnFailed)
    turn = await desk.api.turns.again("window:a")
    done = await desk.end()
    assert isinstance(done, TurnFinished)
    assert done.turn == turn
    said = await desk.said("window:a")
    assert [text for role, text in said if role == "user"] == ["Hello?"]
    assert said[-1] == ("assistant", "Good day.")
    asked = server.requests[-1].body["messages"]
    assert [message["role"] for message in asked] == ["system", "user"]


async def test_what_has_its_answer_is_not_asked_again(desk: Desk) -> None:
    await desk.ask("window:a", "Hello?")
    with pytest.raises(UsageError):
        await desk.api.turns.again("window:a")


async def test_a_question_from_before_a_crash_is_asked_again_by_hand(
    tmp_path: Path, server: ScriptedServer
) -> None:
    program = Program(tmp_path)
    program.use_server(server.url, "say:At last.")
    home = Home(tmp_path, tmp_path / "models")
    async with started(home) as desk:
        session = await desk.owner.core.sessions.open("window:a")
        await session.append({"role": "user", "content": "Anyone?", "_turn": "t1"})
    async with started(home) as desk:
        assert await desk.api.turns.again("window:a") == "t1"
        assert (await desk.end()).turn == "t1"
        assert (await desk.said("window:a"))[-1] == ("assistant", "At last.")


async def test_a_conversation_keeps_the_model_that_was_chosen_for_it(
    desk: Desk, server: ScriptedServer
) -> None:
    await desk.ask("window:a", "one")
    shown = await desk.api.models.choose("window:a", model="say:Other.", provider="custom")
    assert (shown.line.model, shown.chosen) == ("say:Other.", True)
    done = await desk.ask("window:a", "two")
    assert isinstance(done, TurnFinished)
    assert done.text == "Other."
    other = await desk.ask("window:b", "three")
    assert isinstance(other, TurnFinished)
    assert other.text == "Good day."
    await desk.api.models.choose("window:a")
    assert not (await desk.api.models.answering("window:a")).chosen


async def test_a_model_of_nobody_is_refused_and_nothing_changes(desk: Desk) -> None:
    with pytest.raises(AppError):
        await desk.api.models.choose("window:a", model="x", provider="nobody")
    assert (await desk.api.conversations.list()) == ()


async def test_a_conversation_whose_provider_is_gone_is_read_all_the_same(desk: Desk) -> None:
    await desk.ask("window:a", "Hello?")
    session = await desk.owner.core.sessions.open("window:a")
    await session.set_metadata(model="its-model", provider="gone")
    found = await desk.api.conversations.read("window:a")
    assert [message["content"] for message in found.messages] == ["Hello?", "Good day."]
    model = await desk.api.models.answering("window:a")
    assert (model.chosen, model.line.title, model.line.provider) == (True, "its-model", "gone")
    assert isinstance(await desk.ask("window:a", "And now?"), TurnFailed)


async def test_with_a_usual_provider_of_nobody_another_can_be_chosen(desk: Desk) -> None:
    await desk.ask("window:a", "Hello?")
    await desk.api.settings.change({"agents.defaults.provider": "gone"})
    assert (await desk.api.models.answering("window:a")).line.provider == "gone"
    assert (await desk.api.models.choices()).usual.title == "say:Good day."


async def test_the_menu_has_the_usual_model_first(desk: Desk) -> None:
    found = await desk.api.models.choices()
    assert found.usual.model == "say:Good day."
    assert found.models[0] == found.usual
    keys = [(line.provider, line.model) for line in found.models]
    assert len(keys) == len(set(keys))


async def test_how_full_the_context_is_and_what_fills_it(desk: Desk) -> None:
    before = await desk.api.context.usage()
    assert before.window == 65_536
    assert set(before.parts) == {"system", "memory", "skills", "recent", "tools", "history"}
    assert before.parts["history"] == 0
    await desk.ask("window:a", "word " * 500)
    after = await desk.api.context.usage("window:a")
    assert after.parts["history"] > 50
    assert after.used == sum(after.parts.values()) < after.window


async def _lines(desk: Desk) -> dict[str, tuple[bool, bool]]:
    found = await desk.api.conversations.list()
    return {line.key: (line.pinned, line.archived) for line in found}


async def test_a_conversation_is_pinned_and_archived_until_something_is_said_in_it(desk: Desk) -> None:
    await desk.ask("window:a", "first")
    await desk.ask("window:b", "other")
    await desk.api.conversations.pin("window:a")
    await desk.api.conversations.archive("window:a")
    assert await _lines(desk) == {"window:a": (True, True), "window:b": (False, False)}
    await desk.api.conversations.rename("window:a", "Named")
    assert (await _lines(desk))["window:a"] == (True, True), "a name is nothing that was said"
    await desk.ask("window:a", "again")
    assert (await _lines(desk))["window:a"] == (True, False)
    await desk.api.conversations.archive("window:a")
    await desk.api.conversations.archive("window:a", False)
    await desk.api.conversations.pin("window:a", False)
    assert (await _lines(desk))["window:a"] == (False, False)
    assert [text for role, text in await desk.said("window:a") if role == "user"] == ["first", "again"]


async def test_nothing_is_made_by_keeping_what_is_not_there(desk: Desk) -> None:
    for keep in (desk.api.conversations.pin, desk.api.conversations.archive):
        with pytest.raises(UsageError, match="There is no conversation"):
            await keep("window:none")
    assert await _lines(desk) == {}


async def test_who_shows_the_list_hears_what_became_of_a_conversation(desk: Desk) -> None:
    await desk.ask("window:a", "first")
    with desk.owner.bus.subscribe() as events:
        await desk.api.conversations.pin("window:a")
        await desk.api.conversations.archive("window:a")
        await desk.api.conversations.rename("window:a", " A  name ")
        told = [await anext(events) for _n in range(3)]
    assert told == [
        ConversationChanged("window:a", pinned=True),
        ConversationChanged("window:a", archived=True),
        ConversationChanged("window:a", title="A name"),
    ]


async def test_a_conversation_keeps_how_much_its_model_shall_think(
    desk: Desk, server: ScriptedServer
) -> None:
    models = desk.api.models
    found = await models.reasoning(model="gpt-5.2", provider="custom", level="minimal")
    assert found == Reasoning(("off", "low", "medium", "high"), "low", "")
    assert (await models.reasoning(model="gpt-4.1", provider="custom")).levels == ()
    assert (await models.reasoning(model="x", provider="nobody")).levels == ()
    await desk.ask("window:a", "one")
    assert (await models.choose_reasoning("window:a", "high")).level == "high"
    await desk.ask("window:a", "two")
    assert server.requests[-1].body["reasoning_effort"] == "high"
    await desk.ask("window:b", "three")
    assert "reasoning_effort" not in server.requests[-1].body, "another conversation"
    assert (await models.choose_reasoning("window:a")).level == ""
    await desk.ask("window:a", "four")
    assert "reasoning_effort" not in server.requests[-1].body
    with pytest.raises(UsageError, match="no reasoning level much"):
        await models.choose_reasoning("window:a", "much")


async def test_a_level_that_the_server_does_not_take_is_offered_no_more(
    desk: Desk, server: ScriptedServer
) -> None:
    await desk.api.models.choose_reasoning("window:a", "off")
    server.script('refuse:{"error": {"message": "reasoning_effort: unsupported value none"}}', "say:So.")
    await desk.ask("window:a", "one")
    assert server.requests[-1].body["reasoning_effort"] == "low", "as little as it can"
    assert (await desk.api.models.reasoning("window:a")).levels == ("low", "medium", "high")
