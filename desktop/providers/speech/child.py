"""Decoding and the speech model, in a process of its own: our executable with the hidden argument --speech.

Each question is a line of JSON and the bytes of a file on stdin, each answer a line on stdout, with the
bytes of a WAV behind it where that was wanted. It writes no file, and ends with its stdin.
"""

import contextlib
import io
import json
import os
import re
import sys
import wave
from collections.abc import Sequence
from typing import Any

from desktop.providers.speech import decode

_ROOM = 2 << 30
"""Bytes of address space beside the model's."""
_ASIDE = re.compile(r"[\[(*♪][^\])*♪]{0,60}[\])*♪]")
"""What a model says of sounds that are no words: [BLANK_AUDIO], (music)."""
_SIMPLIFIED = "以下是普通话的句子。"
"""Said before it, a model writes Chinese in simplified letters, with full stops."""


def main(argv: Sequence[str]) -> None:
    """Answer until stdin ends. Arguments: the model's file, empty to decode alone; threads."""
    file, threads = argv[0], int(argv[1])
    asked, told = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    _limit(os.path.getsize(file) if file else 0)  # noqa: PTH202 - a child wants few imports
    model = _Model(file, threads) if file else None
    while line := asked.readline():
        question = json.loads(line)
        answer, behind = _answer(question, asked.read(question["bytes"]), model)
        told.write(json.dumps(answer).encode() + b"\n" + behind)
        told.flush()


def _limit(size: int) -> None:
    """So much memory and not one file: a decoder that goes wrong takes this process with it, no more."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (_ROOM + 3 * size, _ROOM + 3 * size))


def _answer(question: dict[str, Any], data: bytes, model: "_Model | None") -> tuple[dict[str, Any], bytes]:
    try:
        pcm = decode.samples(data, question["kind"], question["most"])
        if model is None:
            behind = _wav(pcm)
            return {"bytes": len(behind), "silent": decode.heard(pcm) is None}, behind
        heard = decode.heard(pcm)
        return {"text": "" if heard is None else model.words(heard, question["language"])}, b""
    except decode.Unreadable as error:
        return {"fault": str(error)}, b""
    except decode.TooLong:
        return {"fault": "long"}, b""
    except MemoryError:
        return {"fault": "memory"}, b""


def _wav(pcm: bytes) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(decode.RATE)
        out.writeframes(pcm)
    return file.getvalue()


class _Model:
    """Whisper's, by whisper.cpp."""

    def __init__(self, file: str, threads: int) -> None:
        import _pywhispercpp as whisper

        self._whisper, self._threads = whisper, threads
        self._context = whisper.whisper_init_from_file_with_params(
            file, whisper.whisper_context_default_params()
        )

    def words(self, heard: Any, language: str) -> str:
        """What is said."""
        whisper = self._whisper
        known = language if language and whisper.whisper_lang_id(language) >= 0 else "auto"
        settings = whisper.whisper_full_default_params(
            whisper.whisper_sampling_strategy.WHISPER_SAMPLING_GREEDY
        )
        settings.n_threads, settings.language = self._threads, known
        settings.print_progress = settings.print_realtime = settings.print_timestamps = False
        settings.suppress_nst = True
        if known == "zh":
            settings.initial_prompt = _SIMPLIFIED
        if whisper.whisper_full(self._context, settings, heard, heard.size):
            raise MemoryError
        number = whisper.whisper_full_n_segments(self._context)
        parts = (whisper.whisper_full_get_segment_text(self._context, at) for at in range(number))
        whole = b"".join(part if isinstance(part, bytes) else part.encode() for part in parts)
        return " ".join(_ASIDE.sub(" ", whole.decode(errors="replace")).split())
