"""Keeps the child that decodes and hears: started with a question, ended a minute after the last.

One question at a time: a model takes all cores as it is. A question that takes too long, or a file that
kills the child, costs that one question.
"""

import asyncio
import importlib.util
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from desktop.errors import AppError
from desktop.paths import self_command
from desktop.providers import engine, processor
from desktop.providers.speech import trouble
from desktop.providers.speech.sound import Sound
from desktop.tasks import cancel, end_child, in_thread, spawn
from desktop.text import _

_IDLE_S = 60.0
_PATIENCE_S = 120.0
_TIMES = 15
"""So many times the length of a recording a model may take."""
_ENVIRONMENT = {**engine.WAITING, "OPENBLAS_NUM_THREADS": "1"}
_log = logging.getLogger(__name__)


def unfit() -> AppError | None:
    """Why speech models can't run here; None where they can. Nothing is loaded. Blocks."""
    if not all(importlib.util.find_spec(name) for name in ("_pywhispercpp", "numpy", "soundfile")):
        return AppError(
            _("Speech models can’t run on this kind of computer."),
            _("Choose a provider in Settings › Speech."),
        )
    if lacks := processor.lacking():
        return AppError(
            _("This processor is too old for speech models: it lacks {features}.").format(
                features=", ".join(lacks)
            ),
            _("Choose a provider in Settings › Speech."),
        )
    return None


class SpeechEngine:
    """The child. For the loop only."""

    def __init__(self, idle_s: float = _IDLE_S) -> None:
        self._idle_s = idle_s
        self._process: asyncio.subprocess.Process | None = None
        self._file: Path | None = None
        self._chatter: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._turn = asyncio.Lock()

    @property
    def child(self) -> int | None:
        """Its number among processes, while it is there."""
        return self._process.pid if self._process is not None else None

    async def words(self, sound: Sound, file: Path, language: str, most: int) -> str:
        """What is said in a recording, by the model of this file; empty for silence. Raises AppError."""
        answer, _behind = await self._ask(sound, file, language, most)
        return str(answer["text"])

    async def wav(self, sound: Sound, most: int) -> bytes:
        """The same recording as a WAV of 16 kHz; empty for silence. Raises AppError."""
        answer, behind = await self._ask(sound, None, "", most)
        return b"" if answer["silent"] else behind

    async def stop(self) -> None:
        """End the child; harmless where there is none."""
        async with self._turn:
            await self._end()

    async def _ask(
        self, sound: Sound, file: Path | None, language: str, most: int
    ) -> tuple[dict[str, Any], bytes]:
        async with self._turn:
            if self._idle:
                self._idle.cancel()
                self._idle = None
            try:
                async with asyncio.timeout(_PATIENCE_S + _TIMES * min(sound.seconds or most, most)):
                    answer, behind = await self._question(sound, file, language, most)
            except TimeoutError:
                await self._end()
                raise AppError(
                    _("Turning the recording into text took too long."),
                    _("Choose a smaller speech model or a provider in Settings › Speech."),
                ) from None
            except (OSError, asyncio.IncompleteReadError, ValueError):
                await self._end()
                raise trouble.failed() from None
            except asyncio.CancelledError:
                await self._end()  # its answer would be taken for that of the next question
                raise
            self._idle = asyncio.get_running_loop().call_later(self._idle_s, self._rest)
        if fault := answer.get("fault"):
            raise _fault(str(fault), sound, most)
        return answer, behind

    async def _question(
        self, sound: Sound, file: Path | None, language: str, most: int
    ) -> tuple[dict[str, Any], bytes]:
        process = await self._started(file)
        assert process.stdin
        assert process.stdout
        question: Mapping[str, object] = {
            "bytes": len(sound.data),
            "kind": sound.kind,
            "language": language,
            "most": most,
        }
        process.stdin.write(json.dumps(question).encode() + b"\n" + sound.data)
        await process.stdin.drain()
        answer = json.loads(await process.stdout.readuntil(b"\n"))
        return answer, await process.stdout.readexactly(answer.get("bytes", 0))

    async def _started(self, file: Path | None) -> asyncio.subprocess.Process:
        process = self._process
        if process is not None and process.returncode is None and self._file == file:
            return process
        await self._end()
        threads = await in_thread(engine.cores)
        process = self._process = await asyncio.create_subprocess_exec(
            *self_command("--speech", str(file or ""), str(threads)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=engine.child_environment(**_ENVIRONMENT),
            start_new_session=True,
        )
        assert process.stderr
        self._file = file
        self._chatter = spawn(_drain(process.stderr), name="speech:stderr")
        return process

    def _rest(self) -> None:
        self._idle = None
        spawn(self.stop(), name="speech:idle")

    async def _end(self) -> None:
        process, self._process = self._process, None
        if self._idle:
            self._idle.cancel()
            self._idle = None
        if process is not None:
            if process.stdin:
                process.stdin.close()
            end_child(process)
            await process.wait()
            await cancel(self._chatter)


async def _drain(stream: asyncio.StreamReader) -> None:
    """Into the log: a full pipe would stop the child."""
    while data := await stream.read(8192):
        for line in data.decode(errors="replace").splitlines():
            _log.debug("speech: %s", line)


def _fault(name: str, sound: Sound, most: int) -> AppError:
    if name == "unknown":
        return trouble.unknown(sound.kind)
    if name == "long":
        return trouble.too_long(max(sound.seconds or 0, most + 1), most)
    if name == "memory":
        return AppError(
            _("There is not enough memory for this speech model."),
            _("Choose a smaller speech model or a provider in Settings › Speech."),
        )
    return trouble.damaged()
