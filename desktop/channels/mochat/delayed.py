"""Messages of panels that do not mention the agent: answered after a pause, all that was written in one.

They are on disk, so that none is lost when the program ends meanwhile. Those that are answered just now
are kept apart until their turn is stored: after a kill they come again as the same message, which is known.
"""

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from desktop.channels.message import Received, as_stored
from desktop.channels.notes import Notes

_WAITING, _GOING = "waits ", "goes "
_MOST = 50
"""Messages of one panel: then they are answered, however lively it is."""
_KNOWN = 500


@dataclass(slots=True)
class _Panel:
    waiting: list[Received] = field(default_factory=list)
    timer: asyncio.TimerHandle | None = None


class Delayed:
    """Those of one agent. Methods raise StorageError; all but open() run one after the other."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._panels: dict[str, _Panel] = {}
        self._over: Callable[[str], None] = lambda _panel: None
        self._answered: deque[str] = deque(maxlen=_KNOWN)
        """Messages that were part of an answered one: they come in several ways."""

    async def open(self, over: Callable[[str], None], pause_s: float) -> None:
        """Go on with what is on disk. `over` is told of a panel whose pause is over."""
        self._over = over
        for stored in await self._notes.beginning(_GOING):
            self._over(json.loads(stored)["panel"])
        for stored in await self._notes.beginning(_WAITING):
            told = json.loads(stored)
            panel = self._panels[told["panel"]] = _Panel([Received.of(one) for one in told["messages"]])
            self._arm(told["panel"], panel, min(pause_s, told["due"] - time.time()))

    def close(self) -> None:
        """Tell of nothing more; what waits is on disk."""
        for panel in self._panels.values():
            if panel.timer:
                panel.timer.cancel()
        self._panels.clear()

    def waits(self, panel: str) -> bool:
        """Whether something of a panel does."""
        return panel in self._panels

    def has(self, panel: str, id_: str) -> bool:
        """Whether a message waits."""
        found = self._panels.get(panel)
        return found is not None and any(one.id == id_ for one in found.waiting)

    async def add(self, panel: str, message: Received, pause_s: float) -> None:
        """Have a message answered after a pause that begins now; one that waits is put in its place."""
        if message.id in self._answered:
            return
        found = self._panels.setdefault(panel, _Panel())
        if self.has(panel, message.id):
            found.waiting = [message if one.id == message.id else one for one in found.waiting]
        else:
            found.waiting.append(message)
        pause_s = pause_s if len(found.waiting) < _MOST else 0.0
        await self._store(panel, found, time.time() + pause_s)
        self._arm(panel, found, pause_s)

    async def remove(self, panel: str, id_: str) -> None:
        """A message was taken back."""
        found = self._panels.get(panel)
        if found and self.has(panel, id_):
            found.waiting = [one for one in found.waiting if one.id != id_]
            await self._store(panel, found, time.time())

    async def flush(self, panel: str, receive: Callable[[Received], Awaitable[None]]) -> None:
        """Have all answered that waits in a panel. Raises what `receive` does."""
        stored = await self._notes.get(_GOING + panel)
        left = [Received.of(one) for one in json.loads(stored)["messages"]] if stored else []
        if left:
            await self._send(panel, left, receive)
        if found := self._panels.get(panel):
            sent = {one.id for one in left}
            going, found.waiting = [one for one in found.waiting if one.id not in sent], []
            if going:
                await self._notes.set(_GOING + panel, _noted(panel, going, 0.0))
            await self._store(panel, found, 0.0)
            if going:
                await self._send(panel, going, receive)

    async def _send(
        self, panel: str, messages: list[Received], receive: Callable[[Received], Awaitable[None]]
    ) -> None:
        await receive(joined(messages))
        await self._notes.drop(_GOING + panel)
        self._answered.extend(one.id for one in messages)

    async def _store(self, panel: str, found: _Panel, due: float) -> None:
        if found.waiting:
            await self._notes.set(_WAITING + panel, _noted(panel, found.waiting, due))
            return
        if found.timer:
            found.timer.cancel()
        self._panels.pop(panel, None)
        await self._notes.drop(_WAITING + panel)

    def _arm(self, panel: str, found: _Panel, pause_s: float) -> None:
        if found.timer:
            found.timer.cancel()
        found.timer = asyncio.get_running_loop().call_later(max(0.0, pause_s), self._over, panel)


def joined(messages: list[Received]) -> Received:
    """All as the last one. What others wrote before is quoted, which makes it no word of its sender's."""
    last, before = messages[-1], messages[:-1]
    if not before:
        return last
    files = tuple(file for one in messages for file in one.files)
    if all(one.sender == last.sender and not one.quoted for one in before):
        return replace(last, text="\n".join(one.text for one in messages), files=files)
    said = "\n".join(f"{' '.join(one.name.split())}: {one.text}" for one in before)
    return replace(last, quoted=said, files=files)


def _noted(panel: str, messages: list[Received], due: float) -> str:
    told = {"panel": panel, "due": due, "messages": [one.as_json() for one in messages]}
    return as_stored(told)
