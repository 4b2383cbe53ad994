"""Takes over what nanobot remembered before it had history.jsonl: HISTORY.md, and its daily notes.

Once, and only where no history is there yet. The entries count as known to Dream: what lasts of them is in
MEMORY.md already. HISTORY.md is kept beside as HISTORY.md.bak, the daily notes are left as they are.
"""

import json
import logging
import re
from pathlib import Path

from desktop.files import Place
from desktop.memory.archives import FOLDER
from desktop.memory.files import decoded, read, replace
from desktop.memory.history import LONGEST

_OLD = "HISTORY.md"
_BEGIN = re.compile(r"\[(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?)[^\]]*\]\s*")
_MESSAGE = re.compile(r"\[\d{4}-\d{2}-\d{2}[^\]]*\]\s+[A-Z][A-Z_]*(?:\s*\[[^\]]*\])?\s*:")
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})\.md")
_log = logging.getLogger(__name__)


def take_over(folder: Path) -> int:
    """Make the history of nanobot's older files in the memory's folder; how many entries that made. Blocks;
    one look where there is nothing to do. Raises OSError."""
    place = Place(folder.parent) / folder.name
    try:
        if place.stat("history.jsonl").st_size:
            return 0
    except FileNotFoundError:
        pass
    if place.names(FOLDER):
        return 0  # a history that was archived to its last entry
    days = [name for name in place.names() if _DAY.fullmatch(name)]
    if not days and not place.is_file(_OLD):
        return 0
    entries = [(name[:10], text) for name in days if (text := _text(place, name).strip())]
    entries += chunks(_text(place, _OLD)) if place.is_file(_OLD) else []
    entries.sort(key=lambda entry: entry[0][:10])  # stable: a day's own order stays
    lines = [
        json.dumps({"cursor": at, "timestamp": when, "content": text[:LONGEST]}, ensure_ascii=False) + "\n"
        for at, (when, text) in enumerate(entries, 1)
    ]
    for name in (".cursor", ".dream_cursor"):  # first: an entry that is there must be one Dream knows
        replace(place, name, str(len(entries)).encode("ascii"))
    if lines:
        replace(place, "history.jsonl", "".join(lines).encode("utf-8", "replace"))
    if place.is_file(_OLD):
        place.move(_OLD, _free(place))
    _log.info("%d entries were taken over from %s", len(entries), folder)
    return len(entries)


def chunks(text: str) -> list[tuple[str, str]]:
    """The entries of a HISTORY.md with their times as they stand there: parted by blank lines and by lines
    that begin with a date, except within the raw messages of one."""
    found: list[list[str]] = []
    parted = True
    for line in text.splitlines():
        raw = bool(found) and "[RAW]" in found[-1][0]
        begins = bool(_BEGIN.match(line)) and not (raw and _MESSAGE.match(line) and "[RAW]" not in line)
        if not line.strip() and not raw:
            parted = True
        elif begins or (parted and line.strip()):
            found.append([line])
            parted = False
        elif found:
            found[-1].append(line)
    return [_dated("\n".join(lines).strip()) for lines in found]


def _dated(text: str) -> tuple[str, str]:
    match = _BEGIN.match(text)
    if match is None:
        return "", text
    return match[1].replace("T", " ")[:16], text[match.end() :].strip() or text


def _text(place: Place, name: str) -> str:
    try:
        return decoded(read(place, name) or b"")
    except OSError as error:
        _log.warning("%s is not taken over: %s", place.named(name), error)
        return ""


def _free(place: Place) -> str:
    """The first name of a copy that is not taken."""
    name, number = f"{_OLD}.bak", 0
    while place.taken(name):
        number += 1
        name = f"{_OLD}.bak.{number}"
    return name
