"""Asked otherwise, answered anew, gone on with elsewhere: what a model sees, and that nothing is lost."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import UsageError
from desktop.memory.summaries import cost
from desktop.paths import Home
from desktop.session.model import marked, replayable
from desktop.session.sessions import Sessions
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Desk]:
    Program(tmp_path / "home").use_server(server.url)
    async with started(Home(tmp_path / "home", tmp_path / "models")) as desk:
        yield desk


def asked(server: ScriptedServer) -> list[str]:
    """What the model was shown last, without prompt and runtime."""
    messages = server.requests[-1].body["messages"][1:]
    return [str(m["content"]).split("\n\n")[0] for m in messages]


async def shown(desk: Desk, key: str = "s") -> list[str]:
    found = await desk.api.conversations.read(key)
    return [str(m["content"]) for m in found.messages if replayable(m)]


async def turns(desk: Desk, server: ScriptedServer) -> list[str]:
    """Three questions with their answers; the ids of their turns."""
    found = []
    for number in ("one", "two", "three"):
        server.script(f"say:About {number}.")
        found.append((await desk.api.turns.submit("s", f"Say {number}")).turn)
        await desk.end()
    return found


async def test_a_question_asked_otherwise_takes_the_place_of_all_that_came_after(
    desk: Desk, server: ScriptedServer
) -> None:
    _one, two, _three = await turns(desk, server)
    server.script("say:About four.")
    await desk.api.revisions.edit("s", two, "Say four")
    await desk.end()
    assert asked(server) == ["Say one", "About one.", "Say four"]
    assert await shown(desk) == ["Say one", "About one.", "Say four", "About four."]
    server.script("say:On.")
    await desk.ask("s", "Go on")
    assert asked(server) == ["Say one", "About one.", "Say four", "About four.", "Go on"]
    everything = await (await desk.owner.core.sessions.open("s")).everything()
    assert len(everything) == 10, "nothing is taken out of the log"


async def test_a_list_shows_the_first_words_as_they_are_now(desk: Desk, server: ScriptedServer) -> None:
    async def title() -> str:
        [line] = await desk.api.conversations.list()
        return line.title

    one, two, _three = await turns(desk, server)
    server.script("say:Yes.", "say:Yes.")
    await desk.api.revisions.edit("s", two, "Say more")
    await desk.end()
    assert await title() == "Say one"
    zero = await desk.api.revisions.edit("s", one, "Say zero")
    await desk.end()
    assert await title() == "Say zero"
    await desk.api.conversations.rename("s", "Numbers")
    server.script("say:Yes.")
    await desk.api.revisions.edit("s", zero, "Say nil")
    await desk.end()
    assert await title() == "Numbers"
    await desk.api.conversations.rename("s", "")
    assert await title() == "Say nil"


async def test_it_is_the_same_when_the_log_is_read_anew(
    desk: Desk, server: ScriptedServer, tmp_path: Path
) -> None:
    one, _two, _three = await turns(desk, server)
    server.script("say:Zero.")
    await desk.api.revisions.edit("s", one, "Say zero")
    await desk.end()
    again = Sessions(desk.owner.core.workspace / "sessions")
    history = (await again.open("s")).history(100_000)
    assert [m["content"] for m in history] == ["Say zero", "Zero."]


async def test_an_answer_is_made_anew_by_another_model_for_once(desk: Desk, server: ScriptedServer) -> None:
    _one, _two, three = await turns(desk, server)
    await desk.api.revisions.regenerate("s", three, model="say:Of another model.", provider="custom")
    await desk.end()
    assert asked(server) == ["Say one", "About one.", "Say two", "About two.", "Say three"]
    assert (await shown(desk))[-1] == "Of another model."
    await desk.ask("s", "And now?")
    assert (await shown(desk))[-1] == "Hello there."


async def test_what_runs_is_stopped_first(desk: Desk, server: ScriptedServer) -> None:
    server.when("Count", "slow")
    server.when("Be quick", "say:Quick.")
    turn = (await desk.api.turns.submit("s", "Count")).turn
    await desk.api.revisions.edit("s", turn, "Be quick")
    await desk.end()
    await desk.end()
    assert await shown(desk) == ["Be quick", "Quick."]


async def test_earlier_versions_are_told_and_open_as_they_were(desk: Desk, server: ScriptedServer) -> None:
    _one, two, _three = await turns(desk, server)
    server.script("say:Four.")
    four = await desk.api.revisions.edit("s", two, "Say four")
    await desk.end()
    found = await desk.api.revisions.versions("s", four)
    assert [(line.turn, line.text) for line in found] == [(two, "Say two")]
    fork = await desk.api.revisions.fork("s", two)
    assert await shown(desk, fork) == ["Say one", "About one.", "Say two", "About two."]
    server.script("say:Five.")
    await desk.ask(fork, "Say five")
    assert asked(server) == ["Say one", "About one.", "Say two", "About two.", "Say five"]
    assert await shown(desk) == ["Say one", "About one.", "Say four", "Four."]


async def test_a_fork_takes_the_model_along_and_is_called_after_its_origin(
    desk: Desk, server: ScriptedServer
) -> None:
    one, _two, _three = await turns(desk, server)
    await desk.api.models.choose("s", model="say:Mine.", provider="custom")
    key = await desk.api.revisions.fork("s", one)
    await desk.ask(key, "On")
    assert (await shown(desk, key))[-1] == "Mine."
    titles = {line.key: line.title for line in (await desk.api.conversations.list())}
    assert titles[key] == "Say one (branch)"


async def test_a_message_that_is_not_there_is_said(desk: Desk, server: ScriptedServer) -> None:
    api = desk.api.revisions
    for call in (
        api.edit("s", "nowhere", "x"),
        api.regenerate("s", "nowhere"),
        api.fork("s", "nowhere"),
        api.versions("s", "nowhere"),
    ):
        with pytest.raises(UsageError, match="message is not in the conversation"):
            await call


def test_what_is_hidden_costs_nothing_and_reminders_stay() -> None:
    def said(role: str, text: str, turn: str, **marks: Any) -> dict[str, Any]:
        return {"role": role, "content": text, "_turn": turn, **marks}

    log = [
        said("user", "a", "1"),
        said("assistant", "b", "1"),
        {"role": "assistant", "content": "Drink tea", "_channel_delivery": True},
        said("user", "c", "2"),
        said("user", "d", "3", _replaces="1"),
    ]
    found = marked(log)
    assert len(found) == len(log)
    assert [m["content"] for m in found if replayable(m)] == ["Drink tea", "d"]
    assert cost(found) == cost([log[2], log[4]])
    assert "_hidden" not in log[0], "the log's own records stay as they are"
