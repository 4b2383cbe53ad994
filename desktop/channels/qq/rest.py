"""QQ's calls over HTTPS, each tried once, with errors in our words.

https://bot.q.qq.com/wiki/develop/api-v2/dev-prepare/error-trace/openapi.html, and codes that bots reported.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterable, Mapping
from http import HTTPStatus
from typing import Any

import aiohttp

from desktop import logs
from desktop.channels.channel import MarkupRefused, NotDelivered, Slower
from desktop.errors import AppError
from desktop.services.service import SignInNeeded
from desktop.text import _

type Json = dict[str, Any]

_SERVICE, _SANDBOX = "https://api.sgroup.qq.com", "https://sandbox.api.sgroup.qq.com"
_TOKENS = "https://bots.qq.com"
_CALL, _UPLOAD = aiohttp.ClientTimeout(total=30), aiohttp.ClientTimeout(total=300)
_PAUSE_S, _EARLY_S = 30.0, 60.0
_UNKNOWN_TOKEN = (11241, 11242, 11243, 11244, 11251)
_NOT_KNOWN = (100007, 100016)
"""Of the call for a token: no bot has this AppID, or this secret."""
_OVER = (304026, 304027, 304103, 40034005, 40034024, 40034025, 40034026, 40034027, 40034031, 40034128)
_MARKUP = (22006, 304036, 304061, 40034008, 40034009, 40034010, 40034011, 40034124, 40034127)
_ADDRESSES = (304003, 40054010)
_UNASKED = (40034100, 40034102, 40034105)
_AGAIN = 40054005
_TOO_MANY = 22009


class Over(AppError):
    """No more replies to this message."""


class Sent(AppError):
    """QQ has this reply already."""


class Rest:
    """One bot's. Every method raises SignInNeeded, Slower, and AppError."""

    def __init__(
        self, session: aiohttp.ClientSession, proxy: str | None, base: str, *, sandbox: bool
    ) -> None:
        """`base`: another address than QQ's, or nothing."""
        self.session, self.proxy = session, proxy
        self._tokens = base.rstrip("/") or _TOKENS
        self._base = base.rstrip("/") or (_SANDBOX if sandbox else _SERVICE)
        self._bot = ("", "")
        self._token, self._until = "", 0.0
        self._asking = asyncio.Lock()

    @classmethod
    def address(cls, base: str, *, sandbox: bool) -> str:
        """Where the calls go."""
        return base or (_SANDBOX if sandbox else _SERVICE)

    def sign_in(self, app_id: str, secret: str) -> None:
        """As this bot from now on."""
        logs.mask(secret)
        self._bot, self._token = (app_id, secret), ""

    async def authorization(self) -> str:
        """What proves who the bot is."""
        async with self._asking:
            if not self._token or time.monotonic() > self._until:
                body = {"appId": self._bot[0], "clientSecret": self._bot[1]}
                told = await self._ask("POST", f"{self._tokens}/app/getAppAccessToken", json=body)
                if not (token := str(told.get("access_token") or "")):
                    raise not_known() if told.get("code") in _NOT_KNOWN else _explained(200, {}, told)
                logs.mask(token)
                self._token = token
                self._until = time.monotonic() + float(told.get("expires_in") or 0) - _EARLY_S
            return f"QQBot {self._token}"

    async def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """Make one call; with a new token where the old one is not taken any more."""
        options: Json = {"json": body} if body is not None else {}
        return await self._signed(method, path, options)

    async def upload(self, path: str, pieces: AsyncIterable[bytes], size: int) -> Json:
        """The same with a long body: its JSON, and how many bytes that has."""
        headers = {"Content-Type": "application/json", "Content-Length": str(size)}
        return await self._signed("POST", path, {"data": pieces, "headers": headers, "timeout": _UPLOAD})

    async def _signed(self, method: str, path: str, options: Json) -> Json:
        headers = {"Authorization": await self.authorization(), **options.pop("headers", {})}
        try:
            return await self._ask(method, f"{self._base}{path}", headers=headers, **options)
        except SignInNeeded:
            self._token = ""  # it may have ended before its time: the next call asks for another
            if "data" in options:
                raise Slower(_("QQ wants a new token."), 1.0) from None
            headers["Authorization"] = await self.authorization()
            return await self._ask(method, f"{self._base}{path}", headers=headers, **options)

    async def _ask(self, method: str, url: str, **options: Any) -> Json:
        options.setdefault("timeout", _CALL)
        try:
            async with self.session.request(method, url, proxy=self.proxy, **options) as answer:
                told = _read(await answer.text("utf-8", "replace"))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable() from error
        if answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return told
        raise _explained(answer.status, answer.headers, told)


def _read(text: str) -> Json:
    """Nothing of what is no answer of QQ's."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def unreachable() -> AppError:
    """There is no QQ at the other end."""
    return AppError(_("QQ can’t be reached."), _("Check the internet connection."))


def not_known() -> SignInNeeded:
    """The AppID or the secret is wrong."""
    return SignInNeeded(
        _("QQ does not know a bot with this AppID and secret."),
        _("Copy both again from q.qq.com and save them under Settings › Channels."),
    )


def unasked() -> NotDelivered:
    """Nobody wrote lately, and the bot may not begin."""
    return NotDelivered(
        _("QQ lets a bot write only in reply: for an hour in private chats, for 5 minutes in groups."),
        _("Write to it in QQ, then send this again."),
    )


def _explained(status: int, headers: Mapping[str, str], told: Json) -> AppError:
    code = told.get("err_code") or told.get("code") or 0
    reason = str(told.get("message") or code)
    if status == HTTPStatus.TOO_MANY_REQUESTS or code == _TOO_MANY:
        return Slower(_("QQ wants a pause."), float(headers.get("Retry-After") or _PAUSE_S))
    if status == HTTPStatus.UNAUTHORIZED or code in _UNKNOWN_TOKEN:
        return not_known()
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or not told:
        return unreachable()
    if code in _OVER:
        return Over(reason)
    if code == _AGAIN:
        return Sent(reason)
    if code in _UNASKED:
        return unasked()
    if code in _MARKUP:
        return MarkupRefused(reason)
    if code in _ADDRESSES:
        return NotDelivered(
            _("QQ does not let this bot send links."),
            _("Add their addresses to the bot’s settings at q.qq.com."),
        )
    return NotDelivered(_("QQ rejected it: {reason}").format(reason=reason))
