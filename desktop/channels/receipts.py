"""The sign on a message while it is dealt with: that it is here, that it takes time, that it is done.

There is one at a time, and none is needed: where the service refuses it, nothing is said. It belongs to a
turn, and goes when that has ended; the one for done takes its place where the turn came to its answer. It
is noted before it is put, so that the next start takes it away where the program ended before.
"""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from desktop.channels.channel import SIGNS_AFTER_S, Channel
from desktop.channels.message import Address, Received
from desktop.channels.notes import Notes
from desktop.config.channels.base import Signs
from desktop.errors import StorageError
from desktop.tasks import cancel, spawn

_NOTE = "sign "
"""How the names of its notes begin."""


@dataclass(slots=True, eq=False)
class _Sign:
    channel: Channel
    received: Received
    signs: Signs
    wanted: str = ""
    shown: str = ""
    noted: tuple[str, ...] = ()
    changing: asyncio.Task[None] | None = None
    waiting: asyncio.Task[None] | None = None
    """Until the work is said to take time."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Its turn is at its end."""

    @property
    def place(self) -> tuple[str, str, str]:
        """The message."""
        where = self.received.where
        return where.channel, where.chat, self.received.id

    def stays(self, emoji: str) -> bool:
        """Whether this is the last one, and for good."""
        return self.ended.is_set() and emoji == self.signs.done


class Receipts:
    """The signs, by turns. For the loop only."""

    def __init__(self, notes: Callable[[str], Notes]) -> None:
        """`notes`: those of a channel."""
        self._notes = notes
        self._turns: dict[str, list[_Sign]] = {}
        self._changing: dict[tuple[str, str, str], _Sign] = {}

    def begin(self, turn: str, channel: Channel, received: Received, signs: Signs) -> None:
        """A message is about to be stored."""
        if turn not in self._turns and channel.abilities.reactions and signs.any:
            sign = _Sign(channel, received, signs)
            self._turns[turn] = [self._changing.get(sign.place, sign)]

    def stored(self, turn: str) -> None:
        """It is on disk."""
        for sign in self._turns.get(turn, ()):
            self._show(sign, sign.signs.received)
            if sign.signs.working:
                sign.waiting = spawn(self._work(sign), name=f"receipts:{sign.channel.name}")

    def joined(self, turn: str, into: str) -> None:
        """A turn goes on as another, whose end is that of both."""
        if moved := self._turns.pop(turn, None):
            self._turns.setdefault(into, []).extend(moved)

    async def ended(self, turn: str, *, done: bool) -> None:
        """There is an answer, or there will be none."""
        for sign in self._turns.pop(turn, ()):
            await cancel(sign.waiting)
            sign.ended.set()
            self._show(sign, sign.signs.done if done else "")

    async def recover(self, channel: Channel) -> None:
        """An app is up: take away what an earlier run of the program has left there."""
        notes = self._notes(channel.name)
        with suppress(StorageError):
            for left in await notes.beginning(_NOTE):
                chat, thread, message, shown = json.loads(left)
                if (channel.name, chat, message) in self._here():
                    continue
                for emoji in shown:
                    await channel.unreact(Address(channel.name, chat, thread), message, emoji)
                await notes.drop(_name(chat, message))

    def _here(self) -> set[tuple[str, str, str]]:
        """The messages whose signs are of this run."""
        return {*self._changing, *(sign.place for turn in self._turns.values() for sign in turn)}

    async def stop(self) -> None:
        """Change nothing more."""
        waiting = [sign.waiting for turn in self._turns.values() for sign in turn]
        await cancel(*waiting, *(sign.changing for sign in self._changing.values()))
        self._turns.clear()

    async def _work(self, sign: _Sign) -> None:
        await asyncio.sleep(sign.signs.working_after_s)
        self._show(sign, sign.signs.working)

    def _show(self, sign: _Sign, emoji: str) -> None:
        sign.wanted = emoji
        if sign.place not in self._changing:
            self._changing[sign.place] = sign
            sign.changing = spawn(self._change(sign, emoji), name=f"receipts:{sign.channel.name}")

    async def _change(self, sign: _Sign, first: str) -> None:
        try:
            if not sign.shown:
                with suppress(TimeoutError):
                    async with asyncio.timeout(SIGNS_AFTER_S):
                        await sign.ended.wait()
            await self._put(sign, first)
            while sign.shown != sign.wanted:
                await self._put(sign, sign.wanted)
        finally:
            del self._changing[sign.place]

    async def _put(self, sign: _Sign, new: str) -> None:
        """Put a sign in the place of the one that is there; an empty one takes that away."""
        channel, where, message = sign.channel, sign.received.where, sign.received.id
        old = sign.shown
        await self._note(sign, old, new)
        if new:
            await channel.react(where, message, new)
        if old and not (new and channel.abilities.one_reaction):
            await channel.unreact(where, message, old)
        sign.shown = new
        await self._note(sign, new)

    async def _note(self, sign: _Sign, *emojis: str) -> None:
        """Note what is there for a while; where the disk is full, it is there without a note."""
        shown = tuple(emoji for emoji in emojis if emoji and not sign.stays(emoji))
        if shown == sign.noted:
            return
        sign.noted = shown
        where, message, notes = sign.received.where, sign.received.id, self._notes(sign.channel.name)
        with suppress(StorageError):
            if shown:
                value = json.dumps([where.chat, where.thread, message, shown], ensure_ascii=False)
                await notes.set(_name(where.chat, message), value)
            else:
                await notes.drop(_name(where.chat, message))


def _name(chat: str, message: str) -> str:
    return f"{_NOTE}{chat} {message}"
