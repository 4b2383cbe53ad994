"""Whether a picture is whole, told without drawing it: one broken picture makes servers refuse the whole
request, and with it everything else that was said.

The parts of the file are walked through as its format says; of a PNG the pixels are unpacked too, up to a
limit. Nothing here raises.
"""

import struct
import zlib

_MOST_UNPACKED = 64 * 1024 * 1024
_STEP = 1024 * 1024
_SIZED = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)))
"""The markers of JPEG that tell how large the picture is."""


def unbroken(kind: str, data: bytes) -> bool:
    """Whether the bytes of a png, jpeg, gif or webp are a whole picture."""
    try:
        return {"png": _png, "jpeg": _jpeg, "gif": _gif, "webp": _webp}[kind](data)
    except (struct.error, zlib.error, IndexError, KeyError):
        return False


def _png(data: bytes) -> bool:
    at, packed, seen = 8, [], 0
    while True:
        size, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        (check,) = struct.unpack_from(">I", data, at + 8 + size)
        if len(body) != size or check != zlib.crc32(name + body):
            return False
        if (seen == 0) != (name == b"IHDR"):
            return False
        if name == b"IHDR" and 0 in struct.unpack_from(">II", body):
            return False
        if name == b"IDAT":
            packed.append(body)
        if name == b"IEND":
            return bool(packed) and _unpacks(packed)
        at, seen = at + 12 + size, seen + 1


def _unpacks(parts: list[bytes]) -> bool:
    stream, made = zlib.decompressobj(), 0
    for part in parts:
        left = part
        while left:
            made += len(stream.decompress(left, _STEP))
            if made > _MOST_UNPACKED:
                return True
            left = stream.unconsumed_tail
    return stream.eof and made > 0


def _jpeg(data: bytes) -> bool:
    at, sized = 2, False
    while True:
        while data[at] == 0xFF and data[at + 1] == 0xFF:
            at += 1
        if data[at] != 0xFF:
            return False
        marker = data[at + 1]
        (size,) = struct.unpack_from(">H", data, at + 2)
        if marker in _SIZED:
            _bits, height, width = struct.unpack_from(">BHH", data, at + 4)
            sized = width > 0 and height > 0
        at += 2 + size
        if marker == 0xDA:
            return sized and data.rfind(b"\xff\xd9", at) > at
        if size < 2 or marker == 0xD9:
            return False


def _gif(data: bytes) -> bool:
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    at = 13 + _colours(flags)
    while data[at] == 0x21:
        at = _blocks(data, at + 2)
    if data[at] != 0x2C or 0 in (width, height):
        return False
    at += 10 + _colours(data[at + 9])
    end = _blocks(data, at + 1)
    return data[at] in range(2, 13) and end > at + 2


def _colours(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _blocks(data: bytes, at: int) -> int:
    """Where a row of blocks ends."""
    while size := data[at]:
        at += 1 + size
    return at + 1


def _webp(data: bytes) -> bool:
    (size,) = struct.unpack_from("<I", data, 4)
    if size + 8 > len(data):
        return False
    at, pictures = 12, 0
    while at + 8 <= size + 8:
        name, length = struct.unpack_from("<4sI", data, at)
        if at + 8 + length > len(data):
            return False
        if name in (b"VP8 ", b"VP8L", b"ANMF"):
            pictures += length > 4
        at += 8 + length + length % 2
    return pictures > 0
