"""The model host's own life: frames in, calls side by side, frames out, and an end with the program.

To it: prepare, stream, cancel. From it: ready, failed, delta, done, models, listed, error.

Stdin is read by a daemon thread. Its end means that the program is gone, however it died: the host
then leaves at once, also while a library is still being imported. Stdout is the protocol's alone.
"""

import asyncio
import gc
import json
import os
import sys
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, BinaryIO

from desktop import frames
from desktop.net import way_out
from desktop.providers.host import lending
from desktop.providers.host.answer import Answer
from desktop.providers.host.call import Call, Chunk, Engine, Failure
from desktop.providers.host.ends import CUTS
from desktop.providers.host.failures import failure
from desktop.providers.host.litellm_engine import LitellmEngine
from desktop.providers.host.openai_engine import OpenAIEngine
from desktop.providers.host.wire import HEARD, Heard
from desktop.tasks import cancel, in_thread, spawn

_JOIN_SECONDS = 0.012
_YIELD_EVERY = 8
_ROWS = 500
_LEAVE_SECONDS = 5.0
"""How long a server may keep still after the end of its answer before we leave."""


def main() -> None:
    """Serve until stdin ends."""
    way_out.tidy()
    wire = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not get between the frames
    sys.stdout = sys.stderr
    asyncio.run(_serve(wire))


async def _serve(wire: int) -> None:
    host = Host(wire)
    stdin = os.fdopen(0, "rb", closefd=False)
    arguments = (stdin, host, asyncio.get_running_loop())
    threading.Thread(target=_read, args=arguments, name="frames", daemon=True).start()
    host.send({"op": "ready", "engine": ""})
    await asyncio.Event().wait()


def _read(stdin: BinaryIO, host: "Host", loop: asyncio.AbstractEventLoop) -> None:
    while (payload := frames.read(stdin)) is not None:
        header = json.loads(payload)
        body = b""
        if header["op"] == "stream":
            body = frames.read(stdin) or b""
        loop.call_soon_threadsafe(host.receive, header, body)
    lending.clean(os.getpid())
    os._exit(0)


class Host:
    """Carries out what the program asks for."""

    def __init__(self, wire: int) -> None:
        self._wire = wire
        self._openai = OpenAIEngine()
        self._engines: dict[str, Engine] = {"openai": self._openai, "litellm": LitellmEngine()}
        self._imports: dict[str, asyncio.Task[None]] = {}
        self._streams: dict[int, asyncio.Task[None]] = {}

    def send(self, value: Mapping[str, Any]) -> None:
        """Write a frame. Blocks while the program does not read: then no call is read on either."""
        rest = memoryview(frames.pack(value))
        try:
            while rest:
                rest = rest[os.write(self._wire, rest) :]
        except OSError:
            os._exit(0)

    def receive(self, header: dict[str, Any], body: bytes) -> None:
        """Act on a frame."""
        match header.pop("op"):
            case "prepare":
                spawn(self._prepare(header["engine"]), name="prepare")
            case "stream":
                call = Call(**header, body=body)
                self._streams[call.id] = spawn(self._stream(call), name=f"stream {call.id}")
            case "cancel":
                spawn(cancel(self._streams.get(header["id"])), name="cancel")

    async def _prepare(self, name: str) -> None:
        try:
            await self._imported(name)
        except Exception as error:
            self.send({"op": "failed", "engine": name, "detail": f"{type(error).__name__}: {error}"})
        else:
            self.send({"op": "ready", "engine": name})

    async def _imported(self, name: str) -> Engine:
        """The engine, its library imported once. Cancelling one call must not end the import."""
        engine = self._engines[name]
        if name not in self._imports or (self._imports[name].done() and self._imports[name].exception()):
            self._imports[name] = spawn(in_thread(_import, engine), name=f"import {name}")
        await asyncio.shield(self._imports[name])
        return engine

    async def _stream(self, call: Call) -> None:
        answer = Answer(own=call.engine == "openai")
        deltas = _Deltas(self, call.id)
        try:
            engine = await self._imported(call.engine)
            if call.lists:
                await self._list(call)
                return
            HEARD.set(Heard(answer.ends, closing_only=call.engine == "openai"))
            try:
                await self._read(engine.chunks(call), call.total_seconds, answer, deltas)
            except Exception as error:
                if not _after_the_end(answer, error, call):
                    raise
            result = answer.result()
            deltas.flush()
            self.send({"op": "done", "id": call.id, **result})
        except TimeoutError:
            self._fail(call, deltas, Failure("too_slow"))
        except Exception as error:
            self._fail(call, deltas, error)
        finally:
            deltas.drop()
            del self._streams[call.id]

    async def _read(
        self, stream: AsyncGenerator[Chunk], seconds: float, answer: Answer, deltas: "_Deltas"
    ) -> None:
        """Take in a stream to its end, or a little past its last sign: some servers then keep still."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(seconds) as limit, aclosing(stream) as chunks:
            count, latest = 0, limit.when() or 0.0
            async for chunk in chunks:
                deltas.add(*answer.add(chunk))
                count += 1
                if answer.own_ended:
                    limit.reschedule(min(latest, loop.time() + _LEAVE_SECONDS))
                if count % _YIELD_EVERY == 0:  # chunks that are here already never give way
                    await asyncio.sleep(0)

    async def _list(self, call: Call) -> None:
        """Which models there are, in frames that the program reads without being held up."""
        async with asyncio.timeout(call.total_seconds):
            rows = await self._openai.models(call)
        for start in range(0, len(rows), _ROWS):
            self.send({"op": "models", "id": call.id, "models": rows[start : start + _ROWS]})
            await asyncio.sleep(0)
        self.send({"op": "listed", "id": call.id})

    def _fail(self, call: Call, deltas: "_Deltas", error: Exception) -> None:
        deltas.flush()
        found = failure(error, call)
        self.send(
            {
                "op": "error",
                "id": call.id,
                "kind": found.kind,
                "status": found.status,
                "detail": found.detail,
                "said": found.said,
                "retry_after": found.retry_after,
                "usage": found.usage,
            }
        )


def _after_the_end(answer: Answer, error: Exception, call: Call) -> bool:
    """Whether what went wrong does not matter: the answer was whole before, or it says better what was."""
    if answer.ends.kind in CUTS:
        return True
    broke = failure(error, call).kind in ("broken_off", "too_slow")
    return answer.ended and broke and not isinstance(error, ValueError)


class _Deltas:
    """Joins what comes within a few milliseconds to one frame; the first is sent at once."""

    def __init__(self, host: Host, call: int) -> None:
        self._host, self._call = host, call
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._loop = asyncio.get_running_loop()
        self._sent_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str, reasoning: str) -> None:
        if not text and not reasoning:
            return
        self._text.append(text)
        self._reasoning.append(reasoning)
        if self._timer is not None:
            return
        wait = self._sent_at + _JOIN_SECONDS - self._loop.time()
        if wait <= 0:
            self.flush()
        else:
            self._timer = self._loop.call_later(wait, self.flush)

    def flush(self) -> None:
        """Send what has gathered."""
        text, reasoning = "".join(self._text), "".join(self._reasoning)
        self.drop()
        if text or reasoning:
            self._sent_at = self._loop.time()
            self._host.send({"op": "delta", "id": self._call, "text": text, "reasoning": reasoning})

    def drop(self) -> None:
        """Forget what has gathered."""
        self._text.clear()
        self._reasoning.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _import(engine: Engine) -> None:
    """Collecting garbage during an import of thousands of modules finds none and costs a tenth."""
    gc.disable()
    try:
        engine.prepare()
    finally:
        gc.freeze()
        gc.enable()
