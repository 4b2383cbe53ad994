"""All sessions of one workspace: each is opened once, and those used last stay in memory."""

import asyncio
from collections import OrderedDict
from pathlib import Path
from weakref import WeakValueDictionary

from desktop.paths import temporary
from desktop.session import names, records, trash
from desktop.session.listing import describe_all
from desktop.session.log import Session, Written, find, nobody
from desktop.session.model import SessionInfo
from desktop.session.temporary import TemporarySession
from desktop.tasks import in_thread

_KEPT_OPEN = 64
_MOST_HELD = 3_000_000
"""Bytes that the messages of those may take together. Chat apps have many conversations, and each of them
may grow as far as a model sees."""


class Sessions:
    """All sessions of one workspace. Creates nothing on disk until something is appended."""

    def __init__(self, folder: Path, *, limit: int = 200_000) -> None:
        """`limit`: about how many tokens of a session are loaded when it is opened."""
        self.folder = folder
        self.on_write: Written = nobody
        self._limit = limit
        self._sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._recent: OrderedDict[str, Session] = OrderedDict()
        self._opening: dict[str, asyncio.Lock] = {}
        self.temporary: dict[str, Session] = {}
        """Those that are nowhere else."""

    async def open(self, key: str) -> Session:
        """The session of this key, new or stored. Raises StorageError."""
        key = records.clean(key)
        if temporary(key):
            return self._open_temporary(key)
        lock = self._opening.setdefault(key, asyncio.Lock())
        async with lock:
            session = self._sessions.get(key)
            if session is None:
                session = await in_thread(find, self.folder, key, self._limit)
                session.on_write = self.on_write
                self._sessions[key] = session
        self._opening.pop(key, None)
        self._recent[key] = session
        self._recent.move_to_end(key)
        self._let_go()
        return session

    def _let_go(self) -> None:
        """Those used longest ago are read anew when they are wanted; one in use stays the same object."""
        held = sum(session.held for session in self._recent.values())
        while len(self._recent) > _KEPT_OPEN or (held > _MOST_HELD and len(self._recent) > 1):
            held -= self._recent.popitem(last=False)[1].held

    def _open_temporary(self, key: str) -> Session:
        if key not in self.temporary:
            self.temporary[key] = TemporarySession(key, self.folder / names.file_name(key), self._limit)
        return self.temporary[key]

    async def list(self) -> list[SessionInfo]:
        """All stored sessions, the newest first. Looks at the head and the tail of each file only."""
        return await in_thread(describe_all, self.folder)

    async def delete(self, key: str) -> None:
        """Put a session away; restore() brings it back for 30 days. Raises StorageError."""
        session = self.temporary.pop(records.clean(key), None) or await self.open(key)
        self._sessions.pop(session.key, None)
        self._recent.pop(session.key, None)
        await session.put_away()
        self.on_write(None)

    async def restore(self, key: str) -> bool:
        """Bring back a session that was deleted; False if it is not there any more. Raises StorageError."""
        key = records.clean(key)
        self._sessions.pop(key, None)
        self._recent.pop(key, None)
        restored = await in_thread(trash.bring_back, self.folder, key)
        self.on_write(None)
        return restored

    def forget(self, key: str) -> None:
        """Read this session anew when it is next opened: its file was put in place from outside."""
        self._sessions.pop(key, None)
        self._recent.pop(key, None)

    def close(self) -> None:
        """Forget what is in memory; everything is on disk already."""
        self._recent.clear()
        self._sessions.clear()
        self.temporary.clear()
