"""The ledger of every model call: what caused it, which model, how many tokens, how much money."""

import time
from collections.abc import Collection
from dataclasses import dataclass

from desktop.bus.bus import Bus
from desktop.bus.events import UsageRecorded
from desktop.database import Database


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


def midnight() -> float:
    """When today began here, in Unix time."""
    return time.mktime((*time.localtime()[:3], 0, 0, 0, 0, 0, -1))


class UsageLedger:
    """Rows in state.db, announced on the bus."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database, self._bus = database, bus

    async def record(self, call: Call) -> None:
        """Store one call. Raises StorageError."""
        await self._database.write(
            "INSERT INTO usage (at, provider, model, cause, session, turn, outcome, seconds, input_tokens,"
            " output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, cost)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
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

    async def since(self, moment: float) -> list[Total]:
        """Totals per provider and model since a Unix time."""
        rows = await self._database.read(
            "SELECT provider, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost)"
            " FROM usage WHERE at >= ? GROUP BY provider, model ORDER BY 3 DESC",
            (moment,),
        )
        return [Total(*row) for row in rows]
