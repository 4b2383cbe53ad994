"""Commands, skills and files while the person types: what is looked for at the cursor, and what fits it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.api.attachments import FoundFile
    from desktop.api.turns import Completions

_LONGEST = 400
"""Characters of a line in which a name is looked for; beyond them nobody types one."""
_command = re.compile(r"/[^\s/]*")
_named = re.compile(r"(?:^|(?<=\s))(?:\$[^\s$/]*|@[^\s@]*)$")


@dataclass(frozen=True, slots=True)
class Choice:
    """One that can be chosen."""

    name: str
    """With its sign: "/model", "$weather" or "@plan.md"."""
    about: str
    text: str
    """What is written for it."""
    takes: str = ""
    """What may follow it, as the person is told."""
    path: str = ""
    """Of a file, which goes along when it is chosen."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A name that is being typed."""

    begin: int
    """Where it begins in its line."""
    typed: str
    """With its sign."""


def wanted(before: str, *, first: bool) -> Wanted | None:
    """The name that ends at the cursor. `before`: the line up to there; `first`: of the whole text."""
    if len(before) > _LONGEST:
        return None
    if first and _command.fullmatch(before):
        return Wanted(0, before)
    found = _named.search(before)
    return Wanted(found.start(), found[0]) if found else None


def choices(found: "Completions") -> list[Choice]:
    """The commands, then the skills."""
    commands = []
    for line in found.commands:
        takes = line.usage.removeprefix(line.name).strip()
        commands.append(Choice(line.name, line.about, f"{line.name} " if takes else line.name, takes))
    skills = [Choice(f"${one.name}", one.description, f"${one.name} ") for one in found.skills]
    return commands + skills


def files(found: "Iterable[FoundFile]") -> list[Choice]:
    """Of files with the words that were typed."""
    choices_ = []
    for file in found:
        folder, _slash, name = file.name.rpartition("/")
        choices_.append(Choice(f"@{name}", folder, f"@{file.name} ", path=file.path))
    return choices_


def matching(every: Iterable[Choice], typed: str) -> list[Choice]:
    """Those that fit what was typed: first those that begin so, then those that have it somewhere. `$`
    is for skills alone, `/` for commands and skills, `@` for files, which were looked for already."""
    sign, looked_for = typed[:1], typed[1:].casefold()
    if sign == "@":
        return [choice for choice in every if choice.path]
    fit = [choice for choice in every if not choice.path and (sign == "/" or choice.name.startswith("$"))]
    begins = [choice for choice in fit if choice.name[1:].casefold().startswith(looked_for)]
    has = [choice for choice in fit if choice not in begins and looked_for in choice.name[1:].casefold()]
    return begins + has
