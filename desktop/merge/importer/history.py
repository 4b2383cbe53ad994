"""What nanobot remembered of conversations: history.jsonl, and in older homes HISTORY.md and daily notes.

Into an empty history the old one goes as it is, cursors and all. Beside entries that are here, those that
the old Dream had dealt with go to the archives, which count as history and are not gone over again; the
others are appended and wait for Dream.
"""

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from filelock import FileLock

from desktop.files import Place
from desktop.memory.archives import Archives
from desktop.memory.entries import Entry, entry_of
from desktop.memory.files import append_line, decoded
from desktop.memory.files import replace as put
from desktop.memory.history import LONGEST, History
from desktop.memory.imports import chunks
from desktop.merge.importer.places import Source, wrong
from desktop.merge.items import Item, Step, step
from desktop.pace import Pace
from desktop.session.model import moment_of, now
from desktop.text import ngettext

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.md")
_LOCK_S = 10.0


class OldHistory:
    """The old entries beside those of this home."""

    def __init__(self, source: Source, folder: Path, pace: Pace) -> None:
        """`folder`: this workspace's `memory`."""
        self._source, self._folder, self._pace = source, folder, pace
        self._place = Place(folder.parent) / folder.name
        self._entries: list[Entry] = []
        self._consumed = 0
        self._written: list[Entry] = []
        """From HISTORY.md and the daily notes; without cursors."""

    def steps(self) -> list[Step]:
        """What becomes of the entries. Blocks. Raises StorageError where those of this home cannot be
        read."""
        if self._source.workspace is None:
            return []
        old = self._source.workspace / "memory"
        found = self._read(old)
        here = {_gist(entry) for entry in History(self._folder).entries()}
        new = [entry for entry in (*self._entries, *self._written) if _gist(entry) not in here]
        total = len(self._entries) + len(self._written)
        if not total:
            return found
        known = total - len(new)
        note = ""
        if known:
            text = ngettext("{n} entry is already here.", "{n} entries are already here.", known)
            note = text.format(n=known)
        if not new:
            return [*found, step(Item("memory", "history", "same", count=total))]
        item = Item("memory", "history", "add" if here else "take", note, len(new))
        return [*found, step(item, partial(self._pace.run, self._put))]

    def _read(self, old: Path) -> list[Step]:
        found: list[Step] = []
        for name, take in (("history.jsonl", self._lines), ("HISTORY.md", self._chunks)):
            try:
                if (data := self._source.read(old / name)) is not None:
                    take(data)
            except OSError as error:
                found.append(step(Item("memory", name, "left", wrong(error))))
        for path in self._source.entries(old):
            if _DAY.fullmatch(path.name):
                try:
                    text = decoded(self._source.read(path) or b"").strip()
                except OSError as error:
                    found.append(step(Item("memory", path.name, "left", wrong(error))))
                    continue
                if text:
                    self._written.append(Entry(0, path.stem, text[:LONGEST]))
        self._written = _once(self._written, {_gist(entry) for entry in self._entries})
        self._written.sort(key=lambda entry: entry.timestamp[:10])
        with suppress(OSError, ValueError):
            self._consumed = int((self._source.read(old / ".dream_cursor") or b"0").decode("ascii").strip())
        return found

    def _lines(self, data: bytes) -> None:
        lines = self._pace.paced(data.split(b"\n"))
        entries = (entry for line in lines if line.strip() and (entry := _entry(line)))
        self._entries = sorted(_once(entries, set()), key=lambda entry: entry.cursor)

    def _chunks(self, data: bytes) -> None:
        self._written += [Entry(0, when, text[:LONGEST]) for when, text in chunks(decoded(data)) if text]

    # ---- writing

    def _put(self) -> None:
        """Raises OSError, StorageError, filelock.Timeout."""
        self._place.mkdir()
        with FileLock(self._folder / ".history.lock", timeout=_LOCK_S):
            here = History(self._folder).entries()
            if here:
                self._add(here)
            else:
                self._whole()

    def _whole(self) -> None:
        """Into an empty history: cursors first, for an entry that is there must be one Dream knows."""
        known = [entry for entry in self._entries if entry.cursor <= self._consumed]
        waiting = [entry for entry in self._entries if entry.cursor > self._consumed]
        if self._written:  # older than all that has a cursor, and known to Dream
            known = [replace(entry, cursor=n) for n, entry in enumerate([*self._written, *known], start=1)]
            waiting = [replace(entry, cursor=n) for n, entry in enumerate(waiting, start=len(known) + 1)]
        entries = [*known, *waiting]
        consumed = max((entry.cursor for entry in known), default=0)
        put(self._place, ".cursor", str(entries[-1].cursor).encode("ascii"))
        put(
            self._place,
            ".dream_cursor",
            str(consumed).encode("ascii"),
        )
        lines = (json.dumps(entry.record(), ensure_ascii=False) for entry in self._pace.paced(entries))
        put(
            self._place,
            "history.jsonl",
            "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"),
        )

    def _add(self, here: Sequence[Entry]) -> None:
        """Beside entries that are here: the archives first, each line once."""
        seen = {_gist(entry) for entry in here}
        cursor = max([_number(self._place, ".cursor"), *(entry.cursor for entry in here)])
        months: dict[str, list[bytes]] = {}
        waiting: list[Entry] = []
        known = [*self._written, *(e for e in self._entries if e.cursor <= self._consumed)]
        for entry in known:
            if _gist(entry) in seen:
                continue
            cursor += 1
            month = (moment_of(entry.timestamp) or moment_of(now())).strftime("%Y-%m")  # type: ignore[union-attr]
            line = json.dumps(replace(entry, cursor=cursor).record(), ensure_ascii=False)
            months.setdefault(f"history-{month}.jsonl", []).append(line.encode("utf-8", "replace"))
        for entry in self._entries:
            if entry.cursor > self._consumed and _gist(entry) not in seen:
                cursor += 1
                waiting.append(replace(entry, cursor=cursor))
        put(self._place, ".cursor", str(cursor).encode("ascii"))
        if months:
            Archives(self._folder).add(months)
        for entry in waiting:
            append_line(self._place, "history.jsonl", entry.record())


def _entry(line: bytes) -> Entry | None:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        line = decoded(line).encode("utf-8", "replace")
    entry = entry_of(line)
    return replace(entry, content=entry.content[:LONGEST]) if entry and entry.content.strip() else None


def _once(entries: Iterable[Entry], seen: set[tuple[str, str]]) -> list[Entry]:
    found = []
    for entry in entries:
        if _gist(entry) not in seen:
            seen.add(_gist(entry))
            found.append(entry)
    return found


def _gist(entry: Entry) -> tuple[str, str]:
    """What makes two entries the same: not their cursors, nor where they are from."""
    return entry.timestamp[:16].replace("T", " "), entry.content


def _number(place: Place, name: str) -> int:
    try:
        return int(place.read(name).decode("ascii").strip())
    except (OSError, ValueError):
        return 0
