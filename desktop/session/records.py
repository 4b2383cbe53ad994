"""One line of a session file, to bytes and back, whatever happened to the bytes.

Every record is written with `role` or `_type` as its first key and nothing nested looks like that
start, so a reader that lost its place finds the next record again. An unescaped quote cannot occur
inside a JSON string, so no text that a person writes can imitate it.
"""

import json
import math
import re
import sys
from itertools import pairwise
from typing import Any

from desktop.session.model import Message, now, utc

UTF8 = "utf-8"
_START = re.compile(rb'\{"(?:role|_type)":')
_WIDE_START = re.compile(
    b"|".join(re.escape(s.encode("utf-16-le")[:-1]) for s in ('{"role":', '{"_type":'))
)
_BLANK = b" \t\r\n\0"
_BOM = b"\xef\xbb\xbf"
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder(strict=False)


def stamped(message: Message) -> Message:
    """The record to store for a message: role first, with a time. Shares nothing with its argument."""
    record = {"role": clean(str(message.get("role") or "user"))}
    record.update((key, value) for key, value in clean(message).items() if key not in ("role", "_type"))
    record["timestamp"] = utc(record.get("timestamp")) or now()
    return record


def write(record: Message, encoding: str = UTF8) -> bytes:
    """A clean record as one line."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    start = text[0]
    body = text[1:]
    if '{"role":' in body or '{"_type":' in body:
        body = body.replace('{"role":', '{ "role":').replace('{"_type":', '{ "_type":')
    return f"{start}{body}\n".encode(encoding)


def clean(value: Any) -> Any:
    """A copy that JSON and UTF-8 can hold: no lone surrogates, no NaN, no types but JSON's own."""
    if isinstance(value, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {clean(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if value is None or isinstance(value, bool | int):
        return value
    return clean(str(value))


def read(line: bytes) -> tuple[list[Message], int]:
    """The records of one line of a UTF-8 file and how many were damaged: normally one and none."""
    line = line.strip(_BLANK).removeprefix(_BOM)
    if not line:
        return [], 0
    text, whole = _decode(line)
    record = _parse(text)
    if record is not None:
        return [record], 0 if whole else 1
    starts = [match.start() for match in _START.finditer(line)]
    return _salvage([_decode(line[begin:end])[0] for begin, end in pairwise([*starts, len(line)])])


def read_foreign(data: bytes, encoding: str) -> tuple[list[Message], int]:
    """All records of a file in UTF-16, found by their starts at any byte offset."""
    starts = sorted(
        match.start()
        for start in ('{"role":', '{"_type":')
        for match in re.finditer(re.escape(start.encode(encoding)), data)
    )
    records: list[Message] = []
    damaged = 0
    for begin, end in pairwise([*starts, len(data)]):
        record = _salvaged(data[begin:end].decode(encoding, "replace"))
        if record is None:
            damaged += 1
        else:
            records.append(record)
    return records, damaged


def encoding_of(head: bytes) -> str:
    """utf-8, or the UTF-16 that an editor made of the file.

    In ASCII text the two byte orders look alike but for one byte of offset.
    """
    starts = [match.start() for match in _WIDE_START.finditer(head)]
    if len(starts) <= len(_START.findall(head)):
        return UTF8
    even = sum(start % 2 == 0 for start in starts)
    return "utf-16-le" if 2 * even > len(starts) else "utf-16-be"


def _decode(line: bytes) -> tuple[str, bool]:
    """The text of a line, and whether it is as it was written."""
    try:
        return line.decode(UTF8), True
    except UnicodeDecodeError:
        text = line.decode(UTF8, "replace")
    high = sum(map(len, _HIGH_RUN.findall(line)))
    broken = text.count("\N{REPLACEMENT CHARACTER}")
    sound = sum(len(run) for run in re.findall(r"[^\x00-\x7f\ufffd]+", text))
    if high < 2 or sound >= broken:
        return text, False
    return _foreign(line), True


def _foreign(line: bytes) -> str:
    """A line that some editor saved in an 8-bit encoding: Chinese ones write high bytes in pairs."""
    runs = _HIGH_RUN.findall(line)
    if 2 * sum(len(run) % 2 == 0 for run in runs) > len(runs):
        try:
            return line.decode("gb18030")
        except UnicodeDecodeError:
            return line.decode("latin-1")
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def _parse(text: str) -> Message | None:
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return _record(value, text)


def _record(value: object, text: str) -> Message | None:
    if not isinstance(value, dict):
        return None
    if not isinstance(value.get("_type"), str) and not isinstance(value.get("role"), str):
        return None
    found: Message = clean(value) if "\\u" in text else value
    # Each line that json reads has names of its own, which take as much memory as a short message.
    record = {sys.intern(name): item for name, item in found.items()}
    if moment := utc(record.get("timestamp")):
        record["timestamp"] = moment
    return record


def _salvage(pieces: list[str]) -> tuple[list[Message], int]:
    """Records in a line that is not one: a line end was damaged, or something was put in between."""
    records = [record for piece in pieces if (record := _salvaged(piece)) is not None]
    return records, max(len(pieces) - len(records), 1)


def _salvaged(text: str) -> Message | None:
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    # nanobot's files may nest {"role": inside their metadata; what follows such an object gives it away.
    if text[end:].lstrip()[:1] in ("}", "]", ",") and re.match(r'\{"\w+": ', text):
        return None
    return _record(value, text[:end])
