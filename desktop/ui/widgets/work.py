"""Tasks that a widget started: they end with it, so that none of them touches what is gone."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop.tasks import spawn


class Work(QObject):
    """The tasks of one widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        tasks: set[asyncio.Task[Any]] = set()
        self._tasks = tasks
        self.destroyed.connect(lambda: _cancel(tasks))

    def start[T](self, coro: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Run a coroutine while the widget lives."""
        task = spawn(coro, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def cancel(self) -> None:
        """End what is under way."""
        _cancel(self._tasks)


def _cancel(tasks: set[asyncio.Task[Any]]) -> None:
    for task in list(tasks):
        if not task.get_loop().is_closed():
            task.cancel()
