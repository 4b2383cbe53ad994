"""Whose words a text is, so that what a page or a stranger wrote can never pass for the person's.

A mark is stored where the text is: on message records, files, notes, jobs, deliveries. A turn is as trusted
as the least trusted text that is sent to the model.
"""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from desktop.text import _, listed

MOST_SOURCES = 6
_LONGEST_SOURCE = 120


class Origin(StrEnum):
    """Where a text comes from, the most trusted first."""

    PERSON = "person"
    AGENT = "agent"
    """Made by the agent while nothing unknown or untrusted was in view."""
    UNKNOWN = "unknown"
    """From a file that nobody vouches for."""
    UNTRUSTED = "untrusted"
    """From pages, mails, strangers, servers, or made while such text was in view."""


_ORDER = tuple(Origin)


@dataclass(frozen=True, slots=True)
class Mark:
    """The origin of a text, and what it came from, for the person: sites, files, servers."""

    origin: Origin = Origin.PERSON
    sources: tuple[str, ...] = ()

    @property
    def trusted(self) -> bool:
        return self.origin in (Origin.PERSON, Origin.AGENT)

    def __or__(self, other: "Mark") -> "Mark":
        """The mark of a text that has both in it: the less trusted one, with the sources of both."""
        origin = max(self.origin, other.origin, key=_ORDER.index)
        sources = tuple(dict.fromkeys((*self.sources, *other.sources)))[:MOST_SOURCES]
        return Mark(origin, sources)

    def as_fields(self) -> dict[str, Any]:
        """The mark as fields of a record; none for the person's own."""
        if self.origin is Origin.PERSON:
            return {}
        return {"_origin": self.origin.value, **({"_sources": list(self.sources)} if self.sources else {})}

    def fields_if_marked(self) -> dict[str, Any]:
        """The same, and none for the agent's own either: for a message of which the role says that."""
        return {} if self.trusted else self.as_fields()


TRUSTED = Mark()
AGENT = Mark(Origin.AGENT)
UNKNOWN = Mark(Origin.UNKNOWN)
_OUTSIDE = Mark(Origin.UNTRUSTED)
"""Of records from before marks told more."""


def untrusted(*sources: str) -> Mark:
    """The mark of text from such sources."""
    return Mark(Origin.UNTRUSTED, _named(sources))


def unknown(*sources: str) -> Mark:
    """The mark of text from such files."""
    return Mark(Origin.UNKNOWN, _named(sources))


def _named(sources: Iterable[str]) -> tuple[str, ...]:
    """The names as they can be shown: their authors may be strangers."""
    cut = (source[:_LONGEST_SOURCE] for source in sources if source)
    return tuple("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in one) for one in cut)


def sentence(mark: Mark) -> str:
    """What a person is told of marked text in view; empty for what is trusted."""
    if mark.trusted:
        return ""
    names = listed(mark.sources)
    if mark.origin is Origin.UNKNOWN:
        text = _("This conversation contains files you have not confirmed as yours: {names}.")
        return (
            text.format(names=names)
            if names
            else _("This conversation contains files you have not confirmed as yours.")
        )
    text = _("This conversation contains untrusted content: {names}.")
    return text.format(names=names) if names else _("This conversation contains untrusted content.")


def mark_of(record: Mapping[str, Any]) -> Mark:
    """The mark that a stored record carries; one that cannot be read counts as unknown."""
    given = record.get("_origin")
    if given is None:
        return _OUTSIDE if record.get("_outside") else TRUSTED
    sources = record.get("_sources")
    names = tuple(map(str, sources[:MOST_SOURCES])) if isinstance(sources, list) else ()
    return _read(str(given), names)


@functools.lru_cache(maxsize=1024)
def _read(origin: str, sources: tuple[str, ...]) -> Mark:
    try:
        return Mark(Origin(origin), _named(sources))
    except ValueError:
        return Mark(Origin.UNKNOWN, _named(sources))


def worst(marks: Iterable[Mark]) -> Mark:
    """The mark of a text made of several; the person's for none."""
    found = last = TRUSTED
    seen = {TRUSTED}
    for mark in marks:
        if mark is not last and mark not in seen:  # the texts of a conversation come from few places
            seen.add(mark)
            found |= mark
        last = mark
        if found.origin is Origin.UNTRUSTED and len(found.sources) == MOST_SOURCES:
            break
    return found
