"""An old conversation's file: read line by line, however long it is, and written anew in the form of here.

A line of any length costs no more than its own memory up to a limit, above which it counts as damaged.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from desktop.files import UNFINISHED
from desktop.merge.logs import is_message, pieces
from desktop.origin import unknown
from desktop.pace import Pace
from desktop.session import names, reader, records
from desktop.session.grants import without_grants
from desktop.session.model import Message, utc
from desktop.session.place import place_of

_LONGEST_LINE = 32 * 1024 * 1024
_LOSSY = re.compile(
    r"(cli|telegram|whatsapp|discord|feishu|slack|email|qq|dingtalk|mochat|matrix|websocket|wecom|api)_(.+)"
)
_PASSING = ("runtime_checkpoint", "pending_user_turn", "pending_user_followups", "model", "provider")
"""Inner metadata that meant something to nanobot while it ran, or would mean something else here."""


type Attach = Callable[[Message], Message]
"""Gives a message of an old home its files as one of here has them; see media.py."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of an old file after one pass."""

    path: Path
    key: str
    messages: int = 0
    damaged: int = 0
    updated: str = ""
    """When it was written to last: aware, UTC."""
    head: str = "{}"
    """Its metadata as JSON: of ten thousand files that is ten thousand objects less to look after."""

    @property
    def metadata(self) -> Message:
        """The metadata line; empty where there is none."""
        found: Message = json.loads(self.head)
        return found

    @classmethod
    def of(cls, path: Path, pace: Pace) -> "Reading":
        """Read a file. Raises OSError."""
        metadata: Message = {}
        key, last, messages, damaged = "", "", 0, 0
        for found, hurt in pace.paced(_pieces(path, pace.advance)):
            damaged += bool(hurt) and not found  # else something of it was read
            for record in found:
                if record.get("_type") == "metadata":
                    metadata = record
                    key = key or _key(record)
                elif is_message(record):
                    messages += 1
                    last = record.get("timestamp") or last
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="milliseconds")
        updated = utc(last) or utc(metadata.get("updated_at")) or changed
        return cls(path, key or _guessed(path.name), messages, damaged, updated, json.dumps(metadata))


def messages_of(reading: Reading, pace: Pace, attach: Attach) -> Iterator[Message]:
    """The messages of a file, each as it is stored here. Raises OSError."""
    before = utc(reading.metadata.get("created_at")) or utc("2026-01-01T00:00:00+00:00")
    for record in pace.paced(record for found, _hurt in _pieces(reading.path) for record in found):
        if is_message(record):
            before = utc(record.get("timestamp")) or before
            record["timestamp"] = before
            if record.get("role") != "user":  # nobody here knows what was in view when it was written
                record |= unknown(reading.path.name).as_fields()
            yield records.stamped(attach(record))


def put(reading: Reading, folder: Path, pace: Pace, attach: Attach) -> None:
    """Write a conversation under its key, whole or not at all. Raises OSError, FileExistsError where
    somebody began one with this key meanwhile, CalledOffError."""
    path, _held = reader.find(folder, reading.key)
    try:
        place_of(folder).write(path.name, _written(reading, pace, attach), fresh=True)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _written(reading: Reading, pace: Pace, attach: Attach) -> Iterator[bytes]:
    yield records.write(_head(reading))
    for message in messages_of(reading, pace, attach):
        yield records.write(message)
        pace.advance()


def clear_parts(folder: Path) -> None:
    """Remove what an import that was killed has left."""
    place = place_of(folder)
    with suppress(OSError):
        for name in place.names():
            if UNFINISHED.fullmatch(name):
                place.unlink(name, missing_ok=True)


def _head(reading: Reading) -> Message:
    """The metadata line, without what was of use to nanobot alone."""
    line = {name: value for name, value in reading.metadata.items() if name not in ("_type", "key")}
    inner = line.pop("metadata", None)
    inner = inner if isinstance(inner, dict) else {}
    for name in ("created_at", "updated_at"):
        if name in line:
            line[name] = utc(line[name]) or reading.updated
    kept = {name: value for name, value in inner.items() if name not in _PASSING}
    head: Message = {"_type": "metadata", "key": reading.key, **line, "metadata": kept}
    cleaned: Message = records.clean(without_grants(head))
    return cleaned


def _pieces(
    path: Path, passed: Callable[[int], object] = lambda _bytes: None
) -> Iterator[tuple[list[Message], int]]:
    with path.open("rb") as file:
        yield from pieces(file, _LONGEST_LINE, passed)


def _key(metadata: dict[str, Any]) -> str:
    key = metadata.get("key")
    return str(records.clean(key)).strip() if isinstance(key, str) else ""


def _guessed(name: str) -> str:
    """The key of a file that does not say it: nanobot wrote the first colon as an underscore."""
    key = names.key_of(name)
    lossy = _LOSSY.fullmatch(key)
    return f"{lossy[1]}:{lossy[2]}" if lossy else key
