"""Amounts and days in words, as short as they can be read."""

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from desktop import text as catalogue
from desktop.text import _, ngettext
from desktop.usage import money

if TYPE_CHECKING:
    from desktop.api.usage import Amounts

_THOUSAND, _MILLION = 1_000, 1_000_000


def short(number: float) -> str:
    """A count in thousands or millions where it is that big: 950, 4.2k, 131k, 2.5M."""
    if number < _THOUSAND:
        return f"{number:.0f}"
    million = number >= _MILLION - _THOUSAND / 2
    big, unit = (number / _MILLION, "M") if million else (number / _THOUSAND, "k")
    return f"{big:.1f}".removesuffix(".0") + unit if big < 100 else f"{big:.0f}{unit}"


def tokens(number: int) -> str:
    """So many tokens."""
    return ngettext("{n} token", "{n} tokens", number).format(n=short(number))


def calls(number: int) -> str:
    """So many calls of models."""
    return ngettext("{n} call", "{n} calls", number).format(n=f"{number:,}")


def cost(of: "Amounts") -> str:
    """The known cost of a line; said where there is none to tell."""
    if of.cost is None:
        return _("price unknown")
    if of.free and not of.priced and not of.unpriced:
        return _("free")
    return money(of.cost)


def unknown(of: "Amounts") -> str:
    """What is not in the known cost of a line; "" for nothing."""
    if of.cost is None or not of.unpriced:
        return ""
    return _("+ {tokens} of unknown price").format(tokens=tokens(of.unpriced))


def told(of: "Amounts") -> str:
    """All figures of a line in one."""
    parts = (cost(of), unknown(of).removeprefix("+ "), tokens(of.tokens), calls(of.calls))
    return " · ".join(part for part in parts if part)


def cached(of: "Amounts") -> str:
    """What the caches of the servers were good for; "" where they told nothing of one."""
    if of.cached_tokens and of.saved > 0:
        return _("From cache: {tokens}, saved {usd}").format(
            tokens=tokens(of.cached_tokens), usd=money(of.saved)
        )
    if of.cached_tokens:
        return _("From cache: {tokens}").format(tokens=tokens(of.cached_tokens))
    if of.cache_write_tokens:
        told = _("{tokens} were written to the cache but never read from it: no request came in time.")
        return told.format(tokens=tokens(of.cache_write_tokens))
    return ""


def thought(of: "Amounts") -> str:
    """How much of the answers was reasoning; "" for nothing."""
    if not of.reasoning_tokens:
        return ""
    told = _("Reasoning: {tokens}").format(tokens=tokens(of.reasoning_tokens))
    return f"{told}, {money(of.reasoning_usd)}" if of.reasoning_usd else told


def day(of: date) -> str:
    """A day of this year or another."""
    month = _locale().monthName(of.month, QLocale.FormatType.ShortFormat)
    return _("{month} {day}").format(month=month, day=of.day)


def whole_day(of: date) -> str:
    """A day with its weekday and year."""
    weekday = _locale().dayName(of.isoweekday(), QLocale.FormatType.ShortFormat)
    return _("{weekday}, {day}, {year}").format(weekday=weekday, day=day(of), year=of.year)


def month(of: date) -> str:
    """A month of a year."""
    name = _locale().monthName(of.month, QLocale.FormatType.ShortFormat)
    return _("{month} {year}").format(month=name, year=of.year)


def _locale() -> QLocale:
    return QLocale(catalogue.language())
