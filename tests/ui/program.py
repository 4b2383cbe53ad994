"""A real core in a home of its own, on the window's own kind of loop."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import TimeoutError as QtTimeout

from desktop import tasks
from desktop.api.client import Api
from desktop.api.subjects import Local, Subjects
from desktop.bus.bus import Bus
from desktop.bus.events import Event
from desktop.core.core import Core
from desktop.core.subjects import subjects
from desktop.paths import Home
from desktop.tasks import spawn
from desktop.ui.actions import Reach
from desktop.ui.loop import Loop
from tests import warm

RESTING = ("search:", "speech:stderr")
"""Tasks that wait themselves: the index for a quiet moment, the speech engine for a question."""


class InProcess:
    """Actions on a core of this process."""

    def __init__(self, core: Core) -> None:
        self.bus, self.transport = core.bus, Local(Subjects(subjects(core, "window")))
        self.api = Api(self.transport)
        self.shown: list[str] = []
        """Conversations for which the window was to come to the front."""
        self.reached: Sequence[Reach] = ()

    async def show(self, session: str) -> None:
        self.shown.append(session)

    async def reach(self) -> Sequence[Reach]:
        return tuple(self.reached)


def tell(bus: Bus, event: Event, until: Callable[..., None]) -> None:
    """Publish an event, and wait until it was heard."""
    heard: list[Event] = []
    end = bus.on(type(event), heard.append)
    bus.publish(event)
    until(lambda: bool(heard))
    end()


class Running:
    """The program without its main window. `until` is qtbot.waitUntil."""

    def __init__(self, app: QApplication, folder: Path, until: Callable[..., None]) -> None:
        self.home = Home(folder, folder / "models")
        self._until = until
        self.loop = Loop(app)
        bus = Bus()
        self.core: Core = self.wait(Core.start(self.home, warm.host(bus), bus))
        self.actions = InProcess(self.core)

    def wait(self, coro: Any, seconds: float = 60) -> Any:
        """Run a coroutine while the window lives."""
        task = spawn(coro, name="test")
        self._until(task.done, timeout=int(seconds * 1000))
        return task.result()

    def settle(self) -> None:
        """Wait until nothing is under way any more."""

        def under_way() -> list[str]:
            names = [task.get_name() for task in tasks._running if not task.done()]
            return [name for name in names if not name.startswith(RESTING)]

        def still() -> bool:
            return not under_way()

        times = 0
        while times < 2:  # what is called when a task is done, or hears the bus, may begin another
            try:
                self._until(still)
            except QtTimeout as error:
                raise AssertionError(f"still under way: {under_way()}") from error
            self.wait(asyncio.sleep(0))
            times = times + 1 if still() else 0

    def tell(self, event: Event) -> None:
        """Have something happen, and be heard."""
        tell(self.core.bus, event, self._until)

    @property
    def stored(self) -> dict[str, Any]:
        """config.json as it is on disk."""
        path = self.home.config
        found: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
        return found

    def stop(self) -> None:
        self.core.bus.close()
        self.wait(self.core.stop())  # first, as in the program: nothing of the core is broken off
        for task in list(tasks._running):
            task.cancel()
        self.settle()
        self.loop.close()
