"""Two states of one conversation come together without a message lost, doubled or out of order."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.merge import logs
from desktop.pace import Pace

MESSAGES = range(8)
PARTS = st.sets(st.sampled_from(MESSAGES)).map(sorted)


def talk(path: Path, said: list[int]) -> Path:
    """Of each two messages one is the other's like: said twice in one moment."""
    lines = [
        {"role": "user", "content": f"{n // 2}", "timestamp": f"2026-03-01T10:00:0{n // 2}.000+00:00"}
        for n in said
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def said(path: Path) -> list[bytes]:
    return logs.digests(logs.messages(path, Pace()))


def stands_in(part: list[bytes], whole: list[bytes]) -> bool:
    rest = iter(whole)
    return all(one in rest for one in part)


@settings(max_examples=200, deadline=None)
@given(PARTS, PARTS)
def test_parts_of_one_conversation_come_together(
    tmp_path_factory: pytest.TempPathFactory, ours: list[int], theirs: list[int]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    here, backup = (
        talk(folder / "sessions/here.jsonl", ours),
        talk(folder / "sessions/backup.jsonl", theirs),
    )
    mine, other = said(here), said(backup)
    found = logs.compare(other, mine, lambda: 0)
    lacking = [other[at] for at in found.missing]
    assert set(lacking) == set(other) - set(mine)
    assert (found.relation == "same") == (not lacking)
    if found.relation == "append":
        assert stands_in(other, mine + lacking)
        assert found.missing == tuple(range(found.missing[0], len(other)))
    whole = folder / "sessions/whole.jsonl"
    logs.write(whole, logs.merged(backup, here, Pace()))
    together = said(whole)
    assert sorted(together) == sorted({*mine, *other})
    assert stands_in(mine, together)
    assert stands_in(other, together)


def test_a_line_that_is_too_long_costs_itself_alone(tmp_path: Path) -> None:
    path = talk(tmp_path / "sessions/a.jsonl", [0, 1])
    with path.open("ab") as file:
        file.write(b'{"role": "user", "content": "%s"}\n' % (b"x" * 5_000))
        file.write(b'{"role": "user", "content": "last"}\n')
    with path.open("rb") as file:
        found = list(logs.pieces(file, 1_000))
    assert [hurt for _records, hurt in found] == [0, 0, 1, 0]
    assert found[-1][0][0]["content"] == "last"
