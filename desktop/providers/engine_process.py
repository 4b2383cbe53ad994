"""One run of an engine: started, waited for until it answers, read so that it never stalls, ended."""

import asyncio
import contextlib
import json
import logging
import re
import secrets
from collections.abc import Callable

from desktop import logs, remedies
from desktop.errors import AppError
from desktop.net import way_out
from desktop.providers import engine
from desktop.tasks import cancel, end_child, spawn
from desktop.text import _

_log = logging.getLogger(__name__)
_STOP_SECONDS = 5.0
_UNKNOWN = re.compile(r"unknown model architecture: '([^'\n]{1,80})'")
_LIBRARY = re.compile(r"ImportError: (lib[\w.+-]{1,60}): cannot open shared object file")
_CUT = re.compile(
    r"corrupted or incomplete|failed to read magic|tensor .{1,200} is not within the file bounds"
)


class NotUp(Exception):
    """The engine ended before it answered."""


class EngineProcess:
    """A child that runs an engine. Belongs to the event loop's thread."""

    def __init__(self, launch: engine.Launch, ended: Callable[["EngineProcess", int], object]) -> None:
        """`ended` is called when it ends after it had answered, with its exit code."""
        self.launch, self.port = launch, launch.port
        self.token = secrets.token_urlsafe(32)
        self._ended = ended
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._fault: AppError | None = None

    async def start(self) -> None:
        """Wait until it answers. Raises NotUp, OSError; AppError where it says why it cannot run the
        file."""
        logs.mask(self.token)
        launch = self.launch
        process = self._process = await asyncio.create_subprocess_exec(
            *launch.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=engine.child_environment(
                **launch.environment, **engine.WAITING, **{launch.token_name: self.token}
            ),
            start_new_session=True,
        )
        assert process.stdout
        assert process.stderr
        chatter = spawn(self._drain(process.stderr), name="builtin-model:stderr")
        self._tasks.append(chatter)
        try:
            if launch.port:
                self._tasks.append(spawn(self._drain(process.stdout), name="builtin-model:stdout"))
                await _healthy(process, launch.port)
            else:
                self.port = await _announced_port(process.stdout)
                self._tasks.append(spawn(self._drain(process.stdout), name="builtin-model:stdout"))
        except NotUp:
            await asyncio.wait({chatter}, timeout=_STOP_SECONDS)  # its last words say why
            if self._fault is not None:
                raise self._fault from None
            raise
        self._tasks.append(spawn(self._watch(process), name="builtin-model:watch"))

    async def stop(self) -> None:
        """The end of its stdin is the sign to leave; if it does not, it is killed."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            end_child(process)
            await process.wait()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1)  # they read what is left in the pipes
        await cancel(*self._tasks)

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        if self._process is process:
            self._ended(self, code)

    async def _drain(self, stream: asyncio.StreamReader) -> None:
        """Into the log, line by line: a full pipe would stop the server."""
        while data := await stream.read(8192):
            for line in data.decode(errors="replace").splitlines():
                _log.debug("engine: %s", line)
                self._fault = self._fault or _fault_in(line)


def _fault_in(line: str) -> AppError | None:
    """What is wrong with the file, where a line of the engine says it."""
    if unknown := _UNKNOWN.search(line):
        return unknown_architecture(unknown[1])
    if library := _LIBRARY.search(line):
        return AppError(
            _("The built-in model needs a library that is not installed: {name}.").format(name=library[1]),
            remedies.openmp(),
        )
    if _CUT.search(line):
        return AppError(
            _("The model file is damaged or incomplete."),
            _("Download it again in Settings, or choose another model."),
        )
    return None


def unknown_architecture(name: str) -> AppError:
    """The sentence for a model that the engine cannot run."""
    return AppError(
        _("This version’s engine does not support the architecture {name}.").format(name=name),
        _("Choose another model, or install a newer llama.cpp (llama-server)."),
    )


async def _announced_port(stdout: asyncio.StreamReader) -> int:
    line = await stdout.readline()
    try:
        return int(json.loads(line)["port"])
    except (ValueError, KeyError, TypeError):
        raise NotUp(line) from None


async def _healthy(process: asyncio.subprocess.Process, port: int) -> None:
    """Wait until /health says 200. Asked again and again, as these servers do not announce it."""
    import httpx

    async with way_out.client(httpx, timeout=2) as client:
        while process.returncode is None:
            with contextlib.suppress(httpx.HTTPError):
                if (await client.get(f"http://127.0.0.1:{port}/health")).status_code == 200:
                    return
            await asyncio.sleep(0.1)
    raise NotUp(process.returncode)
