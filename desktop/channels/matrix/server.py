"""A homeserver's plain calls, with errors in our words. Loaded in a thread."""

import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, BinaryIO
from urllib.parse import quote

import aiohttp

from desktop.channels.channel import NotDelivered, Slower
from desktop.channels.newfile import PIECE, NotFetched
from desktop.errors import AppError
from desktop.net import way_out
from desktop.services.service import SignInNeeded
from desktop.text import _

type Json = dict[str, Any]

CALL_S = 30.0
_FILE_S = 300.0
_PAUSE_S = 5.0
"""Where the server names no other."""
_MOST = 32_000_000
"""Bytes of an answer that is no file. The first look at a hundred rooms is one of 2 MB or so; in memory
JSON is ten to twenty times as large."""
_CLIENT = "/_matrix/client/v3"
_URI = re.compile(r"mxc://([^/?#]+)/([\w-]+)")
_SIGNED_OUT = ("M_UNKNOWN_TOKEN", "M_MISSING_TOKEN", "M_USER_DEACTIVATED", "M_USER_LOCKED")


class Unreachable(AppError):
    """There was no answer, or none of a homeserver: a later try may succeed."""

    def __init__(self, text: str = "", remedy: str = "") -> None:
        super().__init__(
            text or _("The Matrix server can’t be reached."),
            remedy or ("" if text else _("Check the internet connection.")),
        )


class Answer(aiohttp.ClientResponse):
    """One that ends, whatever the server says: to whom we speak, the person chose, who may be deceived."""

    async def read(self) -> bytes:
        """All of it. Raises Unreachable."""
        try:
            if self._body is None:
                self._body = await self._up_to(_MOST)
            return await super().read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unreachable from error

    async def _up_to(self, most: int) -> bytes:
        held = bytearray()
        try:
            async for piece in self.content.iter_any():
                held += piece
                if len(held) > most:
                    raise Unreachable(_("The answer of the Matrix server is too large."))
        except BaseException:
            self.close()
            raise
        return bytes(held)

    async def json(self, **options: Any) -> Any:
        """What it says. Raises Unreachable, ValueError, and what aiohttp does."""
        try:
            return await super().json(**options)
        except RecursionError as error:
            raise unreadable() from error


class Refused(NotDelivered):
    """The server says no, and why. `code`: as the specification names it."""

    def __init__(self, code: str, words: str, status: int) -> None:
        super().__init__(
            _("The Matrix server rejected it: {reason}").format(reason=words or code or status)
        )
        self.code, self.status = code, status


class Server:
    """One homeserver. `token` is empty before somebody signed in."""

    def __init__(self, base: str, session: aiohttp.ClientSession, proxy: str | None) -> None:
        self.base, self.token = base.rstrip("/"), ""
        self._session, self._proxy = session, proxy

    @classmethod
    async def made(cls, base: str, proxy: str) -> "Server":
        """One with a session of its own. `proxy`: its address, "" for the system's. Raises AppError."""
        session, through = await way_out.session(base, proxy, response_class=Answer)
        return cls(base, session, through)

    async def close(self) -> None:
        """End all connections."""
        await self._session.close()

    async def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        """A call below /_matrix/client/v3, or of a whole path. Raises SignInNeeded, Slower, Refused,
        Unreachable."""
        whole = path if path.startswith("/_matrix") else _CLIENT + path
        data = None if body is None else json.dumps(body)
        answer = await self.request(method, whole, data, {"Content-Type": "application/json"}, CALL_S)
        found = await _json(answer)
        if found is None:
            raise _no_homeserver()
        return found

    async def request(
        self, method: str, path: str, data: Any, headers: Mapping[str, str], seconds: float
    ) -> aiohttp.ClientResponse:
        """The answer to a call that was not refused. Raises as ask() does."""
        sent = dict(headers)
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        try:
            answer = await self._session.request(
                method,
                self.base + path,
                data=data,
                headers=sent,
                proxy=self._proxy,
                timeout=aiohttp.ClientTimeout(total=seconds),
            )
            if answer.status < 400:
                return answer
            raise _refused(answer, await _json(answer))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unreachable from error

    async def well_known(self) -> str:
        """The address of the homeserver that this domain names; its own where it names none."""
        try:
            answer = await self.request("GET", "/.well-known/matrix/client", None, {}, CALL_S)
            found = await _json(answer) or {}
        except NotDelivered:
            return self.base
        named = (found.get("m.homeserver") or {}).get("base_url")
        return named.rstrip("/") if isinstance(named, str) and named.startswith("https://") else self.base

    async def upload(self, data: BinaryIO | AsyncIterable[bytes], size: int, kind: str, name: str) -> str:
        """Where a file is now, as the server names it. Raises as ask() does."""
        path = (
            f"/_matrix/media/v3/upload?filename={quote(name, safe='')}"
            if name
            else "/_matrix/media/v3/upload"
        )
        about = {"Content-Type": kind, "Content-Length": str(size)}
        answer = await self.request("POST", path, data, about, _FILE_S)
        return str((await _json(answer) or {}).get("content_uri") or "")

    async def download(self, uri: str, take: Callable[[AsyncIterator[bytes]], Awaitable[None]]) -> None:
        """Hand on what is in a file, while it comes. Raises as ask() does, NotFetched, and what `take`
        does."""
        found = _URI.fullmatch(uri)
        if not found:
            raise NotFetched(_("The file could not be received."))
        place = "/".join(quote(part, safe="") for part in found.groups())
        try:
            try:
                await self._download(f"/_matrix/client/v1/media/download/{place}", take)
                return
            except Refused as error:
                if error.code != "M_UNRECOGNIZED":
                    raise
            await self._download(f"/_matrix/media/v3/download/{place}", take)  # of an older server
        except Refused as error:
            raise NotFetched(error.text) from error

    async def _download(self, path: str, take: Callable[[AsyncIterator[bytes]], Awaitable[None]]) -> None:
        answer = await self.request("GET", path, None, {}, _FILE_S)
        try:
            await take(answer.content.iter_chunked(PIECE))
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unreachable from error
        finally:
            answer.close()


async def _json(answer: aiohttp.ClientResponse) -> Json | None:
    """What an answer says; None where it is no JSON: a web page."""
    try:
        found = json.loads(await answer.text("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def unreadable() -> Unreachable:
    """The server answered something that nobody understands."""
    return Unreachable(_("The answer of the Matrix server can’t be read."))


def _no_homeserver() -> Unreachable:
    return Unreachable(
        _("There is no Matrix server at this address."),
        _("Check the homeserver under Settings › Channels."),
    )


def _refused(answer: aiohttp.ClientResponse, said: Json | None) -> AppError:
    """What an error of the server means."""
    said = said or {}
    code, words = str(said.get("errcode") or ""), str(said.get("error") or "")
    if answer.status == 429 or code == "M_LIMIT_EXCEEDED":
        pause = _PAUSE_S
        with suppress(TypeError, ValueError):
            pause = float(said["retry_after_ms"]) / 1000 if "retry_after_ms" in said else pause
            pause = float(answer.headers.get("Retry-After") or pause)
        return Slower(_("The Matrix server wants a pause."), max(pause, 0.1))
    if code in _SIGNED_OUT:
        return SignInNeeded(
            _("This device was signed out of Matrix."),
            _("Save the password of the account again under Settings › Channels."),
        )
    if answer.status >= 500:
        return Unreachable(_("The Matrix server has trouble. It is tried again."))
    if not code:
        return _no_homeserver()
    return Refused(code, words, answer.status)
