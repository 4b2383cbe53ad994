"""What a query finds: every word in it is text, in any script, and long histories come in steps."""

import json
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.database.database import Database
from desktop.session.index import Indexer
from desktop.session.search import _Query, _snippet, search


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Path]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield tmp_path / "state.db"
    await database.close()


def fill(database: Path, texts: list[str]) -> None:
    folder = database.parent / "sessions"
    folder.mkdir()
    lines = [
        json.dumps(
            {
                "role": "user",
                "content": text,
                "timestamp": f"2026-01-01T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}+00:00",
            }
        )
        for n, text in enumerate(texts)
    ]
    (folder / "a.jsonl").write_text("\n".join(lines), "utf-8")
    indexer = Indexer(database, folder)
    with closing(indexer):
        indexer.connect()
        indexer.look()
        while indexer.step():
            pass


def found(database: Path, query: str) -> list[str]:
    return [hit.snippet for hit in search(database, query, patience=60).hits]


TEXTS = [
    "Meeting about the re-design on Monday",
    'She said "hello world" twice',
    "a AND b OR NOT c*",
    "100% of f_name",
    "我们明天去北京开会",
    "Привет, МОСКВА! Он там.",
    "C:\\temp\\x.txt",
    "İstanbul straße ÄPFEL",
    "it's (all) ^fine^ {here}: x+y",
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("re-design", 0),
        ("RE-DESIGN", 0),
        ("monday meeting", 0),
        ("meeting tuesday", None),
        ('"hello', 1),
        ('"hello world"', 1),
        ("AND NOT", 2),
        ("c*", 2),
        ("%", 3),
        ("0%", 3),
        ("f_name", 3),
        ("f_", 3),
        ("fXname", None),
        ("北京", 4),
        ("京", 4),
        ("去北京", 4),
        ("天京", None),
        ("москва", 5),
        ("он", 5),
        ("ОН", 5),
        ("п", 5),
        ("c:\\", 6),
        ("\\x", 6),
        ("äpfel", 7),
        ("äp", 7),
        ("straße", 7),
        ("(all)", 8),
        ("^fine^", 8),
        ("x+y", 8),
        ("{here}: it's", 8),
        ("NEAR(a b)", None),
        ("text:a", None),
        ("   ", None),
        ("\0", None),
        ("\ud800abc", None),
    ],
)
@pytest.mark.parametrize("others", [0, 200])
async def test_a_query_is_text_whatever_its_characters(
    database: Path, query: str, expected: int | None, others: int
) -> None:
    """`others`: so many that the texts are no longer looked at one by one."""
    fill(database, [*TEXTS, *["~"] * others])
    assert found(database, query) == ([] if expected is None else [TEXTS[expected]])


async def test_all_of_a_long_history_is_reached_in_steps_without_a_gap_or_a_repetition(
    database: Path,
) -> None:
    fill(database, [f"apple {n}" for n in range(500)])
    for query in ("apple", "ap"):
        before, snippets, steps = None, [], 0
        while steps == 0 or before is not None:
            step = search(database, query, limit=60, before=before, patience=60)
            before, steps = step.before, steps + 1
            snippets += [hit.snippet for hit in step.hits]
        assert snippets == [f"apple {n}" for n in reversed(range(500))]
        assert steps == 9


async def test_there_is_no_more_when_the_last_message_was_given(database: Path) -> None:
    fill(database, ["apple"] * 3)
    for query, limit, more in (
        ("apple", 3, False),
        ("apple", 2, True),
        ("ap", 2, True),
        ("nothing", 2, False),
    ):
        assert (search(database, query, limit=limit, patience=60).before is not None) == more


async def test_a_search_that_takes_long_gives_what_it_has_and_goes_on(database: Path) -> None:
    fill(database, [f"apple {n}" for n in range(500)] + ["a pear and an app"] * 50)
    before, found, steps = None, [], 0
    while steps == 0 or before is not None:
        step = search(database, "appl", limit=1000, before=before, patience=0)
        before, steps = step.before, steps + 1
        found += [hit.snippet for hit in step.hits]
    assert found == [f"apple {n}" for n in reversed(range(500))]
    assert steps > 1


async def test_the_snippet_is_one_line_around_the_match_with_its_place(database: Path) -> None:
    fill(database, ["word " * 100 + "the\n\n  Golden   apple\tof " + "rest " * 100])
    (hit,) = search(database, "apple golden").hits
    assert "the Golden apple of rest" in hit.snippet
    assert len(hit.snippet) < 140
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["Golden", "apple"]
    assert hit.snippet.startswith("…word")
    assert hit.snippet.endswith("…")


@given(
    st.text(max_size=300),
    st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=20),
    st.text(max_size=300),
)
def test_the_word_is_marked_in_its_snippet(before: str, word: str, after: str) -> None:
    query = _Query(word)
    line, marks = _snippet(query, before + word + after)
    assert "\n" not in line
    assert marks
    assert all(query.any.fullmatch(line[a:b]) for a, b in marks)
