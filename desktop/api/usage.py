"""What was used, added up: by day, model, conversation or cause.

Known cost and tokens of unknown price are told apart everywhere: an unknown price is never zero.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.errors import UsageError
from desktop.providers.registry import find
from desktop.providers.registry_table import BUILTIN, FREE
from desktop.session.listing import describe_all
from desktop.tasks import in_thread
from desktop.text import _, listed, mark
from desktop.usage import (
    CAUSE,
    DAY,
    MODEL,
    SESSION,
    WARNING,
    Figures,
    Line,
    Spent,
    UsageLedger,
    beginning,
    days_ago,
    month,
    today,
)

if TYPE_CHECKING:
    from desktop.config.schema import Config

MONTH, ALL = "month", "all"
"""Spans beside a number of days."""

WAYS = (DAY, MODEL, SESSION, CAUSE)
_LONGEST = 36_500
"""Days."""
_LINES = 100
"""Of models, conversations or causes: those that cost most."""

CAUSES = {
    "turn": mark("Conversations"),
    "subagent": mark("Subagents"),
    "job": mark("Tasks"),
    "heartbeat": mark("Heartbeat"),
    "memory": mark("Memory and Dream"),
    "title": mark("Titles"),
    "test": mark("Provider tests"),
}
"""What a person calls each cause."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """Calls added up; known cost and tokens of unknown price stay apart."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens: int = 0
    """Of questions and answers."""
    usd: float = 0.0
    """US dollars, of the calls whose cost is known."""
    cost: float | None = 0.0
    """The same; None where no cost is known."""
    priced: int = 0
    """How many calls have a known cost."""
    unpriced: int = 0
    """Tokens of calls whose cost is not known."""
    free: int = 0
    """Tokens of calls to models that cost nothing."""
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    saved: float = 0.0
    """US dollars that caches saved, as far as they are known."""
    reasoning_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Day(Amounts):
    """One day, as 2026-11-28."""

    day: str = ""


@dataclass(frozen=True, slots=True)
class UsageLine(Amounts):
    """One day, model, conversation or cause."""

    name: tuple[str, ...] = ()
    title: str = ""
    about: str = ""
    """The provider of a model."""
    there: bool = False
    """Whether it is a conversation that still exists."""


@dataclass(frozen=True, slots=True)
class Budget:
    """This month against what it may cost."""

    usd: float = 0.0
    """That is known."""
    unpriced: int = 0
    """Tokens that are not counted."""
    limit: float | None = None
    """US dollars; None for no budget."""
    state: str = ""
    """"" or warned or spent."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was used in a span of time."""

    first: str
    """The days it is from and to, here."""
    last: str
    total: Amounts
    days: tuple[Day, ...]
    """Those on which there was something."""
    by: str
    lines: tuple[UsageLine, ...]
    """At most 100 of `count`, those that cost most first."""
    count: int
    budget: Budget


@dataclass(frozen=True, slots=True)
class Cost(Amounts):
    """What one conversation has cost since it began, and each of its models."""

    models: tuple[UsageLine, ...] = ()


class Usage:
    """Reads the ledger of model calls."""

    def __init__(self, ledger: UsageLedger, config: "Callable[[], Config]", sessions: Path) -> None:
        """`sessions`: the folder of the conversations, for their titles."""
        self._ledger, self._config, self._sessions = ledger, config, sessions

    async def report(self, span: str = "30", by: str = MODEL) -> Report:
        """What was used in a `span` (a number of days up to today, MONTH or ALL), in all, by day and `by`
        one of WAYS. Raises UsageError, StorageError."""
        if by not in WAYS:
            raise UsageError(_("Usage can be grouped only by {ways}.").format(ways=listed(WAYS)))
        ledger, config = self._ledger, self._config()
        start = await _start(ledger, span)
        since = beginning(start)
        days, count = await ledger.by(DAY, since, FREE)
        lines = days
        if by != DAY:
            lines, count = await ledger.by(by, since, FREE, _LINES)
        titles = await in_thread(_titles, self._sessions) if by == SESSION else {}
        return Report(
            start.isoformat(),
            today().isoformat(),
            Amounts(**_amounts(reduce(add, (day.figures for day in days), Figures()))),
            tuple(Day(day=day.name[0], **_amounts(day.figures)) for day in days),
            by,
            tuple(_line(line, by, config, titles) for line in lines),
            count,
            await _budget(ledger, config.limits.monthly_usd),
        )

    async def today(self) -> Spent:
        """What all calls since midnight here came to. Raises StorageError."""
        return await self._ledger.today()

    async def cost(self, session: str) -> Cost:
        """Of one conversation. Raises StorageError."""
        lines = await self._ledger.of_session(session, FREE)
        total = reduce(add, (line.figures for line in lines), Figures())
        models = tuple(_line(line, MODEL, self._config(), {}) for line in lines)
        return Cost(models=models, **_amounts(total))


async def _start(usage: UsageLedger, span: str) -> date:
    if span == MONTH:
        return month()
    if span == ALL:
        return await usage.first() or today()
    if span.isdecimal() and 0 < int(span) <= _LONGEST:
        return days_ago(int(span))
    raise UsageError(_("There is no period {span}.").format(span=span))


async def _budget(usage: UsageLedger, limit: float | None) -> Budget:
    spent = await usage.spent(beginning(month()), FREE)
    state = ""
    if limit is not None and spent.usd >= WARNING * limit:
        state = "spent" if spent.usd >= limit else "warned"
    return Budget(spent.usd, spent.unpriced, limit, state)


def _amounts(of: Figures) -> dict[str, Any]:
    known = of.priced or not of.unpriced
    return {**asdict(of), "tokens": of.tokens, "cost": of.usd if known else None}


def _line(line: Line, by: str, config: "Config", titles: Mapping[str, str]) -> UsageLine:
    title, about = line.name[0], ""
    if by == MODEL:
        provider, model = line.name
        spec = find(provider, config)
        about = _(spec.display) if spec else provider
        title = _("Built-in model") if provider == BUILTIN.name and not model else model or about
    elif by == SESSION:
        title = titles.get(title) or _without_title(title, titles)
    elif by == CAUSE:
        title = _(CAUSES[title]) if title in CAUSES else title
    there = by == SESSION and line.name[0] in titles
    return UsageLine(name=line.name, title=title, about=about, there=there, **_amounts(line.figures))


def _without_title(key: str, titles: Collection[str]) -> str:
    own = {"": _("No conversation"), "heartbeat": _("Heartbeat"), "dream": _("Memory and Dream")}
    if key in own:
        return own[key]
    return key if key in titles else _("A deleted conversation")


def _titles(sessions: Path) -> dict[str, str]:
    """The title of each conversation."""
    return {info.key: " ".join(info.title.split()) for info in describe_all(sessions)}
