"""Slack's Web API through slack_sdk, and Socket Mode by our own hand. Loaded in a thread.

The SDK's client for Socket Mode retries by itself for ever and has stood still after a lost link; here a
link that ends is told, and the Supervisor opens the next one. What was not acknowledged comes again.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from desktop import logs
from desktop.channels.channel import Gone, NotDelivered, Slower, WrongField, connection_lost
from desktop.channels.listening import understood
from desktop.channels.message import Address, Known, Sending
from desktop.channels.newfile import PIECE, NewFile, NotFetched, reading
from desktop.channels.slack.incoming import Frame, Json, frame, plain
from desktop.config.channels.slack import Slack as Settings
from desktop.errors import AppError
from desktop.net import way_out
from desktop.services.service import SignInNeeded
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _

_SERVICE = "https://slack.com/api/"
_CALL_S, _SILENCE_S = 30, 15.0
"""How long a call may take; how often a link is asked whether it stands."""
_FILE = aiohttp.ClientTimeout(total=1800, sock_read=60)
_PAGE, _PAGES = 200, 10
"""How much of a thread is read, messages at a time."""
_SIGN_IN = ("invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive")
_LOST = ("channel_not_found", "not_in_channel", "is_archived", "restricted_action", "user_not_found")
_GONE = ("message_not_found", "cant_update_message", "edit_window_closed")


class Wire:
    """The calls that we make, and the link."""

    def __init__(
        self, tokens: tuple[str, str], settings: Settings, session: aiohttp.ClientSession, proxy: str | None
    ) -> None:
        for token in tokens:
            logs.mask(token)
        self._bot, self._app = tokens
        self._settings, self._session, self._proxy = settings, session, proxy
        base = settings.api_base.rstrip("/") + "/" if settings.api_base else _SERVICE
        self._web = AsyncWebClient(
            self._bot,
            base_url=base,
            timeout=_CALL_S,
            session=session,
            proxy=proxy or None,
            retry_handlers=[],
        )
        self._host, self._me = urlsplit(base).hostname or "", ""
        self._names: dict[str, str] = {}
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._reading: asyncio.Task[None] | None = None
        self._came: asyncio.Queue[Json | None] = asyncio.Queue()
        """Envelopes; None when the link has ended."""

    @classmethod
    async def made(cls, tokens: tuple[str, str], settings: Settings, proxy: str) -> "Wire":
        """One with a session of its own. `proxy`: its address, "" for the system's."""
        session, through = await way_out.session(settings.api_base or _SERVICE, proxy)
        return cls(tokens, settings, session, through)

    async def who(self) -> Known:
        """Who the bot is. Raises SignInNeeded, AppError."""
        found = await _told(self._web.auth_test())
        self._me = str(found["user_id"])
        return Known(f"{found['user']} ({found['team']})")

    async def probe(self) -> Known:
        """Both tokens. Raises WrongField, AppError."""
        try:
            known = await self.who()
        except SignInNeeded as error:
            raise WrongField("botToken", error.text, error.remedy) from error
        try:
            await _told(self._web.apps_connections_open(app_token=self._app))
        except AppError as error:
            raise WrongField(
                "appToken", error.text, _("The app-level token needs the scope connections:write.")
            ) from error
        return known

    async def open(self) -> None:
        """Open the link. Raises SignInNeeded, AppError, OSError."""
        url = str((await _told(self._web.apps_connections_open(app_token=self._app)))["url"])
        try:
            self._socket = await self._session.ws_connect(
                url, heartbeat=_SILENCE_S, proxy=self._proxy, max_msg_size=0
            )
        except aiohttp.ClientError as error:
            raise _unreachable() from error
        self._reading = spawn(self._read(self._socket), name="slack:read")

    async def close(self) -> None:
        """End all connections."""
        await cancel(self._reading)
        if self._socket is not None:
            await self._socket.close()
        await self._session.close()

    async def ping(self) -> None:
        """Whether the link still stands. Raises AppError, ConnectionError."""
        if self._socket is None or self._socket.closed:
            raise connection_lost()
        await self._socket.ping()

    async def frames(self) -> AsyncIterator[Frame]:
        """What comes, until the link ends."""
        while (envelope := await self._came.get()) is not None:
            if envelope.get("type") == "disconnect":
                return
            await self._learn(envelope)
            unknown = Frame(str(envelope.get("envelope_id") or ""))
            yield understood(partial(self._understood, envelope), unknown)

    def _understood(self, envelope: Json) -> Frame:
        return frame(envelope, self._me, self._name, threads=self._settings.reply_in_thread)

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Read all the time: a link of which nobody reads is taken for dead."""
        try:
            async for message in socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    self._came.put_nowait(json.loads(message.data))
        finally:
            self._came.put_nowait(None)

    async def acknowledge(self, frame: Frame) -> None:
        """Tell Slack that it came; where the link has ended meanwhile, it comes again and is known."""
        if frame.id and self._socket is not None:
            with suppress(ConnectionError, aiohttp.ClientError):
                await self._socket.send_json({"envelope_id": frame.id})

    async def tell(self, frame: Frame, words: str) -> None:
        """Tell who pressed a button what came of it, and nobody else; never raises."""
        if not (frame.answer and words):
            return
        body = {"response_type": "ephemeral", "replace_original": False, "text": words}
        with suppress(aiohttp.ClientError, TimeoutError):
            async with self._session.post(frame.answer, json=body, proxy=self._proxy):
                pass

    async def post(self, sending: Sending) -> str:
        """Send one part."""
        part, where = sending.part, sending.where
        if part.file:
            return await self._upload(sending)
        made = await _told(
            self._web.chat_postMessage(
                channel=where.chat,
                text=part.markup or part.plain,
                mrkdwn=bool(part.markup),
                thread_ts=where.thread or None,
                blocks=_blocks(sending),
                unfurl_links=False,
                unfurl_media=False,
            )
        )
        return str(made["ts"])

    async def _upload(self, sending: Sending) -> str:
        part, path = sending.part, Path(sending.part.file)
        size = (await in_thread(path.stat)).st_size
        place = await _told(self._web.files_getUploadURLExternal(filename=path.name, length=size))
        await self._put(path, str(place["upload_url"]))
        await _told(
            self._web.files_completeUploadExternal(
                files=[{"id": place["file_id"], "title": path.name}],
                channel_id=sending.where.chat,
                initial_comment=part.markup or None,
                thread_ts=sending.where.thread or None,
            )
        )
        return str(place["file_id"])

    async def _put(self, path: Path, url: str) -> None:
        """Send the bytes of a file as they are read: the SDK would hold all of them at once."""
        try:
            with await in_thread(reading, path) as file:
                async with self._session.post(url, data=file, proxy=self._proxy, timeout=_FILE) as answer:
                    if answer.status != HTTPStatus.OK:
                        raise _unreachable()
        except aiohttp.ClientError as error:
            raise _unreachable() from error

    async def edit(self, id_: str, sending: Sending) -> None:
        """Put a part in the place of a message."""
        await _told(
            self._web.chat_update(
                channel=sending.where.chat,
                ts=id_,
                text=sending.part.markup or sending.part.plain,
                blocks=_blocks(sending) or [],
            )
        )

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Never raises."""
        with suppress(AppError, TimeoutError):
            await _told(
                self._web.reactions_add(channel=where.chat, timestamp=message, name=emoji.strip(":"))
            )

    async def unreact(self, where: Address, message: str, emoji: str) -> None:
        """Never raises."""
        with suppress(AppError, TimeoutError):
            await _told(
                self._web.reactions_remove(channel=where.chat, timestamp=message, name=emoji.strip(":"))
            )

    async def direct(self, sender: str) -> str:
        """The channel of the bot with one person. Raises AppError."""
        found = await _told(self._web.conversations_open(users=sender))
        return str(found["channel"]["id"])

    async def _learn(self, envelope: Json) -> None:
        """The name of who writes."""
        await self._learn_name(str(((envelope.get("payload") or {}).get("event") or {}).get("user") or ""))

    async def _learn_name(self, sender: str) -> None:
        """Their id counts where it may not be read."""
        if sender and sender not in self._names:
            self._names[sender] = sender
            with suppress(AppError, TimeoutError):
                found = (await _told(self._web.users_info(user=sender)))["user"]
                profile = found.get("profile") or {}
                names = (profile.get("display_name"), found.get("real_name"), found.get("name"))
                self._names[sender] = next((str(name) for name in names if name), sender)

    def _name(self, sender: str) -> str:
        return self._names.get(sender, sender)

    async def earlier(self, where: Address, before: str, most: int) -> list[tuple[str, str]]:
        """Names and words of the newest messages of a thread before one. Raises AppError."""
        kept: deque[Json] = deque(maxlen=most)
        cursor = ""
        for _page in range(_PAGES):
            found = await _told(
                self._web.conversations_replies(
                    channel=where.chat, ts=where.thread, latest=before, limit=_PAGE, cursor=cursor or None
                )
            )
            kept.extend(one for one in found["messages"] if float(one["ts"]) < float(before))
            cursor = str((found.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                break
        for one in kept:
            await self._learn_name(str(one.get("user") or ""))
        said = ((str(one.get("user") or ""), plain(str(one.get("text") or ""), self._name)) for one in kept)
        return [(self._name(sender) or _("A program"), words) for sender, words in said if words]

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file; a page for signing in is none. Raises as Channel.fetch()."""
        headers = {"Authorization": f"Bearer {self._bot}"}
        host = urlsplit(ref).hostname or ""
        if host != self._host and not host.endswith(".slack.com"):
            raise NotFetched(_("The file is not with Slack."))  # who has it would get the token
        try:
            async with self._session.get(ref, headers=headers, proxy=self._proxy, timeout=_FILE) as answer:
                if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise _unreachable()
                if answer.status != HTTPStatus.OK or _is_page(answer, file.path):
                    raise NotFetched(
                        _("The file could not be received."), _("The app needs the scope files:read.")
                    )
                await file.write(answer.content.iter_chunked(PIECE))
        except aiohttp.ClientError as error:
            raise _unreachable() from error


def _is_page(answer: aiohttp.ClientResponse, path: Path) -> bool:
    return answer.content_type == "text/html" and path.suffix.lower() not in (".html", ".htm")


def _blocks(sending: Sending) -> list[Json] | None:
    """Buttons, below the text."""
    part = sending.part
    if not part.buttons:
        return None
    buttons = [
        {
            "type": "button",
            "text": {"type": "plain_text", "text": button.text},
            "action_id": f"answer-{number}",
            "value": button.data,
        }
        for number, button in enumerate(part.buttons)
    ]
    texts = [part.markup[at : at + 3000] for at in range(0, len(part.markup), 3000)]
    sections: list[Json] = [{"type": "section", "text": {"type": "mrkdwn", "text": text}} for text in texts]
    return [*sections, {"type": "actions", "elements": buttons}]


async def _told(call: Awaitable[Any]) -> Any:
    """The answer of a call, or what went wrong in our words."""
    try:
        return await call
    except SlackApiError as error:
        raise _explained(error) from error
    except (aiohttp.ClientError, TimeoutError, json.JSONDecodeError) as error:
        raise _unreachable() from error


def _unreachable() -> AppError:
    return AppError(_("Slack can’t be reached."), _("Check the internet connection."))


def _explained(error: SlackApiError) -> AppError:
    response = error.response
    word = str(response.get("error") or "") if hasattr(response, "get") else ""
    if word == "ratelimited" or getattr(response, "status_code", 200) == 429:
        seconds = float(response.headers.get("Retry-After") or 30)
        return Slower(_("Slack wants a pause."), seconds)
    if word in _SIGN_IN:
        return SignInNeeded(
            _("Slack does not take this token."),
            _("Copy it again from api.slack.com/apps and save it under Settings › Channels."),
        )
    if word in _GONE:
        return Gone(word)
    if not word:
        return _unreachable()  # it always says why: somebody else has answered
    text = _("Slack rejected it: {reason}").format(reason=word)
    if word == "missing_scope":
        needed = str(response.get("needed") or "")
        return NotDelivered(
            text, _("Give the app the scope {scope}, and install it again.").format(scope=needed)
        )
    return NotDelivered(text) if word in _LOST else AppError(text)
