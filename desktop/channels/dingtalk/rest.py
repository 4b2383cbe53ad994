"""DingTalk's calls over HTTPS, each tried once, with errors in our words.

https://open.dingtalk.com/document/orgapp/api-overview, and codes that robots reported.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from desktop import __version__, logs
from desktop.channels.channel import NotDelivered, Slower
from desktop.errors import AppError
from desktop.services.service import SignInNeeded
from desktop.text import _

type Json = dict[str, Any]

SERVICE, _OLD = "https://api.dingtalk.com", "https://oapi.dingtalk.com"
_CALL, _UPLOAD = aiohttp.ClientTimeout(total=30), aiohttp.ClientTimeout(total=300)
_PAUSE_S, _EARLY_S = 20.0, 120.0
_NOT_KNOWN = ("authFailed", "invalidClientIdOrSecret", "InvalidAuthentication", "invalidClientSecret")
_OLD_TOKEN = (40001, 40014, 42001)
_TOO_FAST = (130101, 410100, 90018, 90002, -1)
_OWN = (".dingtalk.com", ".alicdn.com")


class Over(AppError):
    """The address of a chat is not taken any more."""


class Rest:
    """One robot's. Every method raises SignInNeeded, Slower, NotDelivered and AppError."""

    def __init__(self, session: aiohttp.ClientSession, proxy: str | None, base: str) -> None:
        """`base`: another address than DingTalk's, or nothing."""
        self.session, self.proxy = session, proxy
        self._own = base.rstrip("/")
        self._base, self._old = self._own or SERVICE, self._own or _OLD
        self.client = ""
        self._secret = ""
        self._token, self._until = "", 0.0
        self._asking = asyncio.Lock()

    def sign_in(self, client: str, secret: str) -> None:
        """As this app from now on."""
        logs.mask(secret)
        self.client, self._secret, self._token = client, secret, ""

    def own(self, url: str) -> bool:
        """Whether an address is DingTalk's."""
        try:
            parts = urlsplit(url)
            if self._own and parts.netloc == urlsplit(self._own).netloc:
                return True
            return parts.scheme == "https" and f".{parts.hostname}".endswith(_OWN)
        except ValueError:
            return False

    async def endpoint(self, topic: str) -> tuple[str, str]:
        """Where a stream begins, and the ticket for it."""
        body = {
            "clientId": self.client,
            "clientSecret": self._secret,
            "subscriptions": [{"type": "CALLBACK", "topic": topic}],
            "ua": f"nanobot-desktop/{__version__}",
        }
        told = await self._ask("POST", f"{self._base}/v1.0/gateway/connections/open", json=body)
        endpoint, ticket = str(told.get("endpoint") or ""), str(told.get("ticket") or "")
        if not (endpoint and ticket) or not (self._own or endpoint.startswith("wss:")):
            raise unreachable()
        return endpoint, ticket

    async def authorization(self) -> str:
        """What proves who the robot is."""
        async with self._asking:
            if not self._token or time.monotonic() > self._until:
                body = {"appKey": self.client, "appSecret": self._secret}
                told = await self._ask("POST", f"{self._base}/v1.0/oauth2/accessToken", json=body)
                if not (token := str(told.get("accessToken") or "")):
                    raise unreachable()
                logs.mask(token)
                self._token = token
                self._until = time.monotonic() + float(told.get("expireIn") or 0) - _EARLY_S
            return self._token

    async def call(self, path: str, body: Json) -> Json:
        """Make one call; with a new token where the old one is not taken any more."""
        url = f"{self._base}{path}"
        headers = {"x-acs-dingtalk-access-token": await self.authorization()}
        try:
            return await self._ask("POST", url, headers=headers, json=body)
        except SignInNeeded:
            self._token = ""  # it may have ended before its time
            headers = {"x-acs-dingtalk-access-token": await self.authorization()}
            return await self._ask("POST", url, headers=headers, json=body)

    async def upload(self, kind: str, form: aiohttp.FormData) -> str:
        """Give a file; what it is called then."""
        params = {"access_token": await self.authorization(), "type": kind}
        url = f"{self._old}/media/upload"
        told = await self._ask("POST", url, params=params, data=form, timeout=_UPLOAD)
        if told.get("errcode") in _OLD_TOKEN:
            self._token = ""
            raise Slower(_("DingTalk wants a new token."), 1.0)
        return str(_fine(told).get("media_id") or "")

    async def hook(self, url: str, body: Json) -> None:
        """Write to a chat by the address that its message brought. Raises Over too."""
        try:
            _fine(await self._ask("POST", url, json=body))
        except (NotDelivered, SignInNeeded) as error:
            raise Over(error.text) from error

    async def _ask(self, method: str, url: str, **options: Any) -> Json:
        options.setdefault("timeout", _CALL)
        try:
            async with self.session.request(
                method, url, proxy=self.proxy, allow_redirects=False, **options
            ) as answer:
                told = _read(await answer.text("utf-8", "replace"))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise unreachable() from error
        if answer.status < HTTPStatus.MULTIPLE_CHOICES and told:
            return told
        raise _explained(answer.status, answer.headers, told)


def _read(text: str) -> Json:
    """Nothing of what is no answer of DingTalk's."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _fine(told: Json) -> Json:
    """The answer of an older call, which tells of an error inside."""
    code = told.get("errcode") or 0
    if code in _TOO_FAST:
        raise Slower(_("DingTalk wants a pause."), _PAUSE_S)
    if code:
        raise rejected(str(told.get("errmsg") or code))
    return told


def unreachable() -> AppError:
    """There is no DingTalk at the other end."""
    return AppError(_("DingTalk can’t be reached."), _("Check the internet connection."))


def rejected(reason: str) -> NotDelivered:
    """DingTalk does not take a message."""
    return NotDelivered(_("DingTalk rejected it: {reason}").format(reason=reason))


def _explained(status: int, headers: Mapping[str, str], told: Json) -> AppError:
    code = str(told.get("code") or "")
    reason = str(told.get("message") or code)
    if status == HTTPStatus.TOO_MANY_REQUESTS or "throttl" in code.lower() or "qps" in code.lower():
        return Slower(_("DingTalk wants a pause."), _seconds(headers.get("Retry-After")))
    if code in _NOT_KNOWN or (told and status == HTTPStatus.UNAUTHORIZED):
        return SignInNeeded(
            _("DingTalk does not know an app with this Client ID and Client Secret."),
            _("Copy both again from open-dev.dingtalk.com and save them under Settings › Channels."),
        )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or not told:
        return unreachable()
    if status == HTTPStatus.FORBIDDEN:
        return NotDelivered(
            _("DingTalk does not allow this app to do that: {reason}").format(reason=reason),
            _("Give it the permission under Permissions at open-dev.dingtalk.com."),
        )
    return rejected(reason)


def _seconds(told: str | None) -> float:
    try:
        return float(told or _PAUSE_S)
    except ValueError:
        return _PAUSE_S
