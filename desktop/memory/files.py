"""The files that are memory: which they are, how they are read whatever is in them, and how one is put in
place without writing over what somebody else has written meanwhile.

Everything blocks; it is called in threads.
"""

import codecs
import errno
import json
import logging
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from desktop.files import NotPlain, Place

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


def marks(place: Place) -> Marks:
    """One look at each file there is, by its path in the workspace."""
    found: dict[str, os.stat_result] = {}
    for name in NOTES.values():
        with suppress(OSError):
            found[name] = place.stat(name)
    with suppress(OSError):
        skills = place.look(SKILL, SKILLS).items()
        found |= {f"{SKILLS}/{name}/{SKILL}": seen for name, seen in skills if not name.startswith(".")}
    return {name: (seen.st_mtime_ns, seen.st_size, seen.st_ino) for name, seen in found.items()}


def read(place: Place, name: str) -> bytes | None:
    """What a file of a workspace holds; None where there is none. Raises OSError: no plain file, larger
    than LARGEST (EFBIG), not readable, behind a link that leads out."""
    try:
        with place.open(name) as file:
            data = file.stream.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except NotPlain as error:
        if stat.S_ISDIR(error.mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), error.filename) from None
        raise
    if len(data) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(place.named(name)))
    return data


def put(place: Place, name: str, data: bytes | None, base: bytes | None) -> None:
    """Put a file in place, whole, or take it away (None); the mode stays.

    Raises ChangedMeanwhile where it no longer holds `base`, OSError.
    """

    def check() -> None:
        if read(place, name) != base:
            raise ChangedMeanwhile

    if data is not None:
        place.write(name, data, check=check)
        return
    check()
    place.unlink(name, missing_ok=True)
    if name.endswith(f"/{SKILL}"):
        with suppress(OSError):  # other files of the skill stay
            place.rmdir(name.removesuffix(f"/{SKILL}"))


def replace(place: Place, name: str, data: bytes) -> None:
    """Put a file in place in one step, whatever was there; it is on disk when this returns. Raises
    OSError."""
    place.write(name, data, mode=0o600)


def append_line(place: Place, name: str, record: Mapping[str, Any]) -> None:
    """Add a record to a file of one JSON object a line: on disk then, or the file is as it was. Raises
    OSError."""
    line = json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    file = place.append(name)
    try:
        size = os.lseek(file, 0, os.SEEK_END)
        if size:
            os.lseek(file, size - 1, os.SEEK_SET)
            if os.read(file, 1) != b"\n":
                line = b"\n" + line  # what a crash has torn costs itself alone
        try:
            if os.write(file, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(place.named(name)))
        except OSError:
            os.ftruncate(file, size)
            raise
        os.fsync(file)
    finally:
        os.close(file)


def records(place: Place, name: str) -> list[dict[str, Any]]:
    """The records of such a file, without the lines that are none; none where it cannot be read."""
    found = []
    try:
        lines = place.read(name).splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        _log.warning("%s cannot be read: %s", place.named(name), error)
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
