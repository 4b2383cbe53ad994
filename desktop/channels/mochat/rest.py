"""Mochat's calls over HTTP, each tried once, with errors in our words.

As https://github.com/HKUDS/MoChat describes them for agents; the clients there know more of them than that.
"""

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from desktop import logs
from desktop.channels.channel import NotDelivered, Slower
from desktop.errors import AppError
from desktop.services.service import SignInNeeded
from desktop.text import _

type Json = dict[str, Any]

_CALL_S = 30.0
_PAUSE_S, _LONGEST_PAUSE_S = 20.0, 600.0
_FIRST = "sessions/list"
"""The call that everybody may make who is known."""


class Rest:
    """One agent's."""

    def __init__(self, session: aiohttp.ClientSession, proxy: str | None, base: str, token: str) -> None:
        logs.mask(token)
        self.session, self.proxy, self.token = session, proxy, token
        self._base = base.rstrip("/")
        self.clock = 0.0
        """What time it was by Mochat's clock when it answered last, Unix time; 0 where it did not say."""

    def own(self, url: str) -> bool:
        """Whether an address is of the server that the settings name."""
        try:
            asked, mine = urlsplit(url), urlsplit(self._base)
            return (asked.scheme, asked.netloc) == (mine.scheme, mine.netloc)
        except ValueError:
            return False

    async def call(self, path: str, body: Json | None = None, seconds: float = _CALL_S) -> Json:
        """Make one call. Raises SignInNeeded, Slower, NotDelivered, AppError."""
        try:
            async with self.session.post(
                f"{self._base}/api/claw/{path}",
                json=body or {},
                headers={"X-Claw-Token": self.token},
                proxy=self.proxy,
                timeout=aiohttp.ClientTimeout(total=seconds),
                allow_redirects=False,
            ) as answer:
                told = _read(await answer.text("utf-8", "replace"))
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise unreachable() from error
        self.clock = _moment(answer.headers.get("Date"))
        code = told.get("code")
        status = code if isinstance(code, int) and answer.status == HTTPStatus.OK else answer.status
        if status != HTTPStatus.OK or not told:
            raise _explained(status, answer.headers, told, first=path == _FIRST)
        data = told.get("data", {}) if isinstance(code, int) else told
        return data if isinstance(data, dict) else {"found": data}


def _read(text: str) -> Json:
    """Nothing of what is no answer of Mochat's."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _moment(told: str | None) -> float:
    try:
        return parsedate_to_datetime(told).timestamp() if told else 0.0
    except ValueError:
        return 0.0


def unreachable() -> AppError:
    """There is no Mochat at the other end."""
    return AppError(_("Mochat can’t be reached."), _("Check the internet connection."))


def not_known() -> SignInNeeded:
    """The token is wrong."""
    return SignInNeeded(
        _("Mochat does not know this token."),
        _("Copy the token of the agent again and save it under Settings › Channels."),
    )


def rejected(reason: str) -> NotDelivered:
    """Mochat does not take something."""
    return NotDelivered(_("Mochat rejected it: {reason}").format(reason=reason))


def _explained(status: int, headers: Mapping[str, str], told: Json, *, first: bool) -> AppError:
    error = told.get("error")
    inner: Json = error if isinstance(error, dict) else {}
    reason = str(told.get("message") or inner.get("message") or told.get("name") or status)[:300]
    if told and (status == HTTPStatus.UNAUTHORIZED or (first and status == HTTPStatus.FORBIDDEN)):
        return not_known()
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Slower(_("Mochat wants a pause."), _seconds(headers.get("Retry-After")))
    if not told or status in (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE):
        return unreachable()
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return AppError(_("Mochat had an error: {reason}").format(reason=reason), _("Try again later."))
    return rejected(reason)


def _seconds(told: str | None) -> float:
    try:
        return min(float(told or _PAUSE_S), _LONGEST_PAUSE_S)
    except ValueError:
        return _PAUSE_S
