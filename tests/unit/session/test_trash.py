"""Deleted sessions can be brought back, whole, until thirty days have gone."""

import os
import time
from pathlib import Path

from desktop.session.sessions import Sessions


async def _said(sessions: Sessions, key: str) -> list[str]:
    session = await sessions.open(key)
    return [message["content"] for message in await session.everything()]


async def test_a_deleted_session_is_gone_from_the_list_and_comes_back_whole(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    session = await sessions.open("window:a")
    await session.append({"role": "user", "content": "keep me"})
    await session.set_metadata(title="Mine")
    await sessions.delete("window:a")
    assert await sessions.list() == []
    assert await _said(Sessions(tmp_path), "window:a") == []
    assert await sessions.restore("window:a")
    assert [info.title for info in await sessions.list()] == ["Mine"]
    assert await _said(sessions, "window:a") == ["keep me"]


async def test_of_two_deletions_under_one_key_the_last_comes_back(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    for words in ("first", "second"):
        await (await sessions.open("k")).append({"role": "user", "content": words})
        await sessions.delete("k")
    assert await sessions.restore("k")
    assert await _said(sessions, "k") == ["second"]


async def test_what_was_begun_anew_under_the_key_is_not_overwritten(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    await (await sessions.open("k")).append({"role": "user", "content": "old"})
    await sessions.delete("k")
    await (await sessions.open("k")).append({"role": "user", "content": "new"})
    assert await sessions.restore("k")
    texts = {path.read_text("utf-8") for path in tmp_path.glob("*.jsonl")}
    assert any("old" in text for text in texts)
    assert any("new" in text for text in texts)


async def test_nothing_is_overwritten_where_both_names_are_taken(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    for words in ("one", "two", "three"):
        await (await sessions.open("k")).append({"role": "user", "content": words})
        if words != "three":
            await sessions.delete("k")
    assert await sessions.restore("k")
    assert not await sessions.restore("k")
    texts = [path.read_text("utf-8") for path in tmp_path.rglob("*.jsonl")]
    for words in ("one", "two", "three"):
        assert any(words in text for text in texts)


async def test_nothing_to_delete_or_to_restore_is_no_error(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    await sessions.delete("never")
    assert not await sessions.restore("never")
    assert not list(tmp_path.glob("*.jsonl"))


async def test_after_thirty_days_it_is_really_gone(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    await (await sessions.open("old")).append({"role": "user", "content": "x"})
    await sessions.delete("old")
    (deleted,) = (tmp_path / ".deleted").iterdir()
    month_ago = time.time_ns() - 31 * 86_400 * 10**9
    os.rename(deleted, deleted.with_name(f"{month_ago:020}-{deleted.name.partition('-')[2]}"))
    await sessions.delete("other")
    assert not await sessions.restore("old")
