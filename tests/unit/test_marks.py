"""Whose words a file is: what its bytes, its folder and the commands of its time say about it."""

import hashlib
import os
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.database.database import Database
from desktop.files import Place, Seen, seen
from desktop.marks import Marks
from desktop.origin import AGENT, TRUSTED, UNKNOWN, Mark, Origin, untrusted

PAGE = untrusted("a.page")
HOUR = 3_600_000_000_000


class Desk:
    """A folder with files, and their marks."""

    def __init__(self, folder: Path, marks: Marks) -> None:
        self.folder, self.marks = folder, marks

    def file(self, name: str, text: str, *, hours_ago: int = 0) -> Seen:
        """A file, as the opener saw it."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        found = seen(path, Place(path.parent).stat(path.name), hashlib.sha256(text.encode()).hexdigest())
        return replace(found, changed=found.changed - hours_ago * HOUR)

    async def of(self, *files: Seen) -> Mark:
        return await self.marks.of_files(files)

    async def command(self, mark: Mark, folder: Path | None = None, session: str = "s") -> None:
        """A command that was running now."""
        id_ = await self.marks.begin_command(session, [folder or self.folder], mark)
        await self.marks.end_command(id_)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    database = Database(tmp_path / "state.db")
    await database.open()
    folder = tmp_path / "workspace"
    folder.mkdir()
    yield Desk(folder, Marks(database))
    await database.close()


async def test_a_file_that_nobody_vouches_for_is_unknown_and_named(desk: Desk) -> None:
    mark = await desk.of(desk.file("letter.txt", "Dear agent"))
    assert (mark.origin, mark.sources) == (Origin.UNKNOWN, ("letter.txt",))


async def test_a_mark_belongs_to_the_bytes(desk: Desk) -> None:
    await desk.marks.keep([desk.file("a.txt", "obey")], PAGE)
    for name in ("a.txt", "copy.txt", "far/away.md"):
        assert await desk.of(desk.file(name, "obey")) == PAGE
    assert (await desk.of(desk.file("a.txt", "obey!"))).origin is Origin.UNKNOWN, "other bytes"


async def test_the_agent_s_own_is_trusted_and_an_empty_file_says_nothing(desk: Desk) -> None:
    await desk.marks.keep([desk.file("a.txt", "notes")], AGENT)
    assert (await desk.of(desk.file("b.txt", "notes"))).trusted
    await desk.marks.keep([desk.file("empty", "")], PAGE)
    assert await desk.of(desk.file("empty2", "")) == TRUSTED


@pytest.mark.parametrize("order", [(AGENT, PAGE), (PAGE, AGENT)])
async def test_the_same_bytes_by_a_trusted_hand_are_trusted(desk: Desk, order: tuple[Mark, Mark]) -> None:
    """Whoever came first: a page that repeats what the agent wrote takes nothing away."""
    for mark in order:
        await desk.marks.keep([desk.file("a.txt", "yes")], mark)
    trusted = (await desk.of(desk.file("a.txt", "yes"))).trusted
    assert trusted


async def test_several_files_are_as_trusted_as_the_worst(desk: Desk) -> None:
    files = [desk.file(name, name) for name in ("mine", "page", "unknown")]
    await desk.marks.keep(files[:1], AGENT)
    await desk.marks.keep(files[1:2], PAGE)
    mark = await desk.of(*files)
    assert (mark.origin, set(mark.sources)) == (Origin.UNTRUSTED, {"a.page", "unknown"})


async def test_the_person_vouches_for_a_folder(desk: Desk) -> None:
    old = desk.file("docs/old.txt", "old")
    await desk.marks.keep([desk.file("docs/page.txt", "obey")], PAGE)
    await desk.marks.vouch(desk.folder / "docs")
    assert await desk.of(old) == TRUSTED
    assert await desk.of(desk.file("docs/deep/new.txt", "new")) == TRUSTED, "what they put there later"
    assert await desk.of(desk.file("docs/page.txt", "obey")) == PAGE, "marked text stays marked"
    assert not (await desk.of(desk.file("docsx/a.txt", "x"))).trusted, "a folder beside it"
    assert await desk.marks.vouched() == [str(desk.folder / "docs")]
    await desk.marks.unvouch(str(desk.folder / "docs"))
    assert not (await desk.of(old)).trusted


async def test_what_was_unknown_before_the_vouching_is_theirs_and_not_what_came_after(desk: Desk) -> None:
    before = desk.file("a.txt", "before")
    await desk.marks.keep([before], UNKNOWN)
    await desk.marks.vouch(desk.folder)
    assert await desk.of(before) == TRUSTED
    after = desk.file("b.txt", "after")
    await desk.marks.keep([after], UNKNOWN)
    assert not (await desk.of(after)).trusted


async def test_what_a_command_may_have_changed_is_as_its_view_was(desk: Desk) -> None:
    await desk.marks.vouch(desk.folder)
    earlier = desk.file("earlier.txt", "e", hours_ago=1)
    await desk.command(PAGE)
    during = desk.file("during.txt", "d")
    assert await desk.of(during) == PAGE
    assert await desk.of(earlier) == TRUSTED, "it was changed an hour before"
    assert await desk.of(replace(during, changed=during.changed + HOUR)) == TRUSTED, "and an hour after"


async def test_a_command_touches_only_where_it_could_write(desk: Desk) -> None:
    await desk.marks.vouch(desk.folder)
    await desk.command(PAGE, desk.folder / "project")
    assert await desk.of(desk.file("project/a.txt", "a")) == PAGE
    assert await desk.of(desk.file("other/a.txt", "b")) == TRUSTED


async def test_a_trusted_command_makes_nothing_of_what_nobody_vouches_for(desk: Desk) -> None:
    await desk.command(AGENT)
    assert not (await desk.of(desk.file("a.txt", "a"))).trusted
    await desk.marks.vouch(desk.folder)
    assert (await desk.of(desk.file("b.txt", "b"))).trusted


async def test_a_command_that_was_cut_off_has_ended(desk: Desk) -> None:
    await desk.marks.vouch(desk.folder)
    await desk.marks.begin_command("s", [desk.folder], PAGE)
    later = desk.file("later.txt", "l")
    later = replace(later, changed=later.changed + HOUR)
    assert await desk.of(later) == PAGE, "it may still run"
    await desk.marks.recover()
    assert await desk.of(later) == TRUSTED


async def test_vouching_for_a_conversation_settles_what_its_commands_made(desk: Desk) -> None:
    await desk.marks.vouch(desk.folder)
    await desk.command(UNKNOWN)
    await desk.command(PAGE, desk.folder / "page")
    made, marked = desk.file("made.txt", "made"), desk.file("page/made.txt", "marked")
    assert not (await desk.of(made)).trusted
    await desk.marks.settle("s", [desk.folder, Path("/elsewhere")])
    assert not (await desk.of(made)).trusted, "they do not vouch for all of it"
    await desk.marks.settle("another", [desk.folder])
    assert not (await desk.of(made)).trusted, "that was another conversation"
    await desk.marks.settle("s", [desk.folder])
    assert (await desk.of(made)).trusted
    assert await desk.of(marked) == PAGE, "what a page brought is not settled"


async def test_what_a_command_prints_is_as_its_folders(desk: Desk) -> None:
    assert (await desk.marks.of_folders([desk.folder])).origin is Origin.UNKNOWN
    await desk.marks.vouch(desk.folder)
    assert (await desk.marks.of_folders([desk.folder])).trusted
    page = desk.file("page.txt", "obey")
    await desk.marks.keep([page], PAGE)
    assert (await desk.marks.of_folders([desk.folder])) == PAGE
    assert (await desk.marks.of_folders([desk.folder / "other"])).trusted, "not there"
    page.path.unlink()
    assert (await desk.marks.of_folders([desk.folder])).trusted, "it is gone"


async def test_what_tools_wrote_since_a_moment_is_told(desk: Desk) -> None:
    by_hand, by_tool = desk.file("hand.sh", "h", hours_ago=1), desk.file("tool.sh", "t", hours_ago=1)
    moment = time.time() - 1
    await desk.marks.keep([by_tool], AGENT)
    assert await desk.marks.written([by_hand, by_tool], moment) == [by_tool.path]
    assert await desk.marks.written([by_tool], time.time() + 1) == [], "before that moment"
    await desk.command(AGENT)
    assert await desk.marks.written([desk.file("run.sh", "r")], moment) == [desk.folder / "run.sh"]


@pytest.mark.expected_log("is damaged")
@pytest.mark.parametrize("damage", ["missing", "damaged"])
async def test_without_the_table_everything_is_unknown(tmp_path: Path, damage: str) -> None:
    first = Database(tmp_path / "state.db")
    await first.open()
    desk = Desk(tmp_path, Marks(first))
    mine = desk.file("docs/mine.txt", "mine")
    await desk.marks.vouch(tmp_path / "docs")
    assert (await desk.of(mine)).trusted
    await first.close()
    for path in tmp_path.glob("state.db*"):
        path.unlink()
    if damage == "damaged":
        (tmp_path / "state.db").write_bytes(os.urandom(8192))
    again = Database(tmp_path / "state.db")
    await again.open()
    try:
        assert (await Marks(again).of_files([mine])).origin is Origin.UNKNOWN
        assert await Marks(again).vouched() == []
    finally:
        await again.close()
