"""Telegram's updates as messages: an album is one, a mention of the bot is not part of the text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from telegram import Message, MessageEntity, Update, User

from desktop.channels.listening import understood
from desktop.channels.message import Address, Attachment, Pressed, Received

_ANONYMOUS = 1087968824
"""The account that stands for administrators who write as their group."""


@dataclass(frozen=True, slots=True)
class Group:
    """Updates that belong together: one, or those of an album."""

    last: int
    """The id of the last of them."""
    album: str = ""
    message: Received | None = None
    pressed: Pressed | None = None
    press: str = ""
    """The id with which a button that was pressed is answered."""


def groups(updates: Sequence[Update], me: User) -> list[Group]:
    """The updates in their order."""
    found: list[Group] = []
    for update in sorted(updates, key=lambda one: one.update_id):
        group = understood(partial(_group, update, me), Group(update.update_id))
        before = found[-1] if found else None
        if before and before.album and before.album == group.album and before.message and group.message:
            found[-1] = replace(before, last=group.last, message=_joined(before.message, group.message))
        else:
            found.append(group)
    return found


def _joined(first: Received, more: Received) -> Received:
    text = "\n".join(part for part in (first.text, more.text) if part)
    return replace(first, text=text, files=(*first.files, *more.files))


def _group(update: Update, me: User) -> Group:
    if query := update.callback_query:
        message = query.message
        where = Address("telegram", str(message.chat.id)) if message else Address("telegram", "")
        pressed = Pressed(where, str(query.from_user.id), str(query.data or ""))
        return Group(update.update_id, pressed=pressed, press=query.id)
    message = update.message or update.edited_message
    if message is None or message.from_user is None or not _of_a_person(message):
        return Group(update.update_id)
    received = _received(message, me)
    if update.edited_message:
        return Group(update.update_id, message=replace(received, edited=True))
    return Group(update.update_id, message.media_group_id or "", received)


def _of_a_person(message: Message) -> bool:
    sender = message.from_user
    if sender is None or (sender.is_bot and sender.id != _ANONYMOUS):
        return False
    return bool(message.text or message.caption or _file(message))


def _received(message: Message, me: User) -> Received:
    sender = message.from_user
    assert sender
    chat, anonymous = message.chat, message.sender_chat
    group = chat.type in ("group", "supergroup")
    topic = message.message_thread_id if message.is_topic_message else None
    answered = message.reply_to_message
    of_bot = bool(answered and answered.from_user and answered.from_user.id == me.id)
    text, mentioned = _without_mention(message, me)
    alias = (f"@{sender.username}", sender.username) if sender.username and not anonymous else ()
    return Received(
        Address("telegram", str(chat.id), str(topic or "")),
        str(message.message_id),
        f"chat:{anonymous.id}" if anonymous else str(sender.id),
        (anonymous.title if anonymous else sender.full_name) or "",
        text,
        aliases=alias,
        group=group,
        mentioned=mentioned or of_bot,
        quoted=_quoted(message, me),
        forwarded=message.forward_origin is not None,
        files=_files(message),
        at=message.date.timestamp(),
    )


def _quoted(message: Message, me: User) -> str:
    """What a reply answers, where that is neither the bot's nor the sender's own."""
    answered = message.reply_to_message
    if message.quote and (message.external_reply or answered is None):
        return str(message.quote.text)
    if answered is None or answered.from_user is None or message.from_user is None:
        return ""
    own = not answered.forward_origin and answered.from_user.id == message.from_user.id
    if own or answered.from_user.id == me.id:
        return ""
    return answered.text or answered.caption or ""


def _without_mention(message: Message, me: User) -> tuple[str, bool]:
    """The text, and whether it names the bot."""
    entities = {**message.parse_entities(), **message.parse_caption_entities()}
    text, named = message.text or message.caption or "", False
    own = f"@{me.username}".lower()
    for entity, words in entities.items():
        if entity.type == MessageEntity.MENTION and words.lower() == own:
            text, named = text.replace(words, "", 1), True
        elif entity.type == MessageEntity.TEXT_MENTION and entity.user and entity.user.id == me.id:
            named = True
        elif entity.type == MessageEntity.BOT_COMMAND and entity.offset == 0:
            _word, at, name = words.partition("@")
            named = named or not at or f"@{name}".lower() == own
    return text.strip(), named


def _file(message: Message) -> Any:
    if message.photo:
        return message.photo[-1]
    kinds: Iterable[Any] = (
        message.document,
        message.voice,
        message.audio,
        message.video,
        message.video_note,
        message.sticker,
    )
    return next((kind for kind in kinds if kind), None)


_NAMES = {
    "PhotoSize": "photo.jpg",
    "Voice": "voice.ogg",
    "Audio": "audio.mp3",
    "Video": "video.mp4",
    "VideoNote": "video.mp4",
    "Sticker": "sticker.webp",
}


def _files(message: Message) -> tuple[Attachment, ...]:
    file = _file(message)
    if file is None:
        return ()
    name = getattr(file, "file_name", None) or _NAMES.get(type(file).__name__, "file")
    return (Attachment(str(name), file.file_size or 0, ref=str(file.file_id)),)
