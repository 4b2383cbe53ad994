"""The one way by which errors reach the person: slots, tasks, threads and verbs all end here."""

import asyncio
import logging
import sys
import threading
from collections.abc import Awaitable
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop import tasks
from desktop.errors import AppError, explain

_log = logging.getLogger(__name__)


class ErrorReporter(QObject):
    """Turns any failure into a sentence and a remedy."""

    told = Signal(str, str)
    """Sentence and remedy."""

    def install(self, loop: asyncio.AbstractEventLoop) -> None:
        """Catch what nobody else caught."""
        sys.excepthook = lambda _kind, error, _trace: self.tell(error)
        threading.excepthook = _log_thread
        loop.set_exception_handler(self._from_loop)
        tasks.report_to(self.tell)

    def tell(self, error: BaseException) -> None:
        """Say it; what no part of the program expected goes to the log too."""
        if isinstance(error, KeyboardInterrupt):
            return
        said = explain(error) if isinstance(error, Exception) else AppError(str(error))
        if said is not error:
            _log.error("unexpected", exc_info=error)
        self.told.emit(said.text, said.remedy)

    def run(self, work: Awaitable[Any], name: str) -> asyncio.Task[None]:
        """Do something in a task of its own; its failure is told."""
        return tasks.spawn(self._run(work), name=name)

    async def _run(self, work: Awaitable[Any]) -> None:
        try:
            await work
        except Exception as error:
            self.tell(error)

    def _from_loop(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if error := context.get("exception"):
            self.tell(error)
        else:
            _log.error("event loop: %s", context.get("message"))


def _log_thread(args: threading.ExceptHookArgs) -> None:
    """A thread's failure is told by whoever waits for it; here it is only kept from being lost."""
    _log.error("thread %s failed", args.thread and args.thread.name, exc_info=args.exc_value)
