"""The built-in model: its server is started when somebody asks it something and stopped when nobody does.

It is spoken to over the OpenAI wire like any other provider; this file only keeps it running. Everything
listens on 127.0.0.1 with a token made for each start, so no other program of the machine can use it.
"""

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop import logs
from desktop.bus.bus import Bus
from desktop.errors import AppError
from desktop.net import way_out
from desktop.providers import engine, weights
from desktop.services import ServiceState, Status
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _

_log = logging.getLogger(__name__)
_START_SECONDS = 120.0
_STOP_SECONDS = 5.0
WINDOW = 8192
"""Tokens of context in the lean profile: more would cost memory and minutes of reading."""

type SetupProgress = Callable[[str, int, int], None]
"""Called with what is being fetched, how much there is, and how much there will be (0: unknown)."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers. `token` goes into the Authorization header."""

    base_url: str
    token: str = field(repr=False)
    model: str
    window: int
    engine: str

    @property
    def max_tokens(self) -> int:
        """The most one answer may take: a quarter of the window."""
        return self.window // 4


@dataclass(frozen=True, slots=True)
class Installed:
    """What of the built-in model is on this machine."""

    models: tuple[weights.Model, ...]
    engine: str | None
    """llama-server, node, or None when nothing here can run a model yet."""


async def installed(models: Path) -> Installed:
    """What is there, without starting or fetching anything; damaged files do not count."""
    whole = []
    for model in weights.CATALOGUE:
        with contextlib.suppress(AppError):
            if await weights.verified(model, models):
                whole.append(model)
    found = await engine.launches(models, models, "", WINDOW)
    return Installed(tuple(whole), found[0].engine if found else None)


async def setup(model_id: str, models: Path, progress: SetupProgress) -> Path:
    """Fetch whatever is missing: the model's file, then what runs it. Returns the file. Raises AppError."""
    model = weights.find(model_id)
    try:
        path = await weights.verified(model, models)
    except AppError:
        await in_thread((models / model.file).unlink)
        path = None
    if path is None:
        path = await weights.fetch(model, models, lambda done, total: progress(model.name, done, total))
    progress(_("engine"), 0, 0)
    await engine.install(models)
    return path


class BuiltinServer:
    """Our own model server as a Service. All methods belong to the event loop's thread."""

    def __init__(
        self,
        models: Path,
        model: weights.Model = weights.DEFAULT,
        *,
        bus: Bus | None = None,
        window: int = WINDOW,
        idle_seconds: float = 600.0,
        warm: Callable[[], Awaitable[Mapping[str, Any]]] | None = None,
    ) -> None:
        """`warm` gives how every request begins (`messages`, `tools`), read ahead after a start, unless
        a question is waiting already: it brings the same prompt, and its own cache would be lost."""
        self.status = Status("builtin-model", bus)
        self.model = model
        self.idle_seconds = idle_seconds
        self._models, self._window = models, window
        self._warm_messages = warm
        self._running: Running | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Task[Running] | None = None
        self._changing = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._users = 0

    async def start(self) -> None:
        """Service.start: as ensure()."""
        await self.ensure()

    async def ensure(self) -> Running:
        """The running server, started if need be; callers share one start. Raises AppError."""
        if self._running is None:
            if self._starting is None or self._starting.done():
                self._starting = spawn(self._start(), name="builtin-model:start")
            await _outcome(self._starting)
        self.touch()
        if self._running is None:
            raise _died()
        return self._running

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Running]:
        """ensure(), and no idle stop before the block ends."""
        self._users += 1
        try:
            yield await self.ensure()
        finally:
            self._users -= 1
            self.touch()

    def touch(self) -> None:
        """Start the idle time anew."""
        if self._idle:
            self._idle.cancel()
            self._idle = None
        if self._running and not self._users:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self.idle_seconds, self._stop_idle)

    async def stop(self) -> None:
        """End the server and everything around it; harmless when it is off."""
        await cancel(self._starting)
        async with self._changing:
            await self._end()
            self.status.set(ServiceState.OFF)

    def _stop_idle(self) -> None:
        _log.info("the built-in model was idle for %s s", self.idle_seconds)
        spawn(self._end_idle(), name="builtin-model:idle-stop")

    async def _end_idle(self) -> None:
        async with self._changing:
            if not self._users:
                await self._end()
                self.status.set(ServiceState.OFF, _("Stopped because nobody used it."))

    async def _end(self) -> None:
        process, self._process, self._running = self._process, None, None
        self.touch()
        if process:
            await _end_process(process)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1)  # they read what is left in the pipes
        await cancel(*self._tasks)

    def _keep(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _start(self) -> Running:
        async with self._changing:
            self.status.set(ServiceState.STARTING, self.model.name)
            try:
                running = await self._launch_any()
            except BaseException as error:
                await self._end()
                text = error.text if isinstance(error, AppError) else ""
                self.status.set(ServiceState.FAILED if text else ServiceState.OFF, text)
                raise
            self._running = running
            self.status.set(ServiceState.RUNNING, f"{self.model.name} ({running.engine})")
            self.touch()
            if self._warm_messages and not self._users:
                self._keep(spawn(_warm(running, self._warm_messages), name="builtin-model:warm"))
            return running

    async def _launch_any(self) -> Running:
        path = await weights.verified(self.model, self._models)
        if path is None:
            raise AppError(
                _("The built-in model is not on this machine yet."),
                _("Fetch it in the settings or with: nanobot-desktop local setup"),
            )
        found = await engine.launches(self._models, path, self.model.id, self._window)
        for launch in found:
            try:
                async with asyncio.timeout(_START_SECONDS):
                    return await self._launch(launch)
            except (OSError, TimeoutError, _NotUp) as error:
                _log.warning("the engine %s did not start: %r", launch.engine, error)
                await self._end()
        if not found:
            raise await engine.missing()
        raise AppError(
            _("The built-in model did not start."),
            _(
                "Details are in the log. Installing it anew may help, in the settings or with: "
                "nanobot-desktop local setup"
            ),
        )

    async def _launch(self, launch: engine.Launch) -> Running:
        token = secrets.token_urlsafe(32)
        logs.mask(token)
        began = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *launch.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # Without PASSIVE its threads spin while they wait: forty times slower on a busy machine.
            env=engine.child_environment(OMP_WAIT_POLICY="PASSIVE", **{launch.token_name: token}),
            start_new_session=True,
        )
        self._process = process
        assert process.stdout
        assert process.stderr
        chatter = logging.INFO if launch.engine == "node" else logging.DEBUG
        self._keep(spawn(_drain(process.stderr, chatter), name="builtin-model:stderr"))
        port = launch.port or await _announced_port(process.stdout)
        self._keep(spawn(_drain(process.stdout, chatter), name="builtin-model:stdout"))
        if launch.port:
            await _healthy(process, port)
        self._keep(spawn(self._watch(process), name="builtin-model:watch"))
        _log.info("built-in model ready after %.1f s (%s)", time.monotonic() - began, launch.engine)
        base_url = f"http://127.0.0.1:{port}/v1"
        return Running(base_url, token, self.model.id, self._window, launch.engine)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        if self._process is process:
            _log.warning("the built-in model's server ended by itself: exit code %s", code)
            self._process = self._running = None
            self.touch()
            self.status.set(ServiceState.DEGRADED, _died().text)


class _NotUp(Exception):
    """The engine ended before it answered."""


def _died() -> AppError:
    return AppError(
        _("The built-in model stopped by itself; the next question starts it again."),
        _("Details are in the log."),
    )


async def _outcome(starting: asyncio.Task[Running]) -> None:
    """Wait for a start that others wait for too; its being called off is not our own cancellation."""
    await asyncio.wait([starting])
    if starting.cancelled():
        raise AppError(_("The built-in model was stopped."), _("Ask again to start it."))
    starting.result()


async def _warm(running: Running, start: Callable[[], Awaitable[Mapping[str, Any]]]) -> None:
    """Have the stable prompt read once, so that the first question does not wait for it."""
    import httpx

    body = {**await start(), "model": running.model, "max_tokens": 1}
    headers = {"Authorization": f"Bearer {running.token}"}
    try:
        async with way_out.client(httpx, timeout=300) as client:
            answer = await client.post(f"{running.base_url}/chat/completions", json=body, headers=headers)
            _log.info("built-in model warmed: HTTP %s", answer.status_code)
    except httpx.HTTPError as error:
        _log.info("built-in model not warmed: %r", error)


async def _announced_port(stdout: asyncio.StreamReader) -> int:
    line = await stdout.readline()
    try:
        return int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError):
        raise _NotUp(line) from None


async def _healthy(process: asyncio.subprocess.Process, port: int) -> None:
    """Wait until /health says 200. Asked again and again, as these servers do not announce it."""
    import httpx

    async with way_out.client(httpx, timeout=2) as client:
        while process.returncode is None:
            with contextlib.suppress(httpx.HTTPError):
                if (await client.get(f"http://127.0.0.1:{port}/health")).status_code == 200:
                    return
            await asyncio.sleep(0.1)
    raise _NotUp(process.returncode)


async def _drain(stream: asyncio.StreamReader, level: int) -> None:
    """Into the log, line by line: a full pipe would stop the server."""
    while data := await stream.read(8192):
        for line in data.decode(errors="replace").splitlines():
            _log.log(level, "engine: %s", line)


async def _end_process(process: asyncio.subprocess.Process) -> None:
    """The end of its stdin is the sign to leave; if it does not, it is killed."""
    if process.stdin:
        process.stdin.close()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
