"""From what a server answered to what the model reads: text, and files for all that is none.

The SDK's content blocks come in, a ToolResult goes out. Pictures, sounds and other bytes are kept in the
workspace, under a name made here: nothing of the server's gets into a path.
"""

import base64
import binascii
import json
import re
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop.files import Place, Seen
from desktop.origin import untrusted
from desktop.tools.base import ToolResult

MOST_TEXT = 10_000_000
"""Characters of text that are taken."""
MOST_BYTES = 20 * 1024 * 1024
"""Bytes that one picture or other part may have."""
_SLICE = 1 << 20
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


class _Parts:
    """What an answer comes to, part by part."""

    def __init__(self, folder: Path, workspace: Path) -> None:
        self._folder, self._workspace = folder, workspace
        self.lines: list[str] = []
        self.images: list[Path] = []
        self.wrote: list[Seen] = []
        self._room = MOST_TEXT

    def text(self, text: str) -> None:
        taken = text[: self._room]
        self._room -= len(taken)
        self.lines.append(taken)
        if len(taken) < len(text):
            self.lines.append(f"[{len(text) - len(taken):,} more characters were left out.]")

    def data(self, what: str, encoded: str, kind: str) -> None:
        """Keep bytes as a file and say where."""
        kind = kind.partition(";")[0].strip().lower()
        size = len(encoded) * 3 // 4
        if size > MOST_BYTES:
            self.lines.append(f"[{what} of {size:,} bytes was left out: {MOST_BYTES:,} are the most.]")
            return
        try:
            content = _decoded(encoded)
        except (binascii.Error, ValueError):
            self.lines.append(f"[{what} cannot be read: it is no Base64.]")
            return
        ending = _ENDINGS.get(kind, "bin")
        name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}.{ending}"
        path = self._folder / name
        self.wrote.append(Place(self._workspace).write(path, content))
        if ending in _PICTURES:
            self.images.append(path)
        where = path.relative_to(self._workspace) if path.is_relative_to(self._workspace) else path
        self.lines.append(f"[{what}, {kind or 'bytes of an unknown kind'}, kept as {where.as_posix()}]")


def result(content: Sequence[Any], structured: Any, folder: Path, workspace: Path) -> ToolResult:
    """What the model reads of an answer (blocks: it writes files). Raises OSError."""
    parts = _Parts(folder, workspace)
    for block in content:
        _take(block, parts)
    if structured is not None and not any(getattr(block, "type", "") == "text" for block in content):
        parts.text(json.dumps(structured, ensure_ascii=False, indent=1))
    text = "\n".join(parts.lines)
    return ToolResult(
        text or "[The tool gave no text.]",
        mark=untrusted(),
        addresses=frozenset(_addresses(text)),
        images=tuple(parts.images),
        wrote=tuple(parts.wrote),
    )


def _take(block: Any, parts: _Parts) -> None:
    match block.type:
        case "text":
            parts.text(block.text)
        case "image":
            parts.data("A picture", block.data, block.mime_type)
        case "audio":
            parts.data("A sound", block.data, block.mime_type)
        case "resource_link":
            told = ", ".join(filter(None, (block.title or block.name, block.description)))
            parts.text(f"[A resource of the server: {block.uri} ({told})]")
        case "resource":
            inner = block.resource
            if (blob := getattr(inner, "blob", None)) is not None:
                parts.data(f"The resource {inner.uri}", blob, inner.mime_type or "")
            else:
                parts.text(f"[The resource {inner.uri}:]\n{inner.text}")
        case other:
            parts.text(f"[A part of a kind that is not known here: {str(other)[:40]}]")


def _decoded(encoded: str) -> bytes:
    """The bytes, a megabyte at a time: other threads get their turn in between."""
    text = (
        encoded
        if encoded.isascii() and not any(c.isspace() for c in encoded[:1000])
        else "".join(encoded.split())
    )
    step = _SLICE * 4 // 3 // 4 * 4
    return b"".join(
        base64.b64decode(text[start : start + step], validate=True) for start in range(0, len(text), step)
    )


def _addresses(text: str) -> set[str]:
    """The http addresses that the text gives, without the punctuation around them."""
    found = (match.rstrip(_CLOSING).partition("#")[0] for match in _ADDRESS.findall(text[:1_000_000]))
    return set(found)
