"""Discord's REST API: discord.py's calls, each tried once, with errors in our words.

The library waits out limits and faults by itself for minutes, and knows one address of the service for all
its clients. Here the outbox and the Supervisor know when to try again, and a client has its own address.
"""

import asyncio
import json
import time
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
from discord.http import HTTPClient, Route

from desktop.channels.channel import Gone, NotDelivered, Slower
from desktop.errors import AppError
from desktop.services.service import SignInNeeded
from desktop.text import _

_CALL = aiohttp.ClientTimeout(total=30)
_UPLOAD = aiohttp.ClientTimeout(total=300)
_PAUSE_S = 30.0
_ASKEW_S = 2.0
_GONE = (10008, 50005)
"""An unknown message, one of somebody else."""
_TOO_LARGE = 40005


class Rest(HTTPClient):
    """One client's."""

    def __init__(self, session: aiohttp.ClientSession, base: str, proxy: str | None) -> None:
        """`base`: another address than Discord's, or nothing."""
        super().__init__(asyncio.get_running_loop(), session.connector, proxy=proxy)
        self._calls, self._base = session, base.rstrip("/") or Route.BASE
        self.at = time.time()
        """What time it is by Discord's clock, Unix time in seconds, as its last answer says."""

    async def request(self, route: Route, *, files: Any = None, form: Any = None, **options: Any) -> Any:
        """Make one call. Raises SignInNeeded, Slower, Gone, NotDelivered, AppError."""
        options.pop("reason", None)
        if form:
            options["data"] = data = aiohttp.FormData(quote_fields=False)
            for field in form:
                data.add_field(**field)
        headers = {"User-Agent": self.user_agent, "Authorization": f"Bot {self.token}"}
        url = self._base + route.url.removeprefix(Route.BASE)
        timeout = _UPLOAD if form else _CALL
        try:
            async with self._calls.request(
                route.method, url, headers=headers, proxy=self.proxy, timeout=timeout, **options
            ) as answer:
                with suppress(KeyError, ValueError):
                    self.at = _agreed(parsedate_to_datetime(answer.headers["Date"]).timestamp())
                text = await answer.text("utf-8", "replace")
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable() from error
        if answer.status < 300:
            return _read(text) if text else ""
        raise _explained(answer, _complaint(text))


def _agreed(told: float) -> float:
    """The time by Discord's clock, which tells whole seconds: ours is more exact where it agrees."""
    here = time.time()
    return here if abs(here - told) <= _ASKEW_S else told


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise unreachable() from error


def _complaint(text: str) -> dict[str, Any]:
    """What Discord says of a call that it rejects; nothing where something else has answered."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def unreachable() -> AppError:
    """There is no Discord at the other end."""
    return AppError(_("Discord can’t be reached."), _("Check the internet connection."))


def not_known() -> SignInNeeded:
    """The token is wrong, or was reset."""
    return SignInNeeded(
        _("Discord does not know this bot token."),
        _("Reset it under Bot in the developer portal and save the new one under Settings › Channels."),
    )


def _explained(answer: aiohttp.ClientResponse, told: dict[str, Any]) -> AppError:
    status, code = answer.status, told.get("code")
    if status == 429:
        seconds = told.get("retry_after") or answer.headers.get("Retry-After") or _PAUSE_S
        return Slower(_("Discord wants a pause."), float(seconds))
    if status == 401:
        return not_known()
    if status >= 500 or not told:
        return unreachable()
    if code in _GONE:
        return Gone(str(told.get("message")))
    if status == 413 or code == _TOO_LARGE:
        return NotDelivered(_("Discord does not take files that large."))
    return NotDelivered(_("Discord rejected it: {reason}").format(reason=told.get("message") or code))
