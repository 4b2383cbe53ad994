"""Frames of Feishu's long connection, as its server writes and reads them."""

import json
from io import BytesIO

from tests.channels.loopback import Json

NUMBERS = {1: "SeqID", 2: "LogID", 3: "service", 4: "method"}
PAYLOAD, HEADER = 8, 5


def written(frame: Json) -> bytes:
    """`headers` as a dict, `payload` as bytes."""
    out = BytesIO()
    for number, name in NUMBERS.items():
        out.write(bytes([number << 3]) + _size(int(frame.get(name, 0))))
    for key, value in frame["headers"].items():
        out.write(_text(HEADER, _text(1, str(key).encode()) + _text(2, str(value).encode())))
    out.write(_text(PAYLOAD, frame.get("payload", b"")))
    return out.getvalue()


def understood(data: bytes) -> Json:
    """The same the other way; its payload is JSON or nothing."""
    frame: Json = {"headers": {}, "payload": b""}
    stream = BytesIO(data)
    while head := stream.read(1):
        number, kind = head[0] >> 3, head[0] & 7
        size = _read_size(stream)
        if kind == 0:
            frame[NUMBERS[number]] = size
            continue
        value = stream.read(size)
        assert len(value) == size
        if number == HEADER:
            key, text = _pair(value)
            frame["headers"][key] = text
        elif number == PAYLOAD:
            frame["payload"] = value
    frame["told"] = json.loads(frame["payload"] or b"{}")
    return frame


def _pair(value: bytes) -> tuple[str, str]:
    stream, found = BytesIO(value), ["", ""]
    while head := stream.read(1):
        found[(head[0] >> 3) - 1] = stream.read(_read_size(stream)).decode()
    return found[0], found[1]


def _size(number: int) -> bytes:
    out = []
    while True:
        number, low = divmod(number, 128)
        out.append(low + (128 if number else 0))
        if not number:
            return bytes(out)


def _read_size(stream: BytesIO) -> int:
    found, place = 0, 1
    while True:
        byte = stream.read(1)[0]
        found += (byte % 128) * place
        if byte < 128:
            return found
        place *= 128


def _text(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _size(len(value)) + value
