"""What the agent remembers for good, as a person and Dream read and change it: SOUL, USER, MEMORY, AGENTS.

A fact is a line that begins with a dash or a star. Beside the files stand two lists, only ever appended to:
sources.jsonl says which conversation a fact of Dream's came from, forgotten.jsonl what a person had taken
out, so that Dream does not bring it back. Nothing is written over what changed since it was read.
"""

import errno
import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop.errors import StorageError, UsageError, explain
from desktop.files import Place
from desktop.memory.files import (
    DREAMS,
    LARGEST,
    NOTES,
    ChangedMeanwhile,
    append_line,
    decoded,
    put,
    read,
    records,
)
from desktop.session.model import now
from desktop.text import _

type Json = dict[str, Any]

_FACT = re.compile(r"\s{0,3}[-*]\s+(\S.*?)\s*$")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_WORD = re.compile(r"[^\W_]+")
_ALIKE = 0.75
_TRIES = 5
_SHOWN = 200_000
"""Characters of a text that may be edited where it is shown."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Note:
    """One file as it is now."""

    name: str
    path: Path
    text: str
    data: bytes | None
    """Its bytes; None where there is no file, or it could not be read."""
    problem: str = ""
    remedy: str = ""
    editable: bool = True


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a note that says something."""

    text: str
    heading: str
    lines: tuple[int, int]
    """Where it stands: first line, and the one behind its last, from 0."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where Dream had a fact from."""

    cursor: int
    """The entry of the history; 0 where that is not known."""
    session: str
    timestamp: str


def normal(fact: str) -> str:
    """A fact for comparing: small letters, one space between words, nothing around it."""
    return " ".join(fact.casefold().split()).strip(" .。!;；,，-*")


def _pieces(text: str) -> set[str]:
    """The words of a text, of scripts without spaces the pairs of characters."""
    found: set[str] = set()
    for word in _WORD.findall(normal(text)):
        if word.isascii() or len(word) < 3:
            found.add(word)
        else:
            found |= {word[at : at + 2] for at in range(len(word) - 1)}
    return found


def alike(one: str, other: str) -> bool:
    """Whether two facts say about the same: most of their words are the same, and all of their figures."""
    first, second = _pieces(one), _pieces(other)
    if not first or not second:
        return normal(one) == normal(other)
    if {word for word in first if word.isdigit()} != {word for word in second if word.isdigit()}:
        return False  # another date, another figure: another fact
    return len(first & second) / len(first | second) >= _ALIKE


def facts(text: str) -> list[Fact]:
    """The facts of a note in order; not what stands in comments and code."""
    return list(each_fact(text))


def each_fact(text: str) -> Iterator[Fact]:
    """The same one by one: very many kept at once would have the garbage collector hold up everybody."""
    lines, heading = _plain(text.splitlines()), ""
    for at, line in enumerate(lines):
        if match := _HEADING.match(line):
            heading = match[1]
        elif match := _FACT.match(line):
            end = at + 1
            while end < len(lines) and lines[end].startswith(("  ", "\t")) and not _FACT.match(lines[end]):
                end += 1
            yield Fact(match[1], heading, (at, end))


def _plain(lines: Sequence[str]) -> list[str]:
    """The lines, those empty that are in comments or code."""
    kept, fence, comment = [], "", False
    for line in lines:
        shown = line
        bare = line.strip()
        if fence:
            shown = ""
            if bare.startswith(fence):
                fence = ""
        elif comment:
            comment = "-->" not in line
            shown = ""
        elif bare.startswith(("```", "~~~")):
            fence, shown = bare[:3], ""
        elif "<!--" in line:
            comment = "-->" not in line.partition("<!--")[2]
            shown = line.partition("<!--")[0].rstrip()
        kept.append(shown)
    return kept


class Notes:
    """The notes of one workspace. Everything blocks; it is called in threads, and may be in several."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self._place = Place(workspace)
        self._lock = threading.RLock()
        self._lists: dict[str, tuple[tuple[int, int], list[Json]]] = {}
        self._sources: tuple[list[Json], dict[tuple[str, str], Source]] = ([], {})
        """The list that they were read from, and they."""

    def read(self, name: str) -> Note:
        """A note as it is; what is wrong with it is said in it. Raises UsageError for a name it has not."""
        if name not in NOTES:
            raise UsageError(
                _("There is no note named {name}.").format(name=name),
                _("Notes: {names}").format(names=", ".join(NOTES)),
            )
        return self._read(name, NOTES[name])

    def at(self, file: str) -> Note:
        """The same of a file by its path in the workspace, which may be a skill's."""
        name = next((name for name, path in NOTES.items() if path == file), file)
        return self._read(name, file)

    def _read(self, name: str, file: str) -> Note:
        path = self.workspace / file
        try:
            data = read(self._place, file)
            protected = data is not None and not self._place.writable(file)
        except OSError as error:
            return Note(name, path, "", None, *_trouble(path, error), editable=False)
        note = Note(name, path, decoded(data or b""), data)
        if protected:
            problem = _("{path} is read-only.").format(path=path)
            return replace(
                note, problem=problem, remedy=_("Make it writable to edit it here."), editable=False
            )
        if data and b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            problem = _("{path} contains zero bytes, which are not shown.").format(path=path)
            return replace(note, problem=problem, remedy=_("Saving it here removes them."))
        if len(note.text) > _SHOWN:
            return replace(
                note,
                problem=_("{path} is very long: the agent reads only the beginning.").format(path=path),
                remedy=_("Remove what is no longer needed."),
            )
        return note

    def save(self, name: str, text: str, base: str) -> None:
        """Write a note that was edited from `base`. Raises UsageError where it is not that any more, and
        nothing is written; StorageError."""
        note = self.read(name)
        if not note.editable:
            raise StorageError(note.problem, note.remedy)
        if _lines(note.text) != _lines(base):
            raise UsageError(
                _("{path} has changed meanwhile, so it was not saved.").format(path=note.path),
                _("Check the new text and add your change to it. Your text is still in the editor."),
            )
        text = _lines(text)
        if note.text.count("\r\n") * 2 > note.text.count("\n"):
            text = text.replace("\n", "\r\n")
        self.put(note, text)
        self.welcome(name, text)

    def put(self, note: Note, text: str) -> None:
        """Write a note that was read. Raises UsageError where it changed since, StorageError."""
        data = text.encode("utf-8", "replace")
        if len(data) > LARGEST:
            raise StorageError(*_trouble(note.path, OSError(errno.EFBIG, "")))
        if not data and note.data is None:
            return
        try:
            put(self._place, note.path.relative_to(self.workspace).as_posix(), data, note.data)
        except ChangedMeanwhile:
            raise UsageError(
                _("{path} has changed meanwhile, so it was not saved.").format(path=note.path),
                _("Check the new text and try again."),
            ) from None
        except OSError as error:
            raise explain(error) from error

    def change(self, file: str, edit: Callable[[str], str]) -> bool:
        """Make a change in a file, by its path in the workspace, as that is now, also where somebody writes
        at the same time; whether it was made. Raises StorageError."""
        for _attempt in range(_TRIES):
            note = self.at(file)
            if not note.editable:
                _log.warning("%s cannot be changed: %s", note.path, note.problem)
                return False
            text = edit(note.text)
            if text == note.text:
                return False
            with suppress(UsageError):  # somebody wrote at this moment: look again
                self.put(note, text)
                return True
        raise StorageError(
            _("Another program is changing {path}.").format(path=note.path),
            _("Try again in a moment."),
        )

    def forget(self, name: str, fact: str) -> None:
        """Take a fact out of the notes for good: out of this one and of all that Dream writes. Raises
        UsageError where it is in none of them, StorageError."""
        wanted, found = normal(fact), False
        names = dict.fromkeys((name, *(DREAMS if name in DREAMS else ())))
        notes = [self.read(one) for one in names]
        for note in notes:
            if any(normal(one.text) == wanted for one in each_fact(note.text)):
                if not note.editable:
                    raise StorageError(note.problem, note.remedy)
                found = True
        if not found:
            raise UsageError(_("This is no longer in {name}.").format(name=NOTES.get(name, name)))
        self._append("forgotten", {"fact": wanted, "file": name, "timestamp": now()})
        for note in notes:
            self.change(NOTES[note.name], lambda text: _without(text, wanted))

    # ---- the two lists

    def sources(self) -> Mapping[tuple[str, str], Source]:
        """Where facts came from: by the note's name and the fact in its normal form."""
        lines, (read_from, found) = self._list("sources"), self._sources
        if lines is read_from:
            return found
        found = {}
        for line in lines:
            cursor, session, timestamp = line.get("cursor"), line.get("session"), line.get("timestamp")
            found[str(line.get("file")), str(line.get("fact"))] = Source(
                cursor if isinstance(cursor, int) else 0,
                session if isinstance(session, str) else "",
                timestamp if isinstance(timestamp, str) else "",
            )
        self._sources = (lines, found)
        return found

    def credit(self, found: Iterable[tuple[str, str, Source]]) -> None:
        """Note where facts come from: note, fact, source. Raises StorageError."""
        known = self.sources()
        for name, fact, source in found:
            if known.get((name, normal(fact))) != source:
                self._append(
                    "sources",
                    {
                        "file": name,
                        "fact": normal(fact),
                        "cursor": source.cursor,
                        "session": source.session,
                        "timestamp": source.timestamp,
                    },
                )

    def forgotten(self) -> list[str]:
        """What shall not come back, in its normal form."""
        kept: dict[str, None] = {}
        for line in self._list("forgotten"):
            fact = str(line.get("fact"))
            if line.get("back") is True:
                kept.pop(fact, None)
            else:
                kept[fact] = None
        return list(kept)

    def welcome(self, name: str, text: str) -> None:
        """What stands in a note by the person's own hand is no longer forgotten. Raises StorageError."""
        forgotten = set(self.forgotten())
        for fact in {normal(one.text) for one in each_fact(text)} & forgotten:
            self._append("forgotten", {"fact": fact, "file": name, "timestamp": now(), "back": True})

    def welcome_all(self) -> None:
        """The same for all notes, after some were brought back."""
        for name in NOTES:
            self.welcome(name, self.read(name).text)

    def _list(self, name: str) -> list[Json]:
        path = f"memory/{name}.jsonl"
        try:
            seen = self._place.stat(path)
            mark = (seen.st_mtime_ns, seen.st_size)
            kept = self._lists.get(name)
            if kept is None or kept[0] != mark:
                kept = self._lists[name] = (mark, records(self._place, path))
        except FileNotFoundError:
            return []
        except OSError as error:
            _log.warning("%s cannot be read: %s", path, error)
            return []
        return kept[1]

    def _append(self, name: str, record: Json) -> None:
        try:
            with self._lock:
                append_line(self._place, f"memory/{name}.jsonl", record)
        except OSError as error:
            raise explain(error) from error


def _without(text: str, wanted: str) -> str:
    """A text without a fact."""
    lines = text.splitlines(keepends=True)
    for start, end in reversed([one.lines for one in each_fact(text) if normal(one.text) == wanted]):
        del lines[start:end]
    return "".join(lines)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _trouble(path: Path, error: OSError) -> tuple[str, str]:
    """What is wrong with a file, and what helps."""
    if isinstance(error, IsADirectoryError):
        return (
            _("{path} is a folder, not a file.").format(path=path),
            _("Move the folder away. The file will be created again."),
        )
    if error.errno == errno.EFBIG:
        return (
            _("{path} is larger than {size} MB, so it is not read.").format(path=path, size=LARGEST >> 20),
            _("Shorten it in a text editor, or restore an older version."),
        )
    told = explain(error)
    return told.text, told.remedy
