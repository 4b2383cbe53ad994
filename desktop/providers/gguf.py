"""What a model file in the GGUF format says of itself, read without loading it.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little endian.
Only the head is read: the values, and where each tensor lies, which tells whether the file is whole.
"""

import mmap
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MAGIC = b"GGUF"
_SCALARS = dict(enumerate("BbHhIif?"))  # by the number of their type; then string, array, and three more
_SCALARS |= {10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST = 1 << 24
"""Entries of a list, tensors, or values of a file: more is damage."""
_CONTROL = 3
"""The type of a token that is no text: a mark of the model's own."""
_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    30: (1, 2),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    20: (32, 18),
    39: (32, 17),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    29: (256, 56),
    34: (256, 54),
    35: (256, 66),
}
"""By type of a tensor's values: how many are in a block, and its bytes (ggml.h)."""


class Damaged(Exception):
    """The file is no GGUF, or not all of it is there."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a file says of its model."""

    architecture: str
    name: str = ""
    window: int = 0
    """Tokens it was trained for; 0 where it does not say."""
    template: bool = False
    """It says how a conversation is written for it: it is a model to talk with."""
    marks: tuple[str, ...] = field(default=(), repr=False)
    """Texts that the model reads as marks of its own, such as the end of a message."""
    parts: int = 1
    """Files that the model is spread over."""


def read(path: Path) -> Head:
    """The head of a file. Raises Damaged, OSError. Blocks for a tenth of a second."""
    with path.open("rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise Damaged("empty") from None
        with data:
            try:
                return _Reader(data).head()
            except (struct.error, ArithmeticError, TypeError, ValueError, RecursionError) as error:
                raise Damaged(str(error)) from error


class _Reader:
    """Goes through the head from front to end."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data, self._at = data, 0

    def head(self) -> Head:
        if self._data[:4] != _MAGIC:
            raise Damaged("no GGUF file")
        self._at = 4
        version, tensors, count = self._take("IQQ")
        if version not in (2, 3) or max(tensors, count) > _MOST:
            raise Damaged(f"version {version}")
        values = {self._text(): self._value() for _entry in range(count)}
        self._check_end(tensors, int(values.get("general.alignment") or 32))
        architecture = str(values.get("general.architecture") or "")
        tokens, types = (values.get(f"tokenizer.ggml.{name}") or [] for name in ("tokens", "token_type"))
        marks = [token for token, type_ in zip(tokens, types, strict=False) if type_ == _CONTROL]
        return Head(
            architecture,
            str(values.get("general.name") or ""),
            int(values.get(f"{architecture}.context_length") or 0),
            bool(values.get("tokenizer.chat_template")),
            tuple(sorted(filter(None, marks), key=len, reverse=True)),
            max(1, int(values.get("split.count") or 1)),
        )

    def _check_end(self, tensors: int, alignment: int) -> None:
        """Raises Damaged where the file ends before its last tensor does."""
        end = 0
        for _tensor in range(tensors):
            self._text()
            (dimensions,) = self._take("I")
            if dimensions > 8:
                raise Damaged("a tensor of too many dimensions")
            values = 1
            for size in self._take(f"{dimensions}Q"):
                values *= size
            type_, offset = self._take("IQ")
            block, size = _BLOCKS.get(type_, (1, 0))
            end = max(end, offset + values // block * size)
        start = -(-self._at // alignment) * alignment
        if start + end > len(self._data):
            raise Damaged(f"{len(self._data)} of {start + end} bytes are here")

    def _take(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _text(self) -> str:
        (length,) = self._take("Q")
        if self._at + length > len(self._data):
            raise Damaged("a text that does not end")
        text = self._data[self._at : self._at + length]
        self._at += length
        return text.decode("utf-8", "replace")

    def _value(self) -> Any:
        (type_,) = self._take("I")
        return self._list() if type_ == _ARRAY else self._one(type_)

    def _one(self, type_: int) -> Any:
        if type_ == _STRING:
            return self._text()
        if type_ not in _SCALARS:
            raise Damaged(f"a value of type {type_}")
        return self._take(_SCALARS[type_])[0]

    def _list(self) -> Any:
        type_, count = self._take("IQ")
        if count > _MOST:
            raise Damaged("a list that is too long")
        if type_ in _SCALARS:
            return self._take(f"{count}{_SCALARS[type_]}")
        return [self._list() if type_ == _ARRAY else self._one(type_) for _entry in range(count)]
