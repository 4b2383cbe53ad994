"""How the program and its children talk over pipes: frames of a 4-byte length and that many bytes.

Every frame is one JSON object with an "op". To the model host there is another: the one that follows a
"stream" header is the body of the request, passed on as it is.
"""

import json
import struct
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">I")


def length(payload: bytes) -> bytes:
    """What goes before a payload."""
    return _LENGTH.pack(len(payload))


def pack(value: Mapping[str, Any]) -> bytes:
    """The object as a frame."""
    payload = json.dumps(value, separators=(",", ":")).encode()
    return length(payload) + payload


def read(stream: BinaryIO) -> bytes | None:
    """The next payload of a blocking stream; None at its end, also when it ends in mid-frame."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    payload = stream.read(size)
    return payload if len(payload) == size else None


class Splitter:
    """Finds the objects in bytes that come in any pieces."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The objects that these bytes complete."""
        self._rest += data
        while len(self._rest) >= _LENGTH.size:
            (size,) = _LENGTH.unpack_from(self._rest)
            end = _LENGTH.size + size
            if len(self._rest) < end:
                return
            payload = self._rest[_LENGTH.size : end]
            del self._rest[:end]
            yield json.loads(payload)
