"""From what a server answered to what the model reads: text, and files for all that is none.

The server's parts come in as they are, a ToolResult goes out. Pictures, sounds and other bytes are kept in
the workspace, under a name made here: nothing of the server's gets into a path.
"""

import base64
import binascii
import json
import re
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from desktop.files import Place, Seen
from desktop.origin import untrusted
from desktop.tools.base import ToolResult

MOST_TEXT = 10_000_000
"""Characters of text that are taken."""
MOST_BYTES = 20 * 1024 * 1024
"""Bytes that one picture or other part may have."""
_SLICE = 1 << 20

type Json = dict[str, Any]

_ADDRESS = re.compile(r"https?://[^\s<>\"'\\^`{|}]+")
_CLOSING = ".,;:!?)]}'\""
_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "application/pdf": "pdf",
    "application/json": "json",
    "application/zip": "zip",
    "text/plain": "txt",
    "text/html": "html.txt",
    "text/csv": "csv",
}
_PICTURES = ("png", "jpg", "gif", "webp")
_SIGNS = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF8", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"%PDF-", "application/pdf"),
)
"""How bytes begin, and what they are then."""
_DATA_ADDRESS = re.compile(r"\s*data:(?P<kind>[^;,]{0,100})(?:;[^;,]{0,100}){0,5},", re.IGNORECASE)
_FRAME = frozenset({"_meta", "isError", "resultType"})
_MOST_SHOWN = 2_000
"""Characters of a part that is not known here."""
_URL_SAFE = str.maketrans("-_", "+/")
_MOST_PARTS = 10_000


class _Parts:
    """What an answer comes to, part by part."""

    def __init__(self, folder: Path, workspace: Path) -> None:
        self._folder, self._workspace = folder, workspace
        self.lines: list[str] = []
        self.images: list[Path] = []
        self.wrote: list[Seen] = []
        self._room = MOST_TEXT
        self.has_text = False

    def words(self, text: str) -> None:
        """Text that the server gives as such."""
        self.has_text = True
        self.text(text)

    def text(self, text: str) -> None:
        taken = text[: self._room]
        self._room -= len(taken)
        self.lines.append(taken)
        if len(taken) < len(text):
            self.lines.append(f"[{len(text) - len(taken):,} more characters were left out.]")

    def data(self, what: str, encoded: str, label: str) -> None:
        """Keep bytes as a file and say where. What they are is told by themselves; by the label if not."""
        size = len(encoded) * 3 // 4
        if size > MOST_BYTES:
            self.lines.append(f"[{what} of {size:,} bytes was left out: {MOST_BYTES:,} are the most.]")
            return
        if address := _DATA_ADDRESS.match(encoded):
            encoded, label = encoded[address.end() :], label or address["kind"]
        try:
            plain = address and ";base64" not in address[0].lower()
            content = unquote_to_bytes(encoded) if plain else _decoded(encoded)
        except (binascii.Error, ValueError):
            self.lines.append(f"[{what} can't be read: it is not Base64.]")
            return
        if not content:
            self.lines.append(f"[{what} is empty.]")
            return
        kind = _kind(content, label)
        ending = _ENDINGS.get(kind, "bin")
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}.{ending}"
        path = self._folder / name
        self.wrote.append(Place(self._workspace).write(path, content))
        if ending in _PICTURES:
            self.images.append(path)
        where = path.relative_to(self._workspace) if path.is_relative_to(self._workspace) else path
        self.lines.append(f"[{what}, {kind or 'bytes of an unknown kind'}, kept as {where.as_posix()}]")


def result(answer: Json, folder: Path, workspace: Path) -> ToolResult:
    """What the model reads of a server's unchecked answer (blocks: it writes files). Raises OSError."""
    parts = _Parts(folder, workspace)
    blocks, structured = answer.get("content"), answer.get("structuredContent")
    if blocks is None and structured is None:  # from before the protocol had parts
        structured = {key: value for key, value in answer.items() if key not in _FRAME} or None
    every = blocks if isinstance(blocks, list) else [blocks]
    for block in every[:_MOST_PARTS]:
        _take(block, parts)
    if len(every) > _MOST_PARTS:
        parts.text(f"[{len(every) - _MOST_PARTS:,} more parts were left out.]")
    if structured is not None and not parts.has_text:
        parts.text(_json(structured))
    text = "\n".join(parts.lines)
    return ToolResult(
        text or "[The tool gave no text.]",
        mark=untrusted(),
        addresses=frozenset(_addresses(text)),
        images=tuple(parts.images),
        wrote=tuple(parts.wrote),
    )


def failed(answer: Json) -> bool:
    """Whether the server says that the call came to nothing."""
    return answer.get("isError") not in (None, False, "false", 0)


def _take(block: Any, parts: _Parts) -> None:
    """One part, whatever it is: what cannot be read is said, and the others are still taken."""
    if block is None:
        return
    if isinstance(block, str):
        parts.words(block)
        return
    if not isinstance(block, dict):
        parts.text(f"[A part that can't be read: {_json(block)[:_MOST_SHOWN]}]")
        return
    inner = block.get("resource")
    match block:
        case {"type": "text" | None, "text": str(text)}:
            parts.words(text)
        case {"type": "image" | "audio" as kind, "data": str(data)}:
            parts.data("An image" if kind == "image" else "A sound", data, _label(block))
        case {"type": "resource_link", "uri": str(uri)}:
            said = (block.get("title") or block.get("name"), block.get("description"))
            about = ", ".join(text for text in said if isinstance(text, str) and text)
            parts.text(f"[A resource of the server: {uri} ({about})]")
        case {"type": "resource"} if isinstance(inner, dict) and isinstance(inner.get("blob"), str):
            parts.data(f"The resource {_uri(inner)}", inner["blob"], _label(inner))
        case {"type": "resource"} if isinstance(inner, dict) and isinstance(inner.get("text"), str):
            parts.text(f"[The resource {_uri(inner)}:]\n{inner['text']}")
        case _:
            kind = str(block.get("type"))[:40]
            parts.text(f"[A part of a kind that is not known here: {kind}: {_json(block)[:_MOST_SHOWN]}]")


def _label(block: Json) -> str:
    label = block.get("mimeType")
    return label if isinstance(label, str) else ""


def _uri(block: Json) -> str:
    uri = block.get("uri")
    return uri if isinstance(uri, str) else "without a name"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _kind(content: bytes, label: str) -> str:
    """What bytes are: as they begin; where that says nothing, as the server says, unless it
    says that they are a picture."""
    for at, sign, kind in _SIGNS:
        if content.startswith(sign, at):
            return kind
    label = label.partition(";")[0].strip().lower()
    return "" if _ENDINGS.get(label) in _PICTURES else label[:100]


def _decoded(encoded: str) -> bytes:
    """The bytes, a megabyte at a time: other threads get their turn in between. With or without padding,
    in the alphabet for addresses, too. Raises ValueError."""
    text = "".join(encoded.split()) if any(c.isspace() for c in encoded) else encoded
    if "-" in text or "_" in text:
        text = text.translate(_URL_SAFE)
    text = text.rstrip("=")
    text += "=" * (-len(text) % 4)
    step = _SLICE * 4 // 3 // 4 * 4
    return b"".join(
        base64.b64decode(text[start : start + step], validate=True) for start in range(0, len(text), step)
    )


def _addresses(text: str) -> set[str]:
    """The http addresses that the text gives, without the punctuation around them."""
    found = (match.rstrip(_CLOSING).partition("#")[0] for match in _ADDRESS.findall(text[:1_000_000]))
    return set(found)
