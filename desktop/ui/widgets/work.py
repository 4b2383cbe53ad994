"""Tasks that a widget started: they end with it, so that none of them touches what is gone."""

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop.errors import AppError
from desktop.tasks import spawn
from desktop.ui.widgets.buttons import Button
from desktop.ui.widgets.outcome import Outcome

type Tasks = dict[asyncio.Task[Any], tuple[Button, ...]]


class Work(QObject):
    """The tasks of one widget, and the buttons that are busy with each."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        tasks: Tasks = {}
        self._tasks = tasks
        self.destroyed.connect(lambda: _gone(tasks))

    def start[T](self, work: Awaitable[T], *, name: str, busy: Iterable[Button] = ()) -> asyncio.Task[T]:
        """Run a coroutine while the widget lives. Meanwhile these buttons, also the widget's, are busy."""
        task = spawn(work, name=name)
        self._tasks[task] = tuple(busy)
        for button in self._tasks[task]:
            button.work(begins=True)
        task.add_done_callback(self._ended)
        return task

    def tell(
        self, work: Coroutine[Any, Any, None], outcome: Outcome, *, name: str, busy: Iterable[Button] = ()
    ) -> asyncio.Task[None]:
        """The same; what fails is said by `outcome`, with its remedy."""
        task = self.start(_told(work, outcome), name=name, busy=busy)
        task.add_done_callback(lambda _task: work.close())  # it may be ended before it begins
        return task

    def cancel(self) -> None:
        """End what is under way."""
        _cancel(self._tasks)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        for button in self._tasks.pop(task, ()):
            button.work(begins=False)


async def _told(work: Awaitable[None], outcome: Outcome) -> None:
    try:
        await work
    except AppError as error:
        outcome.failed(error.text, error.remedy)


def _cancel(tasks: Tasks) -> None:
    for task in list(tasks):
        if not task.get_loop().is_closed():
            task.cancel()


def _gone(tasks: Tasks) -> None:
    """The widget is gone, and its buttons with it."""
    _cancel(tasks)
    tasks.clear()
