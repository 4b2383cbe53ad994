"""Feishu's calls over HTTPS, each tried once, with errors in our words.

https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code, and what its own clients know
of the call for a long connection.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import aiohttp

from desktop import logs
from desktop.channels.channel import Gone, MarkupRefused, NotDelivered, Slower
from desktop.errors import AppError, ConfigError
from desktop.services.service import SignInNeeded
from desktop.text import _

type Json = dict[str, Any]

_PLACES = {"feishu": "https://open.feishu.cn", "lark": "https://open.larksuite.com"}
_CALL, _UPLOAD = aiohttp.ClientTimeout(total=30), aiohttp.ClientTimeout(total=600, sock_read=60)
_PAUSE_S, _LONGEST_PAUSE_S, _EARLY_S = 5.0, 600.0, 60.0
_OLD_TOKEN = (99991661, 99991663, 99991664, 99991665, 99991668)
_NO_APP = (10003, 10012, 99991551)
_NOT_KNOWN = (*_NO_APP, 10014, 514, 1000040345)
_TOO_MANY = (99991400, 230020, 11232, 11233, 11247)
_CARD = (230099, 200861, 11310, 230025)
_GONE = (230011, 230019, 230031, 230072, 230110)
"""230072: it was edited as often as a message may be."""
_BUSY = (1, 230049, 1000040343)
_NO_BOT, _NO_SCOPE, _FULL = 11205, 99991672, 1000040350


class NoApp(SignInNeeded):
    """It is the App ID that is wrong."""


class OldToken(SignInNeeded):
    """A token that was good is not taken any more."""


class Rest:
    """One app's. Every method raises SignInNeeded, Slower, and AppError."""

    def __init__(self, session: aiohttp.ClientSession, proxy: str | None, base: str, domain: str) -> None:
        """`base`: another address than the service's, or nothing."""
        self.session, self.proxy = session, proxy
        self._base = self.address(base, domain)
        self.is_elsewhere = bool(base)
        """Whether it is a server of the person's own."""
        self._app = ("", "")
        self._token, self._until = "", 0.0
        self._asking = asyncio.Lock()

    @classmethod
    def address(cls, base: str, domain: str) -> str:
        """Where the calls go."""
        return base.rstrip("/") or _PLACES[domain]

    def sign_in(self, app_id: str, secret: str) -> None:
        """As this app from now on."""
        logs.mask(secret)
        self._app, self._token = (app_id, secret), ""

    @property
    def app_id(self) -> str:
        """Of the app that is signed in."""
        return self._app[0]

    async def endpoint(self) -> Json:
        """Where a long connection is opened, and how."""
        body = {"AppID": self._app[0], "AppSecret": self._app[1]}
        return data(await self._ask("POST", "/callback/ws/endpoint", json=body, headers={"locale": "zh"}))

    async def call(self, method: str, path: str, body: Json | None = None, **params: str) -> Json:
        """Make one call; with a new token where the old one is not taken any more."""
        options: Json = {"params": params} if params else {}
        if body is not None:
            options["json"] = body
        try:
            return await self._signed(method, path, options)
        except OldToken:
            self.forget()  # it may have ended before its time
            return await self._signed(method, path, options)

    async def upload(self, path: str, form: aiohttp.FormData) -> Json:
        """The same with a file, which is read once."""
        try:
            return data(await self._signed("POST", path, {"data": form, "timeout": _UPLOAD}))
        except OldToken:
            self.forget()
            raise Slower(_("Feishu wants a new token."), 1.0) from None

    async def headers(self) -> dict[str, str]:
        """What proves which app calls."""
        async with self._asking:
            if not self._token or time.monotonic() > self._until:
                body = {"app_id": self._app[0], "app_secret": self._app[1]}
                path = "/open-apis/auth/v3/tenant_access_token/internal"
                told = await self._ask("POST", path, json=body)
                if not (token := str(told.get("tenant_access_token") or "")):
                    raise unreachable()
                logs.mask(token)
                self._token = token
                self._until = time.monotonic() + float(told.get("expire") or 0) - _EARLY_S
            return {"Authorization": f"Bearer {self._token}"}

    def forget(self) -> None:
        """The token is not taken any more: the next call asks for another."""
        self._token = ""

    def url(self, path: str) -> str:
        """A call's whole address."""
        return f"{self._base}/open-apis{path}"

    async def _signed(self, method: str, path: str, options: Json) -> Json:
        return await self._ask(method, f"/open-apis{path}", headers=await self.headers(), **options)

    async def _ask(self, method: str, path: str, **options: Any) -> Json:
        options.setdefault("timeout", _CALL)
        try:
            async with self.session.request(
                method, f"{self._base}{path}", proxy=self.proxy, **options
            ) as answer:
                told = read(await answer.text("utf-8", "replace"))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable() from error
        if told.get("code") == 0 and answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return told
        raise explained(answer.status, answer.headers, told)


def read(text: str) -> Json:
    """Nothing of what is no answer of Feishu's."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and "code" in found else {}


def data(told: Json) -> Json:
    """What an answer brings."""
    found = told.get("data")
    return found if isinstance(found, dict) else {}


def unreachable() -> AppError:
    """There is no Feishu at the other end."""
    return AppError(_("Feishu can’t be reached."), _("Check the internet connection."))


def not_known() -> SignInNeeded:
    """The App ID or the secret is wrong."""
    return SignInNeeded(_unknown(), _copied())


def too_many() -> AppError:
    """Feishu lets an app have fifty connections."""
    return AppError(
        _("This app has too many connections already."),
        _("Quit the other programs that use it, or give Nanobot an app of its own."),
    )


def _unknown() -> str:
    return _("Feishu does not know an app with this App ID and App Secret.")


def _copied() -> str:
    return _(
        "Copy both again from the console and save them under Settings › Channels. Choose there whether "
        "the app is Feishu’s or Lark’s."
    )


def explained(status: int, headers: Mapping[str, str], told: Json) -> AppError:
    """What an answer means that is not a yes."""
    code = told.get("code") or 0
    reason = str(told.get("msg") or code)
    if status == HTTPStatus.TOO_MANY_REQUESTS or code in _TOO_MANY:
        return Slower(_("Feishu wants a pause."), _pause(headers))
    if code in _NO_APP:
        return NoApp(_unknown(), _copied())
    if code in _OLD_TOKEN:
        return OldToken(_unknown(), _copied())
    if code in _NOT_KNOWN:
        return not_known()
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or not code or code in _BUSY:
        return unreachable()
    if code == _FULL:
        return too_many()
    if code in _CARD:
        return MarkupRefused(reason)
    if code in _GONE:
        return Gone(reason)
    if code == _NO_BOT:
        return ConfigError(
            _("This app has no bot."),
            _("Add Bot under Add Features in the console, and publish a version."),
        )
    text = _("Feishu rejected it: {reason}").format(reason=reason)
    if code == _NO_SCOPE:
        return NotDelivered(
            text, _("Add what is missing under Permissions & Scopes in the console, and publish a version.")
        )
    return NotDelivered(text)


def _pause(headers: Mapping[str, str]) -> float:
    with suppress(ValueError):
        told = float(headers.get("x-ogw-ratelimit-reset") or headers.get("Retry-After") or _PAUSE_S)
        return min(max(told, 1.0), _LONGEST_PAUSE_S)
    return _PAUSE_S
