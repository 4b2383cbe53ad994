"""What a turn has in view: the messages that are sent to the model, and what follows from them.

A turn is as trusted as the least trusted message that is sent, so a conversation stays marked until its
marked part is no longer sent, however many turns ago that came in.
"""

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from desktop.origin import TRUSTED, UNKNOWN, Mark, Origin, mark_of, worst

MOST_OTHERS = 8
"""So many distinct addresses that pages gave are fetched without a question, on other sites than the page's
own: each choice among them tells those sites something."""
MOST_OWN = 16
"""The same on the page's own site."""
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\^{|}]+")
_CLOSING = ".,;:!?)]}»”’。，；：！？）】」"
_WORD = re.compile(r"[^\W_]+")
_WIDE = r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)"
"""Compiled with its first use: that takes milliseconds of the start."""
_STEM, _ENDING = 4, 3
"""Words that begin with so many same letters and differ in so few at the end are one: flight, flights."""

type Record = Mapping[str, Any]


class View:
    """Some messages of a conversation, in order; never changed."""

    def __init__(self, records: Sequence[Record] = (), vouched: str = "") -> None:
        """`vouched`: when the person said that what was unknown in this conversation is theirs, as on
        records; empty where they did not."""
        self._records, self._vouched = records, vouched

    def with_(self, records: Iterable[Record]) -> "View":
        """The view with more messages."""
        return View([*self._records, *records], self._vouched)

    def mark_in(self, record: Record) -> Mark:
        """The mark of a message, if the person did not vouch for it since."""
        mark = record_mark(record)
        if mark.origin is Origin.UNKNOWN and str(record.get("timestamp") or "~") <= self._vouched:
            return TRUSTED
        return mark

    @functools.cached_property
    def mark(self) -> Mark:
        """The least trusted origin in view, and the sources of all that is marked."""
        return worst(self.mark_in(record) for record in self._records if _may_be_marked(record))

    def free(self, address: str) -> bool:
        """Whether fetching this address tells nobody what was not to be told: the person or a trusted text
        gave it, or a page did and few such were fetched."""
        address = bare(address)
        if address in self.known or address in self._fetched:
            return True
        if address not in self._offered:
            return False
        own = self._offered[address]
        taken = {one for one in self._fetched if one not in self.known}
        count = sum(self._offered.get(one, False) is own for one in taken)
        return count < (MOST_OWN if own else MOST_OTHERS)

    def said(self, query: str) -> bool:
        """Whether each word of a query is the person's, or of the job's own prompt (or today's date)."""
        text = _folded(" ".join(_content(record) for record in self._records if self._asks(record)))
        words = Counter(_WORD.findall(text))
        words.update(_today())
        wide = "".join(re.findall(_WIDE, text))
        for word in _WORD.findall(_folded(query)):
            for piece in filter(None, re.split(_WIDE, word)):
                if re.fullmatch(_WIDE, piece):
                    if not _made_of(piece, wide):
                        return False
                elif not _take(piece, words):
                    return False
        return True

    @functools.cached_property
    def known(self) -> frozenset[str]:
        """The addresses that the person, or a text that is trusted, gave."""
        found: set[str] = set()
        for record in self._records:
            if self.mark_in(record).trusted:
                found |= addresses(_content(record))
                found |= {bare(str(address)) for address in record.get("_addresses") or ()}
        return frozenset(found)

    def _asks(self, record: Record) -> bool:
        told = record.get("_note") and record.get("_from")  # the result of a subagent
        return record.get("role") == "user" and not told and self.mark_in(record).trusted

    @functools.cached_property
    def _offered(self) -> dict[str, bool]:
        """The addresses that other texts gave, and whether each is on the site of the page that gave it."""
        found: dict[str, bool] = {}
        for record in self._records:
            if given := record.get("_addresses"):
                hosts = set(record.get("_sources") or ())
                for address in map(bare, map(str, given)):
                    found[address] = found.get(address, False) or _on(address, hosts)
        return found

    @functools.cached_property
    def _fetched(self) -> set[str]:
        return {bare(str(record["_fetched"])) for record in self._records if record.get("_fetched")}


def view_of(messages: Sequence[Record], metadata: Mapping[str, Any]) -> View:
    """What is in view of a conversation where these messages of it are sent."""
    return View(messages, str(metadata.get("vouched") or ""))


def _may_be_marked(record: Record) -> bool:
    foreign = record.get("role") == "tool" and "_outcome" not in record
    return "_origin" in record or "_outside" in record or foreign


def record_mark(record: Record) -> Mark:
    """The mark of a message. A result of a tool that another program wrote is unknown."""
    if record.get("role") == "tool" and "_outcome" not in record and "_origin" not in record:
        return UNKNOWN | mark_of(record)
    return mark_of(record)


def addresses(text: str) -> set[str]:
    """The http addresses in a text, as they stand there but for the punctuation around them."""
    found = set()
    for match in _ADDRESS.findall(text):
        address = match.rstrip(_CLOSING)
        found |= {address, match} if "(" in address else {address}
    return {bare(address) for address in found}


def bare(address: str) -> str:
    """An address without the part that stays on this computer."""
    return address.partition("#")[0]


def host(address: str) -> str:
    """The host of an address; empty where it has none."""
    try:
        return (urlsplit(address).hostname or "").casefold()
    except ValueError:
        return ""


def _on(address: str, hosts: Iterable[str]) -> bool:
    there = host(address)
    return any(there == one or there.endswith(f".{one}") or one.endswith(f".{there}") for one in hosts)


def _content(record: Record) -> str:
    content = record.get("content")
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _today() -> set[str]:
    now = datetime.now().astimezone()
    return {f"{now:%Y}", f"{now:%m}", f"{now:%d}", str(now.month), str(now.day), f"{now:%B}".casefold()}


def _take(word: str, words: Counter[str]) -> bool:
    """Use a word up: said once, it is searched for once."""
    for known, left in words.items():
        short, long = sorted((known, word), key=len)
        same = known == word or (
            len(short) >= _STEM and long.startswith(short) and len(long) - len(short) <= _ENDING
        )
        if left and same:
            words[known] -= 1
            return True
    return False


def _made_of(run: str, text: str) -> bool:
    """Whether a run of Chinese, Japanese or Korean is made of pieces of a text, two signs or longer."""
    reached = {0}
    for end in range(1, len(run) + 1):
        if any(start in reached and run[start:end] in text for start in range(max(0, end - 12), end - 1)):
            reached.add(end)
    return len(run) in reached or run in text
