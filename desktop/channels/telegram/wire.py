"""Telegram's Bot API through python-telegram-bot, with errors in our words. Loaded in a thread."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
from telegram import (
    Bot,
    BotCommand,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    ReplyParameters,
)
from telegram.constants import ReactionEmoji
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
)
from telegram.request import HTTPXRequest

from desktop import logs
from desktop.channels.channel import Gone, MarkupRefused, NotDelivered, Slower
from desktop.channels.message import Address, Known, Sending
from desktop.channels.newfile import PIECE, NewFile, NotFetched, reading
from desktop.channels.telegram.incoming import Group, groups
from desktop.config.channels.telegram import Telegram as Settings
from desktop.errors import AppError
from desktop.net import way_out
from desktop.net.way_out import Ways
from desktop.services.service import SignInNeeded
from desktop.tasks import in_thread
from desktop.text import _

_POLL_S, _ANSWER_S, _FILE_S = 50, 20.0, 60.0
_KINDS = ("message", "edited_message", "callback_query")
_SERVICE = "https://api.telegram.org"
_COMMANDS = (("new", "Start a new session"), ("stop", "Stop the answer"), ("help", "Show the commands"))
_PICTURES = (".jpg", ".jpeg", ".png", ".webp")
_LARGEST_PICTURE = 10_000_000
_SOUNDS = {".ogg": "send_voice", ".opus": "send_voice", ".mp3": "send_audio", ".m4a": "send_audio"}
_NO_PICTURE = ("IMAGE_PROCESS_FAILED", "PHOTO_INVALID_DIMENSIONS", "PHOTO_EXT_INVALID")
_REACTIONS = frozenset(str(one.value) for one in ReactionEmoji)
_AS_PICTURE = "\ufe0f"
"""What keyboards put behind some emoji, and Telegram does not take."""
_GONE = ("message to edit not found", "message can't be edited", "message_id_invalid")
_NO_JSON = "invalid server response"
"""The library's words for an answer that is a web page."""
_LOST = (
    "chat not found",
    "user is deactivated",
    "bot was blocked",
    "not enough rights",
    "chat_write_forbidden",
)


class Wire:
    """The calls that we make."""

    def __init__(self, token: str, settings: Settings, proxy: str) -> None:
        """`proxy`: its address, "" for the system's; it may hold a password."""
        logs.mask(token)
        logging.getLogger("telegram").setLevel(logging.CRITICAL)  # what fails is told by _explained()
        self._settings = settings
        base = settings.api_base.rstrip("/") or _SERVICE
        self._bot = Bot(
            token,
            base_url=f"{base}/bot",
            base_file_url=f"{base}/file/bot",
            request=_request(proxy),
            get_updates_request=_request(proxy),
        )
        self._files = way_out.client(httpx, transport=Ways(httpx, lambda: proxy))
        self._me: Any = None

    async def sign_in(self) -> None:
        """Be ready to ask for messages. Raises SignInNeeded, AppError."""
        await self.who()
        await _told(self._bot.delete_webhook(drop_pending_updates=False))
        commands = [BotCommand(word, about) for word, about in _COMMANDS]
        with suppress(AppError):
            await _told(self._bot.set_my_commands(commands))

    async def who(self) -> Known:
        """Who the bot is. Raises SignInNeeded, AppError."""
        self._me = me = await _told(self._bot.get_me())
        told = (
            ()
            if me.can_read_all_group_messages
            else (_("In groups it only gets messages that mention it or reply to it, and commands."),)
        )
        signs = self._settings.signs
        wrong = [
            _("Telegram has no reaction {emoji}.").format(emoji=emoji)
            for emoji in (signs.received, signs.done)
            if emoji and emoji.removesuffix(_AS_PICTURE) not in _REACTIONS
        ]
        return Known(f"@{me.username}", (*told, *wrong))

    async def close(self) -> None:
        """End all connections."""
        for request in self._bot._request:  # noqa: SLF001 - shutdown() wants initialize(), another call
            with suppress(Exception):
                await request.shutdown()
        await self._files.aclose()

    async def updates(self, offset: int, seconds: int = _POLL_S) -> list[Group]:
        """What came, waiting for it so long. What is before `offset` is not sent again."""
        found = await _told(
            self._bot.get_updates(
                offset=offset or None,
                timeout=seconds,
                allowed_updates=_KINDS,
                read_timeout=seconds + _ANSWER_S,
            )
        )
        return groups(found, self._me)

    async def post(self, sending: Sending) -> str:
        """Send one part."""
        try:
            made = await _told(self._post(sending, sending.where.chat))
        except _Moved as moved:
            made = await _told(self._post(sending, moved.chat))
        return str(made.message_id)

    async def _post(self, sending: Sending, chat: str) -> Any:
        part = sending.part
        options: dict[str, Any] = {
            "parse_mode": "HTML" if part.markup else None,
            "message_thread_id": int(sending.where.thread) if sending.where.thread else None,
            "reply_markup": _buttons(sending),
        }
        if sending.reply and self._settings.reply_to_message:
            options["reply_parameters"] = ReplyParameters(
                int(sending.reply), allow_sending_without_reply=True
            )
        text = part.markup or part.plain
        if not part.file:
            return await self._bot.send_message(chat, text, **options)
        path = Path(part.file)
        options |= {"caption": text or None, "write_timeout": 120.0, "read_timeout": 120.0}
        ending = path.suffix.lower()
        if ending in _PICTURES and (await in_thread(path.stat)).st_size <= _LARGEST_PICTURE:
            try:
                return await self._sent(self._bot.send_photo, chat, path, options)
            except BadRequest as error:
                if not any(word in error.message for word in _NO_PICTURE):
                    raise
        call = getattr(self._bot, _SOUNDS.get(ending, "send_document"))
        return await self._sent(call, chat, path, options)

    @staticmethod
    async def _sent(
        call: Callable[..., Awaitable[Any]], chat: str, path: Path, options: dict[str, Any]
    ) -> Any:
        with await in_thread(reading, path) as stream:
            file = InputFile(stream, path.name, read_file_handle=False)
            return await call(chat, file, **options)

    async def edit(self, id_: str, sending: Sending) -> None:
        """Put a part in the place of a message."""
        part = sending.part
        try:
            await _told(
                self._bot.edit_message_text(
                    part.markup or part.plain,
                    chat_id=sending.where.chat,
                    message_id=int(id_),
                    parse_mode="HTML" if part.markup else None,
                    reply_markup=_buttons(sending),
                )
            )
        except _Same:
            return

    async def typing(self, where: Address) -> None:
        """Never raises."""
        with suppress(TelegramError):
            thread = int(where.thread) if where.thread else None
            await self._bot.send_chat_action(where.chat, "typing", message_thread_id=thread)

    async def react(self, where: Address, message: str, emoji: str) -> None:
        """Never raises. An empty one takes away what is there."""
        with suppress(TelegramError):
            await self._bot.set_message_reaction(
                where.chat, int(message), emoji.removesuffix(_AS_PICTURE) or None
            )

    async def unreact(self, where: Address, message: str, _emoji: str) -> None:
        """Never raises. There is but one."""
        await self.react(where, message, "")

    async def pressed(self, press: str, words: str) -> None:
        """Tell who pressed a button what came of it; never raises."""
        with suppress(TelegramError):
            await self._bot.answer_callback_query(press, words[:200] or None)

    async def fetch(self, ref: str, file: NewFile) -> None:
        """Write a file. Raises as Channel.fetch(). The library would hold all of it, and read one of this
        computer where the server names that."""
        try:
            found = await _told(self._bot.get_file(ref))
        except (NotDelivered, _Refused) as error:
            raise NotFetched(error.text) from error
        url = str(found.file_path or "")
        if not url.startswith(f"{self._bot.base_file_url}/"):
            raise NotFetched(_("The file could not be received."))
        try:
            async with self._files.stream("GET", url, timeout=_FILE_S) as answer:
                if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise _unreachable()
                if answer.status_code != HTTPStatus.OK:
                    raise NotFetched(_("The file could not be received."))
                await file.write(answer.aiter_bytes(PIECE))
        except httpx.HTTPError as error:
            raise _unreachable() from error


class _Same(AppError):
    """The message has this text already."""


class _Refused(AppError):
    """It is wrong, and stays so."""


class _Moved(AppError):
    """The group became a larger one, with another id."""

    def __init__(self, chat: str) -> None:
        super().__init__("")
        self.chat = chat


def _request(proxy: str) -> HTTPXRequest:
    """Our own way out, which knows proxies and certificates."""
    transport = Ways(httpx, lambda: proxy)
    return HTTPXRequest(
        connect_timeout=_ANSWER_S,
        read_timeout=_ANSWER_S,
        write_timeout=_ANSWER_S,
        pool_timeout=_ANSWER_S,
        httpx_kwargs={"transport": transport, "trust_env": False},
    )


def _buttons(sending: Sending) -> InlineKeyboardMarkup | None:
    buttons = sending.part.buttons
    if not buttons:
        return None
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(one.text, callback_data=one.data) for one in buttons]]
    )


async def _told[T](call: Awaitable[T]) -> T:
    """The answer of a call, or what went wrong in our words."""
    try:
        async with asyncio.timeout(300):
            return await call
    except TelegramError as error:
        raise _explained(error) from error


def _unreachable() -> AppError:
    return AppError(_("Telegram can’t be reached."), _("Check the internet connection."))


def _explained(error: TelegramError) -> AppError:
    words = error.message.lower()
    if isinstance(error, RetryAfter):
        wait = error.retry_after
        seconds = wait if isinstance(wait, int) else wait.total_seconds()
        return Slower(_("Telegram wants a pause."), float(seconds))
    if isinstance(error, InvalidToken):
        return SignInNeeded(
            _("Telegram does not know this bot token."),
            _("Get a new one from @BotFather with /token and save it under Settings › Channels."),
        )
    if isinstance(error, Conflict):
        return AppError(
            _("Another program is using this Telegram bot."),
            _("Quit it, or give it a bot of its own."),
        )
    if isinstance(error, ChatMigrated):
        return _Moved(str(error.new_chat_id))
    if "message is not modified" in words:
        return _Same("")
    if "can't parse entities" in words:
        return MarkupRefused(error.message)
    if any(part in words for part in _GONE):
        return Gone(error.message)
    if isinstance(error, Forbidden) or any(part in words for part in _LOST):
        return NotDelivered(_("Telegram rejected it: {reason}").format(reason=error.message))
    if words == _NO_JSON or (isinstance(error, NetworkError) and not isinstance(error, BadRequest)):
        return _unreachable()
    text = _("Telegram rejected it: {reason}").format(reason=error.message)
    return _Refused(text) if isinstance(error, BadRequest) else AppError(text)
