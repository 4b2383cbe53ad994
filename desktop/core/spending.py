"""What was used, added up for the window and the command line: by day, model, conversation or cause.

Known cost and tokens of unknown price are told apart everywhere: an unknown price is never zero.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import date
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.core.rationing import FREE, WARNING
from desktop.core.verbs import Json, Send
from desktop.errors import UsageError
from desktop.providers.registry import find
from desktop.providers.registry_table import BUILTIN
from desktop.session.listing import describe_all
from desktop.tasks import in_thread
from desktop.text import _, mark
from desktop.usage import (
    CAUSE,
    DAY,
    MODEL,
    SESSION,
    Figures,
    Line,
    UsageLedger,
    beginning,
    days_ago,
    month,
    today,
)

if TYPE_CHECKING:
    from desktop.config.schema import Config
    from desktop.core.core import Core

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
    "test": mark("Tests of a provider"),
}
"""What a person calls each cause."""


class Spending:
    """The verbs `usage` and `cost`."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    async def usage(self, arguments: Json, _send: Send) -> Json:
        """What was used in a `span` (a number of days up to today, MONTH or ALL), in all, by day and `by`
        one of WAYS; see report(). Raises UsageError, StorageError."""
        core = self._core
        span, by = str(arguments.get("span") or 30), str(arguments.get("by") or MODEL)
        return await report(core.usage, core.store.config, core.sessions.folder, span, by)

    async def cost(self, arguments: Json, _send: Send) -> Json:
        """The figures() of one conversation since it began, and of each of its `models` with its `title`.
        Raises StorageError."""
        core = self._core
        lines = await core.usage.of_session(str(arguments["session"]), FREE)
        total = reduce(add, (line.figures for line in lines), Figures())
        models = [_line(line, MODEL, core.store.config, {}) for line in lines]
        return {**figures(total), "models": models}


async def report(usage: UsageLedger, config: "Config", sessions: Path, span: str, by: str) -> Json:
    """`from` and `to`: days here. `total`, each of `days` (those on which there was something) and each of
    `lines` (at most 100 of `count`): figures() of them; a line has its `name`, `title` and `about` too,
    and whether it is a conversation that is `there` still.
    `budget`: see budget(). Raises UsageError, StorageError."""
    if by not in WAYS:
        raise UsageError(_("This can be added up by {ways} only.").format(ways=", ".join(WAYS)))
    start = await _start(usage, span)
    since = beginning(start)
    days, count = await usage.by(DAY, since, FREE)
    lines = days
    if by != DAY:
        lines, count = await usage.by(by, since, FREE, _LINES)
    titles = await in_thread(_titles, sessions) if by == SESSION else {}
    return {
        "from": start.isoformat(),
        "to": today().isoformat(),
        "total": figures(reduce(add, (day.figures for day in days), Figures())),
        "days": [{"day": day.name[0], **figures(day.figures)} for day in days],
        "by": by,
        "lines": [_line(line, by, config, titles) for line in lines],
        "count": count,
        "budget": await budget(usage, config.limits.monthly_usd),
    }


async def _start(usage: UsageLedger, span: str) -> date:
    if span == MONTH:
        return month()
    if span == ALL:
        return await usage.first() or today()
    if span.isdecimal() and 0 < int(span) <= _LONGEST:
        return days_ago(int(span))
    raise UsageError(_("There is no span of time {span}.").format(span=span))


async def budget(usage: UsageLedger, limit: float | None) -> Json:
    """This month against what it may cost: `usd` that is known, `unpriced` tokens that are not counted,
    the `limit` in US dollars (None for none), `state` "" or "warned" or "spent"."""
    spent = await usage.spent(beginning(month()), FREE)
    state = ""
    if limit is not None and spent.usd >= WARNING * limit:
        state = "spent" if spent.usd >= limit else "warned"
    return {"usd": spent.usd, "unpriced": spent.unpriced, "limit": limit, "state": state}


def figures(of: Figures) -> Json:
    """Calls and tokens; `cost` in US dollars as far as it is known, None where none of it is; `unpriced`
    tokens that are not in it; `free` tokens, of models on this computer."""
    known = of.priced or not of.unpriced
    return {**asdict(of), "tokens": of.tokens, "cost": of.usd if known else None}


def _line(line: Line, by: str, config: "Config", titles: Mapping[str, str]) -> Json:
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
    return {
        "name": list(line.name),
        "title": title,
        "about": about,
        "there": there,
        **figures(line.figures),
    }


def _without_title(key: str, titles: Collection[str]) -> str:
    own = {"": _("No conversation"), "heartbeat": _("Heartbeat"), "dream": _("Memory and Dream")}
    if key in own:
        return own[key]
    return key if key in titles else _("A deleted conversation")


def _titles(sessions: Path) -> dict[str, str]:
    """The title of each conversation."""
    return {info.key: " ".join(info.title.split()) for info in describe_all(sessions)}
