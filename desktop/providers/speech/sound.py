"""What a sound file is and how long it lasts, by its first and last bytes.

The name that a chat app gives is no proof, and a provider goes by the ending. Nothing is decoded here:
that is for the child process. The length is what the file says of itself; a limit that counts is kept where
it is decoded.
"""

import struct
from dataclasses import dataclass

from desktop.providers.speech import amr

OGG, WAV, FLAC, MP3, M4A, WEBM, AMR, SILK = "ogg", "wav", "flac", "mp3", "m4a", "webm", "amr", "silk"
_FRAME_S = 0.02
_MP3_KBIT = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_MP3_KBIT_LOW = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_OPUS_RATE = 48_000
_ENDINGS = (
    *(".ogg", ".oga", ".opus", ".wav", ".flac", ".mp3", ".m4a", ".aac", ".webm"),
    *(".amr", ".awb", ".silk", ".slk"),
)


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound of somebody. `seconds` is None where the file does not tell."""

    data: bytes
    kind: str
    """One of the above; empty for what is none of them."""
    seconds: float | None = None


def may_be(name: str) -> bool:
    """Whether a file of this name is worth a look."""
    return name.lower().endswith(_ENDINGS)


def look(data: bytes) -> Sound:
    """What these bytes are."""
    kind = _kind(data)
    try:
        seconds = _SECONDS[kind](data) if kind in _SECONDS else None
    except (struct.error, IndexError, ValueError, ZeroDivisionError):  # cut off, or made to mislead
        seconds = None
    return Sound(data, kind, seconds)


def _kind(data: bytes) -> str:
    if data[:4] == b"OggS":
        return OGG
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return WAV
    if data[:4] == b"fLaC":
        return FLAC
    if data[4:8] == b"ftyp":
        return M4A
    if data[:4] == b"\x1aE\xdf\xa3":
        return WEBM
    if data[:5] == b"#!AMR":
        return AMR
    if _silk_start(data):
        return SILK
    if data[:3] == b"ID3" or (data[:1] == b"\xff" and data[1:2] and data[1] & 0xE6 in (0xE2, 0xE4)):
        return MP3
    return ""


def _silk_start(data: bytes) -> int:
    """Where the packets of SILK begin; 0 where it is none. Tencent's apps put a byte before its name."""
    return next((at + 9 for at in (0, 1) if data[at : at + 9] == b"#!SILK_V3"), 0)


def _of_ogg(data: bytes) -> float | None:
    last = data.rfind(b"OggS")
    samples = struct.unpack_from("<q", data, last + 6)[0]
    head = data.find(b"\x01vorbis", 0, 512)
    rate = struct.unpack_from("<I", data, head + 12)[0] if head > 0 else _OPUS_RATE
    return float(samples / rate) if samples > 0 else None


def _of_wav(data: bytes) -> float | None:
    per_second = struct.unpack_from("<I", data, data.index(b"fmt ", 0, 512) + 16)[0]
    return len(data) / int(per_second)


def _of_flac(data: bytes) -> float | None:
    packed = int.from_bytes(data[18:26], "big")
    return (packed & 0xFFFFFFFFF) / (packed >> 44) or None


def _of_m4a(data: bytes) -> float | None:
    at = data.find(b"mvhd")
    if at < 0:
        return None
    long = data[at + 4] == 1
    scale, length = struct.unpack_from(">IQ" if long else ">II", data, at + (24 if long else 16))
    return float(length / scale) or None


def _of_amr(data: bytes) -> float | None:
    return sum(1 for _frame in amr.frames(data)) * _FRAME_S


def _of_silk(data: bytes) -> float | None:
    at, packets = _silk_start(data), 0
    while at + 2 <= len(data):
        size = struct.unpack_from("<h", data, at)[0]
        if size < 0:
            break
        at, packets = at + 2 + size, packets + 1
    return packets * _FRAME_S


def _of_mp3(data: bytes) -> float | None:
    """By the count of its frames where it has one, else by the speed of the first: enough for a limit."""
    start = 10 + _of_seven_bits(data[6:10]) if data[:3] == b"ID3" else 0
    at = data.find(b"\xff", start, start + 4096)
    if at < 0 or data[at + 1] & 0xE0 != 0xE0:
        return None
    full = bool(data[at + 1] & 8)
    rate = (44_100, 48_000, 32_000)[data[at + 2] >> 2 & 3] >> (0 if full else 1)
    for name in (b"Xing", b"Info"):
        if (told := data.find(name, at, at + 64)) > 0:
            return int(struct.unpack_from(">I", data, told + 8)[0]) * (1152 if full else 576) / rate
    table = _MP3_KBIT if full else _MP3_KBIT_LOW
    return (len(data) - start) * 8 / (table[data[at + 2] >> 4] * 1000)


def _of_seven_bits(four: bytes) -> int:
    return sum((byte & 127) << shift for byte, shift in zip(four, (21, 14, 7, 0), strict=False))


_SECONDS = {
    OGG: _of_ogg,
    WAV: _of_wav,
    FLAC: _of_flac,
    M4A: _of_m4a,
    AMR: _of_amr,
    SILK: _of_silk,
    MP3: _of_mp3,
}
