"""One summary of the history, and how it stands on a line."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

type Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One summary. `start` and `end`: which messages of the session it covers, counted from 0; both 0 where
    another program wrote it."""

    cursor: int
    timestamp: str
    content: str
    session: str = ""
    start: int = 0
    end: int = 0
    outside: bool = False
    """Text from outside was in what it sums up."""

    def record(self) -> Json:
        """What stands on its line."""
        record: Json = {"cursor": self.cursor, "timestamp": self.timestamp, "content": self.content}
        if self.session:
            record["session_key"] = self.session
        if self.end:
            record["messages"] = [self.start, self.end]
        if self.outside:
            record["outside"] = True
        return record


def entries_of(lines: Iterable[bytes]) -> list[Entry]:
    """The entries among lines."""
    return [entry for line in lines if line.strip() and (entry := entry_of(line))]


def entry_of(line: bytes) -> Entry | None:
    """The entry of a line; None where it is none."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    cursor, content = record.get("cursor"), record.get("content")
    if not isinstance(cursor, int) or not _is_count(cursor) or not isinstance(content, str):
        return None
    span = record.get("messages")
    start, end = span if isinstance(span, list) and len(span) == 2 and all(map(_is_count, span)) else (0, 0)
    session, timestamp = record.get("session_key"), record.get("timestamp")
    return Entry(
        cursor,
        timestamp if isinstance(timestamp, str) else "",
        content,
        session if isinstance(session, str) else "",
        start,
        end,
        record.get("outside") is True,
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
