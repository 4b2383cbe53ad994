"""The verb `usage`: tokens and money by day, model, conversation or cause. It only reads the ledger."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from desktop.cli import options
from desktop.cli.output import emit, hint, say, table
from desktop.cli.run import run
from desktop.paths import Home
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.api.usage import Amounts, Budget, Report, UsageLine

_WAYS = ("day", "model", "session", "cause")
_DAYS, _MOST_DAYS = 30, 36_500
_NOWHERE = Path(":memory:")


def register(app: click.Group) -> None:
    """Add the command to the command line."""

    @options.verb(app, "usage", _("Show model usage and cost."))
    @click.option(
        "--days",
        type=click.IntRange(1, _MOST_DAYS),
        default=_DAYS,
        show_default=True,
        help=_("Number of days up to today."),
    )
    @click.option("--by", type=click.Choice(_WAYS), default="day", show_default=True, help=_("Group by."))
    def usage_command(*, days: int, by: str, as_json: bool) -> None:
        run(lambda home: _usage(home, days, by, as_json), as_json=as_json)


async def _usage(home: Home, days: int, by: str, as_json: bool) -> None:
    found = await _report(home, days, by)
    if as_json:
        shown = asdict(found)
        emit({"from": shown.pop("first"), "to": shown.pop("last")} | shown)
        return
    head = {"day": _("Day"), "model": _("Model"), "session": _("Conversation"), "cause": _("Purpose")}[by]
    lines = [_cells(_title(line, by), line) for line in found.lines]
    if lines:
        lines.append(_cells(_("Total"), found.total))
    table(
        [head, _("Calls"), _("Input tokens"), _("Output tokens"), _("Cost")],
        lines,
        _("No calls to a model in this period."),
    )
    if more := found.count - len(found.lines):
        hint(_("and {count} more").format(count=more))
    _say_parts(found.total)
    if unpriced := found.total.unpriced:
        say(_("The price of {tokens} tokens is unknown.").format(tokens=f"{unpriced:,}"))
    _say_budget(found.budget)


async def _report(home: Home, days: int, by: str) -> "Report":
    from desktop.api.usage import Usage
    from desktop.bus.bus import Bus
    from desktop.cli.files import settings, up_to_date
    from desktop.config.workspace import workspace_of
    from desktop.database.database import Database
    from desktop.usage import UsageLedger

    config = (await settings(home)).config
    await up_to_date(home)
    there = await in_thread(home.database.exists)
    database = Database(home.database if there else _NOWHERE, mend=False)
    await database.open()
    try:
        sessions = workspace_of(home, config) / "sessions"
        return await Usage(UsageLedger(database, Bus()), lambda: config, sessions).report(str(days), by)
    finally:
        await database.close()


def _title(line: "UsageLine", by: str) -> str:
    about = line.about
    if by == "session" and not line.there:
        about = line.name[0]
    return f"{line.title} ({about})" if about else line.title


def _cells(title: str, line: "Amounts") -> list[str]:
    numbers = (line.calls, line.input_tokens, line.output_tokens)
    return [title, *(f"{number:,}" for number in numbers), _cost(line)]


def _cost(line: "Amounts") -> str:
    """The known part of it, and that there is one that is not."""
    from desktop.usage import money

    if line.cost is None:
        return _("unknown")
    if line.unpriced:
        return _("{usd} + unknown").format(usd=money(line.cost))
    return _("free") if line.free and not line.priced else money(line.cost)


def _say_parts(total: "Amounts") -> None:
    """What came from caches and what was reasoning, where providers tell it."""
    from desktop.usage import money

    if cached := total.cached_tokens:
        told = _("From cache: {tokens} tokens, saved {usd}.")
        say(told.format(tokens=f"{cached:,}", usd=money(max(0.0, total.saved))))
    elif written := total.cache_write_tokens:
        told = _("{tokens} tokens were written to the cache and never read from it.")
        say(told.format(tokens=f"{written:,}"))
    if thought := total.reasoning_tokens:
        told = _("Reasoning: {tokens} tokens, {usd}.")
        say(told.format(tokens=f"{thought:,}", usd=money(total.reasoning_usd)))


def _say_budget(budget: "Budget") -> None:
    from desktop.usage import money

    if budget.limit is None:
        return
    told = _("This month: {spent} of {limit}.")
    say(told.format(spent=money(budget.usd), limit=money(budget.limit)))
    if budget.unpriced:
        say(_("Does not include {tokens} tokens of unknown price.").format(tokens=f"{budget.unpriced:,}"))
