"""Models that are asked instead: one that cannot be reached, or has no quota left, is followed by the next.

Only while nothing of the answer was shown. When the month's budget is spent, only those that cost nothing.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
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
)
from desktop.providers.budget import MonthIsSpent

_log = logging.getLogger(__name__)
_PASS_ON = (Unreachable, RateLimited, QuotaExceeded, MonthIsSpent)


@dataclass(frozen=True, slots=True)
class Fallback:
    """A model that stands ready; what it needs, such as its key, is read when it is wanted."""

    free: bool
    """It costs nothing."""
    make: Callable[[], Awaitable[tuple[Provider, Endpoint]]]
    """Raises AppError: then the next is asked."""


class FallbackProvider:
    """A provider, and those to ask instead, in their order."""

    def __init__(
        self,
        first: Provider,
        fallbacks: Sequence[Fallback],
        on_fallback: Callable[[Endpoint, ProviderError], None],
    ) -> None:
        """`on_fallback`: told who answers instead, and why, before the first word."""
        self._first, self._fallbacks, self._on_fallback = first, fallbacks, on_fallback

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """Deltas, then one Completion, which names who answered instead. Raises what the first raised."""
        begun = False
        try:
            async with aclosing(self._first.stream(request)) as stream:
                async for item in stream:
                    begun = True
                    yield item
            return
        except _PASS_ON as error:
            if begun:
                raise
            first = error
        async with aclosing(self._instead(request, first)) as answer:
            async for item in answer:
                yield item

    async def _instead(self, request: Request, first: ProviderError) -> AsyncGenerator[Delta | Completion]:
        free_only = isinstance(first, MonthIsSpent)
        for fallback in self._fallbacks:
            if free_only and not fallback.free:
                continue
            begun = False
            try:
                provider, endpoint = await fallback.make()
                asked = replace(request, endpoint=endpoint, conversation="")
                async with aclosing(provider.stream(asked)) as stream:
                    async for item in stream:
                        if not begun:
                            begun = True
                            self._on_fallback(endpoint, first)
                        yield replace(item, answered=endpoint) if isinstance(item, Completion) else item
                return
            except AppError as error:
                if begun:
                    raise
                _log.info("a fallback model failed: %s", error)
                free_only |= isinstance(error, MonthIsSpent)
        raise first
