"""The pieces of a command line once it was read, and what a word becomes when the shell expands it."""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

GLOB = re.compile(r"[*?]|\[.*\]", re.DOTALL)
MANY = 64
"""So many words a pair of braces may become; more of them stay as they are."""


@dataclass(slots=True)
class Part:
    """A stretch of a word: text, a variable (`text` is its name), or a command whose output goes here."""

    kind: Literal["text", "variable", "script", "unknown"]
    text: str
    quoted: bool = False
    default: str | None = None
    """What a variable without a value becomes."""
    script: "Script | None" = None


@dataclass(slots=True)
class Word:
    parts: list[Part]

    @property
    def literal(self) -> str | None:
        """The word where nothing in it is quoted or expanded; keywords are recognised by it."""
        if all(part.kind == "text" and not part.quoted for part in self.parts):
            return "".join(part.text for part in self.parts)
        return None

    @property
    def fixed(self) -> bool:
        """Whether the shell takes it as it stands, but for quotes, file patterns and `~`."""
        return all(part.kind == "text" for part in self.parts) and not self._braces

    @property
    def _braces(self) -> bool:
        return any(p.kind == "text" and not p.quoted and "{" in p.text for p in self.parts)

    def scripts(self) -> Iterator["Script"]:
        return (part.script for part in self.parts if part.script is not None)


@dataclass(slots=True)
class Redirect:
    sign: str
    target: Word
    body: Word | None = None
    """The text of a here-document."""


@dataclass(slots=True)
class Simple:
    """One simple command: assignments, words, redirects; and where it stands."""

    assignments: list[tuple[str, Word]] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    feeder: "Simple | None" = None
    """The command whose output it reads."""
    piped: bool = False
    background: bool = False
    functions: tuple[str, ...] = ()
    """The shell functions in whose bodies it stands."""

    def __bool__(self) -> bool:
        return bool(self.words or self.assignments or self.redirects)


@dataclass(slots=True)
class Script:
    commands: list[Simple] = field(default_factory=list)
    plain: bool = True
    """One simple command and nothing else: no operator, keyword, expansion, redirect or comment."""
    broken: bool = False
    """Not to be read to the end: an open quote, a missing end of a here-document."""
    deep: bool = False
    """Nested deeper than is followed."""


@dataclass(frozen=True, slots=True)
class Field:
    """A word as the program gets it. `known` says whether that is certain."""

    text: str
    known: bool = True
    glob: bool = False


NESTED = 20
"""A word with more braces than these is not followed."""

type Variables = Mapping[str, str]
type Output = Callable[[Script], str | None]


def expand(word: Word, variables: Variables, output: Output) -> list[Field]:
    """What the shell makes of a word. What cannot be known is empty and marked so."""
    fields: list[Field] = []
    for parts in _braces(word.parts):
        fields += _fields(parts, variables, output)
    return fields


def value(word: Word, variables: Variables, output: Output) -> Field:
    """What a word becomes where the shell does not split it: in an assignment, after a redirect."""
    fields = expand(word, variables, output)
    text = " ".join(field.text for field in fields)
    return Field(text, all(f.known for f in fields), any(f.glob for f in fields))


def _fields(parts: list[Part], variables: Variables, output: Output) -> list[Field]:
    done: list[Field] = []
    text, known, glob, there = "", True, False, False
    for position, part in enumerate(parts):
        piece, sure = _piece(part, position == 0, variables, output)
        if part.quoted or part.kind == "text":
            several = part.text == "@" and part.kind == "variable"
            chunks = piece.split(" ") if several else [piece]
            glob = glob or (not part.quoted and bool(GLOB.search(piece)))
        else:
            chunks = _split(piece)
            glob = glob or bool(GLOB.search(piece))
        known = known and sure
        there = there or part.quoted or bool(piece)
        for chunk in chunks[:-1]:
            if text + chunk:
                done.append(Field(text + chunk, known, glob))
            text, known, glob = "", sure, False
        text += chunks[-1]
    if text or there or not known:
        done.append(Field(text, known, glob))
    return done


def _split(piece: str) -> list[str]:
    """What the shell splits at blanks; an empty end says that the word ends there."""
    inner = piece.split()
    if not inner:
        return ["", ""] if piece else [""]
    return [*([""] * piece[0].isspace()), *inner, *([""] * piece[-1].isspace())]


def _piece(part: Part, first: bool, variables: Variables, output: Output) -> tuple[str, bool]:
    if part.kind == "text":
        return (_tilde(part.text, variables) if first and not part.quoted else part.text), True
    if part.kind == "variable":
        found = variables.get(part.text, part.default)
        return found or "", found is not None
    if part.script is not None and (found := output(part.script)) is not None:
        return found, True
    return "", False


def _tilde(text: str, variables: Variables) -> str:
    if not text.startswith("~"):
        return text
    name, slash, rest = text.partition("/")
    home = variables.get("HOME", "~")
    if name == "~":
        return home + slash + rest
    if name == "~+":
        return variables.get("PWD", ".") + slash + rest
    return f"{home.rpartition('/')[0]}/{name[1:]}{slash}{rest}"


def _braces(parts: list[Part]) -> list[list[Part]]:
    """`{a,b}` as the words that it becomes."""
    loose = [part.text for part in parts if part.kind == "text" and not part.quoted]
    if not any("{" in text for text in loose) or not any("," in text for text in loose):
        return [parts]
    if sum(text.count("{") for text in loose) > NESTED:
        return [[*parts, Part("unknown", "")]]
    pieces: list[Part] = []
    for part in parts:
        if part.kind == "text" and not part.quoted:
            pieces += [Part("text", letter) for letter in part.text]
        else:
            pieces.append(part)
    return list(itertools.islice(_alternatives(pieces), MANY))


def _alternatives(pieces: list[Part]) -> Iterator[list[Part]]:
    found = _group(pieces)
    if found is None:
        yield _joined(pieces)
        return
    start, commas, end = found
    edges = [start, *commas, end]
    for left, right in itertools.pairwise(edges):
        yield from _alternatives(pieces[:start] + pieces[left + 1 : right] + pieces[end + 1 :])


def _group(pieces: list[Part]) -> tuple[int, list[int], int] | None:
    """The first braces with a comma in them: where they open, their commas, where they close."""
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, list[int], int] | None = None
    for at, part in enumerate(pieces):
        sign = part.text if part.kind == "text" and not part.quoted else ""
        if sign == "{":
            opened.append((at, []))
        elif sign == "," and opened:
            opened[-1][1].append(at)
        elif sign == "}" and opened:
            start, commas = opened.pop()
            if commas and (best is None or start < best[0]):
                best = (start, commas, at)
    return best


def _joined(pieces: list[Part]) -> list[Part]:
    """Neighbouring letters as one part again, so that `~` and patterns are seen."""
    joined: list[Part] = []
    for part in pieces:
        last = joined[-1] if joined else None
        if part.kind == "text" and not part.quoted and last and last.kind == "text" and not last.quoted:
            joined[-1] = Part("text", last.text + part.text)
        else:
            joined.append(part)
    return joined
