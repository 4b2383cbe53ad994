"""Looking for what was said by words and dates: in the summaries of the memory, and in the messages."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from desktop.errors import UsageError
from desktop.memory.entries import Entry
from desktop.memory.history import History
from desktop.memory.word_search import Seeker
from desktop.session.index import PER_SECOND
from desktop.session.model import moment_of
from desktop.session.search import Hit
from desktop.session.search_service import SearchService
from desktop.tasks import in_thread
from desktop.text import _

type Json = dict[str, Any]

_PAGE = 100
_PAGES = 20
_LONGEST = 1_000
"""Characters of a summary in a hit."""


@dataclass(frozen=True, slots=True)
class Span:
    """From one moment to another, both aware; None for open."""

    since: datetime | None = None
    until: datetime | None = None

    def holds(self, moment: datetime | None) -> bool:
        """Whether a moment lies in it; one that is not known lies in the open span only."""
        if moment is None:
            return self.since is None and self.until is None
        return (self.since is None or self.since <= moment) and (self.until is None or moment < self.until)


def span(since: str, until: str) -> Span:
    """From dates (2026-03-01, 2026-03) or moments as a person types them; the last day or month is whole.
    Raises UsageError."""
    return Span(_date(since, end=False), _date(until, end=True))


def _date(text: str, *, end: bool) -> datetime | None:
    text = text.strip()
    if not text:
        return None
    try:
        if len(text) == 7:
            first = datetime.fromisoformat(f"{text}-01")
            following = (first + timedelta(days=32)).replace(day=1)
            return (following if end else first).astimezone()
        moment = datetime.fromisoformat(text)
        if len(text) == 10 and end:
            moment += timedelta(days=1)
        return moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            _("“{text}” is not a date.").format(text=text[:40]),
            _("Use a format like 2026-03-01 or 2026-03."),
        ) from None


class MemorySearch:
    """Searches both, newest first."""

    def __init__(self, history: History, messages: SearchService) -> None:
        self._history, self._search = history, messages
        self._seeker = Seeker()

    async def summaries(
        self, query: str, limit: int, wanted: Callable[[Entry], bool] = lambda _entry: True
    ) -> list[Entry]:
        """The newest entries with all words of a query. Raises StorageError."""
        entries = await self._history.all()
        return await in_thread(self._seeker.find, entries, query, limit, wanted)

    async def search(self, query: str, since: str, until: str, limit: int) -> list[Json]:
        """The newest summaries and messages with all words of a query, between two dates. Raises
        UsageError, StorageError."""
        within = span(since, until)
        if not query.strip():
            raise UsageError(_("Enter the words to search for."))
        entries = await self.summaries(query, limit, lambda e: within.holds(moment_of(e.timestamp)))
        hits = [_summary(entry) for entry in entries] + await self._messages(query, within, limit)
        epoch = datetime.fromtimestamp(0, UTC)
        return sorted(hits, key=lambda hit: moment_of(hit["at"]) or epoch, reverse=True)[:limit]

    async def _messages(self, query: str, within: Span, limit: int) -> list[Json]:
        before = int(within.until.timestamp()) * PER_SECOND if within.until else None
        found: list[Json] = []
        for _page in range(_PAGES):
            page = await self._search.find(query, limit=_PAGE, before=before, wait=True)
            found += [_message(hit) for hit in page.hits if within.holds(hit.at)]
            before = page.next
            if len(found) >= limit or before is None:
                break
            if page.hits and within.since and page.hits[-1].at < within.since:
                break
        return found[:limit]


def _summary(entry: Entry) -> Json:
    text = entry.content if len(entry.content) <= _LONGEST else f"{entry.content[:_LONGEST]}…"
    return {
        "kind": "summary",
        "session": entry.session,
        "title": "",
        "at": entry.timestamp,
        "text": text,
        "cursor": entry.cursor,
        "outside": entry.outside,
    }


def _message(hit: Hit) -> Json:
    return {
        "kind": "message",
        "session": hit.session,
        "title": hit.title,
        "at": hit.at.isoformat(timespec="seconds"),
        "role": hit.role,
        "outside": not hit.trusted,
        "text": hit.snippet,
    }
