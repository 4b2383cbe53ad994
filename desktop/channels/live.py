"""What a chat sees while an answer is being made: that somebody writes, and the answer as far as it is.

None of it is needed: the answer goes through the outbox, which puts it in the place of what was shown.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace

from desktop.channels.channel import SIGNS_AFTER_S, Channel, MarkupRefused, NotDelivered, Slower
from desktop.channels.message import Address, Outgoing, Part, Sending
from desktop.channels.outbox import Outbox, unheard
from desktop.errors import AppError
from desktop.tasks import cancel, spawn

_LEAST = 20
"""Characters before the first is shown: it makes the notification."""


@dataclass(slots=True)
class _Turn:
    channel: Channel
    where: Address
    key: str
    reply: str
    session: str
    streaming: bool
    text: list[str] = field(default_factory=list)
    shown: str = ""
    """The service's id of the message that shows the beginning, or unheard()."""
    steps: int = 0
    more: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    typing: bool = False
    quiet: bool = False
    """It said what it had to say: what comes now is not shown."""
    painting: asyncio.Task[None] | None = None


@dataclass(slots=True)
class _Typist:
    """Shows for all turns of a chat that an answer is being written."""

    task: asyncio.Task[None]
    turns: int = 0


class Live:
    """The turns that are being answered, by their ids. For the loop only."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._turns: dict[str, _Turn] = {}
        self._typists: dict[Address, _Typist] = {}

    def begin(
        self, turn: str, channel: Channel, where: Address, session: str, reply: str, *, streaming: bool
    ) -> None:
        """A message was accepted."""
        if turn in self._turns:
            return
        streaming = streaming and channel.abilities.edit_every_s > 0
        made = _Turn(channel, where, f"answer:{turn}", reply, session, streaming)
        self._turns[turn] = made
        if channel.abilities.typing_every_s:
            self._type(made)

    def joined(self, turn: str, into: str) -> None:
        """A turn goes on as another, which its chat gets the answer of."""
        made, waiting = self._turns.pop(turn, None), self._turns.pop(into, None)
        if made is None:
            return
        if waiting is not None:
            spawn(self._end_typing(waiting), name="typing:end")
        spawn(self._move(made, into), name="live:joined")
        self._turns[into] = made

    async def _move(self, made: _Turn, into: str) -> None:
        made.key = f"answer:{into}"
        made.quiet = False
        if made.shown:
            await self._outbox.shown(made.key, made.shown)

    def add(self, turn: str, text: str) -> None:
        """More of the answer."""
        made = self._turns.get(turn)
        if made is None or made.quiet:
            return
        made.text.append(text)
        if made.streaming:
            made.more.set()
            if made.painting is None or made.painting.done():
                made.painting = spawn(self._paint(made), name=f"live:{made.channel.name}")

    def spoke(self, turn: str, *, last: bool) -> None:
        """The answer was sent as a message; or it was not the last word, as the turn goes on."""
        if made := self._turns.get(turn):
            made.quiet = last

    async def step(self, turn: str, *, progress: bool, hint: str) -> None:
        """A tool was called: what was said before it is a message by itself, where that is wanted."""
        made = self._turns.get(turn)
        if made is None:
            return
        text = "".join(made.text).strip()
        made.text.clear()
        if not made.channel.abilities.steps:
            return
        made.steps += 1
        name = f"{made.key.removeprefix('answer:')}:{made.steps}"
        if progress and text:
            await self._end_painting(made)
            shown, made.shown = made.shown, ""
            await self._outbox.put(
                f"progress:{name}", made.where, made.session, Outgoing(text), made.reply, shown=shown
            )
            if shown:
                await self._outbox.unshown(made.key)
        if hint:
            await self._outbox.put(f"tool:{name}", made.where, made.session, Outgoing(hint))

    async def end(self, turn: str) -> None:
        """The answer is there, or there is none: nothing more is shown before it is sent."""
        made = self._turns.pop(turn, None)
        if made is not None:
            await self._end_typing(made)
            await self._end_painting(made)

    async def stop(self) -> None:
        """Show nothing more."""
        for turn in tuple(self._turns):
            await self.end(turn)

    def _type(self, made: _Turn) -> None:
        made.typing, where = True, made.where
        if (typist := self._typists.get(where)) is None:
            task = spawn(_type(made.channel, where), name=f"typing:{made.channel.name}")
            typist = self._typists[where] = _Typist(task)
        typist.turns += 1

    async def _end_typing(self, made: _Turn) -> None:
        if not made.typing:
            return
        made.typing, typist = False, self._typists[made.where]
        typist.turns -= 1
        if not typist.turns:
            del self._typists[made.where]
            await cancel(typist.task)

    @staticmethod
    async def _end_painting(made: _Turn) -> None:
        """What is on its way arrives first: an older text must not take the place of the answer."""
        made.ended.set()
        made.more.set()
        if made.painting is not None:
            await asyncio.wait({made.painting})
        made.ended.clear()
        made.more.clear()

    async def _paint(self, made: _Turn) -> None:
        try:
            while True:
                await made.more.wait()
                made.more.clear()
                if made.ended.is_set():
                    return
                text = "".join(made.text)
                if len(text.strip()) >= _LEAST:
                    await self._show(made, text)
                    await _pause(made, made.channel.abilities.edit_every_s)
        except (AppError, OSError, TimeoutError):
            made.streaming = False  # the answer comes whole

    async def _show(self, made: _Turn, text: str) -> None:
        pair = made.channel.parts(text)[0]
        sending = Sending(made.where, Part(*pair), "", made.reply, grows=True)
        try:
            if made.shown:
                await made.channel.edit(made.shown, sending)
            else:
                await self._end_typing(made)
                await self._begin(made, sending)
        except Slower as error:
            await _pause(made, error.seconds)

    async def _begin(self, made: _Turn, sending: Sending) -> None:
        """Post the first words. That they may be there is noted before: where a cut or the end of the
        program keeps their id from us, the answer finds them by their name, as far as the service can."""
        name = f"{made.key}:{made.steps}"
        if made.channel.abilities.once:
            await self._outbox.shown(made.key, unheard(name))
            made.shown = unheard(name)
        try:
            made.shown = await made.channel.post(replace(sending, once=name, begins=True))
        except (Slower, MarkupRefused, NotDelivered):
            if made.shown:
                made.shown = ""
                await self._outbox.unshown(made.key)
            raise
        await self._outbox.shown(made.key, made.shown)


async def _pause(made: _Turn, seconds: float) -> None:
    """Wait, but not once the answer is there."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await made.ended.wait()


async def _type(channel: Channel, where: Address) -> None:
    await asyncio.sleep(SIGNS_AFTER_S)
    while True:
        await channel.typing(where)
        await asyncio.sleep(channel.abilities.typing_every_s)
