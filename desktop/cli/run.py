"""Running one command: the event loop, the signals, the log, and the exit code.

Exit codes: 0 done, 1 failed (a sentence on stderr), 2 wrong usage, 130 interrupted.
"""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from desktop import logs
from desktop.cli.output import complain, emit
from desktop.errors import UsageError, explain
from desktop.paths import Home, home

type Command = Callable[[Home], Coroutine[Any, Any, int | None]]


def run(command: Command, *, as_json: bool = False) -> None:
    """Run a command to its end and leave with its exit code."""
    code = _code(command, as_json)
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        # A second Ctrl+C broke off the clean end: what is left would hold the process for ever.
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except ValueError:  # closed
            continue
        except OSError:
            # It was told. Python would say so in its own words when it ends, and leave with 120.
            setattr(sys, name, None)
            code = code or 1
    sys.exit(code)


def _code(command: Command, as_json: bool) -> int:
    place = home()
    listener = logs.start(place.logs, verbose="--verbose" in sys.argv)
    try:
        return asyncio.run(_main(command, place)) or 0
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; nobody is left to be told.
        with suppress(OSError):
            sys.stdout.close()
        return 1
    except Exception as error:
        told = explain(error)
        if told is not error:
            logs.failed(error)
        if as_json:
            emit({"event": "failed", "error": told.text, "remedy": told.remedy})
        complain(told)
        return 2 if isinstance(told, UsageError) else 1
    finally:
        logs.stop(listener)


async def _main(command: Command, place: Home) -> int | None:
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def end() -> None:
        """Begin the clean end, once: a terminal that closes sends two signals."""
        if not task.cancelling():
            task.cancel()

    for name in ("SIGTERM", "SIGHUP"):
        with suppress(NotImplementedError, AttributeError):
            loop.add_signal_handler(getattr(signal, name), end)
    return await command(place)
