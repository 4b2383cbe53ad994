"""How a model is called: the one policy of every call, from the budget to the bill.

A call that fails is tried again where waiting may help, and then made of the next of the person's fallback
models. Neither happens once a part of the answer was shown. The libraries' own retries are off.
"""

import asyncio
import itertools
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace

from desktop.errors import AppError
from desktop.providers.base import (
    Completion,
    Delta,
    Endpoint,
    Provider,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Request,
    Unreachable,
    Usage,
)
from desktop.providers.budget import MonthIsSpent
from desktop.providers.local import BuiltinServer
from desktop.providers.prices import priced
from desktop.providers.retry import DELAYS, dated, pause
from desktop.providers.small_model_text import told
from desktop.providers.windows import Price

_log = logging.getLogger(__name__)
_PASSED_ON = (Unreachable, RateLimited, QuotaExceeded, MonthIsSpent)
"""Why a fallback is asked. Any other failure of the chosen model is the person's to mend, and told."""


async def _no_price() -> Price | None:
    return None


async def _no_limit() -> None:
    """Nothing is counted."""


def _untold(_what: object, _why: AppError) -> None:
    """Nobody waits for the answer."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model that may be asked."""

    free: bool
    """It costs nothing."""
    endpoint: Callable[[], Awaitable[Endpoint]]
    """Where it is, with its key, which is read when it is wanted. Raises AppError."""
    price: Callable[[], Awaitable[Price | None]] = _no_price
    server: BuiltinServer | None = None
    """Of the built-in model: started for each call, and not stopped before its end."""

    @asynccontextmanager
    async def served(self, request: Request) -> AsyncIterator[Request]:
        """The request as it goes out, while there is somebody to answer it. Raises AppError."""
        if self.server is None:
            yield request
            return
        there = request.endpoint
        async with self.server.use(there.model) as running:
            at = replace(there, base_url=running.base_url, api_key=running.token, model=running.model)
            yield told(replace(request, endpoint=at), running.marks)

    async def billed(self, usage: Usage | None) -> Usage | None:
        """What a call used, with what that cost where it can be known."""
        price = await self.price() if usage else None
        return priced(usage, price) if usage and price else usage


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """A Provider: the chosen model and its fallbacks, over one wire."""

    wire: Provider
    """Carries out one try of a call to any of them."""
    candidates: Sequence[Candidate]
    """The chosen model, whose endpoint requests have already; then its fallbacks, in order."""
    may_spend: Callable[[], Awaitable[None]] = _no_limit
    """Asked before a model that costs something. Raises MonthIsSpent, DayIsSpent."""
    on_wait: Callable[[float, AppError], None] = _untold
    """Told before a call is tried again: in how many seconds, and why."""
    on_fallback: Callable[[Endpoint, ProviderError], None] = _untold
    """Told before a fallback's first word: who answers, and why the chosen model does not."""
    delays: Sequence[float] = DELAYS
    """Seconds before each new try; empty for none."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """Deltas, then one Completion, which names who answered where that was a fallback. Raises what kept
        the chosen model from answering; a ProviderError tells what the call cost all the same."""
        why: ProviderError | None = None  # the chosen model does not answer
        failure: AppError
        for candidate in self.candidates:
            asked, begun = request, False
            for attempt in itertools.count():
                try:
                    if not attempt:  # once for each model, however often it is tried
                        if not candidate.free:
                            await self.may_spend()
                        if why:
                            asked = replace(request, endpoint=await candidate.endpoint(), conversation="")
                    async with candidate.served(asked) as sent, aclosing(self.wire.stream(sent)) as answer:
                        async for item in answer:
                            if why and not begun:
                                self.on_fallback(asked.endpoint, why)
                            begun = True
                            if isinstance(item, Completion):
                                item = replace(item, usage=await candidate.billed(item.usage))
                                item = replace(item, answered=asked.endpoint) if why else item
                            yield item
                    return
                except AppError as error:
                    if isinstance(error, ProviderError):
                        error.usage = await candidate.billed(error.usage)
                    if begun:
                        raise
                    failure, seconds = dated(error), pause(error, asked.endpoint, self.delays, attempt)
                if seconds is None:
                    break
                self.on_wait(seconds, failure)
                await self.sleep(seconds)
            if why is not None:
                _log.info("a fallback model failed: %s", failure)
            elif isinstance(failure, _PASSED_ON):
                why = failure
            else:
                raise failure
        assert why
        raise why
