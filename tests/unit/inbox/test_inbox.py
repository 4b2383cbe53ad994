"""The inbox: stored before it is shown, closed once."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.bus.events import InboxChanged
from desktop.database import Database
from desktop.errors import StorageError
from desktop.inbox.inbox import Inbox, Notice
from desktop.tools.audit import Audit, Entry, fingerprint


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield database
    await database.close()


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
