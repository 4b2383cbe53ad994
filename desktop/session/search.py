"""Finding what was said, in all sessions, the newest first.

Every word of a query has to be in a message, whatever the characters: nothing in a query is an operator.
Words of three characters or more are looked up by their trigrams, and what that finds is then looked at
itself, as is what is too new to have been taken apart. Shorter words, which are most words of Chinese, are
looked for in the texts, newest first. Either way a search stops after a while and says where to go on, so
that no history makes a person wait.

Nothing here may run on the event loop. Every search opens its own connection, for reading only: it never
waits behind a writer, and never holds on to a file that was set aside.
"""

import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import merge
from itertools import pairwise, product
from pathlib import Path

from desktop.markdown import plain
from desktop.session.index import PER_SECOND
from desktop.session.records import clean

PATIENCE_S = 0.04
_WINDOW = 50_000
"""Messages that are looked through at least where there is no other way."""
_TRIGRAMS = 12
_SPANS = 64
_BEFORE, _AFTER = 40, 80
_END = 2**62

_ROW = (
    "SELECT t.id, t.text, m.asked, m.turn, s.key, s.title, s.first, m.trusted FROM {table}"
    " CROSS JOIN search_message m ON m.id = t.id CROSS JOIN search_session s ON s.id = m.session"
    " WHERE {where} AND s.name IS NOT NULL ORDER BY {order} DESC"
)
type _Row = tuple[int, str, int, str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Hit:
    """A message in which every word was found."""

    id: int
    """Grows with time; a search that begins before it goes on after this hit."""
    session: str
    title: str
    at: datetime
    """To the second (aware, UTC)."""
    turn: str
    role: str
    snippet: str
    """One line from around the first match."""
    marks: tuple[tuple[int, int], ...]
    """Where the words are in it: start and end, in characters."""
    trusted: bool
    """Whether the text is the person's, or the agent's own."""


@dataclass(frozen=True, slots=True)
class Found:
    """Some hits, the newest first."""

    hits: tuple[Hit, ...]
    before: int | None
    """Where to go on; None: everything was looked through."""


class _Query:
    """The words that are looked for."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(clean(text).replace("\0", " ").split())
        words = sorted(dict.fromkeys(self.text.split()), key=len, reverse=True)
        # A word within another is found with it.
        self.words = [w for at, w in enumerate(words) if not any(w in longer for longer in words[:at])]
        self.patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in self.words]
        self.phrase = re.compile(re.escape(self.text).replace(r"\ ", r"\s+"), re.IGNORECASE)
        self.any = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)

    def matches(self, text: str) -> bool:
        return all(pattern.search(text) for pattern in self.patterns)

    @property
    def trigrams(self) -> str:
        """The query for FTS5: some trigrams of the long words; empty where all are short."""
        found = dict.fromkeys(w[at : at + 3] for w in self.words for at in range(len(w) - 2))
        chosen = list(found)[:: max(1, -(-len(found) // _TRIGRAMS))]
        return " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in chosen)

    @property
    def likes(self) -> tuple[str, list[str]]:
        """A condition on a text, with its values: each word, in capitals or not."""
        conditions, values = [], []
        for word in self.words:
            forms = _forms(word)
            if not word[0].isascii() and len(forms) == 1:
                conditions.append("instr(t.text, ?)")  # faster, where there are no capitals
                values.append(word)
                continue
            conditions.append("(" + " OR ".join(["t.text LIKE ? ESCAPE '\\'"] * len(forms)) + ")")
            values += [f"%{re.sub(r'([\\%_])', r'\\\1', form)}%" for form in forms]
        return " AND ".join(conditions), values


def search(
    database: Path, query: str, *, limit: int = 50, before: int | None = None, patience: float = PATIENCE_S
) -> Found:
    """The newest messages with every word of the query, before this one. Raises sqlite3.Error.

    After about so many seconds it gives what it has.
    """
    wanted = _Query(query)
    if not wanted.words:
        return Found((), None)
    uri = f"{database.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return _search(connection, wanted, limit, _END if before is None else before, patience)


def _search(
    connection: sqlite3.Connection, query: _Query, limit: int, before: int, patience: float
) -> Found:
    until = time.perf_counter() + patience
    trigrams = query.trigrams
    windows = _spans(connection, before) if trigrams else _thousands(connection, before)
    rows = _by_trigrams if trigrams else _by_text
    hits: list[Hit] = []
    for low, high in windows:
        for row in rows(connection, query, low, high):
            if query.matches(row[1]):
                if len(hits) == limit:
                    return Found(tuple(hits), hits[-1].id)
                hits.append(_hit(query, row))
            elif time.perf_counter() > until:
                return Found(tuple(hits), row[0])
        # The next range is expected to take as long as all before it.
        if low and time.perf_counter() > until - patience / 2:
            return Found(tuple(hits), low)
    return Found(tuple(hits), None)


def _by_trigrams(connection: sqlite3.Connection, query: _Query, low: int, high: int) -> Iterator[_Row]:
    fresh = _ROW.format(
        table="search_fresh f CROSS JOIN search_text t ON t.id = f.id",
        where="f.id >= ? AND f.id < ?",
        order="f.id",
    )
    known = _ROW.format(
        table="search_words CROSS JOIN search_text t ON t.id = search_words.rowid",
        where="search_words MATCH ? AND search_words.rowid >= ? AND search_words.rowid < ?",
        order="search_words.rowid",
    )
    return merge(
        connection.execute(fresh, (low, high)),
        connection.execute(known, (query.trigrams, low, high)),
        key=lambda row: row[0],
        reverse=True,
    )


def _by_text(connection: sqlite3.Connection, query: _Query, low: int, high: int) -> Iterator[_Row]:
    condition, values = query.likes
    sql = _ROW.format(table="search_text t", where=f"t.id >= ? AND t.id < ? AND {condition}", order="t.id")
    yield from connection.execute(sql, (low, high, *values))


def _spans(connection: sqlite3.Connection, before: int) -> Iterator[tuple[int, int]]:
    """Ranges of ids, the newest first and each twice as long as the last; the last begins at 0."""
    (first,) = connection.execute("SELECT min(id) FROM search_message").fetchone()
    (last,) = connection.execute("SELECT max(id) FROM search_message").fetchone()
    if first is None:
        return
    high = min(before, last + 1)
    step = max(1, (high - first) // _SPANS)
    marks = [high]
    while (marks[-1] - step) > first:
        marks.append(marks[-1] - step)
        step *= 2
    yield from ((low, high) for high, low in pairwise([*marks, 0]))


def _thousands(connection: sqlite3.Connection, before: int) -> Iterator[tuple[int, int]]:
    """Ranges of ids with so many messages each, the newest first; the last begins at 0."""
    high = before
    while high:
        sql = "SELECT id FROM search_message WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?"
        row = connection.execute(sql, (high, _WINDOW - 1)).fetchone()
        low = row[0] if row else 0
        yield low, high
        high = low


def _forms(word: str) -> Sequence[str]:
    """A short word in small letters and capitals, which LIKE knows of ASCII only."""
    letters = [(c,) if c.isascii() else tuple(dict.fromkeys((c, c.lower(), c.upper()))) for c in word]
    return ["".join(form) for form in product(*letters)]


def _hit(query: _Query, row: _Row) -> Hit:
    number, text, asked, turn, key, title, first, trusted = row
    snippet, marks = _snippet(query, text)
    return Hit(
        id=number,
        session=key,
        title=title or plain(first),  # an older index has it as it was written
        at=datetime.fromtimestamp(number // PER_SECOND, UTC),
        turn=turn,
        role="user" if asked else "assistant",
        snippet=snippet,
        marks=marks,
        trusted=bool(trusted),
    )


def _snippet(query: _Query, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """One line around the whole query if it stands there, else around its longest word."""
    match = query.phrase.search(text) or query.patterns[0].search(text)
    at = match.start() if match else 0
    start, end = max(0, at - _BEFORE), at + _AFTER
    if start:
        blank = re.search(r"\s", text[start : min(start + 15, at)])
        start += blank.end() if blank else 0
    line = " ".join(text[start:end].split())
    line = f"{'…' if start else ''}{line}{'…' if end < len(text) else ''}"
    return line, tuple(found.span() for found in query.any.finditer(line))
