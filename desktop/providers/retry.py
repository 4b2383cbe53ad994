"""The only retry policy for model calls; the libraries' own are off.

A call is tried again only while nothing of its answer was shown, and only where trying again may
help: too many requests, no connection, a fault of the server.
"""

import asyncio
import ipaddress
import urllib.parse
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from desktop.providers.base import Completion, Delta, Provider, ProviderError, RateLimited, Request
from desktop.text import _

_DELAYS = (1.0, 2.0, 4.0)
_LONGEST_WAIT = 60.0


def no_wait_shown(seconds: float, error: ProviderError) -> None:
    """Tell nobody that a call waits."""


class RetryingProvider:
    """Another provider, tried again where that may help."""

    def __init__(
        self,
        provider: Provider,
        *,
        on_wait: Callable[[float, ProviderError], None] = no_wait_shown,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._provider = provider
        self._on_wait = on_wait
        self._sleep = sleep

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        """Deltas, then one Completion; before each wait on_wait gets the seconds and the reason."""
        for attempt in range(len(_DELAYS) + 1):
            begun = False
            try:
                async with aclosing(self._provider.stream(request)) as stream:
                    async for item in stream:
                        begun = True
                        yield item
                return
            except ProviderError as error:
                seconds = None if begun else delay(error, request, attempt)
                if seconds is None:
                    raise
                self._on_wait(seconds, error)
            await self._sleep(seconds)


def delay(error: ProviderError, request: Request, attempt: int) -> float | None:
    """Seconds until the next try after `attempt` earlier retries; None when there is to be none.

    Raises RateLimited, saying when to come back, if the server asks for more than a minute.
    """
    tries = len(_DELAYS)
    if error.status is None and _on_this_machine(request.endpoint.base_url):
        tries = 1  # a server of our own that does not run will not run in two seconds either
    if not error.retryable or attempt >= tries:
        return None
    if not isinstance(error, RateLimited) or error.retry_after is None:
        return _DELAYS[attempt]
    if error.retry_after > _LONGEST_WAIT:
        raise _later(error, error.retry_after) from error
    return error.retry_after


def _later(error: RateLimited, seconds: float) -> RateLimited:
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    when = _("{hours} h").format(hours=hours) if hours > 1 else _("{minutes} min").format(minutes=minutes)
    return RateLimited(
        error.text,
        _("It allows the next request in {time}.").format(time=when),
        detail=error.detail,
        status=error.status,
        retry_after=seconds,
    )


def _on_this_machine(url: str) -> bool:
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
