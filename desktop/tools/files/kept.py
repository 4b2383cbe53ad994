"""Keeps the old bytes of every file that a tool changes, so that the change can be taken back for 30 days.

A folder with the bytes, each under its SHA-256, and index.jsonl with a line a change. The line is written
before the file is changed: a change that a kill prevented is recognised by what the file still holds.
"""

import contextlib
import hashlib
import json
import os
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from desktop.files import Place
from desktop.paths import temporary
from desktop.tools.files.opening import open_plain

DAYS = 30
MOST_BYTES = 100 << 20
_INDEX = "index.jsonl"
_BLOCK = 1 << 20


class Origin(Protocol):
    """What a change belongs to."""

    @property
    def session(self) -> str: ...
    @property
    def turn(self) -> str: ...
    @property
    def call(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one file. `before` is None where there was none, `after` is empty where it went."""

    at: float
    """Seconds since 1970, UTC."""
    session: str
    turn: str
    call: str
    path: str
    before: str | None
    after: str
    kept: bool = True
    """False where the old file was too large to keep."""


class Kept:
    """The store. Its methods block: call them in a thread."""

    def __init__(self, folder: Path) -> None:
        self._place = Place(folder)
        self._lock = threading.Lock()

    def before(self, path: Path, after: bytes | None, context: Origin) -> Change:
        """Keep what a file holds now, which is about to hold `after`, or to go. Raises OSError."""
        with self._lock:
            digest, kept = self._store(path)
            change = Change(
                time.time(),
                "" if temporary(context.session) else context.session,
                context.turn,
                context.call,
                os.fsdecode(os.fsencode(path)),
                digest,
                "" if after is None else hashlib.sha256(after).hexdigest(),
                kept,
            )
            with os.fdopen(self._place.append(_INDEX), "ab") as index:
                index.write(json.dumps(asdict(change)).encode() + b"\n")
            return change

    def changes(self, turn: str = "") -> list[Change]:
        """The changes of one turn, or all, in the order they were made."""
        with self._lock:
            return [change for change in self._changes() if turn in ("", change.turn)]

    def has(self, digest: str) -> bool:
        """Whether the bytes that `before` names are there."""
        return self._place.is_file(digest)

    def content(self, digest: str) -> bytes:
        """The bytes that `before` names. Raises OSError."""
        return self._place.read(digest)

    def sweep(self, days: float = DAYS) -> None:
        """Forget what is older than so many days."""
        with self._lock, contextlib.suppress(FileNotFoundError):
            changes = self._changes()
            fresh = [change for change in changes if change.at > time.time() - days * 86_400]
            if len(fresh) < len(changes):
                text = "".join(json.dumps(asdict(change)) + "\n" for change in fresh)
                self._place.write(_INDEX, text.encode())
            wanted = {change.before for change in fresh} | {_INDEX}
            for name in self._place.names():
                if name not in wanted:
                    self._place.unlink(name)

    def _changes(self) -> list[Change]:
        try:
            raw = self._place.read(_INDEX)
        except FileNotFoundError:
            return []
        found = []
        for line in raw.splitlines():
            with contextlib.suppress(ValueError, TypeError):  # a line that a kill cut short
                found.append(Change(**json.loads(line)))
        return found

    def _store(self, path: Path) -> tuple[str | None, bool]:
        """The SHA-256 of what a file holds, None without a file; whether its bytes are kept now."""
        try:
            source = open_plain(path)
        except FileNotFoundError:
            return None, True
        with source:
            digest, stream = hashlib.file_digest(source.stream, "sha256").hexdigest(), source.stream
            if source.status.st_size > MOST_BYTES:
                return digest, False
            if not self._place.is_file(digest):
                stream.seek(0)
                self._place.write(
                    digest, iter(lambda: stream.read(_BLOCK), b""), durable=False, digest=digest
                )
        return digest, True
