"""The ledger of every model call: what caused it, which model, how many tokens, how much money."""

import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from desktop.bus.bus import Bus
from desktop.bus.events import UsageRecorded
from desktop.database.database import Database


@dataclass(frozen=True, slots=True)
class Call:
    """One model call. Tokens as the provider counted them; cost in US dollars, None if it did not say."""

    provider: str
    model: str
    cause: str = "turn"
    session: str = ""
    turn: str = ""
    outcome: str = "ok"
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    saved: float | None = None
    reasoning_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Total:
    """The calls of one provider and model since some moment."""

    provider: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


UNATTENDED = ("job", "heartbeat", "memory")
"""Causes of calls that nobody waits for."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls came to: US dollars where the provider told the cost, tokens where it did not."""

    usd: float = 0.0
    tokens: int = 0
    unpriced: int = 0
    """Tokens of calls whose cost is not known."""

    @property
    def cost(self) -> float | None:
        """In US dollars; None where a part of it is not known."""
        return None if self.unpriced else self.usd


DAY, MODEL, SESSION, CAUSE = "day", "model", "session", "cause"
"""What the ledger can be added up by."""

WARNING = 0.8
"""The part of a month's budget from which on the person is warned."""

_CENT, _LEAST = 0.01, 0.0001

REFUSED = ("DayIsSpent", "MonthIsSpent")
"""Outcomes of calls that our own limits kept from being made: nobody was asked."""

_NAMES = {
    DAY: "date(at, 'unixepoch', 'localtime')",
    MODEL: "provider, model",
    SESSION: "session",
    CAUSE: "cause",
}


@dataclass(frozen=True, slots=True)
class Figures:
    """Calls added up. Money and tokens of unknown price stay apart: neither is a part of the other."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    """US dollars, of the calls whose cost is known."""
    priced: int = 0
    """How many calls those are."""
    unpriced: int = 0
    """Tokens of calls whose cost is not known."""
    free: int = 0
    """Tokens of calls to models that cost nothing."""
    cached_tokens: int = 0
    """Of the questions: what the servers still knew."""
    cache_write_tokens: int = 0
    """Of the questions: what they were told to know the next time, for a price."""
    reasoning_tokens: int = 0
    """Of the answers: what was thought."""
    saved: float = 0.0
    """US dollars, as far as they are known."""
    reasoning_usd: float = 0.0
    """US dollars, a part of `usd`, as far as they are known."""

    @property
    def tokens(self) -> int:
        """Of questions and answers."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(*(getattr(self, name) + getattr(other, name) for name in Figures.__slots__))


@dataclass(frozen=True, slots=True)
class Line:
    """The calls of one day, model, conversation or cause."""

    name: tuple[str, ...]
    """A day such as ("2026-11-28",) of the calendar here; ("openai", "gpt-5"); else one name."""
    figures: Figures


def midnight() -> float:
    """When today began here, in Unix time."""
    return time.mktime((*time.localtime()[:3], 0, 0, 0, 0, 0, -1))


def beginning(day: date) -> float:
    """When a day of the calendar here began, in Unix time."""
    return time.mktime((day.year, day.month, day.day, 0, 0, 0, 0, 0, -1))


def today() -> date:
    """The day of the calendar here."""
    return datetime.now().astimezone().date()


def month() -> date:
    """The first day of this month here."""
    return today().replace(day=1)


def days_ago(days: int) -> date:
    """The first of the last so many days, of which today is one."""
    return today() - timedelta(days=days - 1)


def money(usd: float) -> str:
    """An amount of US dollars as a person reads it: more than cents only below one."""
    if 0 < usd < _LEAST:
        return f"<${_LEAST:.4f}"
    return f"${usd:,.2f}" if usd == 0 or usd >= _CENT else f"${usd:.4f}"


class UsageLedger:
    """Rows in state.db, announced on the bus."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database, self._bus = database, bus
        self.recorded: Callable[[Call], Awaitable[None]] | None = None
        """Awaited after each call that was stored."""

    async def record(self, call: Call) -> None:
        """Store one call. Raises StorageError."""
        await self._database.write(
            "INSERT INTO usage (at, provider, model, cause, session, turn, outcome, seconds, input_tokens,"
            " output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost, saved,"
            " reasoning_cost) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                time.time(),
                call.provider,
                call.model,
                call.cause,
                call.session,
                call.turn,
                call.outcome,
                call.seconds,
                call.input_tokens,
                call.output_tokens,
                call.cached_tokens,
                call.cache_write_tokens,
                call.reasoning_tokens,
                call.cost,
                call.saved,
                call.reasoning_cost,
            ),
        )
        self._bus.publish(
            UsageRecorded(
                call.session,
                call.turn,
                call.provider,
                call.model,
                call.input_tokens,
                call.output_tokens,
                call.cost,
            )
        )
        if self.recorded is not None:
            await self.recorded(call)

    async def unattended(self, since: float, free: Collection[str]) -> Spent:
        """What nobody waited for, since a Unix time; calls of providers in `free` do not count."""
        causes, names = ",".join("?" * len(UNATTENDED)), ",".join("?" * len(free))
        return await self._spent(
            f"at >= ? AND cause IN ({causes}) AND provider NOT IN ({names})", (since, *UNATTENDED, *free)
        )

    async def today(self) -> Spent:
        """What all calls since midnight here came to."""
        return await self._spent("at >= ?", (midnight(),))

    async def of_turn(self, turn: str) -> Spent:
        """What one turn came to."""
        return await self._spent("turn = ?", (turn,))

    async def _spent(self, where: str, values: tuple[object, ...]) -> Spent:
        tokens = "input_tokens + output_tokens"
        rows = await self._database.read(
            f"SELECT coalesce(sum(cost), 0), coalesce(sum({tokens}), 0),"  # noqa: S608
            f" coalesce(sum(CASE WHEN cost IS NULL THEN {tokens} END), 0) FROM usage WHERE {where}",
            values,
        )
        return Spent(*rows[0])

    async def spent(self, since: float, free: Collection[str]) -> Spent:
        """What all calls since a Unix time came to, but for providers in `free`."""
        names = ",".join("?" * len(free))
        return await self._spent(f"at >= ? AND provider NOT IN ({names})", (since, *free))

    async def paid(self, since: float, free: Collection[str]) -> float:
        """The `usd` of spent(), of the index alone: looked up before each call of a model."""
        names = ",".join("?" * len(free))
        rows = await self._database.read(
            f"SELECT coalesce(sum(cost), 0.0) FROM usage WHERE at >= ? AND provider NOT IN ({names})",  # noqa: S608
            (since, *free),
        )
        return float(rows[0][0])

    async def by(
        self, what: str, since: float, free: Collection[str], most: int | None = None
    ) -> tuple[list[Line], int]:
        """All calls since a Unix time added up by DAY, MODEL, SESSION or CAUSE: days in their order, the
        others with what cost most first; at most so many, and how many there are. `free`: providers that
        cost nothing. Raises StorageError."""
        name = _NAMES[what]
        order = "1" if what == DAY else "usd DESC, used DESC, 1"
        rows = await self._database.read(
            f"SELECT {name}, {_sums(free)}, sum(input_tokens + output_tokens) AS used, count(*) OVER ()"  # noqa: S608
            f" FROM usage WHERE at >= ? AND outcome NOT IN (?, ?) GROUP BY {name} ORDER BY {order} LIMIT ?",
            (*free, *free, *free, *free, since, *REFUSED, -1 if most is None else most),
        )
        wide = 2 if what == MODEL else 1
        lines = [Line(tuple(row[:wide]), Figures(*row[wide:-2])) for row in rows]
        return lines, rows[0][-1] if rows else 0

    async def of_session(self, session: str, free: Collection[str]) -> list[Line]:
        """All calls of one conversation added up by model, the one used most first. Raises StorageError."""
        name = _NAMES[MODEL]
        rows = await self._database.read(
            f"SELECT {name}, {_sums(free)} FROM usage WHERE session = ? AND outcome NOT IN (?, ?)"  # noqa: S608
            f" GROUP BY {name} ORDER BY sum(input_tokens + output_tokens) DESC, 1, 2",
            (*free, *free, *free, *free, session, *REFUSED),
        )
        return [Line(tuple(row[:2]), Figures(*row[2:])) for row in rows]

    async def first(self) -> date | None:
        """The day here of the oldest call; None where there is none."""
        rows = await self._database.read("SELECT min(at) FROM usage")
        return None if rows[0][0] is None else datetime.fromtimestamp(rows[0][0]).astimezone().date()

    async def since(self, moment: float) -> list[Total]:
        """Totals per provider and model since a Unix time."""
        rows = await self._database.read(
            "SELECT provider, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost)"
            " FROM usage WHERE at >= ? GROUP BY provider, model ORDER BY 3 DESC",
            (moment,),
        )
        return [Total(*row) for row in rows]


def _sums(free: Collection[str]) -> str:
    """The columns of Figures; the names of `free` are given to each of four places."""
    names, tokens = ",".join("?" * len(free)), "input_tokens + output_tokens"
    paid = f"provider NOT IN ({names})"
    return (
        "count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),"
        f" coalesce(sum(CASE WHEN {paid} THEN cost END), 0.0) AS usd,"
        f" coalesce(sum({paid} AND cost IS NOT NULL), 0),"
        f" coalesce(sum(CASE WHEN {paid} AND cost IS NULL THEN {tokens} END), 0),"
        f" coalesce(sum(CASE WHEN NOT {paid} THEN {tokens} END), 0),"
        " coalesce(sum(cached_tokens), 0), coalesce(sum(cache_write_tokens), 0),"
        " coalesce(sum(reasoning_tokens), 0), coalesce(sum(saved), 0.0), coalesce(sum(reasoning_cost), 0.0)"
    )
