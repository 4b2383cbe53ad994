"""From a sound file to samples, in the child alone: what comes is anybody's bytes.

soundfile reads OGG (Opus, Vorbis), FLAC, MP3 and WAV, pysilk SILK, a library of the system AMR; miniaudio
brings all to 16 kHz. What is in AAC nothing reads: no library for it is fit to be shipped.
"""

import io
from typing import Any

from desktop.providers.speech import amr
from desktop.providers.speech.sound import AMR, FLAC, MP3, OGG, SILK, WAV

RATE = 16_000
"""Samples a second of what a model hears."""
READABLE = frozenset({OGG, WAV, FLAC, MP3, SILK, AMR})
_SILK_RATE = 24_000
_MOST_CHANNELS = 8
_BLOCK = 1 << 16
_QUIET = 0.004
"""The loudest half second of a recording without speech stays below it; 1 is full scale."""


class Unreadable(Exception):
    """Its argument is why: damaged or unknown."""


class TooLong(Exception):
    """It goes on after the limit."""


def samples(data: bytes, kind: str, most: float) -> bytes:
    """What can be heard, as 16-bit samples of one channel, RATE a second. Raises Unreadable, TooLong."""
    if kind not in READABLE:
        raise Unreadable("unknown")
    pcm, channels, rate = {SILK: _silk, AMR: _amr}.get(kind, _file)(data, most)
    import miniaudio

    kinds = miniaudio.SampleFormat
    return bytes(miniaudio.convert_frames(kinds.SIGNED16, channels, rate, pcm, kinds.SIGNED16, 1, RATE))


def _file(data: bytes, most: float) -> tuple[bytes, int, int]:
    import soundfile

    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            rate, channels = file.samplerate, file.channels
            if not (0 < channels <= _MOST_CHANNELS and 0 < rate <= 384_000):
                raise Unreadable("damaged")
            return _blocks(file, int(most * rate), channels), channels, rate
    except (soundfile.SoundFileError, RuntimeError, ValueError, TypeError):
        raise Unreadable("damaged") from None


def _blocks(file: Any, most: int, channels: int) -> bytes:
    """Read it in pieces: what a file says of its length is not to be believed."""
    found = bytearray()
    while block := bytes(file.buffer_read(_BLOCK, dtype="int16")):
        found += block
        if len(found) > most * 2 * channels:
            raise TooLong
    return bytes(found)


def _silk(data: bytes, most: float) -> tuple[bytes, int, int]:
    import pysilk

    out = io.BytesIO()
    try:
        pysilk.decode(io.BytesIO(data), out, _SILK_RATE)
    except Exception:  # it has several, and none in common
        raise Unreadable("damaged") from None
    pcm = out.getvalue()
    if len(pcm) > most * 2 * _SILK_RATE:
        raise TooLong
    return pcm, 1, _SILK_RATE


def _amr(data: bytes, most: float) -> tuple[bytes, int, int]:
    found, rate = bytearray(), amr.rate(data)
    try:
        for samples in amr.decoded(data):
            found += samples
            if len(found) > most * 2 * rate:
                raise TooLong
    except OSError:
        raise Unreadable("unknown") from None
    return bytes(found), 1, rate


def heard(pcm: bytes) -> Any:
    """The samples as a model takes them: an array of floats; None where nobody speaks."""
    import numpy as np

    found = np.frombuffer(pcm, dtype=np.int16).astype(np.float32) / 32768
    half = RATE // 2
    loudest = max(
        (float(np.sqrt(np.mean(found[at : at + half] ** 2))) for at in range(0, len(found), half)),
        default=0.0,
    )
    return found if loudest > _QUIET else None
