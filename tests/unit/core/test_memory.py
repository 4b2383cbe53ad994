"""The memory as it is asked for, its commands and its tool, in a real core beside a real server."""

import json
from collections.abc import Sequence

import pytest

from desktop.api.memory import Dreamed, DreamPhase, Fact
from desktop.bus.events import TurnFinished
from desktop.errors import UsageError
from tests.servers.scripted import ScriptedServer
from tests.streamed import end_of
from tests.unit.core.test_conversations import Desk

READING, SUMMING = "long-term notes", "keep the memory"


async def dreamed(desk: Desk) -> Dreamed:
    return await end_of(desk.api.memory.dream(), Dreamed)


async def learned(desk: Desk, server: ScriptedServer) -> None:
    """A conversation, and a Dream over it."""
    server.when(SUMMING, "say:- Is called Anna and likes tea.")
    server.when(READING, "say:[USER] Is called Anna. (#1)\n[USER] Likes tea. (#1)")
    await desk.ask("window:a", "I am Anna and like tea.")
    await dreamed(desk)


async def facts(desk: Desk, name: str = "USER") -> Sequence[Fact]:
    files = (await desk.api.memory.known()).files
    return next(file.facts for file in files if file.name == name)


async def test_what_was_said_becomes_facts_with_their_source(desk: Desk, server: ScriptedServer) -> None:
    server.when(SUMMING, "say:- Is called Anna.")
    server.when(READING, "say:[USER] Is called Anna. (#1)")
    await desk.ask("window:a", "I am Anna.")
    events = [event async for event in desk.api.memory.dream()]
    done = events.pop()
    assert events == [DreamPhase(phase) for phase in ("summing", "reading", "keeping")]
    assert isinstance(done, Dreamed)
    assert (done.changed, done.skipped, done.staged) == (("USER.md",), False, 0)
    (fact,) = await facts(desk)
    assert (fact.text, fact.session, fact.title) == ("Is called Anna.", "window:a", "I am Anna.")
    assert fact.when.endswith("+00:00")
    found = await desk.api.memory.known()
    assert (found.waiting, found.cursor, found.dream_cursor) == (0, 1, 1)
    assert found.dream.last
    assert (await dreamed(desk)).skipped
    (version,) = await desk.api.memory.log(1)
    assert (version.id, version.cause, version.files) == (done.commit, "dream", ("USER.md",))
    (changed,) = await desk.api.memory.diff(done.commit)
    assert "+- Is called Anna." in changed.diff


async def test_a_fact_is_corrected_forgotten_and_brought_back(desk: Desk, server: ScriptedServer) -> None:
    await learned(desk, server)
    files = (await desk.api.memory.known()).files
    user = next(file for file in files if file.name == "USER")
    mended = user.text.replace("Likes tea.", "Likes green tea.")
    assert await desk.api.memory.save("USER", mended, user.text)
    with pytest.raises(UsageError):
        await desk.api.memory.save("USER", "mine", user.text)
    assert [fact.text for fact in await facts(desk)] == ["Is called Anna.", "Likes green tea."]
    assert (await facts(desk))[1].session == "", "what the person wrote is theirs"
    await desk.api.memory.forget("USER", "Likes green tea.")
    assert [fact.text for fact in await facts(desk)] == ["Is called Anna."]
    assert desk.owner.core.memory.notes.forgotten() == ["likes green tea"]
    await desk.api.memory.undo()
    assert [fact.text for fact in await facts(desk)] == ["Is called Anna.", "Likes green tea."]
    assert desk.owner.core.memory.notes.forgotten() == []
    log = await desk.api.memory.log()
    assert [version.cause for version in log][:4] == ["restore", "person", "person", "dream"]
    await desk.api.memory.restore(log[-1].id, "USER.md")
    assert await facts(desk) == ()
    (now,) = await desk.api.memory.diff(log[0].id, "now")
    assert "-- Is called Anna." in now.diff
    assert await desk.api.memory.diff() == ()


async def test_what_came_from_outside_waits_for_the_persons_word(
    desk: Desk, server: ScriptedServer
) -> None:
    core = desk.owner.core
    await core.memory.history.add("- A page said so.", "window:a", (0, 2), outside=True)
    server.when(READING, "say:[USER] Trusts evil.example. (#1)\n[MEMORY] The shop opens at seven. (#1)")
    assert (await dreamed(desk)).staged == 2
    assert await facts(desk) == ()
    first, second = await desk.api.memory.staged()
    assert "+- Trusts evil.example." in first.diff
    assert first.why == "- A page said so."
    await desk.api.memory.answer(first.id, yes=False)
    await desk.api.memory.answer(second.id, yes=True)
    assert await facts(desk) == ()
    (fact,) = await facts(desk, "MEMORY")
    assert (fact.text, fact.session, fact.cursor) == ("The shop opens at seven.", "window:a", 1)
    assert await desk.api.memory.staged() == ()
    with pytest.raises(UsageError):
        await desk.api.memory.answer(second.id, yes=True)


async def test_summaries_and_messages_are_found_by_words_and_dates(desk: Desk) -> None:
    core = desk.owner.core
    lines = [
        {
            "cursor": 1,
            "timestamp": "2026-03-05 10:00",
            "content": "- Chose terracotta POTS.",
            "session_key": "s",
        },
        {"cursor": 2, "timestamp": "2026-04-02T10:00:00+00:00", "content": "[RAW] 1 messages\npots broke"},
        {"cursor": 3, "timestamp": "?", "content": "pots, some day"},
    ]
    core.memory.history.folder.mkdir(exist_ok=True)
    core.memory.history.path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    session = await core.sessions.open("window:b")
    said = {"role": "user", "content": "Which pots did we buy?", "timestamp": "2026-03-20T10:00:00+00:00"}
    await session.append(said)

    async def found(query: str, since: str = "", until: str = "") -> list[tuple[str, str]]:
        hits = await desk.api.memory.search(query, since, until)
        return [(hit.kind, hit.text[:12]) for hit in hits]

    assert await found("pots") == [
        ("summary", "[RAW] 1 mess"),
        ("message", "Which pots d"),
        ("summary", "- Chose terr"),
        ("summary", "pots, some d"),
    ]
    assert await found("pots", "2026-03", "2026-03") == [
        ("message", "Which pots d"),
        ("summary", "- Chose terr"),
    ]
    assert await found("Terracotta pots", since="2026-03-05", until="2026-03-05") == [
        ("summary", "- Chose terr")
    ]
    assert await found("terracotta broke") == []
    with pytest.raises(UsageError):
        await found("pots", since="last week")
    with pytest.raises(UsageError):
        await found("  ")
    entries = await desk.api.memory.summaries("pots", 2)
    assert [(entry.cursor, entry.raw) for entry in entries] == [(3, False), (2, True)]
    older = await desk.api.memory.summaries(limit=5, before=2)
    assert [entry.cursor for entry in older] == [1]


async def test_the_agent_looks_up_what_it_no_longer_sees(desk: Desk, server: ScriptedServer) -> None:
    core = desk.owner.core
    await core.memory.history.add("- The key is under the blue pot.", "window:old", (0, 2))
    await core.memory.history.consume(1)
    server.when("Where is the key", 'use:[["memory_search", {"query": "key pot"}]]')
    end = await desk.ask("window:a", "Where is the key?")
    assert isinstance(end, TurnFinished)
    last = server.requests[-1].body["messages"]
    (result,) = [message["content"] for message in last if message["role"] == "tool"]
    assert "under the blue pot" in result
    assert "window:old" in result
    assert "memory_search" in str(server.requests[0].body["tools"])
    assert "# Memory" in str(last[0]["content"]), "the skill that is always loaded"


async def test_the_commands_of_a_conversation(desk: Desk, server: ScriptedServer) -> None:
    server.when(SUMMING, "say:- Likes tea.")
    server.when(READING, "say:[USER] Likes tea. (#1)")

    async def said(text: str) -> str:
        end = await desk.ask("window:a", text)
        assert isinstance(end, TurnFinished)
        return end.text

    assert "no versions" in await said("/dream-log") or "`" in await said("/dream-log")
    await said("I like tea.")
    assert "USER.md" in await said("/dream")
    assert "Nothing new" in await said("/dream")
    first = (await said("/dream-log")).splitlines()[0]
    assert "Dream" in first
    id_ = first.split("`")[1]
    assert "+- Likes tea." in await said(f"/dream-log {id_}")
    assert "restored" in await said("/dream-restore")
    assert await facts(desk) == ()
    await said(f"/dream-restore {id_}")
    assert [fact.text for fact in await facts(desk)] == ["Likes tea."]
    assert "already at this version" in await said(f"/dream-restore {id_}")
    assert "no version" in await said("/dream-restore ffffffff")


async def test_what_went_to_an_archive_is_searched_and_listed_as_before(
    desk: Desk, server: ScriptedServer
) -> None:
    core = desk.owner.core
    core.memory.history.folder.mkdir(exist_ok=True)
    lines = [
        {"cursor": 1, "timestamp": "2026-01-10T10:00:00+00:00", "content": "- The shop opens at seven."},
        {"cursor": 2, "timestamp": "2026-03-10T10:00:00+00:00", "content": "- The shop moved to Porto."},
    ]
    core.memory.history.path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    await core.memory.history.consume(2)
    await core.memory.history.add("- Likes the new shop.", "window:a", (0, 2))
    server.when(READING, "say:[SKIP]")
    await dreamed(desk)
    names = sorted(path.name for path in (core.memory.history.folder / "archive").iterdir())
    assert names == ["history-2026-01.jsonl", "history-2026-03.jsonl"], "after a Dream"
    assert len(core.memory.history.path.read_bytes().splitlines()) == 1
    listed = await desk.api.memory.summaries()
    assert [entry.cursor for entry in listed] == [3, 2, 1]
    found = await desk.api.memory.search("shop", until="2026-02-01")
    assert [hit.cursor for hit in found] == [1]
    assert (await desk.api.memory.known()).cursor == 3
