"""Commands that come from chats, each done once: a service sends a message again that it thinks was not
received, also while its command runs, and after an end of the program amid it."""

import asyncio

from desktop.agent.loop import Loop
from desktop.agent.turn import Inbound
from desktop.session.log import Session
from desktop.session.model import Message
from desktop.tasks import cancel, spawn
from desktop.text import _


class ChatCommands:
    """Those that run, by the turns of their messages. For the loop only."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._running: dict[str, asyncio.Task[str]] = {}

    async def answer(self, session: Session, inbound: Inbound, turn: str) -> str:
        """What a command came to, now or when its message came before. Raises StorageError."""
        running = self._running.get(turn)
        if running is None:
            work = self._answer(session, inbound, turn)
            running = self._running[turn] = spawn(work, name="chats:command")
            running.add_done_callback(lambda _task: self._running.pop(turn, None))
        return await asyncio.shield(running)

    async def stop(self) -> None:
        """Do nothing more."""
        await cancel(*self._running.values())

    async def _answer(self, session: Session, inbound: Inbound, turn: str) -> str:
        if said := _of_earlier(turn, await session.everything()):
            return said
        await self._loop.submit(inbound, turn)
        return _said(turn, await session.everything())


def _said(turn: str, records: list[Message]) -> str:
    """What a command came to. No model sees it, so it is none of the messages that a turn has."""
    said = (one for one in reversed(records) if one.get("_turn") == turn and one.get("role") == "assistant")
    return str(next(said, {}).get("content") or "")


def _of_earlier(turn: str, records: list[Message]) -> str:
    """What to say of one that came before; where the program ended amid it, it may have been done. Empty
    for one that is new."""
    if not any(one.get("_turn") == turn for one in records):
        return ""
    return _said(turn, records) or _(
        "Nanobot was closed during this command. It may already be done. Send it again if it is not."
    )
