"""The inbox: stored before it is shown, closed once."""

import asyncio
from typing import Any

import pytest

from desktop.bus.bus import Bus
from desktop.bus.events import InboxChanged
from desktop.database.database import Database
from desktop.errors import StorageError
from desktop.inbox.inbox import Inbox, Notice
from desktop.tools.audit import Audit, Entry, fingerprint


def notice(id_: str, at: float) -> Notice:
    return Notice(id_, "approval", "s", "t", "exec: ls", {"card": {"command": "ls"}}, at=at)


async def test_what_waits_is_there_until_it_is_settled_once(database: Database) -> None:
    bus = Bus()
    inbox = Inbox(database, bus)
    with bus.subscribe() as events:
        await inbox.add(notice("a", 1.0))
        await inbox.add(notice("b", 2.0))
        assert [await anext(events), await anext(events)] == [InboxChanged(1), InboxChanged(2)]
    assert [found.id for found in await inbox.list()] == ["b", "a"]
    assert await inbox.settle("a", "yes")
    assert not await inbox.settle("a", "no")
    assert [found.id for found in await inbox.list()] == ["b"]
    settled = await inbox.get("a")
    assert settled
    assert (settled.answer, settled.state, settled.body) == ("yes", "done", {"card": {"command": "ls"}})
    assert [found.id for found in await inbox.list(all_=True)] == ["b", "a"]
    assert await inbox.get("c") is None


async def test_the_audit_log_is_only_added_to(database: Database) -> None:
    audit = Audit(database)
    for number in range(3):
        entry = Entry(
            "s", "t", f"c{number}", "exec", "run", "ls", fingerprint("{}"), "allowed", "mode", False, "ok"
        )
        await audit.add(entry)
    assert [entry.call for entry in await audit.latest(2)] == ["c2", "c1"]
    assert await audit.latest(session="other") == []
    with pytest.raises(StorageError):
        await database.write("UPDATE audit SET outcome = 'failed'")
    with pytest.raises(StorageError):
        await database.write("DELETE FROM audit")
    assert len(await audit.latest()) == 3


def reminder(id_: str, **other: Any) -> Notice:
    return Notice(id_, "reminder", "s", "t", f"Reminder {id_}", {"text": "Bring it."}, **other)


async def test_a_notice_is_added_once(inbox: Inbox) -> None:
    rings: list[int] = []
    inbox.rung = lambda: rings.append(1)
    assert await inbox.add(reminder("a", at=1.0))
    await inbox.settle("a", "done")
    assert not await inbox.add(reminder("a", at=2.0))
    again = await inbox.get("a")
    assert again
    assert (again.at, again.state) == (1.0, "done")
    assert len(rings) == 2


async def test_what_is_to_be_shown_and_when(inbox: Inbox) -> None:
    await inbox.add(reminder("later", at=1.0, due=50.0))
    await inbox.add(reminder("now", at=5.0))
    await inbox.add(reminder("before", at=3.0, due=4.0))
    assert [notice.id for notice in await inbox.unshown(10.0)] == ["before", "now"]
    assert await inbox.next_due(10.0) == 50.0
    assert await inbox.next_due(50.0) is None
    assert await inbox.handing("now")
    assert [notice.shown for notice in await inbox.unshown(10.0)] == [0, 1], "it may not have been seen"
    await inbox.handed("now")
    assert not await inbox.handing("now")
    before = await inbox.get("before")
    assert before
    await inbox.pass_over(before)
    assert await inbox.unshown(10.0) == []
    assert await inbox.settle("later", "done")
    assert await inbox.next_due(10.0) is None
    assert not await inbox.handing("later")


async def test_a_snoozed_notice_is_shown_anew(inbox: Inbox) -> None:
    await inbox.add(reminder("a"))
    assert await inbox.handing("a")
    assert await inbox.on_screen({"a", "b"}) == {"a"}
    assert await inbox.snooze("a", 50.0), "the person was quicker than the daemon"
    await inbox.handed("a")
    assert await inbox.on_screen({"a"}) == set()
    assert [notice.id for notice in await inbox.unshown(50.0)] == ["a"]
    await inbox.settle("a", "done")
    assert not await inbox.snooze("a", 60.0)
    assert not await inbox.snooze("b", 60.0)


async def test_it_counts_how_often_it_was_handed_over(database: Database, inbox: Inbox) -> None:
    await inbox.add(reminder("a"))
    for _ in range(2):
        assert await inbox.handing("a")
    assert await database.read("SELECT handed, shown FROM inbox") == [(2, 1)]


async def test_the_history_is_searched_and_read_in_pages(inbox: Inbox) -> None:
    for n in range(6):
        body = {"text": f"Bring 100% of figure_{n}"}
        await inbox.add(Notice(f"n{n}", "reminder", "", "", f"Stand-up {n}", body, at=float(n)))
    await inbox.add(notice("q", 9.0))
    await inbox.settle("n1", "done")

    async def found(**how: Any) -> list[str]:
        return [notice.id for notice in await inbox.list(all_=True, **how)]

    assert await found(words="stand-up FIGURE_1") == ["n1"]
    assert await found(words="100%") == ["n5", "n4", "n3", "n2", "n1", "n0"]
    assert await found(words="_4") == ["n4"]
    assert await found(words="1%0") == []
    assert await found(words="ls") == ["q"]
    assert await found(words="command") == [], "that is a name of the program's own"
    assert await found(kind="approval") == ["q"]
    assert await found(kind="reminder", limit=2) == ["n5", "n4"]
    assert await found(kind="reminder", limit=2, before=4.0) == ["n3", "n2"]
    assert [notice.id for notice in await inbox.list(words="figure_1")] == []


async def test_two_that_settle_at_once(inbox: Inbox) -> None:
    await inbox.add(reminder("a"))
    settled = await asyncio.gather(*(inbox.settle("a", answer) for answer in ("yes", "no", "withdrawn")))
    assert sorted(settled) == [False, False, True]


async def test_forms_that_no_call_waits_for_are_closed_and_other_questions_stay(inbox: Inbox) -> None:
    form = {"title": "Question from an MCP server", "form": {"purpose": "form", "fields": []}}
    await inbox.add(notice("a", 1.0))
    await inbox.add(Notice("b", "approval", "s", "t", "asks", {"card": form}))
    await inbox.add(reminder("c"))
    await inbox.close_forms()
    assert {found.id for found in await inbox.list()} == {"a", "c"}
    closed = await inbox.get("b")
    assert closed
    assert closed.answer == "withdrawn"
