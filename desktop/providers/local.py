"""The built-in model: its server is started when somebody asks it something and stopped when nobody does.

It is spoken to over the OpenAI wire like any other provider; this file only keeps it running. Everything
listens on 127.0.0.1 with a token made for each start, so no other program of the machine can use it. One
model is in memory at a time: a question to another one waits for the answers under way, then changes it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.bus.bus import Bus
from desktop.errors import AppError
from desktop.net import way_out
from desktop.providers import catalogue, engine, gguf, machine, weights
from desktop.providers.catalogue import Model
from desktop.providers.engine_process import EngineProcess, NotUp, unknown_architecture
from desktop.services.status import ServiceState, Status
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _

_log = logging.getLogger(__name__)
_START_SECONDS = 120.0
_LOOK_SECONDS = 60.0
"""How often a model that is kept in memory without being asked looks whether others need the memory."""
WINDOW = 8192
"""Tokens of context for a small model: more would cost memory and minutes of reading."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers. `token` goes into the Authorization header."""

    base_url: str
    token: str = field(repr=False)
    model: str
    window: int
    engine: str
    marks: tuple[str, ...] = field(default=(), repr=False)
    """Texts that the model would take for marks of its own."""

    @property
    def max_tokens(self) -> int:
        """The most one answer may take: a quarter of the window."""
        return self.window // 4


@dataclass(frozen=True, slots=True)
class Installed:
    """What of the built-in models is on this machine."""

    models: tuple[Model, ...]
    engine: str | None
    """llama-server, xllamacpp, or None when nothing here can run a model."""


async def installed(models: Path) -> Installed:
    """What is there, without starting or fetching anything; damaged files do not count."""
    whole = []
    for model in catalogue.CATALOGUE:
        with suppress(AppError):
            if await weights.verified(model, models):
                whole.append(model)
    return Installed(tuple(whole), await in_thread(engine.available))


def chosen(name: str, models: Path) -> Model:
    """The model that the settings mean: the usual one where they name none, one of the catalogue, or a file
    of the person's own, which is looked at when it is used. Raises UsageError. Blocks."""
    if not name:
        return catalogue.usual(models, machine.look(models))
    return catalogue.find(name) if not catalogue.is_path(name) else catalogue.of_person(name)


def offered(than: Model, models: Path) -> Model | None:
    """A better model than this that the computer carries with ease; None where there is none. Blocks."""
    here = [model for model in catalogue.CATALOGUE if (models / model.file).exists()]
    return catalogue.better(than, here, machine.look(models, engine.gpu()), engine.knows)


def better_words(model: Model) -> str:
    """What a better model is, as a sentence."""
    return _("This computer can run a better model: {name}, {size:.1f} GB. {does}").format(
        name=model.name, size=model.size / 1e9, does=_(model.does)
    )


class BuiltinServer:
    """Our own model server as a Service. All methods belong to the event loop's thread."""

    def __init__(
        self,
        models: Path,
        model: Model = catalogue.SMALL,
        *,
        bus: Bus | None = None,
        window: int = WINDOW,
        idle_seconds: float = 600.0,
        warm: Callable[[], Awaitable[Mapping[str, Any]]] | None = None,
    ) -> None:
        """`model` answers where no other is named. `warm` gives how every request begins (`messages`,
        `tools`), read ahead after a start, unless a question is waiting already: it brings the same prompt,
        and its own cache would be lost."""
        self.status = Status("builtin-model", bus)
        self.model, self.named = model, ""
        """`named`: as the settings name it."""
        self.idle_seconds = idle_seconds
        self._models, self._window = models, window
        self._warm_messages, self._kept = warm, False
        self._running: Running | None = None
        self._process: EngineProcess | None = None
        self._starting: asyncio.Task[Running] | None = None
        self._starts = ""
        """The model that a start is for."""
        self._changing = asyncio.Lock()
        self._warming: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._users, self._used_as = 0, ""
        self._unused = asyncio.Event()
        self._unused.set()

    async def choose(self, name: str) -> None:
        """Look which model answers where none is named: from the next question on it does. A `name` that
        nobody knows counts as none; doctor tells it."""
        self.named = name
        try:
            self.model = await in_thread(chosen, name, self._models)
        except AppError as error:
            _log.warning("%s", error)
            self.model = await in_thread(chosen, "", self._models)

    async def start(self) -> None:
        """Service.start: as ensure(), unless another model is answering now."""
        if not self._users:
            await self.ensure()

    async def ensure(self, model: Model | None = None) -> Running:
        """The running server, started if need be; callers share one start. Raises AppError."""
        wanted = model or self.model
        while self._running is None or self._running.model != wanted.id:
            if self._starting is None or self._starting.done():
                self._starting, self._starts = (
                    spawn(self._start(wanted), name="builtin-model:start"),
                    wanted.id,
                )
            ours = self._starts == wanted.id
            try:
                await _outcome(self._starting)
            except AppError:
                if ours:
                    raise
                continue
            if ours and self._running is None:
                raise _died()
        self.touch()
        return self._running

    @asynccontextmanager
    async def use(self, name: str = "") -> AsyncIterator[Running]:
        """ensure() of the model of this name, and no idle stop before the block ends. Raises AppError."""
        model = self.model
        if name not in ("", model.id):
            model = await in_thread(chosen, name, self._models)
        while self._users and self._used_as != model.id:
            await self._unused.wait()
        self._users, self._used_as = self._users + 1, model.id
        self._unused.clear()
        try:
            yield await self.ensure(model)
        finally:
            self._users -= 1
            if not self._users:
                self._unused.set()
            self.touch()

    def keep(self, kept: bool) -> None:
        """Whether it stays in memory although nobody asks, as long as there is enough of that."""
        self._kept = kept
        self.touch()

    def touch(self) -> None:
        """Start the idle time anew."""
        if self._idle:
            self._idle.cancel()
            self._idle = None
        if self._running and not self._users:
            wait = self.idle_seconds
            if self._kept:
                wait = min(wait, _LOOK_SECONDS)
            self._idle = asyncio.get_running_loop().call_later(wait, self._look)

    async def stop(self) -> None:
        """End the server and everything around it; harmless when it is off."""
        await cancel(self._starting)
        async with self._changing:
            await self._end()
            self.status.set(ServiceState.OFF)

    def _look(self) -> None:
        spawn(self._end_idle(), name="builtin-model:idle-stop")

    async def _end_idle(self) -> None:
        """Nobody has asked for a while: end it, unless it is kept and there is memory enough."""
        kept = self._kept
        short = kept and (await in_thread(machine.look, self._models)).short
        if kept and not short:
            self.touch()
            return
        async with self._changing:
            if not self._users:
                _log.info("the built-in model is let go: %s", "memory is short" if short else "idle")
                await self._end()
                why = (
                    _("Stopped because memory is low.")
                    if short
                    else _("Stopped because it was not in use.")
                )
                self.status.set(ServiceState.OFF, why)

    async def _end(self) -> None:
        process, self._process, self._running = self._process, None, None
        self.touch()
        await cancel(self._warming)
        if process:
            await process.stop()

    async def _start(self, model: Model) -> Running:
        async with self._changing:
            await self._end()
            self.status.set(ServiceState.STARTING, model.name)
            try:
                running = await self._launch_any(model)
            except BaseException as error:
                await self._end()
                text = error.text if isinstance(error, AppError) else ""
                self.status.set(ServiceState.FAILED if text else ServiceState.OFF, text)
                raise
            self._running = running
            self.status.set(ServiceState.RUNNING, f"{model.name} ({running.engine})")
            self.touch()
            if self._warm_messages and not self._users:
                self._warming = spawn(_warm(running, self._warm_messages), name="builtin-model:warm")
            return running

    async def _launch_any(self, model: Model) -> Running:
        path = await weights.verified(model, self._models)
        if path is None:
            raise AppError(
                _("The model {name} is not on this computer yet.").format(name=model.name),
                _("Download it in Settings, or with: {command}").format(
                    command=f"nanobot-desktop local setup {model.id}"
                ),
            )
        head = await in_thread(_head, path)
        await in_thread(_check, model.name, path, head)
        window = min(self._window, head.window or self._window)
        fault: AppError | None = None
        for launch in await in_thread(engine.launches, path, model.id, window):
            process = self._process = EngineProcess(launch, self._died)
            try:
                async with asyncio.timeout(_START_SECONDS):
                    await process.start()
            except (OSError, TimeoutError, NotUp, AppError) as error:
                _log.warning("the engine %s did not start: %r", launch.engine, error)
                fault = error if isinstance(error, AppError) else fault
                await self._end()
            else:
                base_url = f"http://127.0.0.1:{process.port}/v1"
                return Running(base_url, process.token, model.id, window, launch.engine, head.marks)
        raise (
            fault
            or await in_thread(engine.fault)
            or AppError(_("The built-in model could not be started."), _("Details are in the log."))
        )

    def _died(self, process: EngineProcess, code: int) -> None:
        if self._process is process:
            _log.warning("the built-in model's server ended by itself: exit code %s", code)
            self._process = self._running = None
            self.touch()
            self.status.set(ServiceState.DEGRADED, _died().text)


def _head(path: Path) -> gguf.Head:
    """What a file that was found whole says of itself; nothing where it is none of the format."""
    try:
        return gguf.read(path)
    except (gguf.Damaged, OSError) as error:
        _log.warning("%s: %s", path, error)
        return gguf.Head("")


def _check(name: str, path: Path, head: gguf.Head) -> None:
    """Raises AppError where this computer cannot run a model. Blocks."""
    if not engine.knows(head.architecture):
        raise unknown_architecture(head.architecture)
    needed, free = catalogue.memory_of(path.stat().st_size), machine.look(path.parent).free
    if needed > free:
        raise AppError(
            _("{name} needs {needed:.1f} GB of memory, but {free:.1f} GB is free.").format(
                name=name, needed=needed / 1e9, free=free / 1e9
            ),
            _("Close other programs, or choose a smaller model or a provider in Settings."),
        )


def _died() -> AppError:
    return AppError(
        _("The built-in model stopped. It restarts with the next question."),
        _("Details are in the log."),
    )


async def _outcome(starting: asyncio.Task[Running]) -> None:
    """Wait for a start that others wait for too; its being called off is not our own cancellation."""
    await asyncio.wait([starting])
    if starting.cancelled():
        raise AppError(_("The built-in model was stopped."), _("Ask again to restart it."))
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
