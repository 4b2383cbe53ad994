"""Messages of WhatsApp as plain values, from the library's protobufs."""

import base64
import mimetypes
from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message as Proto
from neonize.proto.Neonize_pb2 import JID, Message
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message as Content
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import ProtocolMessage

type Json = dict[str, Any]

_WRAPPERS = (
    "deviceSentMessage",
    "ephemeralMessage",
    "viewOnceMessage",
    "viewOnceMessageV2",
    "viewOnceMessageV2Extension",
    "documentWithCaptionMessage",
    "groupMentionedMessage",
    "lottieStickerMessage",
    "editedMessage",
)
_MEDIA = {
    "imageMessage": "picture",
    "videoMessage": "video",
    "ptvMessage": "video",
    "audioMessage": "audio",
    "documentMessage": "file",
    "stickerMessage": "sticker",
}
_NEEDED = ("URL", "directPath", "mediaKey", "fileSHA256", "fileEncSHA256", "fileLength", "mimetype")
_ENDINGS = {"audio/ogg": ".ogg", "image/jpeg": ".jpg", "image/webp": ".webp", "video/mp4": ".mp4"}
_NO_CHATS = ("broadcast", "newsletter", "hosted", "bot")
_MILLISECONDS = 100_000_000_000
"""A time that is later is told in these."""
_DEEPEST = 8


def written(jid: JID) -> str:
    """An account, without which of its devices: 4917012345@s.whatsapp.net, 1029384756@lid."""
    return f"{jid.User}@{jid.Server}" if jid.User else ""


def read(event: Message) -> Json | None:
    """A message of somebody; None for what is no message."""
    info = event.Info
    source = info.MessageSource
    chat = written(source.Chat)
    if not chat or not info.ID or source.Chat.Server in _NO_CHATS:
        return None
    content, edited = _new_text(event)
    content = _inside(content)
    text, files = _text(content), list(_files(content))
    if not (text or files):
        return None
    about = _context(content)
    return {
        "chat": chat,
        "sender": written(source.Sender),
        "other": written(source.SenderAlt),
        "group": bool(source.IsGroup),
        "mine": bool(source.IsFromMe),
        "id": edited or info.ID,
        "edited": bool(edited),
        "name": info.Pushname,
        "at": _seconds(info.Timestamp),
        "text": text,
        "mentions": list(getattr(about, "mentionedJID", ())),
        "forwarded": bool(getattr(about, "isForwarded", False)),
        "quoted": _quoted(about),
        "quoted_by": str(getattr(about, "participant", "")),
        "files": files,
    }


def _new_text(event: Message) -> tuple[Content, str]:
    """What a message says, and which one it takes the place of."""
    content = _inside(event.Message)
    for one in (content, _inside(event.Raw) if event.HasField("Raw") else content):
        change = one.protocolMessage
        if one.HasField("protocolMessage") and change.type == ProtocolMessage.MESSAGE_EDIT:
            new = change.editedMessage if change.HasField("editedMessage") else content
            return new, change.key.ID
    return content, event.Info.ID if event.IsEdit else ""


def _inside(content: Content) -> Content:
    """Without what says how it is to be shown."""
    for _time in range(_DEEPEST):
        wrapper = next((name for name in _WRAPPERS if content.HasField(name)), "")
        if not wrapper:
            break
        content = getattr(content, wrapper).message
    return content


def _files(content: Content) -> Iterator[Json]:
    """The files that come along: what they are called, and what each is fetched by."""
    for name, what in _MEDIA.items():
        media = getattr(content, name)
        if not content.HasField(name) or not (media.directPath or media.URL):
            continue
        bare = Content()
        for field in _NEEDED:
            if media.HasField(field):
                setattr(getattr(bare, name), field, getattr(media, field))
        kind = media.mimetype.partition(";")[0].strip()
        ending = _ENDINGS.get(kind) or mimetypes.guess_extension(kind) or ""
        yield {
            "name": getattr(media, "fileName", "") or f"{what}{ending}",
            "size": media.fileLength,
            "ref": base64.b64encode(bare.SerializeToString()).decode(),
        }


def _text(content: Content) -> str:
    """What people read of it."""
    if content.conversation:
        return str(content.conversation)
    if content.HasField("extendedTextMessage"):
        return str(content.extendedTextMessage.text)
    for name in _MEDIA:
        if content.HasField(name):
            return str(getattr(getattr(content, name), "caption", ""))
    if content.HasField("contactMessage"):
        return str(content.contactMessage.vcard or content.contactMessage.displayName)
    for name in ("locationMessage", "liveLocationMessage"):
        if content.HasField(name):
            return _place(getattr(content, name))
    return ""


def _place(found: Any) -> str:
    """A place as people and maps write it."""
    named = [getattr(found, name, "") for name in ("name", "address", "caption")]
    where = f"geo:{found.degreesLatitude:.6f},{found.degreesLongitude:.6f}"
    return " ".join(part for part in (*named, where) if part)


def _context(content: Content) -> Proto | None:
    for field, value in content.ListFields():
        if field.message_type and "contextInfo" in field.message_type.fields_by_name:
            found: Proto = value.contextInfo
            return found
    return None


def _quoted(about: Any) -> str:
    if about is None or not about.HasField("quotedMessage"):
        return ""
    content = _inside(about.quotedMessage)
    named = [f"[{one['name']}]" for one in _files(content)]
    return "\n".join(part for part in (_text(content), *named) if part)


def _seconds(moment: int) -> float:
    return moment / 1000 if moment > _MILLISECONDS else float(moment)
