"""grep and find_files as the worker child does them; there a pattern that never ends can be ended."""

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from desktop.files import Found, Opened, Seen
from desktop.tools.files.encoding import SAMPLE, sniff
from desktop.tools.files.ends import plain
from desktop.tools.files.opening import Refusal, exact, open_plain, shown
from desktop.tools.files.walking import Closed, matcher, walk

MOST_CHARACTERS = 128_000
MOST_PATHS = 500_000
_MOST_BYTES = 2_000_000
_LONGEST_LINE = 1_000


def grep(request: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Lines that match, or the files they are in, or how many there are, as `text`; `read`: the files that
    it speaks of. Raises Refusal."""
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
    read: list[Any] = []
    for name, opened in _files(top, request["glob"], Closed(**request["closed"])):
        if time.monotonic() > until:
            page.note = (
                "Stopped after a while: there may be more. Search in a narrower path or with a glob."
            )
            break
        file, texts = _lines(opened)
        hits = [number for number, text in enumerate(texts) if found(text)]
        if hits and file:
            before, going_on = page.kept, show(page, shown(name), texts, hits, request)
            if page.kept > before:
                read.append(asdict(file) | {"path": str(file.path)})
            if not going_on:
                break
    return {"text": page.text("Nothing matches."), "read": read}


class _Page:
    """The part of the hits that is shown: from an offset on, so many, so many characters."""

    def __init__(self, offset: int, limit: int) -> None:
        self._out: list[str] = []
        self._offset, self._limit = offset, limit or 1 << 60
        self._passed, self._room = 0, MOST_CHARACTERS
        self.note = ""

    @property
    def kept(self) -> int:
        """How many hits are in it."""
        return len(self._out)

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


def _files(top: Path, glob: str, closed: Closed) -> Iterator[tuple[str, Callable[[], Opened]]]:
    """The files to search: their names below the top, and what opens them."""
    fits, literally = matcher(glob), matcher(glob, literal=True)
    if not exact(top).is_dir(top):
        yield top.name, lambda: open_plain(top)
        return
    nothing, otherwise = True, dict[str, Path]()
    for found in walk(top, closed):
        if found.kind == "file" and fits(found.name):
            nothing = False
            yield found.name, found.open
        elif nothing and found.kind == "file" and literally(found.name):
            otherwise[found.name] = Path(found.path)
    for name, path in otherwise.items() if nothing else ():
        yield name, lambda path=path: open_plain(path)  # type: ignore[misc]


def _lines(opens: Callable[[], Opened]) -> tuple[Seen | None, list[str]]:
    """A text file and its lines; none of one that is binary, too large or not to be had."""
    try:
        with opens() as file:
            sample = file.stream.read(SAMPLE)
            encoding = sniff(sample)
            data = sample + file.stream.read(_MOST_BYTES + 1 - len(sample))
            if encoding is None or len(data) > _MOST_BYTES:
                return None, []
            read = file.seen(hashlib.sha256(data).hexdigest())
    except (OSError, Refusal):
        return None, []
    text = data[len(encoding.bom) :].decode(encoding.name, "replace")
    return read, plain(text).removesuffix("\n").split("\n")


def find(request: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Files whose path holds the query and fits the glob, as `text`. Raises Refusal."""
    top, until = Path(request["path"]), time.monotonic() + seconds
    if not exact(top).is_dir(top):
        raise Refusal(f"{shown(str(top))} is no folder.")
    glob, words = request["glob"], request["query"].lower().split()
    fits, literally = matcher(glob), matcher(glob, literal=True)
    seen, note = 0, ""
    found: list[tuple[float, str]] = []
    otherwise: list[tuple[float, str]] = []
    for entry in walk(top, Closed(**request["closed"])):
        seen += 1
        if seen > MOST_PATHS or (not seen % 256 and time.monotonic() > until):
            note = f"Stopped after {seen - 1:,} paths: there may be more. Search in a narrower path."
            break
        name, folder = entry.name, entry.kind == "folder"
        if folder and not request["include_dirs"]:
            continue
        fitting = found if fits(name) else otherwise if not found and literally(name) else None
        lower = name.lower()
        if fitting is not None and all(word in lower for word in words):
            modified = _modified(entry) if request["sort"] == "modified" else 0.0
            fitting.append((-modified, shown(name) + ("/" if folder else "")))
    page = _Page(request["offset"], request["head_limit"])
    all(page.take(lambda text=text: text) for _key, text in sorted(found or otherwise))  # type: ignore[misc]
    page.note = " ".join(filter(None, (page.note, note)))
    return {"text": page.text("No file fits.")}


def _modified(entry: Found) -> float:
    try:
        return entry.status().st_mtime
    except OSError:
        return 0.0
