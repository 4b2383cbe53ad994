"""When a call to a model is tried again: where that may help, and where the server does not want us to wait
for long. Too many requests, no connection, and a fault of the server may pass; nothing else does.
"""

import ipaddress
import urllib.parse
from collections.abc import Sequence

from desktop.errors import AppError
from desktop.providers.base import Endpoint, ProviderError, RateLimited
from desktop.text import _

DELAYS = (1.0, 2.0, 4.0)
"""Seconds before each new try, where the server does not say how long."""
_LONGEST_WAIT = 60.0


def pause(error: AppError, there: Endpoint, delays: Sequence[float], attempt: int) -> float | None:
    """Seconds until the next try, after a first one and `attempt` more; None where there is to be none."""
    if not isinstance(error, ProviderError) or not error.retryable:
        return None
    if error.status is None and _on_this_machine(there.base_url):
        delays = delays[:1]  # a server of our own that does not run will not run in two seconds either
    if attempt >= len(delays):
        return None
    if not isinstance(error, RateLimited) or error.retry_after is None:
        return delays[attempt]
    return error.retry_after if error.retry_after <= _LONGEST_WAIT else None


def dated(error: AppError) -> AppError:
    """The same failure; of a server that asks for more than a minute, one that says when to come back."""
    if not isinstance(error, RateLimited) or (seconds := error.retry_after or 0.0) <= _LONGEST_WAIT:
        return error
    minutes, hours = round(seconds / 60), round(seconds / 3600)
    when = _("{hours} h").format(hours=hours) if hours > 1 else _("{minutes} min").format(minutes=minutes)
    remedy = _("The next request is possible in {time}.").format(time=when)
    said = RateLimited(error.text, remedy, detail=error.detail, status=error.status, retry_after=seconds)
    said.usage, said.said, said.__cause__ = error.usage, error.said, error
    return said


def _on_this_machine(url: str) -> bool:
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
