"""Mode and folder of the open conversation: read when it is opened, changed from under the field."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from desktop.bus.events import SettingsChanged
from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.foot.mode import ModeBar
from desktop.ui.error_reporter import ErrorReporter

if TYPE_CHECKING:
    from desktop.api.permissions import Permitted

_LONGEST_MS = 2_000_000_000


def _cancel(tasks: set[asyncio.Task[None]]) -> None:
    """The bar is gone: nothing may touch it any more."""
    for task in list(tasks):
        if not task.get_loop().is_closed():
            task.cancel()


class PermissionMode(QObject):
    """Keeps the bar in step with the conversation."""

    def __init__(self, actions: Actions, reporter: ErrorReporter, talk: Controller, bar: ModeBar) -> None:
        super().__init__(bar)
        self._reporter, self._talk, self._bar = reporter, talk, bar
        self._permissions = actions.api.permissions
        self._asked = 0
        tasks: set[asyncio.Task[None]] = set()
        self._tasks = tasks
        self.destroyed.connect(lambda: _cancel(tasks))
        self._end = QTimer(self, singleShot=True)
        """Armed for the moment at which the mode is the usual one again."""
        self._end.timeout.connect(self.refresh)
        talk.opened.connect(self.refresh)
        actions.bus.on(SettingsChanged, lambda _event: self.refresh())
        bar.mode_chosen.connect(lambda mode: self._run(self._set_mode(mode), "permissions:mode"))
        talk.busy_changed.connect(self.refresh)
        bar.vouched.connect(lambda all_: self._run(self._vouch(all_), "permissions:vouch"))
        bar.folder_chosen.connect(lambda path: self._run(self._set_folder(path), "permissions:folder"))

    def refresh(self) -> None:
        """Read and show what holds now."""
        self._run(self._refresh(), "permissions:read")

    def _run(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = self._reporter.run(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _set_mode(self, mode: str) -> None:
        if key := self._talk.key:
            await self._permissions.set_mode(key, mode)
        else:
            self._talk.for_new = replace(self._talk.for_new, mode=mode)
        await self._refresh()

    async def _set_folder(self, path: str) -> None:
        if key := self._talk.key:
            await self._permissions.set_folder(key, path)
        else:
            self._talk.for_new = replace(self._talk.for_new, folder=path)
        await self._refresh()

    async def _vouch(self, all_: bool) -> None:
        if key := self._talk.key:
            await self._permissions.vouch(session=key, folder=all_)
        await self._refresh()

    async def _refresh(self) -> None:
        key = self._talk.key
        self._asked += 1
        number = self._asked
        found = await self._permissions.read(key)
        if key != self._talk.key or number != self._asked:
            return  # another conversation was opened, or a newer answer comes
        if not key:
            found = self._with_chosen(found)
        self._end.stop()
        if found.until:
            left = int(max(0.0, found.until - time.time()) * 1000) + 200
            self._end.start(min(left, _LONGEST_MS))
        self._bar.tell(found)

    def _with_chosen(self, found: "Permitted") -> "Permitted":
        """With what was chosen for the conversation that begins with the first message."""
        new, until = self._talk.for_new, found.until
        if new.mode == "autonomous":
            until = time.time() + 60 * found.minutes
        mode = found.mode if new.mode is None else new.mode
        return replace(found, mode=mode, folder=new.folder or found.folder, until=until)
