"""The list of sessions: one line for each file, made without parsing what is in between.

A thousand conversations must not keep a window from opening: of a short file only the lines that a
list shows are parsed, of a long one only its head and its tail are read.
"""

import logging
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from desktop.markdown import plain
from desktop.session import reader, records
from desktop.session.model import BEGINS, NAMED, Message, SessionInfo, moment_of, replayable
from desktop.session.names import SUFFIX, key_of
from desktop.session.place import opened, place_of
from desktop.session.title import title_of

_log = logging.getLogger(__name__)
_SHORT = 256 * 1024
_TAIL = 4 * 1024
_MESSAGE = b'{"role":'
_MARK = b'{"_type":'


def describe_all(folder: Path) -> list[SessionInfo]:
    """All sessions of a folder, the newest first."""
    found = []
    for name in place_of(folder).names():
        if name.endswith(SUFFIX):
            try:
                found.append(describe(folder / name))
            except OSError as error:
                _log.warning("session file %s: %s", name, error)
    return sorted(found, key=lambda info: info.updated, reverse=True)


def describe(path: Path) -> SessionInfo:
    """One line for the list. Raises OSError."""
    with opened(path) as held:
        file, stat = held.stream, held.status
        data = file.read(_SHORT)
        if len(data) == stat.st_size and records.encoding_of(data[:4096]) == records.UTF8:
            return _short(path, data, stat)
        file.seek(0)
        loaded = reader.read_end(file, stat.st_size, 0, _TAIL)
        first = loaded.messages
        if loaded.before:
            file.seek(0)
            first = list(reader.head(file))
    messages = None if loaded.before else len(loaded.messages)
    last = loaded.messages[-1] if loaded.messages else None
    return _info(path, stat, loaded.metadata, _title(first), last, (messages, loaded.damaged))


def _short(path: Path, data: bytes, stat: os.stat_result) -> SessionInfo:
    lines = [line for line in data.split(b"\n") if line.strip(b" \t\r\0")]
    messages = [line for line in lines if line.startswith(_MESSAGE)]
    marks = sum(line.startswith(_MARK) for line in lines)
    odd = len(lines) - len(messages) - marks
    # A first line may begin with a byte order mark; elsewhere such a line is damaged, as is one cut short.
    odd -= bool(lines) and lines[0].startswith(b"\xef\xbb\xbf")
    cut = sum(not line.rstrip(b" \t\r\0").endswith(b"}") for line in messages)
    marked = _read(line for line in reversed(lines) if b'"metadata"' in line[:40])
    metadata = next((record for record in marked if record.get("_type") == "metadata"), None)
    title = _title(_read(line for line in messages if b'"user"' in line[:24]))
    last = next(_read(reversed(messages)), None)
    return _info(path, stat, metadata, title, last, (len(messages) - cut, odd + cut))


def _read(lines: Iterable[bytes]) -> Iterator[Message]:
    for line in lines:
        yield from records.read(line)[0]


def _info(
    path: Path,
    stat: os.stat_result,
    metadata: Message | None,
    title: str,
    last: Message | None,
    counts: tuple[int | None, int],
) -> SessionInfo:
    moment = moment_of(last.get("timestamp")) if last else None
    found = (metadata or {}).get("metadata")
    inner = found if isinstance(found, dict) else {}
    names = (inner.get("title"), inner.get(BEGINS))
    named = next((name.strip() for name in names if isinstance(name, str) and name.strip()), "")
    if not inner.get(NAMED):  # what the person typed for a name is one, letter by letter
        named = plain(named)
    chat = inner.get("chat")
    aside = moment_of(inner.get("archived_at"))
    return SessionInfo(
        key=reader.stored_key(metadata, path.name) or key_of(path.name),
        title=named or title,
        updated=moment or datetime.fromtimestamp(stat.st_mtime, UTC),
        size=stat.st_size,
        messages=counts[0],
        damaged=counts[1],
        path=path,
        pinned=inner.get("pinned") is True,
        sender=str(chat.get("name") or "") if isinstance(chat, dict) else "",
        archived=aside is not None and (moment is None or aside >= moment),
    )


def _title(messages: Iterable[Message]) -> str:
    """The first thing that the person said."""
    return next((title_of(m) for m in messages if m.get("role") == "user" and replayable(m)), "")
