"""What the program sends, as the library's protobufs."""

import io
import mimetypes
from contextlib import suppress
from pathlib import Path
from typing import Any

from neonize.proto.Neonize_pb2 import JID, UploadResponse
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    AudioMessage,
    ContextInfo,
    DocumentMessage,
    ExtendedTextMessage,
    ImageMessage,
    Message,
    ReactionMessage,
    VideoMessage,
)
from neonize.utils.enum import MediaType
from neonize.utils.jid import build_jid

type Json = dict[str, Any]

_VOICE = "audio/ogg; codecs=opus"
_SHOWN = {
    ".jpg": ("image/jpeg", MediaType.MediaImage),
    ".jpeg": ("image/jpeg", MediaType.MediaImage),
    ".png": ("image/png", MediaType.MediaImage),
    ".mp4": ("video/mp4", MediaType.MediaVideo),
    ".ogg": (_VOICE, MediaType.MediaAudio),
    ".opus": (_VOICE, MediaType.MediaAudio),
    ".mp3": ("audio/mpeg", MediaType.MediaAudio),
    ".m4a": ("audio/mp4", MediaType.MediaAudio),
}
_LARGEST_SHOWN = 16_000_000
"""What is larger goes as a document."""
_SMALL = (72, 72)


def jid(text: str) -> JID:
    """An account or a group by its written form."""
    user, _at, server = text.partition("@")
    made: JID = build_jid(user, server or "s.whatsapp.net")
    return made


def said(text: str, quote: Json | None) -> Message:
    """A text, as an answer to another message where there is one."""
    if quote is None:
        return Message(conversation=text)
    return Message(extendedTextMessage=ExtendedTextMessage(text=text, contextInfo=_about(quote)))


def kind_of(path: Path) -> tuple[str, MediaType]:
    """The type of a file, and how WhatsApp takes it. Blocks."""
    shown = _SHOWN.get(path.suffix.lower())
    if shown and path.stat().st_size <= _LARGEST_SHOWN:
        return shown
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream", MediaType.MediaDocument


def carried(path: Path, data: bytes, there: UploadResponse, text: str, quote: Json | None) -> Message:
    """A file that is there already, with a text."""
    mimetype, kind = kind_of(path)
    common: Json = {
        "URL": there.url,
        "directPath": there.DirectPath,
        "mediaKey": there.MediaKey,
        "fileEncSHA256": there.FileEncSHA256,
        "fileSHA256": there.FileSHA256,
        "fileLength": there.FileLength,
        "mimetype": mimetype,
    }
    if quote is not None:
        common["contextInfo"] = _about(quote)
    match kind:
        case MediaType.MediaImage:
            return Message(imageMessage=ImageMessage(caption=text, **_look(data), **common))
        case MediaType.MediaVideo:
            return Message(videoMessage=VideoMessage(caption=text, **common))
        case MediaType.MediaAudio:
            return Message(audioMessage=AudioMessage(PTT=mimetype == _VOICE, **common))
    document = DocumentMessage(fileName=path.name, title=path.name, caption=text, **common)
    return Message(documentMessage=document)


def reaction(chat: str, message: str, sender: str, emoji: str) -> Message:
    """A reaction to a message; an empty one takes it away. `sender`: who wrote it, in a group."""
    key = MessageKey(remoteJID=chat, fromMe=False, ID=message)
    if sender and sender != chat:
        key.participant = sender
    return Message(reactionMessage=ReactionMessage(key=key, text=emoji))


def _about(quote: Json) -> ContextInfo:
    return ContextInfo(
        stanzaID=quote["id"],
        participant=quote["sender"],
        quotedMessage=Message(conversation=quote["text"]),
    )


def _look(data: bytes) -> Json:
    """The size of a picture, and a small one that is shown before it is fetched."""
    from PIL import Image

    with suppress(Exception):  # it goes without
        picture = Image.open(io.BytesIO(data))
        width, height = picture.size
        small = picture.convert("RGB")
        small.thumbnail(_SMALL)
        made = io.BytesIO()
        small.save(made, format="jpeg")
        return {"width": width, "height": height, "JPEGThumbnail": made.getvalue()}
    return {}
