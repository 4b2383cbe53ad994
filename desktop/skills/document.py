"""One SKILL.md: what is kept of it while the file stays the same, and what is wrong with it."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.files import Place
from desktop.skills import frontmatter
from desktop.skills.frontmatter import Header
from desktop.skills.requirements import Requirements
from desktop.text import _, mark

BEGINNING = 64 * 1024
"""Bytes in which the header must end."""
LONGEST = 60_000
"""Characters of a body that a model is shown."""
LARGEST = 1_000_000
"""Bytes from which on a file is not read whole any more."""
_DESCRIPTION = 500
_unfit = re.compile("[\x00-\x20\x7f-\xa0\u200b\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+")

_NOTHING = Requirements()

type Mark = tuple[int, int, int]
"""Time of the last change, size, inode: the same while a file is."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong, and the remedy; told in the language of the moment."""

    text: str
    remedy: str
    given: dict[str, Any] = field(default_factory=dict)
    fatal: bool = False
    """The skill cannot be used."""

    def told(self) -> tuple[str, str]:
        """Sentence and remedy."""
        return _(self.text).format(**self.given), _(self.remedy).format(**self.given)


@dataclass(frozen=True, slots=True)
class Document:
    """What the program knows of a SKILL.md."""

    mark: Mark
    description: str = ""
    always: bool = False
    emoji: str = ""
    needs: Requirements = _NOTHING
    trouble: Trouble | None = None


def read(path: Path, seen: Mark) -> Document:
    """Read the beginning of a file; of one that is neither short nor huge all, to know how long it is.
    Never raises: what cannot be read says so."""
    size = seen[1]
    try:
        data = content(path, LARGEST if LONGEST < size <= LARGEST else BEGINNING)
    except OSError:
        return Document(seen, trouble=UNREADABLE)
    if b"\0" in data:
        return Document(seen, trouble=NO_TEXT)
    text = data.decode("utf-8", "replace")
    header = frontmatter.read(text)
    metadata = header.metadata
    return Document(
        seen,
        one_line(header.text("description") or _first_line(header.body), _DESCRIPTION),
        header.always,
        one_line(frontmatter.as_text(metadata.get("emoji")), 8),
        Requirements.of(header.fields, metadata),
        _wrong(header, path.parent.name, size, strange="\ufffd" in text[:-1]),
    )


def place_of(path: Path) -> Place:
    """The workspace, or what is in its place, in which a SKILL.md lies at skills/name/SKILL.md."""
    return Place(path.parents[2])


def content(path: Path, most: int) -> bytes:
    """The beginning of a SKILL.md. Raises OSError."""
    return place_of(path).read(path, most)


def body(path: Path) -> str:
    """The text below the header, the first LONGEST characters of it. Raises OSError."""
    data = content(path, BEGINNING + 4 * LONGEST)
    text = frontmatter.read(data.decode("utf-8", "replace")).body.strip()
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n\n[Cut off here: the file is longer. The rest is in {path}.]"


def one_line(text: str, most: int) -> str:
    """A text that cannot leave its line: control characters and forced directions become spaces."""
    text = _unfit.sub(" ", text).strip()
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _first_line(text: str) -> str:
    lines = (line.lstrip("#").strip() for line in text[:5_000].splitlines())
    return next((line for line in lines if line), "")


def _wrong(header: Header, folder: str, size: int, *, strange: bool) -> Trouble | None:
    """The first of what may be wrong; none of it keeps the skill from being used."""
    if strange:
        return Trouble(NO_TEXT.text, NO_TEXT.remedy)
    if size > LARGEST or len(header.body) > LONGEST:
        return Trouble(
            mark("SKILL.md is {size} kB long, so only its first 60,000 characters are loaded."),
            mark("Move parts of it to separate files, and name them in SKILL.md."),
            {"size": f"{size / 1000:,.0f}"},
        )
    if header.broken:
        return Trouble(
            mark("Line {line} of SKILL.md is not valid YAML; the header was read line by line."),
            mark("Put the value in that line in quotation marks."),
            {"line": header.broken},
        )
    if header.long:
        return Trouble(
            mark("The header of SKILL.md is very long and was read line by line."),
            mark("Move long parts below the header."),
        )
    if not header.closed:
        return Trouble(mark("The header of SKILL.md is not closed."), mark("Add a line with --- below it."))
    if not header.found:
        return Trouble(
            mark("SKILL.md has no header, so its first line is used as the description."),
            mark("Start it with a line of ---, a name, a description, and another line of ---."),
        )
    if not header.text("description"):
        return Trouble(
            mark("The header of SKILL.md has no description."),
            mark("Add one that says what the skill does and when to use it."),
        )
    name = one_line(header.text("name"), 80)
    if name and name != folder:
        return Trouble(
            mark("The header says {name}, but the folder’s name is used."),
            mark("Give both the same name."),
            {"name": name},
        )
    return None


UNREADABLE = Trouble(
    mark("SKILL.md can’t be read."), mark("Check the permissions of the file."), fatal=True
)
NO_TEXT = Trouble(mark("SKILL.md is not UTF-8 text."), mark("Save it as UTF-8."), fatal=True)
MISSING = Trouble(
    mark("There is no SKILL.md in the folder."), mark("Create one, or remove the folder."), fatal=True
)
OUTSIDE = Trouble(
    mark("It is a link that leads out of the workspace, so it is not loaded."),
    mark("Copy the folder to the workspace instead of linking to it."),
    fatal=True,
)
NAME = Trouble(
    mark("The folder’s name contains characters that can’t be used."),
    mark("Rename it with lowercase letters, digits and hyphens."),
    fatal=True,
)
