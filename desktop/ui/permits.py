"""Mode and folder of the open conversation: read when it is opened, changed from under the field."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, QTimer

from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.mode import ModeBar
from desktop.ui.funnel import Funnel

type Json = dict[str, Any]

_LONGEST_MS = 2_000_000_000


def _cancel(tasks: set[asyncio.Task[None]]) -> None:
    """The bar is gone: nothing may touch it any more."""
    for task in list(tasks):
        if not task.get_loop().is_closed():
            task.cancel()


class Permits(QObject):
    """Keeps the bar in step with the conversation."""

    def __init__(self, actions: Actions, funnel: Funnel, talk: Controller, bar: ModeBar) -> None:
        super().__init__(bar)
        self._actions, self._funnel, self._talk, self._bar = actions, funnel, talk, bar
        self._asked = 0
        tasks: set[asyncio.Task[None]] = set()
        self._tasks = tasks
        self.destroyed.connect(lambda: _cancel(tasks))
        self._end = QTimer(self, singleShot=True)
        """Armed for the moment at which the mode is the usual one again."""
        self._end.timeout.connect(self.refresh)
        talk.opened.connect(self.refresh)
        bar.mode_chosen.connect(lambda mode: self._choose("mode", {"mode": mode}))
        talk.busy_changed.connect(self.refresh)
        bar.vouched.connect(lambda all_: self._choose("vouch", {"folder": all_}))
        bar.folder_chosen.connect(lambda folder: self._choose("folder", {"folder": folder}))

    def refresh(self) -> None:
        """Read and show what holds now."""
        self._run(self._refresh(), "permits:read")

    def _choose(self, verb: str, given: Json) -> None:
        self._run(self._chosen(verb, given), f"permits:{verb}")

    def _run(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = self._funnel.run(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _chosen(self, verb: str, given: Json) -> None:
        key = self._talk.key
        if key:
            await self._actions.call(verb, session=key, **given)
        else:  # it is stored with the first message
            self._talk.for_new[verb] = given
        await self._refresh()

    async def _refresh(self) -> None:
        key = self._talk.key
        self._asked += 1
        number = self._asked
        found = await self._actions.call("permissions", session=key)
        if key != self._talk.key or number != self._asked:
            return  # another conversation was opened, or a newer answer comes
        if not key:
            found |= self._chosen_for_new(found)
        self._end.stop()
        if found["until"]:
            left = int(max(0.0, found["until"] - time.time()) * 1000) + 200
            self._end.start(min(left, _LONGEST_MS))
        self._bar.tell(found)

    def _chosen_for_new(self, found: Json) -> Json:
        chosen = {**self._talk.for_new.get("mode", {}), **self._talk.for_new.get("folder", {})}
        if chosen.get("mode") == "autonomous":
            chosen["until"] = time.time() + 60 * found["minutes"]
        return chosen
