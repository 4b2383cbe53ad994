"""Mode and folder of the open conversation: read when it is opened, changed from under the field."""

import time
from typing import Any

from PySide6.QtCore import QObject, QTimer

from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.mode import ModeBar
from desktop.ui.funnel import Funnel

type Json = dict[str, Any]

_LONGEST_MS = 2_000_000_000


class Permits(QObject):
    """Keeps the bar in step with the conversation."""

    def __init__(self, actions: Actions, funnel: Funnel, talk: Controller, bar: ModeBar) -> None:
        super().__init__(bar)
        self._actions, self._funnel, self._talk, self._bar = actions, funnel, talk, bar
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
        self._funnel.run(self._refresh(), name="permits:read")

    def _choose(self, verb: str, given: Json) -> None:
        self._funnel.run(self._chosen(verb, given), name=f"permits:{verb}")

    async def _chosen(self, verb: str, given: Json) -> None:
        key = self._talk.key
        if key:
            await self._actions.call(verb, session=key, **given)
        else:  # it is stored with the first message
            self._talk.for_new[verb] = given
        await self._refresh()

    async def _refresh(self) -> None:
        key = self._talk.key
        found = await self._actions.call("permissions", session=key)
        if key != self._talk.key:
            return
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
