"""The inside of one message in the form that every server accepts: text, parts, tool calls.

Stored histories hold whatever models, tools, other programs and damaged disks put there: numbers
where text belongs, empty blocks, broken JSON, half a character. Nothing here raises.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from desktop.providers.pictures import sound

type Content = str | list[dict[str, Any]]

_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")
_IMAGE = "[image]"


def clean(text: str) -> str:
    """The text without halves of characters, which no server can decode."""
    if text.isascii():
        return text
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def content_of(value: object, *, text_only: bool) -> Content:
    """Content as text, or as parts where there is an image; empty where nothing is said."""
    if isinstance(value, str):
        return clean(value) if value.strip() else ""
    if isinstance(value, list):
        parts = [part for item in value if (part := _part(item)) is not None]
        if text_only or all(part["type"] == "text" for part in parts):
            return "\n\n".join(part["text"] if part["type"] == "text" else _IMAGE for part in parts)
        return parts
    return _text(value)


def joined(first: Content, second: Content) -> Content:
    """Two contents as one message says them, a blank line between."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_parts(first), *_as_parts(second)]


def tool_calls_of(value: object) -> list[tuple[object, dict[str, str]]]:
    """The usable tool calls of an answer: each with its stored id and its function."""
    found: list[tuple[object, dict[str, str]]] = []
    for call in value if isinstance(value, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(function, Mapping) and isinstance(name, str) and name.strip():
            wire = _NOT_IN_NAME.sub("_", name.strip())[:64]
            found.append(
                (call.get("id"), {"name": wire, "arguments": _arguments(function.get("arguments"))})
            )
    return found


def thinking_of(value: object) -> list[dict[str, Any]]:
    """Thinking blocks that their own server will take back: signed or redacted, complete."""
    found: list[dict[str, Any]] = []
    for block in value if isinstance(value, list) else ():
        if not isinstance(block, Mapping):
            continue
        kind = block.get("type")
        keys = {"thinking": ("thinking", "signature"), "redacted_thinking": ("data",)}.get(str(kind), ())
        if keys and all(isinstance(block.get(key), str) and block[key] for key in keys):
            found.append({"type": kind, **{key: clean(block[key]) for key in keys}})
    return found


def details_of(value: object) -> list[dict[str, Any]]:
    """The reasoning_details of an answer, as they came."""
    blocks = value if isinstance(value, list) else ()
    return [
        _plain(block)
        for block in blocks
        if isinstance(block, Mapping) and str(block.get("type")).startswith("reasoning.")
    ]


def items_of(value: object) -> list[dict[str, Any]]:
    """The reasoning items of Responses that can be sent back: sealed, or with what was thought in them.
    `after` is ours: how many calls of the answer came before the item."""
    found: list[dict[str, Any]] = []
    for block in value if isinstance(value, list) else ():
        if not isinstance(block, Mapping) or block.get("type") != "reasoning":
            continue
        texts = {kind: _texts(block.get(name), kind) for name, kind in _ITEM_TEXTS.items()}
        item: dict[str, Any] = {name: texts[kind] for name, kind in _ITEM_TEXTS.items() if texts[kind]}
        item |= {
            name: seal for name in ("id", "encrypted_content") if (seal := content_text(block.get(name)))
        }
        if "encrypted_content" in item or "content" in item:
            after = block.get("after")
            place = {"after": after} if isinstance(after, int) and after > 0 else {}
            found.append({"type": "reasoning", "summary": [], **item, **place})
    return found


_ITEM_TEXTS = {"summary": "summary_text", "content": "reasoning_text"}
"""What of a reasoning item is text, and of which type its parts are."""


def _texts(parts: object, kind: str) -> list[dict[str, str]]:
    given = parts if isinstance(parts, list) else []
    texts = (content_text(part.get("text")) for part in given if isinstance(part, Mapping))
    return [{"type": kind, "text": text} for text in texts if text]


def name_of(block: object) -> str:
    """What a block of thinking is known by."""
    return hashlib.sha256(json.dumps(_plain(block), sort_keys=True).encode()).hexdigest()


def marked(content: Content) -> list[dict[str, Any]]:
    """Content whose end is marked as one up to which the prompt can be cached."""
    *before, last = _as_parts(content)
    return [*before, {**last, "cache_control": {"type": "ephemeral"}}]


def _text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, Mapping):
        return content_text(value.get("text"))
    return content_text(str(value)) if isinstance(value, int | float) else ""


def content_text(value: object) -> str:
    """A text that says something, else an empty one."""
    return clean(value) if isinstance(value, str) and value.strip() else ""


def _part(item: object) -> dict[str, Any] | None:
    if isinstance(item, Mapping) and item.get("type") == "image_url":
        image = item.get("image_url")
        url = image.get("url") if isinstance(image, Mapping) else image
        if isinstance(url, str) and url.startswith("data:") and not sound(url):
            return {"type": "text", "text": "[image: the data is broken, nothing of it can be shown]"}
        if isinstance(url, str) and url.strip():
            return {"type": "image_url", "image_url": {"url": clean(url)}}
        return None
    text = content_text(item) if isinstance(item, str) else _text(item)
    return {"type": "text", "text": text} if text else None


def _as_parts(content: Content) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _arguments(value: object) -> str:
    """Arguments as the JSON text of an object. What is none becomes {}: the tool's own answer in the
    history tells the model what was wrong with the call."""
    try:
        parsed = json.loads(value, parse_constant=_refuse) if isinstance(value, str) else value
        if not isinstance(parsed, Mapping):
            return "{}"
        if isinstance(value, str) and "\\u" not in value and clean(value) == value:
            return value
        return json.dumps(_plain(parsed))
    except (ValueError, RecursionError):
        return "{}"


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _plain(value: Any) -> Any:
    """A copy that any JSON parser takes: no NaN, no half characters."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else clean(str(value))
