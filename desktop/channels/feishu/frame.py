"""The frames of a long connection, which are protobuf: `pbbp2.Frame` of Feishu's own clients.

https://github.com/larksuite/oapi-sdk-go/blob/v3_main/ws/pbbp2.proto. No library for protobuf comes with the
program, and one message of nine fields needs none: numbers in pieces of seven bits, and texts with their
length before them. https://protobuf.dev/programming-guides/encoding/.
"""

from dataclasses import dataclass, field, replace

CONTROL, DATA = 0, 1
_SEQ, _LOG, _SERVICE, _METHOD, _HEADER, _ENCODING, _TYPE, _PAYLOAD, _NEW_LOG = range(1, 10)
_KEY, _VALUE = 1, 2
_NUMBER, _LENGTH = 0, 2
_MOST_BITS = 70


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame. What the service put into it goes back as it came when it is acknowledged."""

    method: int = CONTROL
    service: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    payload: bytes = b""
    seq: int = 0
    log: int = 0
    encoding: str = ""
    type: str = ""
    new_log: str = ""

    def header(self, name: str) -> str:
        """The value of a header, empty where there is none."""
        return next((value for key, value in self.headers if key == name), "")

    def answered(self, payload: bytes, header: tuple[str, str]) -> "Frame":
        """The same with another payload, and one header more."""
        return replace(self, payload=payload, headers=(*self.headers, header))

    def encoded(self) -> bytes:
        """Its bytes."""
        made = b"".join(
            _number(number, value)
            for number, value in (
                (_SEQ, self.seq),
                (_LOG, self.log),
                (_SERVICE, self.service),
                (_METHOD, self.method),
            )
        )
        for key, value in self.headers:
            made += _bytes(_HEADER, _bytes(_KEY, key.encode()) + _bytes(_VALUE, value.encode()))
        rest = (
            (_ENCODING, self.encoding.encode()),
            (_TYPE, self.type.encode()),
            (_PAYLOAD, self.payload),
            (_NEW_LOG, self.new_log.encode()),
        )
        return made + b"".join(_bytes(number, value) for number, value in rest if value)


@dataclass(slots=True)
class _Reader:
    data: bytes
    at: int = 0

    def varint(self) -> int:
        found = 0
        for shift in range(0, _MOST_BITS, 7):
            byte = self.take(1)[0]
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found & 0xFFFF_FFFF_FFFF_FFFF
        raise ValueError("a number without an end")

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise ValueError("a frame that is cut off")
        self.at += size
        return self.data[self.at - size : self.at]


@dataclass(slots=True)
class _Read:
    """What is found in a frame so far."""

    numbers: dict[int, int] = field(default_factory=dict)
    texts: dict[int, bytes] = field(default_factory=dict)
    headers: list[tuple[str, str]] = field(default_factory=list)


def decoded(data: bytes) -> Frame:
    """The frame of these bytes; fields that are not known are passed over. Raises ValueError."""
    read = _Read()
    for number, value in _fields(data):
        if isinstance(value, int):
            read.numbers[number] = value
        elif number == _HEADER:
            pair = {key: text.decode() for key, text in _fields(value) if isinstance(text, bytes)}
            read.headers.append((pair.get(_KEY, ""), pair.get(_VALUE, "")))
        else:
            read.texts[number] = value
    return Frame(
        read.numbers.get(_METHOD, CONTROL),
        _signed(read.numbers.get(_SERVICE, 0)),
        tuple(read.headers),
        read.texts.get(_PAYLOAD, b""),
        read.numbers.get(_SEQ, 0),
        read.numbers.get(_LOG, 0),
        read.texts.get(_ENCODING, b"").decode(),
        read.texts.get(_TYPE, b"").decode(),
        read.texts.get(_NEW_LOG, b"").decode(),
    )


def _fields(data: bytes) -> list[tuple[int, int | bytes]]:
    reader, found = _Reader(data), list[tuple[int, int | bytes]]()
    while reader.at < len(data):
        tag = reader.varint()
        match tag & 7:
            case 0:
                found.append((tag >> 3, reader.varint()))
            case 2:
                found.append((tag >> 3, reader.take(reader.varint())))
            case 1:
                reader.take(8)
            case 5:
                reader.take(4)
            case _:
                raise ValueError("a field of a kind that is not known")
    return found


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _NUMBER) + _varint(value)


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _LENGTH) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    value &= 0xFFFF_FFFF_FFFF_FFFF
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _signed(value: int) -> int:
    value &= 0xFFFF_FFFF
    return value - (1 << 32) if value >> 31 else value
