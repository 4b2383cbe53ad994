"""The subagents at work for conversations: which there are, what each does now, and how one is stopped."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.bus.events import (
    PermissionAsked,
    PermissionSettled,
    SubagentChanged,
    ToolFinished,
    ToolStarted,
)
from desktop.ui.actions import Actions
from desktop.ui.conversation.step import Outcome, did
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.widgets.plain import shown

type Json = dict[str, Any]

SESSION = "subagent:"
"""What the names of their own sessions begin with."""
_AT_WORK = ("queued", "running")


@dataclass(slots=True)
class Subagent:
    """One that runs, or waits for its turn."""

    id: str
    session: str
    """The conversation that it works for."""
    label: str
    state: str
    started: float
    """Seconds since the epoch."""
    doing: str = ""
    """In words, the call that it is at."""
    call: str = ""
    turn: str = ""
    asks: bool = False
    """Whether that call waits for the person's answer."""


class Subagents(QObject):
    """Those of all conversations, as far as any was opened or they were heard of."""

    changed = Signal()

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        key: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        """`key` gives the open conversation."""
        super().__init__(parent)
        self._actions, self._reporter, self._key = actions, reporter, key
        self._all: dict[str, Subagent] = {}
        self._heard = 0
        """How often one changed its state: what was read before that is old."""
        actions.bus.on(SubagentChanged, self._changed)
        actions.bus.on(PermissionAsked, lambda event: self._ask(event, asks=True))
        actions.bus.on(PermissionSettled, lambda event: self._ask(event, asks=False))
        actions.bus.on(ToolStarted, self._tool_started)
        actions.bus.on(ToolFinished, self._tool_finished)

    @property
    def here(self) -> list[Subagent]:
        """Those of the open conversation, in the order in which they were called for."""
        key = self._key()
        return [subagent for subagent in self._all.values() if subagent.session == key]

    def opened(self) -> None:
        """Another conversation is open: look what is at work for it."""
        if self._key():
            self._reporter.run(self._read(self._key()), name="conversation:subagents")
        self.changed.emit()

    def stop(self, subagent: str) -> None:
        """End one."""
        self._reporter.run(self._actions.api.conversations.stop_subagent(subagent), name="subagents:stop")

    async def _read(self, key: str) -> None:
        heard = -1
        while heard != self._heard:
            heard = self._heard
            found = await self._actions.api.conversations.subagents(key)
        working = [one for one in found if one.state in _AT_WORK]
        there = {one.id for one in working}
        self._all = {k: s for k, s in self._all.items() if s.session != key or k in there}
        for one in working:
            self._put(key, one.id, one.label, one.state, one.started or 0.0)
        self.changed.emit()

    def _put(self, session: str, id_: str, label: str, state: str, started: float) -> None:
        known = self._all.get(id_)
        if known is None:
            known = self._all[id_] = Subagent(id_, session, label, state, started)
        if state == "running" and (known.state != "running" or not known.started):
            known.started = started or time.time()
        known.label, known.state = " ".join(shown(label).split()), state

    def _changed(self, event: SubagentChanged) -> None:
        self._heard += 1
        if event.state in _AT_WORK:
            self._put(event.session, event.id, event.label, event.state, time.time())
        else:
            self._all.pop(event.id, None)
        self.changed.emit()

    def _ask(self, event: PermissionAsked | PermissionSettled, *, asks: bool) -> None:
        for subagent in self.here:
            if (subagent.turn, subagent.call) == (event.turn, event.call):
                subagent.asks = asks
                self.changed.emit()

    def _tool_started(self, event: ToolStarted) -> None:
        if subagent := self._of(event):
            words = f"{did(event.tool, Outcome.RUNNING)} {event.gist}"
            subagent.doing, subagent.asks = " ".join(shown(words).split()), False
            subagent.turn, subagent.call = event.turn, event.call
            self._tell(subagent)

    def _tool_finished(self, event: ToolFinished) -> None:
        subagent = self._of(event)
        if subagent and event.call == subagent.call:
            subagent.doing, subagent.call, subagent.asks = "", "", False
            self._tell(subagent)

    def _of(self, event: ToolStarted | ToolFinished) -> Subagent | None:
        """The subagent in whose own session this is."""
        return self._all.get(event.session.removeprefix(SESSION)) if of_subagent(event.session) else None

    def _tell(self, subagent: Subagent) -> None:
        if subagent.session == self._key():
            self.changed.emit()


def of_subagent(session: str) -> bool:
    """Whether this is a subagent's own session, which no front end shows."""
    return session.startswith(SESSION)
