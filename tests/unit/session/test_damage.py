"""Damage to a session file costs the damaged records and nothing else, wherever it strikes."""

import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.session import reader, records
from desktop.session.model import Message
from desktop.session.sessions import Sessions

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ['{"role":"user"}', "{'role'", '\\"', "naïve", "\u0085\u2028", "中文", "\x00", '{"_type":"metadata"}']
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool"]), "content": TEXTS},
        optional={"nested": st.just([{"role": "user", "content": "x"}, {"_type": "metadata"}])},
    ),
    min_size=1,
    max_size=6,
)
DAMAGE = st.tuples(
    st.sampled_from(["flip", "delete", "insert", "truncate"]),
    st.floats(0, 1, exclude_max=True),
    st.binary(min_size=1, max_size=4),
)
slow = settings(deadline=None, max_examples=300)


def stored(messages: list[Message]) -> list[Message]:
    return [{**records.stamped(message), "number": number} for number, message in enumerate(messages)]


def strike(lines: list[bytes], damage: tuple[str, float, bytes]) -> tuple[bytes, set[int]]:
    """The damaged file, and which lines were touched."""
    kind, where, new = damage
    data = b"".join(lines)
    place = int(where * len(data))
    owners = [number for number, line in enumerate(lines) for _byte in line]
    size = min(len(new), len(data) - place)
    if kind == "flip":
        return data[:place] + new[:size] + data[place + size :], set(owners[place : place + size])
    if kind == "delete":
        return data[:place] + data[place + size :], set(owners[place : place + size])
    if kind == "insert":
        return data[:place] + new + data[place:], {owners[place]}
    return data[:place], set(owners[place:])


def load(data: bytes, folder: str) -> list[Message]:
    path = Path(folder, "file.jsonl")
    path.write_bytes(data)
    return reader.load(path, 10**9).messages


@slow
@given(MESSAGES, DAMAGE)
def test_any_damage_costs_at_most_the_records_it_touched(
    messages: list[Message], damage: tuple[str, float, bytes]
) -> None:
    originals = stored(messages)
    lines = [records.write({"_type": "metadata", "key": "k"}), *map(records.write, originals)]
    data, touched = strike(lines, damage)
    with TemporaryDirectory() as folder:
        found = load(data, folder)
    spared = [record for number, record in enumerate(originals, 1) if number not in touched]
    assert [record for record in found if record in spared] == spared
    assert len(found) <= len(originals)


@settings(deadline=None, max_examples=100)
@given(MESSAGES, DAMAGE)
def test_an_append_after_damage_keeps_everything_and_is_kept(
    messages: list[Message], damage: tuple[str, float, bytes]
) -> None:
    lines = [records.write({"_type": "metadata", "key": "k"}), *map(records.write, stored(messages))]
    data, _touched = strike(lines, damage)

    async def append(folder: str) -> tuple[bytes, list[Message]]:
        session = await Sessions(Path(folder)).open("k")
        session.path.write_bytes(data)
        session = await Sessions(Path(folder)).open("k")
        await session.append({"role": "user", "content": "after"})
        return session.path.read_bytes(), await session.everything()

    with TemporaryDirectory() as folder:
        before = load(data, folder)
    with TemporaryDirectory() as folder:
        written, after = asyncio.run(append(folder))
    assert written.startswith(data)
    assert after[:-1] == before
    assert after[-1]["content"] == "after"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@slow
@given(
    st.dictionaries(st.text(max_size=8), JSON, max_size=4), st.sampled_from(["user", "assistant", "tool"])
)
def test_any_message_comes_back_as_it_was_stored(extra: dict[str, Any], role: str) -> None:
    message = {key: value for key, value in extra.items() if key not in ("_type", "timestamp")} | {
        "role": role
    }
    record = records.stamped(message)
    assert {key: record[key] for key in message} == records.clean(message)
    found, damaged = records.read(records.write(record))
    assert (found, damaged) == ([record], 0)


def test_half_characters_and_not_a_number_are_replaced_before_they_are_stored() -> None:
    record = records.stamped({"role": "user", "content": "a\ud800b", "n": float("nan"), "path": Path("x")})
    assert (record["content"], record["n"], record["path"]) == ("a\N{REPLACEMENT CHARACTER}b", None, "x")
    assert json.loads(records.write(record)) == record


def test_a_torn_last_line_counts_if_it_is_whole() -> None:
    line = records.write(records.stamped({"role": "user", "content": "whole"}))
    with TemporaryDirectory() as folder:
        assert [m["content"] for m in load(line + line[:-1], folder)] == ["whole", "whole"]
        path = Path(folder, "file.jsonl")
        path.write_bytes(line + line[:-5])
        loaded = reader.load(path, 10**9)
    assert len(loaded.messages) == 1
    assert loaded.damaged == 1


def test_a_broken_character_costs_no_record() -> None:
    line = records.write(records.stamped({"role": "user", "content": "中文字 and more"}))
    found, damaged = records.read(line.replace("文".encode(), b"\xe6\x96"))
    assert found[0]["content"].startswith("中\N{REPLACEMENT CHARACTER}字")
    assert damaged == 1


def test_noise_that_joins_two_lines_does_not_change_the_letters_of_the_second() -> None:
    first, second = (
        records.write(records.stamped({"role": "user", "content": text})) for text in ("one", "éé")
    )
    found, damaged = records.read(first[:-40] + b"\xb8V\xfc\xa4\xd5\x91" + second)
    assert ([m["content"] for m in found], damaged) == (["éé"], 1)


@pytest.mark.parametrize("damage", [b"cli:dirfct", b'cli:direct","key":"x', b""])
async def test_damage_to_the_key_itself_does_not_hide_the_conversation(
    tmp_path: Path, damage: bytes
) -> None:
    session = await Sessions(tmp_path).open("cli:direct")
    await session.append({"role": "user", "content": "still here"})
    session.path.write_bytes(session.path.read_bytes().replace(b"cli:direct", damage))
    sessions = Sessions(tmp_path)
    assert [info.key for info in await sessions.list()] == ["cli:direct"]
    again = await sessions.open("cli:direct")
    await again.append({"role": "user", "content": "and on"})
    assert [m["content"] for m in await again.everything()] == ["still here", "and on"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
async def test_a_file_that_an_editor_saved_in_another_encoding_loads_and_goes_on(
    tmp_path: Path, encoding: str
) -> None:
    session = await Sessions(tmp_path).open("k")
    await session.append({"role": "user", "content": "春天种什么？今年的春天"})
    await session.append({"role": "assistant", "content": "罗勒和百里香都可以"})
    session.path.write_bytes(session.path.read_text("utf-8").encode(encoding))
    again = await Sessions(tmp_path).open("k")
    await again.append({"role": "user", "content": "好"})
    last = await Sessions(tmp_path).open("k")
    said = [m["content"] for m in last.history(1000)]
    assert said == ["春天种什么？今年的春天", "罗勒和百里香都可以", "好"]
    assert last.damaged == 0


async def test_western_text_saved_as_latin_1_loads(tmp_path: Path) -> None:
    session = await Sessions(tmp_path).open("k")
    await session.append({"role": "user", "content": "Où est le café ? Là-bas."})
    session.path.write_bytes(session.path.read_text("utf-8").encode("cp1252"))
    again = await Sessions(tmp_path).open("k")
    assert [m["content"] for m in again.history(1000)] == ["Où est le café ? Là-bas."]


def test_nul_bytes_of_a_crashed_file_system_are_skipped() -> None:
    line = records.write(records.stamped({"role": "user", "content": "x"}))
    found, _damaged = records.read(b"\0" * 4096 + line)
    assert len(found) == 1


def test_what_is_nested_in_a_damaged_record_is_not_taken_for_a_message() -> None:
    inner = [{"role": "user", "content": "inner"}, {"_type": "metadata", "key": "other"}]
    line = records.write(records.stamped({"role": "user", "content": "x", "nested": inner}))
    assert records.read(line)[0][0]["nested"] == inner
    assert records.read(line[1:]) == ([], 1)


def test_records_nested_in_foreign_metadata_are_not_taken_for_messages() -> None:
    checkpoint = {"assistant": {"role": "assistant", "content": "inner"}}
    line = json.dumps({"_type": "metadata", "key": "k", "metadata": {"checkpoint": checkpoint}}).encode()
    found, damaged = records.read(line.replace(b'"key"', b'"key'))
    assert (found, damaged) == ([], 2)
