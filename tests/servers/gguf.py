"""Small model files in the GGUF format: right in form, with nothing in them that could answer."""

import struct
from collections.abc import Sequence

_UINT32, _STRING, _ARRAY, _INT32 = 4, 8, 9, 5


def gguf(
    architecture: str = "llama",
    *,
    name: str = "Tiny",
    window: int = 4096,
    template: str = "{{ messages }}",
    marks: Sequence[str] = ("<|im_end|>",),
    parts: int = 1,
    tensor: int = 64,
) -> bytes:
    """A whole file with one tensor of so many 32-bit numbers."""
    values = [
        _text("general.architecture") + _one(architecture),
        _text("general.name") + _one(name),
        _text(f"{architecture}.context_length") + struct.pack("<II", _UINT32, window),
        _text("tokenizer.ggml.tokens") + _list(_STRING, [_text("a"), *map(_text, marks)]),
        _text("tokenizer.ggml.token_type")
        + _list(_INT32, [struct.pack("<i", kind) for kind in (1, *(3 for _mark in marks))]),
        _text("split.count") + struct.pack("<II", _UINT32, parts),
    ]
    if template:
        values.append(_text("tokenizer.chat_template") + _one(template))
    head = struct.pack("<4sIQQ", b"GGUF", 3, 1, len(values)) + b"".join(values)
    head += _text("weight") + struct.pack("<IQIQ", 1, tensor, 0, 0)
    return head + b"\0" * (-len(head) % 32) + b"\0" * (4 * tensor)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _one(text: str) -> bytes:
    return struct.pack("<I", _STRING) + _text(text)


def _list(type_: int, entries: Sequence[bytes]) -> bytes:
    return struct.pack("<IIQ", _ARRAY, type_, len(entries)) + b"".join(entries)
