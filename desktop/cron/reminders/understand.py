"""A reminder in the words of a person: what it says, and when it is due. No model, no network, no guessing.

A time is read only at the edges of what was written, next to the words that ask for a reminder or at the
end, so that times inside the text stay text. What can mean two things comes back as a question with its
choices; what is no reminder, or says no time, comes back as None. Imported when it is first wanted: the
library for dates takes its time.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from desktop.cron.reminders import chinese, english
from desktop.cron.reminders.phrases import CHINESE, ENGLISH, Phrases
from desktop.cron.reminders.when import NotClear, When, resolve
from desktop.cron.schedule import Spec

type Parts = Callable[[str, int], Iterator[tuple[When, int]]]
"""What can be read at a place of a text, and where it ends."""

LONGEST = 300
"""Characters; what is longer is a letter to the agent."""
_ALIKE = str.maketrans("０１２３４５６７８９：，？！＠", "0123456789:,?!@")
"""Signs that Chinese writes wide; one for one, so that places stay."""
_SPACED = re.compile(
    r"(?<=\d)[ \u00a0]+(?=分|秒|刻|点|时|小时|天|日|号|周|星期|月|年|个(?:半|月|小时|星期))"
    r"|(?<=[午晚早晨夜天日周期月年点时在每到后])[ \u00a0]+(?=\d)"
)
"""Spaces that many write between Chinese and digits, where they belong to a time."""
_BETWEEN = re.compile(r"[\s,的]*在?")
_END = re.compile(r"[\s.。!?,]*(?:(?:please|thanks|thank\s+you|多?谢谢?你?)[\s.。!?,]*)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reminder:
    """What was understood."""

    text: str
    spec: Spec
    note: str = ""
    """What tells it from another choice with the same time; empty for none."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A reminder whose time can mean several things, or none."""

    text: str
    question: str
    """As a sentence."""
    remedy: str
    choices: tuple[Reminder, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """A text and the time that belongs to it."""

    text: str
    when: When


def understand(said: str, now: float, zone: str, *, meant: bool = False) -> Reminder | Unclear | None:
    """The reminder in what somebody said at `now` (Unix seconds) in `zone` (an IANA name); None where there
    is none. `meant`: it is one for sure, so no word needs to ask for it. Raises UsageError for a zone that
    does not exist."""
    said = _SPACED.sub("", said.strip())
    if not said or len(said) > LONGEST or "\n" in said:
        return None
    for phrases, parts in ((CHINESE, chinese.parts), (ENGLISH, english.parts)):
        found = _Reading(phrases, parts, said).found(meant=meant)
        if found is not None:
            return _resolved(found, now, zone)
    return None


def moment(said: str, now: float, zone: str) -> Spec | Unclear | None:
    """The schedule that a time alone means, as a program writes it: 9:00 is of a clock of 24 hours. None
    for what is no time. Raises UsageError for a zone that does not exist."""
    plain = _SPACED.sub("", said.strip().translate(_ALIKE))
    for parts in (chinese.parts, english.parts):
        when, end = _read(parts, plain, 0, When())
        if end and _END.match(plain, end):
            if ":" in plain and not when.part:
                clocks = tuple(replace(clock, whole=not clock.part) for clock in when.clocks)
                when = replace(when, clocks=clocks)
            found = _resolved(_Found("", when), now, zone)
            return found.spec if isinstance(found, Reminder) else found
    return None


def _resolved(found: _Found, now: float, zone: str) -> Reminder | Unclear | None:
    try:
        spec = resolve(found.when, now, zone)
    except NotClear as error:
        choices = tuple(Reminder(found.text, one.spec, one.note) for one in error.choices)
        return Unclear(found.text, error.text, error.remedy, choices)
    return None if spec is None else Reminder(found.text, spec)


def _read(parts: Parts, text: str, at: int, so_far: When) -> tuple[When, int]:
    """The longest time that begins at a place, together with what was said of it before, and its end."""
    best = so_far, at
    between = _BETWEEN.match(text, at)
    for made, end in parts(text, between.end() if between else at):
        whole = so_far | made
        if whole is not None:
            longer = _read(parts, text, end, whole)
            if longer[1] > best[1]:
                best = longer
    return best


class _Reading:
    """What was said, read with the phrases of one language."""

    def __init__(self, phrases: Phrases, parts: Parts, said: str) -> None:
        self._phrases, self._parts, self._said = phrases, parts, said
        self._plain = said.translate(_ALIKE)
        ending = _END.search(self._plain)
        end = ending.start() if ending else len(said)
        question = phrases.question.search(self._plain)
        self._end = min(end, question.start()) if question else end

    def found(self, *, meant: bool) -> _Found | None:
        """The reminder; None where there is none."""
        phrases, plain = self._phrases, self._plain
        if phrases.never.search(plain):
            return None
        opening = phrases.opening.match(plain)
        start = opening.end() if opening else 0
        if phrases.question.search(plain) and not phrases.asked_kindly.match(plain):
            return None
        if trigger := phrases.trigger.match(plain, start):
            return self._after(trigger.end(), When())
        first, end = _read(self._parts, plain, start, When())
        if end > start:
            between = _BETWEEN.match(plain, end)
            place = between.end() if between else end
            if trigger := phrases.trigger.match(plain, place):
                return self._after(trigger.end(), first)
            if closing := phrases.closing.search(plain, place):
                return self._whole(place, closing.start(), first)
            if not meant:
                return self._bare(place, first)
        return self._after(start, When()) if meant else None

    def _after(self, at: int, so_far: When) -> _Found | None:
        """What follows the words that ask for a reminder: time and text, or text and time."""
        phrases, plain = self._phrases, self._plain
        if phrases.no_text.match(plain, at):
            return None
        when = so_far
        if not when.timed:
            when, at = _read(self._parts, plain, at, so_far)
        if phrases.goes_on.match(plain, at):
            return None
        link = phrases.link.match(plain, at)
        at = link.end() if link else at
        if when.timed:
            return self._whole(at, self._end, when)
        behind = self._behind(at, self._end, when)
        if behind is not None:
            text_end, whole = behind
            if when != When() and not phrases.joins(link[0] if link else ""):
                return None
            return self._whole(at, text_end, whole, behind=True)
        return self._whole(at, self._end, when) if when != When() else None

    def _behind(self, at: int, end: int, so_far: When) -> tuple[int, When] | None:
        """Where the text ends that begins at a place and is followed by a time up to the end."""
        for place in self._phrases.starts(self._plain, at, end):
            whole, stop = _read(self._parts, self._plain, place, so_far)
            if stop >= end and whole != so_far and not self._phrases.leans.search(self._plain[at:place]):
                return place, whole
        return None

    def _whole(self, at: int, end: int, when: When, *, behind: bool = False) -> _Found | None:
        phrases = self._phrases
        text = self._said[at:end].strip(" \t,，。.:：;；-–—")
        plain = text.translate(_ALIKE)
        if not re.search(r"\w", text) or phrases.no_reminder.search(plain):
            return None
        if phrases.pointing.fullmatch(plain) or (when.repeat and phrases.bounded.search(plain)):
            return None
        if behind and phrases.again.search(plain):
            return None
        return _Found(text, when)

    def _bare(self, at: int, when: When) -> _Found | None:
        """A time and then, in a few words, what a person does or goes to: nobody need be asked for that."""
        text = self._plain[at:].strip(" \t,:-–—.。!")
        certain = when.timed and self._phrases.own_doing.fullmatch(text)
        return self._whole(at, len(self._said), when) if certain else None
