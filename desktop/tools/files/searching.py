"""grep and find_files as the worker child does them; there a pattern that never ends can be ended."""

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from desktop.tools.files.encoding import SAMPLE, sniff
from desktop.tools.files.opening import Refusal, open_plain, shown
from desktop.tools.files.walking import matcher, walk

MOST_CHARACTERS = 128_000
MOST_PATHS = 500_000
_MOST_BYTES = 2_000_000
_LONGEST_LINE = 1_000


def grep(request: dict[str, Any], seconds: float) -> str:
    """Lines that match, or the files they are in, or how many there are. Raises Refusal."""
    top, until = Path(request["path"]), time.monotonic() + seconds
    page = _Page(request["offset"], request["head_limit"])
    try:
        pattern = re.escape(request["pattern"]) if request["fixed_strings"] else request["pattern"]
        found = re.compile(pattern, re.IGNORECASE if request["case_insensitive"] else 0).search
    except (re.error, OverflowError, RecursionError) as error:
        raise Refusal(
            f"The pattern is no regular expression: {error}. fixed_strings=true takes it as it is."
        ) from None
    show = {"content": _content, "count": _count}.get(request["output_mode"], _name)
    for name, path in _files(top, matcher(request["glob"]), frozenset(request["hidden"])):
        if time.monotonic() > until:
            page.note = (
                "Stopped after a while: there may be more. Search in a narrower path or with a glob."
            )
            break
        texts = _lines(path)
        hits = [number for number, text in enumerate(texts) if found(text)]
        if hits and not show(page, shown(name), texts, hits, request):
            break
    return page.text("Nothing matches.")


class _Page:
    """The part of the hits that is shown: from an offset on, so many, so many characters."""

    def __init__(self, offset: int, limit: int) -> None:
        self._out: list[str] = []
        self._offset, self._limit = offset, limit or 1 << 60
        self._passed, self._room = 0, MOST_CHARACTERS
        self.note = ""

    def take(self, make: Callable[[], str]) -> bool:
        """Count one hit and keep it if it is wanted; False when the page is full."""
        self._passed += 1
        if self._passed <= self._offset:
            return True
        text = make()
        self._room -= len(text) + 1
        if self._passed > self._offset + self._limit or self._room < 0:
            self.note = f"There is more: go on with offset={self._passed - 1}."
            return False
        self._out.append(text)
        return True

    def text(self, nothing: str) -> str:
        if not self._out and self._passed:
            nothing = f"Nothing more: there are {self._passed} in all."
        return "\n".join([*(self._out or [nothing]), *([self.note] if self.note else [])])


def _name(page: _Page, name: str, *_rest: object) -> bool:
    return page.take(lambda: name)


def _count(page: _Page, name: str, _texts: list[str], hits: list[int], _request: object) -> bool:
    return page.take(lambda: f"{name}: {len(hits)}")


def _content(page: _Page, name: str, texts: list[str], hits: list[int], request: dict[str, Any]) -> bool:
    before, after = request["context_before"], request["context_after"]
    wanted, last = set(hits), -1
    for hit in hits:
        start, end = max(last + 1, hit - before), min(len(texts), hit + after + 1)
        around = [
            _line(name, n, texts[n], n in wanted) for n in range(start, end) if n == hit or n not in wanted
        ]
        gap = ["--"] if (before or after) and last >= 0 and start > last + 1 else []
        if not page.take(lambda lines=(*gap, *around): "\n".join(lines)):  # type: ignore[misc]
            return False
        last = max(last, end - 1)
    return True


def _line(name: str, number: int, text: str, is_hit: bool) -> str:
    cut = text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]} [{len(text):,} characters]"
    return f"{name}:{number + 1}: {cut}" if is_hit else f"{name}-{number + 1}- {cut}"


def _files(top: Path, fits: Callable[[str], bool], hidden: frozenset[str]) -> Iterator[tuple[str, Path]]:
    if not top.is_dir():
        yield top.name, top
        return
    start = len(str(top).rstrip(os.sep)) + 1
    for entry in walk(top, hidden):
        name = entry.path[start:].replace(os.sep, "/")
        if entry.is_file(follow_symlinks=False) and fits(name):
            yield name, Path(entry.path)


def _lines(path: Path) -> list[str]:
    """The lines of a text file; none of one that is binary, too large or not to be had."""
    try:
        with open_plain(path) as stream:
            sample = stream.read(SAMPLE)
            encoding = sniff(sample)
            data = sample + stream.read(_MOST_BYTES + 1 - len(sample))
    except (OSError, Refusal):
        return []
    if encoding is None or len(data) > _MOST_BYTES:
        return []
    text = data[len(encoding.bom) :].decode(encoding.name, "replace")
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def find(request: dict[str, Any], seconds: float) -> str:
    """Files whose path holds the query and fits the glob. Raises Refusal."""
    top, until = Path(request["path"]), time.monotonic() + seconds
    if not top.is_dir():
        raise Refusal(f"{shown(str(top))} is no folder.")
    fits, words = matcher(request["glob"]), request["query"].lower().split()
    start, seen, note = len(str(top).rstrip(os.sep)) + 1, 0, ""
    found: list[tuple[float, str]] = []
    for entry in walk(top, frozenset(request["hidden"])):
        seen += 1
        if seen > MOST_PATHS or (not seen % 256 and time.monotonic() > until):
            note = f"Stopped after {seen - 1:,} paths: there may be more. Search in a narrower path."
            break
        name, folder = entry.path[start:].replace(os.sep, "/"), entry.is_dir(follow_symlinks=False)
        if folder and not request["include_dirs"]:
            continue
        lower = name.lower()
        if fits(name) and all(word in lower for word in words):
            modified = _modified(entry) if request["sort"] == "modified" else 0.0
            found.append((-modified, shown(name) + ("/" if folder else "")))
    page = _Page(request["offset"], request["head_limit"])
    all(page.take(lambda text=text: text) for _key, text in sorted(found))  # type: ignore[misc]
    page.note = " ".join(filter(None, (page.note, note)))
    return page.text("No file fits.")


def _modified(entry: os.DirEntry[str]) -> float:
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return 0.0
