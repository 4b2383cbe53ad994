"""Sessions on disk: durable appends, opening by key, failures that leave nothing behind."""

import asyncio
import errno
import os
import resource
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakSet

import pytest

from desktop.errors import StorageError
from desktop.session import reader, records
from desktop.session.log import Session
from desktop.session.names import file_name
from desktop.session.sessions import Sessions

DATA = Path(__file__).parents[2] / "data"


async def talk(session: Session, *texts: str) -> None:
    for number, text in enumerate(texts):
        await session.append({"role": ("user", "assistant")[number % 2], "content": text})


async def test_nothing_is_created_before_the_first_message(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    session = await Sessions(folder).open("cli:direct")
    assert session.history(1000) == []
    assert not session.unanswered
    assert await Sessions(folder).list() == []
    assert not folder.exists()


async def test_what_was_appended_is_there_after_a_restart(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    session = await sessions.open("cli:direct")
    record = await session.append({"role": "user", "content": "hi"})
    assert record["timestamp"].endswith("+00:00")
    assert session.unanswered
    await session.append({"role": "assistant", "content": "hello"})
    again = await Sessions(tmp_path).open("cli:direct")
    assert again.history(1000) == session.history(1000)
    assert not again.unanswered
    assert await sessions.open("cli:direct") is session


async def test_a_file_is_only_ever_added_to_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    session = await Sessions(tmp_path).open("k")
    before = b""
    for step in range(3):
        await session.append({"role": "user", "content": str(step)})
        await session.set_metadata(title=f"title {step}")
        now = session.path.read_bytes()
        assert now.startswith(before)
        assert now.endswith(b"\n")
        before = now
    assert stat.S_IMODE(session.path.stat().st_mode) == 0o600
    assert (await Sessions(tmp_path).open("k")).metadata == {"title": "title 2"}


async def test_appends_at_once_all_arrive_in_order(tmp_path: Path) -> None:
    session = await Sessions(tmp_path).open("k")
    await asyncio.gather(*(session.append({"role": "user", "content": str(n)}) for n in range(30)))
    stored = [m["content"] for m in await session.everything()]
    assert stored == [str(n) for n in range(30)]
    assert [m["content"] for m in session.history(10_000)] == stored


async def test_a_cancelled_append_is_in_the_file_and_in_memory_or_in_neither(tmp_path: Path) -> None:
    session = await Sessions(tmp_path).open("k")
    await session.append({"role": "user", "content": "first"})
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await session.append({"role": "assistant", "content": "second"})
    await session.append({"role": "user", "content": "third"})
    assert await session.everything() == session.history(1000)


@contextmanager
def small_files() -> Iterator[None]:
    """The disk is full after 1,000 bytes of a file. Within the test only: pytest writes files too."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


async def test_a_write_that_fails_halfway_leaves_no_half_record(tmp_path: Path) -> None:
    session = await Sessions(tmp_path).open("k")
    await session.append({"role": "user", "content": "fits"})
    before = session.path.read_bytes()
    with small_files(), pytest.raises(StorageError) as caught:
        await session.append({"role": "assistant", "content": "x" * 2000})
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.EFBIG
    assert session.path.read_bytes() == before
    assert session.unanswered
    await session.append({"role": "assistant", "content": "fits too"})
    assert [m["content"] for m in await session.everything()] == ["fits", "fits too"]
    other = await Sessions(tmp_path).open("other")
    with small_files(), pytest.raises(StorageError):
        await other.append({"role": "user", "content": "x" * 2000})
    assert not other.path.exists()


async def test_messages_stored_together_are_all_there_or_none(tmp_path: Path) -> None:
    session = await Sessions(tmp_path).open("k")
    texts = ["one", "two", "three"]
    kept = await session.append_all({"role": "user", "content": text} for text in texts)
    assert await session.everything() == kept
    assert [m["content"] for m in session.history(1000)] == texts
    with small_files(), pytest.raises(StorageError):
        await session.append_all({"role": "user", "content": text} for text in ("fits", "x" * 2000))
    assert await session.everything() == kept
    assert await session.append_all([]) == []


async def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file in the way")
    session = await Sessions(tmp_path / "sessions").open("k")
    with pytest.raises(StorageError) as caught:
        await session.append({"role": "user", "content": "x"})
    assert caught.value.remedy
    assert not session.unanswered


async def test_keys_that_nanobot_confused_stay_apart(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    for key in ("a:b_c", "a_b:c", "A:B_C"):
        await talk(await sessions.open(key), key)
    for key in ("a:b_c", "a_b:c", "A:B_C"):
        assert [m["content"] for m in (await Sessions(tmp_path).open(key)).history(100)] == [key]
    assert sorted(info.key for info in await sessions.list()) == ["A:B_C", "a:b_c", "a_b:c"]


async def test_a_file_that_says_it_is_another_session_is_not_taken(tmp_path: Path) -> None:
    """nanobot stored telegram:1001 under the name that is the key telegram_1001's here."""
    theirs = tmp_path / file_name("telegram_1001")
    theirs.write_bytes((DATA / "feb-apr-2026/telegram_1001.jsonl").read_bytes())
    before = theirs.read_bytes()
    session = await Sessions(tmp_path).open("telegram_1001")
    assert session.history(1000) == []
    await talk(session, "mine")
    again = await Sessions(tmp_path).open("telegram_1001")
    assert [m["content"] for m in again.history(100)] == ["mine"]
    assert theirs.read_bytes() == before
    assert len((await Sessions(tmp_path).open("telegram:1001")).history(1000)) == 6


async def test_a_lost_metadata_line_is_written_anew(tmp_path: Path) -> None:
    long = "Key " * 100
    session = await Sessions(tmp_path).open(long)
    await talk(session, "hi", "ho")
    session.path.write_bytes(session.path.read_bytes().split(b"\n", 1)[1])
    await talk(await Sessions(tmp_path).open(long), "again")
    (info,) = await Sessions(tmp_path).list()
    assert info.key == long
    assert len(await (await Sessions(tmp_path).open(long)).everything()) == 3


@pytest.mark.parametrize(
    ("file", "key", "shown", "stored"),
    [
        ("feb-apr-2026/telegram_1001.jsonl", "telegram:1001", 6, 6),
        ("feb-apr-2026/cli_direct.jsonl", "cli:direct", 6, 6),
        ("v0.3.5/dGVsZWdyYW06MTAwMQ.jsonl", "telegram:1001", 6, 10),
        ("v0.3.5/Y2xpOmRpcmVjdA.jsonl", "cli:direct", 6, 10),
        ("v0.3.5/dW5pZmllZDpkZWZhdWx0.jsonl", "unified:default", 6, 10),
    ],
)
async def test_files_of_both_nanobots_are_read_and_continued_in_place(
    tmp_path: Path, file: str, key: str, shown: int, stored: int
) -> None:
    """0.3.5: two messages lie before the offset, one is hidden, one a slash command."""
    copy = tmp_path / Path(file).name
    copy.write_bytes((DATA / file).read_bytes())
    session = await Sessions(tmp_path).open(key)
    history = session.history(10_000)
    assert session.path == copy
    assert len(history) == shown
    assert len(await session.everything()) == stored
    assert history[0]["role"] == "user"
    assert not any("_command" in m or "_hidden_history" in m for m in history)
    assert all(m["timestamp"].endswith("+00:00") for m in history)
    assert session.damaged == 0
    await talk(session, "and now?")
    (info,) = await Sessions(tmp_path).list()
    assert (info.key, info.messages, info.path) == (key, stored + 1, copy)


async def test_private_state_of_nanobot_is_not_a_message(tmp_path: Path) -> None:
    lines = (DATA / "v0.3.5/Y2xpOmRpcmVjdA.jsonl").read_text("utf-8").splitlines()
    lines.insert(1, '{"_type":"provider_state","state":{"role":"user"}}')
    (tmp_path / "Y2xpOmRpcmVjdA.jsonl").write_text("\n".join(lines), "utf-8")
    session = await Sessions(tmp_path).open("cli:direct")
    assert (len(await session.everything()), session.damaged) == (10, 0)


@pytest.mark.parametrize(
    ("offset", "first"), [(2, "2"), (0, "0"), (99, "0"), (-1, "0"), (True, "0"), ("2", "0"), (None, "0")]
)
async def test_only_a_sound_offset_hides_messages(tmp_path: Path, offset: object, first: str) -> None:
    session = await Sessions(tmp_path).open("k")
    await talk(session, *map(str, range(6)))
    await session.set_metadata(last_archived=offset)
    assert session.history(1000)[0]["content"] == first
    assert (await Sessions(tmp_path).open("k")).history(1000)[0]["content"] == first


async def test_everything_can_be_archived_and_stays_stored(tmp_path: Path) -> None:
    session = await Sessions(tmp_path, limit=100).open("k")
    await talk(session, *["word " * 40] * 3000)
    await session.set_metadata(last_archived=await session.count())
    await talk(session, "a fresh start")
    for opened in (session, await Sessions(tmp_path, limit=100).open("k")):
        assert [m["content"] for m in opened.history(10_000)] == ["a fresh start"]
        assert await opened.count() == 3001


async def test_metadata_is_found_again_in_a_long_file_and_opening_reads_only_its_end(
    tmp_path: Path,
) -> None:
    session = await Sessions(tmp_path, limit=1000).open("k")
    await talk(session, "hello", "hi")
    await session.set_metadata(title="Early", color="green")
    big = "lorem ipsum " * 3000
    await talk(session, *[big] * 60)
    assert session.path.stat().st_size > 8 * reader.REPEAT_METADATA
    again = await Sessions(tmp_path, limit=1000).open("k")
    assert again.metadata == {"title": "Early", "color": "green"}
    assert reader.load(session.path, 1000).before > session.path.stat().st_size / 2
    (info,) = await Sessions(tmp_path).list()
    assert (info.title, info.messages) == ("Early", None)
    await again.set_metadata(color=None)
    assert (await Sessions(tmp_path).open("k")).metadata == {"title": "Early"}


async def test_a_foreign_file_longer_than_is_read_has_its_first_line_read(tmp_path: Path) -> None:
    head = (
        b'{"_type": "metadata", "key": "telegram:9", "metadata": {"title": "Old"}, "last_archived": 3990}\n'
    )
    lines = [
        records.write(records.stamped({"role": "user", "content": f"{n} " * 200})) for n in range(4000)
    ]
    (tmp_path / "telegram_9.jsonl").write_bytes(head + b"".join(lines))
    session = await Sessions(tmp_path, limit=100_000).open("telegram:9")
    assert session.metadata == {"title": "Old"}
    assert [m["content"].split()[0] for m in session.history(100_000)] == [
        str(n) for n in range(3990, 4000)
    ]


async def test_the_list_is_newest_first_with_titles(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    for key, day in (("old", 1), ("new", 3), ("middle", 2)):
        session = await sessions.open(key)
        stamp = f"2026-03-0{day}T10:00:00+00:00"
        await session.append({"role": "user", "content": f"\n About {key}\nmore", "timestamp": stamp})
    await (await sessions.open("old")).set_metadata(title="Named")
    listed = await sessions.list()
    assert [info.key for info in listed] == ["new", "middle", "old"]
    assert [info.title for info in listed] == ["About new", "About middle", "Named"]
    assert listed[0].updated.isoformat() == "2026-03-03T10:00:00+00:00"
    assert [info.damaged for info in listed] == [0, 0, 0]


@pytest.mark.parametrize("fill", [0, 40_000], ids=["short file", "long file"])
async def test_the_list_counts_what_is_damaged_and_is_not_misled_by_texts(
    tmp_path: Path, fill: int
) -> None:
    session = await Sessions(tmp_path).open("k")
    await session.set_metadata(title="Right")
    await session.append({"role": "user", "content": "metadata"})
    for _ in range(10):
        await session.append({"role": "assistant", "content": "x" * fill})
    await session.append({"role": "user", "content": "metadata"})
    with session.path.open("ab") as file:
        file.write(b'garbage\n{"role":"user","content":"cut')
    (info,) = await Sessions(tmp_path).list()
    assert (info.key, info.title, info.damaged) == ("k", "Right", 2)
    assert info.messages == (None if fill else 12)
    await (await Sessions(tmp_path).open("k")).append({"role": "user", "content": "after"})
    assert (await Sessions(tmp_path).list())[0].damaged == 2


async def test_times_without_a_zone_are_local_times(tmp_path: Path) -> None:
    os.environ["TZ"], before = "Asia/Tokyo", os.environ.get("TZ")
    try:
        import time

        time.tzset()
        (tmp_path / "k.jsonl").write_text(
            '{"role": "user", "content": "x", "timestamp": "2026-03-01T09:00:00"}\n'
        )
        session = await Sessions(tmp_path).open("k")
        assert session.history(100)[0]["timestamp"] == "2026-03-01T00:00:00.000+00:00"
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


async def test_opening_one_key_many_times_at_once_is_one_session(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    opened = await asyncio.gather(*(sessions.open("k") for _ in range(10)))
    assert len({id(session) for session in opened}) == 1


async def test_many_conversations_do_not_all_stay_in_memory_and_none_loses_a_word(tmp_path: Path) -> None:
    sessions, texts = Sessions(tmp_path), [f"{number} " + "word " * 40_000 for number in range(40)]
    opened: WeakSet[Session] = WeakSet()
    for number, text in enumerate(texts):
        session = await sessions.open(f"chat:{number}")
        await talk(session, text)
        opened.add(session)
    del session
    assert 1 < len(opened) < 30, "8 MB of text"
    for number, text in enumerate(texts):
        (asked,) = (await sessions.open(f"chat:{number}")).history(100_000)
        assert asked["content"] == text


async def test_a_conversation_that_is_at_work_stays_the_one_that_others_find(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    at_work = await sessions.open("chat:0")
    await talk(at_work, "a question")
    for number in range(1, 100):
        await talk(await sessions.open(f"chat:{number}"), "word " * 40_000)
    assert await sessions.open("chat:0") is at_work


def test_records_that_are_read_share_the_names_of_their_fields() -> None:
    stored = records.write({"role": "user", "content": "x", "_turn": "1"})
    (one,), (other,) = records.read(stored)[0], records.read(stored)[0]
    assert all(mine is its for mine, its in zip(one, other, strict=True))
