"""The files that are memory: which they are, how they are read whatever is in them, and how one is put in
place without writing over what somebody else has written meanwhile.

Everything blocks; it is called in threads.
"""

import codecs
import errno
import json
import logging
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from desktop.paths import sync

NOTES = {"SOUL": "SOUL.md", "USER": "USER.md", "MEMORY": "memory/MEMORY.md", "AGENTS": "AGENTS.md"}
"""The notes by the name that front ends have for them."""
DREAMS = ("SOUL", "USER", "MEMORY")
"""Those that Dream may change."""
SKILLS, SKILL = "skills", "SKILL.md"
LARGEST = 5 * 1024 * 1024
"""Bytes of a file that counts as memory."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_log = logging.getLogger(__name__)

type Marks = dict[str, tuple[int, int, int]]
"""What tells that a file has changed: time, size and inode, by name."""


class ChangedMeanwhile(Exception):
    """A file is not what it was when it was read."""


def marks(workspace: Path) -> Marks:
    """One look at each file there is, by its path in the workspace."""
    found: Marks = {}
    for name in (*NOTES.values(), *_skills(workspace)):
        with suppress(OSError):
            seen = (workspace / name).stat()
            found[name] = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
    return found


def _skills(workspace: Path) -> Iterator[str]:
    try:
        with os.scandir(workspace / SKILLS) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
    except OSError:
        return
    yield from (f"{SKILLS}/{name}/{SKILL}" for name in names)


def read(path: Path) -> bytes | None:
    """What a file holds; None where there is none. Raises OSError: no plain file, larger than LARGEST
    (EFBIG), not readable."""
    try:
        seen = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(seen.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(seen.st_mode):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    if seen.st_size > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return path.read_bytes()


def put(path: Path, data: bytes | None, base: bytes | None) -> None:
    """Put a file in place, whole, or take it away (None); a link is followed, the mode stays.

    Raises ChangedMeanwhile where it no longer holds `base`, OSError.
    """
    path = Path(os.path.realpath(path))
    if data is None:
        if read(path) != base:
            raise ChangedMeanwhile
        path.unlink(missing_ok=True)
        if path.name == SKILL:
            with suppress(OSError):  # other files of the skill stay
                path.parent.rmdir()
        return
    if base is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    unfinished = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with unfinished.open("xb") as file:
            file.write(data)
            with suppress(FileNotFoundError):
                unfinished.chmod(stat.S_IMODE(path.stat().st_mode))
            file.flush()
            os.fsync(file.fileno())
        if read(path) != base:
            raise ChangedMeanwhile
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def replace(path: Path, data: bytes) -> None:
    """Put a file in place in one step, whatever was there; it is on disk when this returns. Raises
    OSError."""
    unfinished = path.with_name(f"{path.name}.new")
    with unfinished.open("wb") as file:
        unfinished.chmod(0o600)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    sync(path.parent)


def append_line(path: Path, record: Mapping[str, Any]) -> None:
    """Add a record to a file of one JSON object a line: on disk then, or the file is as it was. Raises
    OSError."""
    line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
    try:
        size = os.lseek(file, 0, os.SEEK_END)
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            if os.read(file, 1) != b"\n":
                line = b"\n" + line  # what a crash has torn costs itself alone
        try:
            if os.write(file, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        except OSError:
            os.ftruncate(file, size)
            raise
        os.fsync(file)
    finally:
        os.close(file)


def records(path: Path) -> list[dict[str, Any]]:
    """The records of such a file, without the lines that are none; none where it cannot be read."""
    found = []
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        _log.warning("%s cannot be read: %s", path, error)
        return []
    for line in lines:
        with suppress(ValueError):
            record = json.loads(line)
            if isinstance(record, dict):
                found.append(record)
    return found


def decoded(data: bytes) -> str:
    """The text of a file, whatever wrote it: UTF-8, UTF-16 with its mark, Chinese of Windows, Latin. Zero
    bytes are left out, line ends are as they were."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(encoding, "replace").replace("\0", "")
    data = data.replace(b"\0", b"")
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8")
    with suppress(UnicodeDecodeError):
        text = data.decode("gb18030")
        if _is_chinese(text):
            return text
    return data.decode("cp1252", "replace")


def _is_chinese(text: str) -> bool:
    """Whether most of it are everyday characters: Latin text read as Chinese is made of rare ones."""
    foreign = [character for character in text[:20_000] if not character.isascii()]
    everyday = sum(bool(character.encode("gb2312", "ignore")) for character in foreign)
    return everyday >= 0.9 * len(foreign)
