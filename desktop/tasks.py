"""The only place that makes tasks and threads.

asyncio drops tasks nobody refers to and stays silent about the exceptions of tasks somebody does;
spawn() names, keeps and reports them. The architecture test bans create_task everywhere else.
"""

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from desktop.errors import AppError

_running: set[asyncio.Task[Any]] = set()
_reporter: Callable[[BaseException], object] | None = None
_log = logging.getLogger(__name__)


def spawn[T](work: Awaitable[T], *, name: str) -> asyncio.Task[T]:
    """Run a coroutine, or await a call, as a task that is kept alive, named, and whose failure is logged
    (an AppError, which somebody tells the person, only as information)"""
    coro = work if isinstance(work, Coroutine) else _await(work)
    task = asyncio.get_running_loop().create_task(coro, name=name)
    _running.add(task)
    task.add_done_callback(_finished)
    return task


async def _await[T](work: Awaitable[T]) -> T:
    return await work


def report_to(reporter: Callable[[BaseException], object] | None) -> None:
    """Tell somebody of every failure that no part of the program expected, besides the log."""
    global _reporter
    _reporter = reporter


def _finished(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if task.cancelled() or not (error := task.exception()):
        return
    if isinstance(error, AppError):
        _log.info("task %s: %s", task.get_name(), error.text)
    else:
        _log.error("task %s failed", task.get_name(), exc_info=error)
        if _reporter is not None:
            _reporter(error)


def end_child(
    child: asyncio.SubprocessTransport | asyncio.subprocess.Process, *, politely: bool = False
) -> None:
    """Kill a child that this loop waits for, or ask it to end. Not by its own kill(): that polls first, and
    may so take the exit code from the loop, which then reports 255 (subprocess.Popen.send_signal)."""
    pid = child.get_pid() if isinstance(child, asyncio.SubprocessTransport) else child.pid
    code = child.get_returncode() if isinstance(child, asyncio.SubprocessTransport) else child.returncode
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            child.terminate()  # where kill() is the same
        elif code is None:
            os.kill(pid, signal.SIGTERM if politely else signal.SIGKILL)


async def cancel(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancel tasks and wait until they are gone; their own errors were reported by spawn()."""
    alive = [task for task in tasks if task is not None and not task.done()]
    for task in alive:
        task.cancel()
    await asyncio.gather(*alive, return_exceptions=True)


async def see_through[T](coro: Coroutine[Any, Any, T], *, name: str) -> T:
    """Run a short piece of work to its end, also when who waits for it is cancelled meanwhile."""
    task = spawn(coro, name=name)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


async def in_thread[T](work: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Run blocking work that is sure to end in a pool thread (the exit of the program waits for it)."""
    return await asyncio.to_thread(work, *arguments, **named)


async def in_daemon[T](work: Callable[..., T], *arguments: Any, seconds: float | None) -> T:
    """Run blocking work that may never end in a daemon thread of its own.

    Raises TimeoutError after `seconds` (None: waits as long as it takes); the thread is left behind and
    does not hold up the exit.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failure = None, None
        try:
            result = work(*arguments)
        except Exception as error:  # handed to the waiter, whatever it is
            failure = error
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:
            _log.debug("%s ended after the event loop", work)

    threading.Thread(target=run, name=f"daemon:{work.__name__}", daemon=True).start()
    async with asyncio.timeout(seconds):
        return await future
