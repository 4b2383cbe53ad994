"""What goes to chats: on disk before it is sent, in order, each chat at its own pace.

A row is `open` while an answer is owed, `waiting` once there is one, `sent` or `failed` in the end. It
notes each part that the service has: after any end of the program the next start goes on behind it. A part
that was on its way just then is sent again, with the name that it had, by which services that can tell drop
it: Discord by its nonce, Matrix by its transaction, mail servers by the id of a mail. Telegram and Slack
have no such name: what they took while the connection was cut comes there twice, also the first words of an
answer that grows.
"""

import asyncio
import functools
import json
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import batched

from desktop.channels.calls import Calls
from desktop.channels.channel import Channel, Gone, MarkupRefused, NotDelivered, Slower
from desktop.channels.fitting import fitting
from desktop.channels.message import Address, Outgoing, Part, Sending, as_stored
from desktop.channels.patience import patiently
from desktop.database.database import Database
from desktop.errors import AppError, explain
from desktop.tasks import cancel, in_thread, spawn

OPEN, WAITING, SENT, FAILED = "open", "waiting", "sent", "failed"
_COLUMNS = "id, key, channel, chat, thread, reply, session, body, sent, tries"
_AT = (
    "max(?, coalesce((SELECT max(at) + 0.001 FROM outbox "
    "WHERE channel = ? AND chat = ? AND state = 'waiting'), 0))"
)
"""When a row is written: later than those of its chat that wait, also where the clock was set back."""
_UNFINISHED = "~"
"""Before the id of a message that shows the beginning of an answer."""
_UNHEARD = "?"
"""Before the name that such a message has (Sending.once) where the service did not tell its id."""
_KEPT_S = 30 * 86_400.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 300.0
_WHO = "the outbox"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Row:
    """One message on its way."""

    id: int
    key: str
    where: Address
    reply: str
    session: str
    message: Outgoing
    sent: tuple[str, ...]
    """The service's ids of the parts that are there."""
    tries: int


type Undelivered = Callable[[Row, AppError], Awaitable[None]]


class Outbox:
    """The rows, and who sends them."""

    def __init__(
        self,
        database: Database,
        channel: Callable[[str], Channel | None],
        retries: Callable[[], int],
        undelivered: Undelivered,
    ) -> None:
        """`undelivered` tells the person of a message that stays behind."""
        self._database, self._channel, self._retries = database, channel, retries
        self._undelivered = undelivered
        self._senders: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._more: set[tuple[str, str]] = set()
        self._calls = Calls()
        """Parts that are on their way, until it is noted that they are there."""
        self._free: dict[tuple[str, str], float] = {}
        """When the next message may go to a chat, by the loop's clock."""

    async def owe(self, key: str, where: Address, session: str, reply: str = "") -> None:
        """Note that a message has to have an answer. Raises StorageError."""
        await self._insert(key, where, session, reply, Outgoing(""), OPEN)

    async def put(
        self,
        key: str,
        where: Address,
        session: str,
        message: Outgoing,
        reply: str = "",
        *,
        shown: str = "",
    ) -> None:
        """Have a message sent, once for each key. `shown`: the message of the service that shows its
        beginning. Raises StorageError."""
        await self._insert(key, where, session, reply, message, WAITING, shown)
        self.wake(where)

    async def settle(self, key: str, message: Outgoing | None) -> bool:
        """Send what was owed, or nothing; False where nothing is owed. Raises StorageError."""
        row = await self.get(key)
        state = WAITING if message else SENT
        body = as_stored((message or Outgoing("")).as_json())
        at, chat = time.time(), row.where if row else Address("", "")
        changed = await self._database.write(
            f"UPDATE outbox SET body = ?, state = ?, at = {_AT} WHERE key = ? AND state = ?",  # noqa: S608
            (body, state, at, chat.channel, chat.chat, key, OPEN),
        )
        if changed and message and row:
            self.wake(row.where)
        return bool(changed)

    async def get(self, key: str) -> Row | None:
        """One row."""
        rows = await self._database.read(f"SELECT {_COLUMNS} FROM outbox WHERE key = ?", (key,))  # noqa: S608
        return _row(rows[0]) if rows else None

    async def owed(self) -> list[Row]:
        """The rows without an answer yet."""
        sql = f"SELECT {_COLUMNS} FROM outbox WHERE state = 'open' ORDER BY id"  # noqa: S608
        rows = await self._database.read(sql)
        return [_row(row) for row in rows]

    async def drop(self, key: str) -> None:
        """Forget what is owed: its message was never stored."""
        await self._database.write("DELETE FROM outbox WHERE key = ? AND state = ?", (key, OPEN))

    async def shown(self, key: str, id_: str) -> None:
        """The service shows the beginning of an answer as this message, which is to be edited: its id, or
        unheard() of its name."""
        sent = json.dumps([f"{_UNFINISHED}{id_}"])
        await self._database.write(
            "UPDATE outbox SET sent = ? WHERE key = ? AND state = ?", (sent, key, OPEN)
        )

    async def unshown(self, key: str) -> None:
        """What was shown belongs to another message."""
        await self._database.write("UPDATE outbox SET sent = '[]' WHERE key = ? AND state = ?", (key, OPEN))

    async def amend(self, key: str, message: Outgoing) -> None:
        """Put another text in the place of a message that was sent whole."""
        row = await self.get(key)
        if row is None or len(row.sent) != 1 or row.sent[0].startswith(_UNFINISHED):
            return
        body = as_stored(message.as_json())
        sent = json.dumps([f"{_UNFINISHED}{row.sent[0]}"])
        await self._database.write(
            "UPDATE outbox SET body = ?, sent = ?, state = ? WHERE key = ? AND state = ?",
            (body, sent, WAITING, key, SENT),
        )
        self.wake(row.where)

    async def again(self, key: str) -> bool:
        """Try a message anew that failed; False where there is none."""
        changed = await self._database.write(
            "UPDATE outbox SET state = ?, tries = 0 WHERE key = ? AND state = ?", (WAITING, key, FAILED)
        )
        if changed and (row := await self.get(key)):
            self.wake(row.where)
        return bool(changed)

    async def recover(self, channel: str) -> None:
        """An app is up: go on with what waits for it."""
        sql = "SELECT DISTINCT chat FROM outbox WHERE channel = ? AND state = 'waiting'"
        found = await patiently(_WHO, lambda: self._database.read(sql, (channel,)))
        for (chat,) in found:
            self.wake(Address(channel, chat))

    def wake(self, where: Address) -> None:
        """Have a chat's messages sent."""
        place = (where.channel, where.chat)
        self._more.add(place)
        if (sender := self._senders.get(place)) is None or sender.done():
            self._senders[place] = task = spawn(self._send(place), name=f"outbox:{where.channel}")
            task.add_done_callback(functools.partial(self._rests, place))

    async def tidy(self) -> None:
        """Forget what was sent weeks ago. Raises StorageError."""
        await self._database.write(
            "DELETE FROM outbox WHERE state = ? AND at < ?", (SENT, time.time() - _KEPT_S)
        )

    async def stop(self) -> None:
        """Send nothing more; the rest waits for the next start. What is on its way is noted: without, it
        would be sent twice."""
        await self._calls.rest()
        await cancel(*self._senders.values())
        self._senders.clear()

    async def _insert(
        self,
        key: str,
        where: Address,
        session: str,
        reply: str,
        message: Outgoing,
        state: str,
        shown: str = "",
    ) -> None:
        body = as_stored(message.as_json())
        sent = json.dumps([f"{_UNFINISHED}{shown}"] if shown else [])
        place = (where.channel, where.chat, where.thread)
        await self._database.write(
            "INSERT OR IGNORE INTO outbox (key, channel, chat, thread, reply, session, body, sent, state, "  # noqa: S608
            f"tries, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, {_AT})",
            (key, *place, reply, session, body, sent, state, time.time(), where.channel, where.chat),
        )

    # The rest runs in a chat's own task.

    async def _send(self, place: tuple[str, str]) -> None:
        while place in self._more:
            self._more.discard(place)
            while row := await self._next(place):
                channel = self._channel(place[0])
                if channel is None or not channel.up.is_set():
                    return  # recover() comes once the app is up
                await self._one(channel, row)

    def _rests(self, place: tuple[str, str], sender: "asyncio.Task[None]") -> None:
        """Nothing goes to a chat any more: nothing is known of it, nor of others whose pause is over."""
        if self._senders.get(place) is sender:
            del self._senders[place]
            self._more.discard(place)
        now = sender.get_loop().time()
        self._free = {one: free for one, free in self._free.items() if free > now}

    async def _next(self, place: tuple[str, str]) -> Row | None:
        sql = (
            f"SELECT {_COLUMNS} FROM outbox WHERE channel = ? AND chat = ? "  # noqa: S608
            "AND state = 'waiting' ORDER BY at, id LIMIT 1"
        )
        rows = await patiently(_WHO, lambda: self._database.read(sql, place))
        return _row(rows[0]) if rows else None

    async def _one(self, channel: Channel, row: Row) -> None:
        try:
            await self._parts(channel, row)
        except Slower as error:
            await asyncio.sleep(error.seconds)
        except Exception as error:
            await self._refused(channel, row, error)
        else:
            await self._note("state = ?", row, SENT)

    async def _parts(self, channel: Channel, row: Row) -> None:
        """Send what is missing of a row. Raises what post() does."""
        sent = list(row.sent)
        message = await in_thread(fitting, channel, row.message) if row.message.files else row.message
        for number, part in enumerate(_split(channel, message)):
            sending = Sending(row.where, part, f"{row.id}-{number}", "" if number else row.reply)
            begun = sent[number] if number < len(sent) else ""
            if begun and not begun.startswith(_UNFINISHED):
                continue
            if not begun or _name(begun):
                await self._pace(channel, row.where)
            with self._calls.one():
                await self._part(channel, row, sending, sent, begun)
                channel.went()
                await self._note("sent = ?", row, json.dumps(sent))

    async def _part(
        self, channel: Channel, row: Row, sending: Sending, sent: list[str], begun: str
    ) -> None:
        """Send one part, or put it in the place of its beginning, which is the last of `sent` then."""
        if not begun:
            sent.append(await _posted(channel, sending))
            return
        if name := _name(begun):
            made = await _posted(channel, replace(sending, once=name, begins=True))
            sent[-1] = f"{_UNFINISHED}{made}"
            await self._note("sent = ?", row, json.dumps(sent))
        sent[-1] = await _edited(channel, sent[-1].removeprefix(_UNFINISHED), sending)

    async def _pace(self, channel: Channel, where: Address) -> None:
        """Wait as long as the service wants between messages to one chat."""
        place, now = (where.channel, where.chat), asyncio.get_running_loop().time()
        free = max(now, self._free.get(place, now))
        self._free[place] = free + channel.every(where)
        await asyncio.sleep(free - now)

    async def _refused(self, channel: Channel, row: Row, error: Exception) -> None:
        """Wait before the next try, or leave it to the person."""
        told = explain(error)
        if not isinstance(error, AppError | OSError):
            _log.error("a message to %s failed", channel.name, exc_info=error)
        final = isinstance(error, NotDelivered)
        if not final and not channel.up.is_set():
            return  # the app is down: that is no try
        await self._note("tries = tries + 1", row)
        _log.info("%s to %s: %s", row.key, row.where.channel, told.text)
        if final or row.tries >= self._retries():
            await patiently(_WHO, lambda: self._undelivered(row, told))
            await self._note("state = ?", row, FAILED)
        else:
            await asyncio.sleep(min(_FIRST_PAUSE_S * 3**row.tries, _LONGEST_PAUSE_S))

    async def _note(self, change: str, row: Row, *values: object) -> None:
        """Note what became of a row: without, it would be sent twice."""
        sql = f"UPDATE outbox SET {change} WHERE id = ?"  # noqa: S608
        await patiently(_WHO, lambda: self._database.write(sql, (*values, row.id)))


def unheard(name: str) -> str:
    """Stands for the id of a message of this name, which the service may have and did not tell."""
    return f"{_UNHEARD}{name}"


def _name(sent: str) -> str:
    """Of a message whose id is not known; else empty."""
    unknown = f"{_UNFINISHED}{_UNHEARD}"
    return sent.removeprefix(unknown) if sent.startswith(unknown) else ""


def _split(channel: Channel, message: Outgoing) -> list[Part]:
    """A message as the service's messages; files come after the text, or with it."""
    texts = channel.parts(message.text) if message.text.strip() else []
    files = list(message.files)
    if texts and files and len(texts) == 1 and 0 < len(texts[0][1]) <= channel.abilities.caption:
        most = channel.abilities.files
        found = [Part(*texts[0], file=files[0], more=tuple(files[1:most]))]
        del files[:most]
    else:
        found = [Part(*pair) for pair in texts]
    for first, *more in batched(files, channel.abilities.files):
        found.append(Part("", "", file=first, more=tuple(more)))
    if found and message.buttons:
        found[-1] = replace(found[-1], buttons=message.buttons)
    return found


async def _posted(channel: Channel, sending: Sending) -> str:
    try:
        return await channel.post(sending)
    except MarkupRefused:
        part = replace(sending.part, markup="")
        return await channel.post(replace(sending, part=part))


async def _edited(channel: Channel, id_: str, sending: Sending) -> str:
    """Put the answer in the place of its beginning; beside it where that is gone."""
    try:
        try:
            await channel.edit(id_, sending)
        except MarkupRefused:
            await channel.edit(id_, replace(sending, part=replace(sending.part, markup="")))
    except Gone:
        return await _posted(channel, sending)
    return id_


def _row(row: tuple[object, ...]) -> Row:
    id_, key, channel, chat, thread, reply, session, body, sent, tries = row
    return Row(
        int(str(id_)),
        str(key),
        Address(str(channel), str(chat), str(thread)),
        str(reply),
        str(session),
        Outgoing.of(json.loads(str(body))),
        tuple(json.loads(str(sent))),
        int(str(tries)),
    )
