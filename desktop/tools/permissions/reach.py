"""Which places a command names: words that are paths, parts of words, and paths inside of code."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from desktop.tools.permissions.commands import Walk
from desktop.tools.permissions.guard import WRITE_SIGNS, written
from desktop.tools.permissions.launchers import EXEC_WORDS
from desktop.tools.permissions.places import Fence, Fences

LONGEST = 4096
TALKERS = frozenset({"echo", "printf", "git", "grep", "rg", "egrep", "fgrep", "ag", "ack", "cat", "tee"})
"""Programs to which a sentence is data, whatever it speaks of."""
GATHERERS = frozenset(
    {
        "cp",
        "tar",
        "bsdtar",
        "zip",
        "7z",
        "7za",
        "rsync",
        "scp",
        "cpio",
        "rg",
        "ag",
        "ditto",
        "robocopy",
        "xcopy",
    }
    | {"grep", "egrep", "fgrep"}
)
STREAMS = ("/dev/fd/", "/dev/std", "/dev/null", "/dev/tty")


@dataclass(frozen=True, slots=True)
class Place:
    """A path that a command names."""

    path: str
    """Absolute, as written."""
    writing: bool = False
    moving: bool = False
    """Whether the whole of it is taken away."""
    glob: bool = False


def named(walk: Walk, home: Path, skip: int = 0) -> list[Place]:
    """Every path that the words of the commands may stand for; without the first words of each."""
    bases = list(walk.places)
    words: dict[tuple[str, bool, bool, bool], None] = {}
    for call in walk.calls:
        changed = set(written(call))
        for word in call.argv[skip:]:
            writing = word.text in changed
            moving = writing and call.program == "mv" and word is not call.argv[-1]
            for piece in _pieces(word.text, str(home)):
                words[piece, writing, moving, word.glob] = None
    for sign, file in walk.files:
        words[file, sign in WRITE_SIGNS, False, False] = None
    if any(
        os.path.normpath(Path(bases[0], word[0])) == str(home) for word in words if len(word[0]) <= LONGEST
    ):
        bases.append(str(home))
    return [
        Place(path, *rest)
        for piece, *rest in words
        for path in dict.fromkeys(_absolute(place, piece) for place in bases)
    ]


def closed(walk: Walk, home: Path, fences: Fences) -> Fence:
    """Why the command may not go where it wants to; empty if it may."""
    texts = [
        w.text for call in walk.calls if call.program not in TALKERS for w in call.argv if _long(w.text)
    ]
    if any(map(fences.spoken, texts)) or any(fences.spoken(code, code=True) for code in walk.code):
        return "fence"
    folders: dict[str, str] = {}
    for place in named(walk, home):
        if found := _why(place, fences, folders):
            return found
    return ""


def gathers(walk: Walk, fences: Fences) -> bool:
    """Whether a command takes all of a folder that has closed places in it: a copy of the home."""
    folders: dict[str, str] = {}
    for call in walk.calls:
        takes = call.program in GATHERERS or (
            call.program == "find" and not EXEC_WORDS.isdisjoint(call.words)
        )
        named = [word for word in call.words if not word.startswith("-")] + ["."]
        for word in named if takes else ():
            for place in walk.places:
                if len(word) <= LONGEST and fences.holds(_real(_absolute(place, word), folders), own=False):
                    return True
    return False


def _why(place: Place, fences: Fences, folders: dict[str, str]) -> Fence:
    if len(place.path) > LONGEST or place.path.startswith(STREAMS):
        return ""
    if place.glob and fences.pattern(place.path):
        return "fence"
    if found := fences.why(place.path, place.writing):
        return found
    real = _real(place.path, folders)
    if found := fences.why(real, place.writing):
        return found
    return "own" if place.moving and fences.holds(real) else ""


def _real(path: str, folders: dict[str, str]) -> str:
    """Where a path leads. Most names of a command lie in one folder, which is followed once."""
    folder, name = os.path.split(path)
    if name in {"", ".", ".."}:
        return os.path.realpath(path)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder)
    full = f"{folders[folder].rstrip(os.sep)}{os.sep}{name}"
    return os.path.realpath(full) if os.path.islink(full) else full  # noqa: PTH114 a text, for speed


def _long(text: str) -> bool:
    """Whether a word is more than a name: a sentence, or code."""
    return any(sign in text for sign in " \n\t'\"(")


def _pieces(word: str, home: str) -> Iterator[str]:
    """A word, and what in it may be a path of its own: `--file=x`, `a:b`, `@x`, `-I/x`."""
    if len(word) > LONGEST or not word:
        return
    text = unquote(word) if word.startswith("file:") else word
    yield text
    found = []
    for sign in "=:@,":
        if sign in text:
            found += text.split(sign)[1:]
    slash = text.find("/")
    if slash > 0 and not _long(text):
        found.append(text[slash:])
    if word.startswith("-") and len(word) > 2:
        found.append(word[2:])
    for piece in found:
        if piece:
            yield home + piece[1:] if piece[:2] == "~/" or piece == "~" else piece


def _possible(name: str) -> bool:
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeError:
        return False


def _absolute(place: str, piece: str) -> str:
    joined = os.path.join(place, piece) if _possible(piece) else place  # noqa: PTH118 `..` and links stay
    return "/" + joined.lstrip("/") if joined.startswith("//") and os.name != "nt" else joined
