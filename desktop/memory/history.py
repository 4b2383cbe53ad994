"""memory/history.jsonl: one summary a line, numbered by a cursor that only grows, appended to.

Other programs may write the file, too: an append holds a lock beside it and looks first at what is new.
Lines that are no entries, and cursors that are no numbers, are passed over; nothing is rewritten for them.
nanobot's own files (a plain number in .cursor and .dream_cursor) are read and written in its form. What
Dream has dealt with long ago is moved to archives, which are part of the history for all who read it.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.errors import StorageError, explain
from desktop.files import Place
from desktop.memory.archives import Archives, goes, joined, lines_of, split
from desktop.memory.entries import Entry, entries_of
from desktop.memory.files import append_line, replace
from desktop.session.model import now, text_tokens
from desktop.tasks import in_thread
from desktop.text import _

LONGEST = 64_000
"""Characters of an entry."""
OLD = timedelta(days=90)
"""Older than this goes to an archive."""
_ABOUT = (
    "# What was said before\nNotes of earlier parts of conversations, this one and others: what is left of "
    "those parts for you."
)
_FILE = "history.jsonl"
_LOCK_S = 10.0
_log = logging.getLogger(__name__)


class History:
    """The entries of one workspace. Its public methods do not block; all raise StorageError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / _FILE
        self._place = Place(folder.parent) / folder.name
        self._archives = Archives(folder)
        self._entries: list[Entry] = []
        """Those of the file itself."""
        self._last = 0
        """The highest cursor among them."""
        self._read = 0
        """Bytes of the file that were taken in."""
        self._inode = 0
        self._lock = threading.RLock()

    async def add(
        self, content: str, session: str = "", span: tuple[int, int] = (0, 0), *, outside: bool = False
    ) -> Entry:
        """Append an entry; it is on disk when this returns."""
        return await in_thread(self._add, content, session, span, outside)

    async def all(self) -> list[Entry]:
        """Every entry, the oldest first."""
        return await in_thread(self.entries)

    def entries(self) -> list[Entry]:
        """The same, in this thread: it blocks."""
        try:
            with self._lock:  # archives last: an entry on its way there is seen there, or in the file
                new = self._load()
                old = self._archives.entries()
                return [*old, *self._archives.without(new)] if old else new
        except OSError as error:
            raise explain(error) from error

    async def waiting(self) -> list[Entry]:
        """The entries that Dream has not dealt with, the oldest first."""
        return await in_thread(self._waiting)

    async def covered(self, session: str) -> int:
        """How many messages from the start of a session the entries cover."""
        return await in_thread(self._covered, session)

    async def last(self) -> int:
        """The cursor of the newest entry; 0 where there is none."""
        return await in_thread(self._newest)

    async def archive(self, before: datetime | None = None) -> int:
        """Move what Dream has dealt with, and what is older than `before` (aware; else than OLD), to the
        archives; how many entries that were."""
        return await in_thread(self._archive, before or datetime.now(UTC) - OLD)

    async def consumed(self) -> int:
        """Dream's cursor: the last entry that it dealt with."""
        return await in_thread(_number, self._place, ".dream_cursor")

    async def consume(self, cursor: int) -> None:
        """Move Dream's cursor forward; never back."""
        await in_thread(self._consume, cursor)

    def recent(self, limit: int = 50) -> list[Entry]:
        """The newest entries that Dream has not dealt with. Blocks; raises nothing."""
        try:
            return self._waiting()[-limit:]
        except StorageError as error:
            _log.info("%s", error)
            return []

    def prompt(self, tokens: int = 4_000) -> str:
        """What the system prompt says of those without marked text, the newest last, in so many tokens.
        Blocks; never raises."""
        lines: list[str] = []
        left = tokens
        for entry in reversed(self.recent()):
            if entry.outside:  # it is found by memory_search, and marks only who looks for it
                continue
            head = f"{entry.timestamp[:16]}, conversation {entry.session or 'unknown'}"
            line = f"[{head}]\n{entry.content}"
            left -= text_tokens(line)
            if left < 0 and lines:
                break
            lines.append(line)
        return "\n\n".join([_ABOUT, *reversed(lines)]) if lines else ""

    # ---- in a thread

    def _waiting(self) -> list[Entry]:
        seen = _number(self._place, ".dream_cursor")
        entries = self._load()
        return [entry for entry in entries if entry.cursor > seen] if self._last > seen else []

    def _covered(self, session: str) -> int:
        return max((entry.end for entry in self.entries() if entry.session == session), default=0)

    def _newest(self) -> int:
        return max((entry.cursor for entry in self.entries()), default=0)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """For what writes the file. Raises StorageError."""
        from filelock import FileLock, Timeout

        self._make_folder()
        try:
            with self._lock, FileLock(self.folder / ".history.lock", timeout=_LOCK_S):
                yield
        except Timeout:
            raise StorageError(
                _("Another program is using {path}.").format(path=self.path), _("Close it and try again.")
            ) from None
        except OSError as error:
            raise explain(error) from error

    def _add(self, content: str, session: str, span: tuple[int, int], outside: bool) -> Entry:
        with self._alone():
            self._load()
            cursor = max(self._last, self._archives.last(), _number(self._place, ".cursor")) + 1
            entry = Entry(cursor, now(), content[:LONGEST], session, *span, outside)
            append_line(self._place, _FILE, entry.record())
            with suppress(OSError):  # the file itself tells the cursor, too
                replace(self._place, ".cursor", str(cursor).encode("ascii"))
        self._load()
        return entry

    def _archive(self, before: datetime) -> int:
        """Archives first, then the file without them: a kill in between doubles for nobody who reads."""
        consumed = _number(self._place, ".dream_cursor")
        if not any(goes(entry, before, consumed) for entry in self._load()):
            return 0
        with self._alone():
            while True:
                size = self._place.stat(_FILE).st_size
                parted = split(lines_of(self._place, _FILE), before, consumed)
                self._archives.add(parted.months)
                if self._place.stat(_FILE).st_size == size:  # else a program that knows no lock has written
                    break
            replace(self._place, _FILE, joined(parted.kept))
            self._forget()
        moved = sum(map(len, parted.months.values()))
        _log.info("%d entries of the history were moved to archives", moved)
        return moved

    def _make_folder(self) -> None:
        try:
            self._place.mkdir()
        except OSError as error:
            raise explain(error) from error

    def _load(self) -> list[Entry]:
        """Take in what is new in the file; all of it where it is another file than before."""
        try:
            with self._lock, self._place.open(_FILE) as opened:
                file, stat = opened.stream, opened.status
                if stat.st_ino != self._inode or stat.st_size < self._read:
                    self._forget()
                    self._inode = stat.st_ino
                if stat.st_size > self._read:
                    file.seek(self._read)
                    data = file.read()
                    whole = data.rfind(b"\n") + 1
                    new = entries_of(data[:whole].split(b"\n"))
                    self._entries = [*self._entries, *new]
                    self._last = max([self._last, *(entry.cursor for entry in new)])
                    self._read += whole
        except FileNotFoundError:
            self._forget()
        except OSError as error:
            raise explain(error) from error
        return self._entries

    def _forget(self) -> None:
        self._entries, self._last, self._read, self._inode = [], 0, 0, 0

    def _consume(self, cursor: int) -> None:
        self._make_folder()
        try:
            if cursor > _number(self._place, ".dream_cursor"):
                replace(self._place, ".dream_cursor", str(cursor).encode("ascii"))
        except OSError as error:
            raise explain(error) from error


def _number(place: Place, name: str) -> int:
    """The number in a file; 0 where there is none."""
    try:
        text = place.read(name).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return 0
    return int(text) if text.isdecimal() and len(text) < 19 else 0
