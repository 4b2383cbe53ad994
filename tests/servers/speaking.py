"""Speech for tests: a voice of this machine says a sentence, and it is a file as chat apps send it."""

import functools
import io
import os
import subprocess
import wave
from pathlib import Path

ENGLISH = "The meeting begins tomorrow morning. Please bring a cup of coffee."
SPANISH = "Buenos días. La reunión comienza mañana por la mañana."
MODEL = "ggml-base-made.bin"
"""Made by packaging/speech_from_index.py in the folder of the test models."""


@functools.cache
def wav(text: str = ENGLISH, voice: str = "en-us") -> bytes:
    """A sentence, spoken by espeak-ng."""
    command = ["espeak-ng", "-b", "1", "-v", voice, "-s", "135", "--stdout"]
    data = subprocess.run([*command, text], check=True, capture_output=True).stdout
    file, out = io.BytesIO(data), io.BytesIO()
    file.seek(44)  # its length in the head is that of an endless stream
    write(out, file.read(), 22_050)
    return out.getvalue()


def write(out: io.BytesIO, pcm: bytes, rate: int = 16_000) -> None:
    """Samples of 16 bits as a WAV."""
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm)


def silence(seconds: float) -> bytes:
    """A WAV in which nobody speaks."""
    out = io.BytesIO()
    write(out, bytes(int(seconds * 16_000) * 2))
    return out.getvalue()


@functools.cache
def hour() -> bytes:
    """A FLAC of an hour in which nobody speaks."""
    import soundfile

    out = io.BytesIO()
    with soundfile.SoundFile(out, "w", 8_000, 1, "PCM_16", format="FLAC") as sound:
        for _minute in range(60):
            sound.buffer_write(bytes(60 * 8_000 * 2), "int16")
    return out.getvalue()


@functools.cache
def encoded(kind: str, text: str = ENGLISH, voice: str = "en-us") -> bytes:
    """The same as OGG (Opus), Vorbis, FLAC, MP3 or SILK."""
    import miniaudio
    import soundfile

    if kind == "wav":
        return wav(text, voice)
    if kind == "amr":
        return _amr(wav(text, voice))
    with wave.open(io.BytesIO(wav(text, voice))) as file:
        given = miniaudio.SampleFormat.SIGNED16
        pcm = file.readframes(file.getnframes())
        pcm = bytes(miniaudio.convert_frames(given, 1, file.getframerate(), pcm, given, 1, 24_000))
    out = io.BytesIO()
    if kind == "silk":
        import pysilk

        pysilk.encode(io.BytesIO(pcm), out, 24_000, 24_000, tencent=True)
        return out.getvalue()
    named = {
        "ogg": ("OGG", "OPUS"),
        "vorbis": ("OGG", "VORBIS"),
        "flac": ("FLAC", "PCM_16"),
        "mp3": ("MP3", None),
    }
    container, codec = named[kind]
    with soundfile.SoundFile(out, "w", 24_000, 1, codec, format=container) as sound:
        sound.buffer_write(pcm, "int16")
    return out.getvalue()


def _amr(spoken: bytes) -> bytes:
    """By the encoder of the same library that reads it."""
    import ctypes

    import miniaudio

    with wave.open(io.BytesIO(spoken)) as file:
        kind = miniaudio.SampleFormat.SIGNED16
        pcm = file.readframes(file.getnframes())
        pcm = bytes(miniaudio.convert_frames(kind, 1, file.getframerate(), pcm, kind, 1, 8_000))
    library = ctypes.CDLL("libopencore-amrnb.so.0")
    library.Encoder_Interface_init.restype = ctypes.c_void_p
    state, made = ctypes.c_void_p(library.Encoder_Interface_init(0)), bytearray(b"#!AMR\n")
    out = ctypes.create_string_buffer(64)
    for at in range(0, len(pcm) - 319, 320):
        size = library.Encoder_Interface_Encode(state, 7, pcm[at : at + 320], out, 0)
        made += out.raw[:size]
    library.Encoder_Interface_exit(state)
    return bytes(made)


def model() -> Path | None:
    """The speech model of this machine; None where none was made."""
    folder = Path(os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models").expanduser()
    return folder / MODEL if (folder / MODEL).exists() else None
