"""The microphone: what is said into it is in memory while it is open, and nowhere else.

miniaudio speaks with what each system has for sound. It calls from a thread of its own.
"""

import io
import math
import sys
import wave
from array import array
from collections.abc import Callable, Generator
from typing import Any

from desktop.errors import AppError
from desktop.text import _

RATE = 16_000
_PIECE_MS = 50
_FLOOR_DB = 60.0
_QUIET = 0.12
"""A level that no voice stays below, from 0 to 1."""


class NoMicrophone(AppError):
    """There is none, or it is not for this program."""


class Microphone:
    """One recording. `heard` is told the level of each piece, from 0 to 1, from a thread."""

    def __init__(self, heard: Callable[[float], object]) -> None:
        self._heard = heard
        self._pieces: list[bytes] = []
        self._device: Any = None
        self.loudest = self.seconds = 0.0

    @property
    def silent(self) -> bool:
        """Whether nobody spoke."""
        return self.loudest < _QUIET

    def open(self) -> None:
        """Begin to listen. Blocks. Raises NoMicrophone."""
        try:
            import miniaudio
        except (ImportError, OSError):
            raise NoMicrophone(_("Recording is not possible on this kind of computer.")) from None
        backends = [one for one in miniaudio.Backend if one is not miniaudio.Backend.NULL]
        try:
            self._device = miniaudio.CaptureDevice(
                miniaudio.SampleFormat.SIGNED16,
                nchannels=1,
                sample_rate=RATE,
                buffersize_msec=_PIECE_MS,
                backends=backends,
                app_name="Nanobot Desktop",
            )
            listening = self._listen()
            next(listening)
            self._device.start(listening)
        except miniaudio.MiniaudioError:
            self._close()
            raise NoMicrophone(_("No microphone was found."), _remedy()) from None

    def close(self) -> bytes:
        """Listen no more; what was said, as a WAV, which is not kept here. Blocks."""
        self._close()
        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(b"".join(self._pieces))
        self._pieces.clear()
        return out.getvalue()

    def _close(self) -> None:
        if self._device is not None:
            self._device.close()
            self._device = None

    def _listen(self) -> Generator[None, bytes]:
        while True:
            piece = bytes((yield))
            self._pieces.append(piece)
            self.seconds += len(piece) / 2 / RATE
            level = _level(piece)
            self.loudest = max(self.loudest, level)
            self._heard(level)


def _level(piece: bytes) -> float:
    """How loud it is, as an ear takes it."""
    samples = array("h", piece)
    if sys.byteorder == "big":
        samples.byteswap()
    power = sum(sample * sample for sample in samples) / max(1, len(samples))
    decibels = 10 * math.log10(power / 32768**2) if power > 0 else -_FLOOR_DB
    return min(1.0, max(0.0, 1 + decibels / _FLOOR_DB))


def _remedy() -> str:
    if sys.platform == "win32":
        return _("Connect one, and let desktop apps use it in Windows Settings › Privacy › Microphone.")
    if sys.platform == "darwin":
        return _("Connect one, and allow it in System Settings › Privacy & Security › Microphone.")
    return _("Connect one, and choose it as the input in the sound settings.")
