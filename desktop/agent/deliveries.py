"""What was made outside a conversation and belongs into it: put there once, when nothing is being answered.

It is in state.db before the conversation gets it. One that was killed in between is put there at the next
start, unless the conversation has it already.
"""

import asyncio
import json
import logging
import uuid
from typing import Any

from desktop.agent.loop import Loop
from desktop.agent.outward import Outward
from desktop.bus.bus import Bus
from desktop.bus.events import TurnSpoke
from desktop.database.database import Database
from desktop.errors import AppError
from desktop.origin import Mark, mark_of
from desktop.paths import temporary
from desktop.session.sessions import Sessions
from desktop.tasks import cancel, spawn
from desktop.tools.base import Saying, ToolFailure

_COLUMNS = "id, session, text, source, origin, sources, chat"
_log = logging.getLogger(__name__)


class Deliveries:
    """Those on their way."""

    def __init__(
        self, database: Database, sessions: Sessions, loop: Loop, bus: Bus, outward: Outward
    ) -> None:
        self._database, self._sessions, self._loop, self._bus = database, sessions, loop, bus
        self._outward = outward
        self._tasks: set[asyncio.Task[None]] = set()

    async def put(
        self,
        id_: str,
        session: str,
        text: str,
        source: str,
        mark: Mark,
        *,
        again: bool = False,
        chat: str = "",
    ) -> None:
        """Have a conversation get a message of the agent, soon. Raises StorageError. `again`: it may have
        it already; `chat`: the chat of the conversation that it is for, where it has several."""
        row = (id_, session, text, source, mark.origin.value, json.dumps(mark.sources), chat)
        await self._database.write(
            f"INSERT OR IGNORE INTO deliveries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            row,
        )
        self._begin(row, again=again)

    async def recover(self) -> None:
        """Go on with those of the last time. Raises StorageError."""
        for row in await self._database.read(f"SELECT {_COLUMNS} FROM deliveries"):  # noqa: S608
            self._begin(row, again=True)

    async def stop(self) -> None:
        """Leave the rest for the next start."""
        await cancel(*self._tasks)

    def _begin(self, row: tuple[Any, ...], *, again: bool = False) -> None:
        task = spawn(self._one(*row, again=again), name=f"deliver:{row[0]}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _one(
        self,
        id_: str,
        key: str,
        text: str,
        source: str,
        origin: str,
        sources: str,
        chat: str,
        *,
        again: bool,
    ) -> None:
        try:
            await self._loop.at_rest(key)
            session = await self._sessions.open(key)
            there = await session.stored()
            if there and not (again and await self._has_it(key, id_)):
                message = {"role": "assistant", "content": text, "_from": source, "_delivery": id_}
                mark = mark_of({"_origin": origin, "_sources": json.loads(sources)})
                await session.append({**message, "_channel_delivery": True, **mark.as_fields()})
                self._bus.publish(TurnSpoke(session.key, "", text))
            if there:
                await self._outward.carry(f"delivery:{id_}", session.key, text, (), chat)
            await self._database.write("DELETE FROM deliveries WHERE id = ?", (id_,))
        except AppError as error:
            _log.warning("%s could not be delivered to %s yet: %s", id_, key, error)

    async def _has_it(self, key: str, id_: str) -> bool:
        records = await (await self._sessions.open(key)).everything()
        return any(record.get("_delivery") == id_ for record in records)


async def send(
    sessions: Sessions, bus: Bus, outward: Outward, saying: Saying, source: str, mark: Mark
) -> None:
    """Put a message that the agent sends from one conversation into another. Raises ToolFailure if there is
    none such."""
    session = await sessions.open(saying.session)
    if not await session.stored() and not outward.reaches(session.key):
        known = ", ".join(info.key for info in (await sessions.list())[:20])
        raise ToolFailure(f"There is no conversation {saying.session}. There are: {known}.")
    message = {"role": "assistant", "content": saying.text, "_from": source, "_channel_delivery": True}
    if temporary(source):
        del message["_from"]
    await session.append(message | saying.fields | mark.fields_if_marked())
    bus.publish(TurnSpoke(session.key, "", saying.text, saying.files))
    await outward.carry(f"sent:{uuid.uuid4().hex}", session.key, saying.text, saying.files, "")
