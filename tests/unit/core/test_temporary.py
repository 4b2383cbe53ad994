"""A temporary conversation, over a real core beside a real server: it works, and leaves nothing."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from desktop.api.reply import Reply
from desktop.bus.events import PermissionAsked, TurnFinished
from desktop.errors import UsageError
from desktop.paths import Home
from tests.servers.scripted import ScriptedServer
from tests.stories.program import texts
from tests.unit.core.test_conversations import Desk, started

KEY = "temporary:abc"
SECRET = "blue pelican 77"


def use(name: str, /, **arguments: Any) -> str:
    return f"use:{json.dumps([[name, arguments]])}"


def found_in(folder: Path, *words: str) -> list[str]:
    """Files with one of these words in them, or in their name."""
    return [
        path.name
        for path, content in texts(folder)
        if any(word.encode() in content or word in path.name for word in words)
    ]


async def test_it_answers_remembers_what_was_said_and_leaves_nothing(
    tmp_path: Path, desk: Desk, server: ScriptedServer
) -> None:
    await desk.ask(KEY, f"The word is {SECRET}")
    await desk.ask(KEY, "Which word?")
    shown = json.dumps(server.requests[-1].body["messages"])
    assert SECRET in shown, "it is one conversation"
    assert "temporary" in shown, "the model knows to write nothing down"
    assert [text for role, text in await desk.said(KEY) if role == "user"][-1] == "Which word?"
    assert (await desk.api.conversations.list()) == ()
    assert (await desk.api.search.messages("pelican", wait=True)).hits == ()
    assert (await desk.api.usage.report()).total.calls == 2, "the money is counted"
    assert found_in(tmp_path, SECRET, KEY) == []
    await desk.api.conversations.delete(KEY)
    assert await desk.said(KEY) == []
    assert not await desk.api.conversations.restore(KEY)


async def test_what_was_done_in_it_is_counted_without_saying_what(
    tmp_path: Path, desk: Desk, server: ScriptedServer
) -> None:
    name = SECRET.replace(" ", "-")
    server.script(use("list_dir", path="."), use("exec", command=f"touch {name}/x"), "say:Done.")
    await desk.api.turns.submit(KEY, "look")
    asked = 0
    async for event in desk.events:
        if isinstance(event, PermissionAsked):
            asked += 1
            (question,) = (await desk.api.inbox.list()).notices
            assert question.session == KEY
            await desk.api.questions.answer(event.question, Reply(True))
        if isinstance(event, TurnFinished):
            break
    assert asked == 1
    entries = await desk.api.tools.audit()
    assert {entry.tool for entry in entries} == {"list_dir", "exec"}
    assert {(entry.session, entry.gist, entry.arguments) for entry in entries} == {("", "", "")}
    assert found_in(tmp_path, name, KEY) == []


async def test_an_open_question_goes_with_it(tmp_path: Path, desk: Desk, server: ScriptedServer) -> None:
    server.script(use("exec", command="touch pelican"))
    await desk.api.turns.submit(KEY, "look")
    async for event in desk.events:
        assert not isinstance(event, TurnFinished)
        if isinstance(event, PermissionAsked):
            break
    assert (await desk.api.inbox.list()).open == 1
    assert found_in(tmp_path, "pelican") == []
    await desk.api.conversations.delete(KEY)
    found = await desk.api.inbox.list(done=True)
    assert (found.open, found.notices) == (0, ())


@pytest.mark.parametrize(
    "call",
    [
        use("spawn", task="find it"),
        use("cron", action="add", message="call mum", at="2030-01-01T10:00"),
    ],
)
async def test_nothing_that_stays_works_for_it(desk: Desk, server: ScriptedServer, call: str) -> None:
    server.script(call, "say:I cannot.")
    await desk.ask(KEY, "do it")
    told = [m["content"] for m in server.requests[-1].body["messages"] if m["role"] == "tool"]
    assert "temporary" in told[-1]
    assert (await desk.api.jobs.all()).jobs == ()


async def test_a_summary_is_never_made_of_it(tmp_path: Path, desk: Desk, server: ScriptedServer) -> None:
    await desk.ask(KEY, f"The word is {SECRET}")
    await desk.ask(KEY, "/new")
    await desk.ask(KEY, "again")
    assert SECRET not in json.dumps(server.requests[-1].body["messages"]), "it begins anew"
    await desk.ask(KEY, "/compact")
    assert found_in(tmp_path, SECRET) == []


async def test_it_can_be_kept(desk: Desk) -> None:
    await desk.ask(KEY, "Keep this")
    await desk.api.models.choose(KEY, model="say:Other.", provider="custom")
    before = await desk.said(KEY)
    key = await desk.api.conversations.keep(KEY)
    assert await desk.said(key) == before
    stored = (await desk.api.conversations.read(key)).messages
    assert "temporary" not in json.dumps(stored), "the model may write of it from now on"
    (line,) = await desk.api.conversations.list()
    assert (line.key, line.title) == (key, "Keep this")
    assert (await desk.api.models.answering(key)).line.model == "say:Other."
    assert await desk.said(KEY) == [], "there is one of it"
    with pytest.raises(UsageError):
        await desk.api.conversations.keep(KEY)
    with pytest.raises(UsageError):
        await desk.api.conversations.keep(key)


async def test_it_does_not_outlive_the_program(tmp_path: Path, desk: Desk) -> None:
    await desk.ask(KEY, "hello")
    await desk.owner.stop()
    async with started(Home(tmp_path, tmp_path / "models")) as again:
        assert await again.said(KEY) == []


async def paste(desk: Desk, text: str, session: str = KEY) -> str:
    data = base64.b64encode(text.encode()).decode()
    return (await desk.api.attachments.keep("note.txt", data, session)).path


async def test_what_was_pasted_goes_with_it_and_nothing_else(tmp_path: Path, desk: Desk) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    ordinary, other = await paste(desk, "kept", "window:1"), await paste(desk, SECRET, "temporary:other")
    files = [await paste(desk, SECRET), ordinary, str(mine), other]
    await desk.api.turns.submit(KEY, "read", files=files)
    await desk.end()
    files.append(await paste(desk, SECRET))  # and not sent
    assert found_in(tmp_path / "workspace" / "files", SECRET) != []
    await desk.api.conversations.delete(KEY)
    assert [Path(path).exists() for path in files] == [False, True, True, True, False]
    await desk.owner.stop()
    assert found_in(tmp_path / "workspace" / "files", SECRET, KEY, "temporary:") == []


async def test_what_a_kill_left_of_it_is_cleared_away_at_the_next_start(tmp_path: Path, desk: Desk) -> None:
    ordinary, pasted = Path(await paste(desk, "kept", "window:1")), Path(await paste(desk, SECRET))
    left = {path: path.read_bytes() for path in pasted.parent.iterdir()}
    await desk.owner.stop()
    for path, content in left.items():  # as a kill would have left them
        path.write_bytes(content)
    async with started(Home(tmp_path, tmp_path / "models")):
        assert list(pasted.parent.iterdir()) == [ordinary]


async def test_what_was_pasted_goes_with_the_program_but_stays_with_what_is_kept(
    tmp_path: Path, desk: Desk
) -> None:
    files = []
    for key in (KEY, "temporary:other"):
        await desk.said(key)
        files.append(await paste(desk, SECRET, key))
        await desk.api.turns.submit(key, "read", files=files[-1:])
        await desk.end()
    await desk.api.conversations.keep(KEY)
    await desk.owner.stop()
    assert [Path(path).exists() for path in files] == [True, False]
