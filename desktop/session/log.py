"""Sessions as append-only logs: what append() has returned is on disk, and stays there.

Nothing rewrites a file. A write that fails is taken back; one that was torn by a crash is closed
with a line end before the next record, so that it costs itself and nothing after it.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from desktop.errors import explain
from desktop.session import reader, records, trash
from desktop.session.model import Message, marked, now, place_in
from desktop.session.place import place_of, stored
from desktop.session.window import Window
from desktop.tasks import in_thread, spawn

_log = logging.getLogger(__name__)
_OUTER = ("created_at", "updated_at", "last_archived", "last_consolidated")

type Written = Callable[[Path | None], object]
"""Is told of a file that was written, or None where files came or went."""


def nobody(_path: Path | None) -> None:
    """Nobody wants to be told."""


class Session:
    """One conversation: its newest messages in memory, all of them in one file."""

    def __init__(self, key: str, path: Path, limit: int, loaded: reader.Loaded | None = None) -> None:
        self.key = key
        self.path = path
        self.on_write: Written = nobody
        self._limit = limit
        self._lock = asyncio.Lock()
        self._take(loaded or reader.Loaded())

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What set_metadata() stored: title and the like."""
        inner = self._line.get("metadata")
        return inner if isinstance(inner, dict) else {}

    @property
    def archived(self) -> int:
        """How many messages from the start a model no longer sees, as stored; 0 if that is no count."""
        return reader.offset_of(self._line)

    @property
    def covered(self) -> int:
        """How many messages from the start the history of the memory covers, as stored."""
        value = self._line.get("last_consolidated")
        known = value if isinstance(value, int) and not isinstance(value, bool) else 0
        return max(known, self.archived)

    @property
    def tokens(self) -> int:
        """About how many tokens the messages have that a model sees; at most twice the limit."""
        return self._window.tokens

    @property
    def shown(self) -> int:
        """About how many tokens those have that history() gave last."""
        return self._window.shown

    @property
    def held(self) -> int:
        """About how many bytes its messages take in memory."""
        return self._window.held

    @property
    def unanswered(self) -> Message | None:
        """The person's last message, if its answer never came to an end: the program was ended before."""
        asked, last = self._window.last_asked, self._window.last
        return asked if last and (last is asked or _in_the_middle(last)) else None

    @property
    def last_asked(self) -> Message | None:
        """The last message of the person, if it has no answer yet or one that failed or was stopped."""
        asked, last = self._window.last_asked, self._window.last
        if not asked or not last or not asked.get("_turn"):
            return None
        unfinished = last is asked or "_error" in last or "_stopped" in last or _in_the_middle(last)
        return asked if unfinished else None

    def of_turn(self, turn: str) -> list[Message]:
        """The newest messages as far back as they are of this turn, in order."""
        return self._window.of_turn(turn)

    def history(self, tokens: int) -> list[Message]:
        """The newest messages within `tokens`, from a user message on, always the same objects."""
        return self._window.history(tokens)

    async def append(self, message: Message) -> Message:
        """Store a message; it is on disk when this returns. Gives the stored record.

        Raises StorageError, and then the file is as it was before.
        """
        (record,) = await self.append_all([message])
        return record

    async def append_all(self, messages: Iterable[Message]) -> list[Message]:
        """Store messages with one wait for the disk, all or none; else as append()."""
        stored = [records.stamped(message) for message in messages]
        if stored:
            await self._finish(self._append(stored))
        return stored

    async def set_metadata(self, **values: Any) -> None:
        """Store values (None removes one): last_archived beside the key, others under `metadata`.

        Raises StorageError, and then nothing is changed.
        """
        await self._finish(self._set_metadata(values))

    async def set_unless(self, present: Iterable[str], **values: Any) -> bool:
        """Store values unless one of these is there by then, or the file has gone; whether it was done."""
        await self._finish(self._set_metadata(values, tuple(present)))
        return all(self.metadata.get(name) == value for name, value in values.items())

    async def count(self) -> int:
        """How many messages the file holds."""
        return len(await self.everything())

    async def stored(self) -> bool:
        """Whether anything of it is on disk."""
        return await in_thread(stored, self.path)

    async def everything(self) -> list[Message]:
        """All messages of the file, read anew, also those that are hidden. Raises StorageError."""
        async with self._lock:
            return await in_thread(_everything, self.path)

    async def put_away(self) -> None:
        """Move the file where deleted sessions wait; see Sessions.delete()."""
        async with self._lock:
            await in_thread(trash.put_away, self.path, self.key)

    async def _finish(self, work: Any) -> None:
        """See a write through even when who asked for it is cancelled; raise what it reports."""
        failure = await asyncio.shield(spawn(work, name=f"session {self.key}"))
        if failure is not None:
            raise explain(failure) from failure

    async def _append(self, stored: list[Message]) -> OSError | None:
        async with self._lock:
            lines = list(stored)
            if not self._has_metadata or self._since_metadata > reader.REPEAT_METADATA:
                lines.insert(0, self._line)
            try:
                await in_thread(_write, self.path, lines, self._encoding)
            except OSError as error:
                return error
            self._written(lines)
            for record in stored:
                self._window.add(record)
        self.on_write(self.path)
        return None

    async def _set_metadata(
        self, values: Mapping[str, Any], unless: tuple[str, ...] | None = None
    ) -> OSError | None:
        async with self._lock:
            if unless is not None:
                gone = not await in_thread(stored, self.path)
                if gone or any(self.metadata.get(name) for name in unless):
                    return None
            line = self._changed(values)
            try:
                await in_thread(_write, self.path, [line], self._encoding)
                self._line = line
                self._written([line])
                if values.keys() & {"last_archived", "last_consolidated"}:
                    self._take(await in_thread(_load, self.path, self._limit))
            except OSError as error:
                return error
        self.on_write(self.path)
        return None

    def _changed(self, values: Mapping[str, Any]) -> Message:
        inner = dict(self.metadata)
        line = dict(self._line)
        for name, value in records.clean(dict(values)).items():
            target = line if name in _OUTER else inner
            target.pop(name, None)
            if value is not None:
                target[name] = value
        line["metadata"] = inner
        return line

    def _written(self, lines: Iterable[Message]) -> None:
        self._has_metadata = True
        for line in lines:
            if line is self._line:
                self._since_metadata: int = 0
            else:
                self._since_metadata += len(str(line.get("content"))) + 200

    def _take(self, loaded: reader.Loaded) -> None:
        self._has_metadata = reader.stored_key(loaded.metadata, self.path.name) == self.key
        line = {**(loaded.metadata or {"created_at": now()}), "key": self.key}
        line.pop("_type", None)
        inner = line.pop("metadata", {})
        self._line = {"_type": "metadata", **line, "metadata": inner}
        self.damaged: int = loaded.damaged
        """Unreadable records met while loading."""
        self._encoding: str = loaded.encoding
        self._since_metadata = loaded.since_metadata
        self._window = Window(self._limit)
        hidden = _hidden(loaded)
        for message in loaded.messages[hidden:]:
            self._window.add(message)


def find(folder: Path, key: str, limit: int) -> Session:
    """The session stored under any of the names a key may have; else a new one with a free name."""
    try:
        path, loaded = reader.find(folder, key, limit)
        return Session(key, path, limit, loaded and _counted(path, loaded))
    except OSError as error:
        raise explain(error) from error


def _load(path: Path, limit: int) -> reader.Loaded:
    return _counted(path, reader.load(path, limit))


def _counted(path: Path, loaded: reader.Loaded) -> reader.Loaded:
    """The same, with the count of what stands before, where its offset needs that."""
    if loaded.before and reader.offset_of(loaded.metadata):
        loaded.earlier = reader.count(path, loaded.before)
    return loaded


def _hidden(loaded: reader.Loaded) -> int:
    """How many of the loaded messages lie before the stored offset; an offset past the end counts as 0."""
    offset = reader.offset_of(loaded.metadata)
    if offset > loaded.earlier + len(loaded.messages):
        return 0
    return max(0, offset - loaded.earlier)


def _in_the_middle(message: Message) -> bool:
    """Whether more of a turn was to come after this record."""
    return message.get("role") == "tool" or bool(message.get("tool_calls") or message.get("_said"))


def _everything(path: Path) -> list[Message]:
    try:
        messages: list[Message] = []
        for message in reader.load(path, sys.maxsize).messages:
            messages.insert(place_in(messages, message), message)
        return marked(messages)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise explain(error) from error


def _write(path: Path, lines: list[Message], encoding: str) -> None:
    """Append records and wait for the disk. On failure the file gets its old length back."""
    data = b"".join(records.write(line, encoding) for line in lines)
    place = place_of(path.parent)
    created = not place.taken(path.name)
    file = place.append(path.name)
    try:
        end = os.lseek(file, 0, os.SEEK_END)
        if end and not _at_line_start(file, end, encoding):
            data = "\n".encode(encoding) + data
        try:
            _write_all(file, data)
            getattr(os, "fdatasync", os.fsync)(file)
        except OSError as error:
            _take_back(file, end, partial(place.unlink, path.name) if created else None)
            raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        os.close(file)
    if created:
        place.sync()


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _at_line_start(file: int, end: int, encoding: str) -> bool:
    newline = "\n".encode(encoding)
    os.lseek(file, max(0, end - len(newline)), os.SEEK_SET)
    return os.read(file, len(newline)) == newline


def _take_back(file: int, end: int, remove: Callable[[], None] | None) -> None:
    try:
        os.ftruncate(file, end)
        if remove is not None:
            remove()
    except OSError as error:
        _log.warning("a half-written record was left behind: %s", error)
