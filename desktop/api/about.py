"""What this program is made of: versions, and the licence of everything that is shipped with it."""

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib import metadata
from pathlib import Path

from desktop import __version__
from desktop.errors import UsageError
from desktop.paths import resource
from desktop.tasks import in_thread
from desktop.text import _

PROGRAM = "nanobot-desktop"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"extra\s*==\s*[\"']([^\"']+)[\"']")
_EXTRAS = {PROGRAM: {"window"}}
_TEXT = re.compile(r"(^|/)(licen[cs]e|copying|notice|authors?)[^/]*$", re.IGNORECASE)
_LONGEST = 60
_RESOURCES = (
    ("Inter", "SIL Open Font License 1.1", "fonts/Inter-LICENSE.txt"),
    ("JetBrains Mono", "SIL Open Font License 1.1", "fonts/JetBrainsMono-LICENSE.txt"),
    ("Lucide", "ISC", "icons/LICENSE"),
)
"""What is shipped and is no Python package: its name, its licence, where its text is."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """One thing that is shipped with the program."""

    name: str
    version: str
    licence: str
    home: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """What the program is made of."""

    versions: tuple[tuple[str, str], ...]
    """Pairs of what and which."""
    shipped: tuple[Shipped, ...]


@dataclass(frozen=True, slots=True)
class Licence:
    """The text of one licence."""

    name: str
    text: str


class About:
    """Answers what the program is made of."""

    async def made(self) -> Made:
        """Versions, and everything that is shipped."""
        system = f"{platform.system()} {platform.release()} ({platform.machine()})"
        versions = (
            ("Nanobot Desktop", __version__),
            ("Python", platform.python_version()),
            (_("System"), system),
        )
        return Made(versions, await in_thread(shipped))

    async def licence(self, name: str) -> Licence:
        """The licence of what has this name. Raises UsageError where there is no such thing."""
        return Licence(name, await in_thread(partial(_text_of, name)))


@cache
def shipped() -> tuple[Shipped, ...]:
    """Everything, by name. Blocks."""
    found = [Shipped(name, "", licence) for name, licence, _path in _RESOURCES]
    found += [_described(one) for one in _packages(PROGRAM, set())]
    return tuple(sorted(found, key=lambda one: (one.name != "Nanobot Desktop", one.name.casefold())))


def _text_of(name: str) -> str:
    """The text of a licence, with what else the makers want to be told. Blocks. Raises UsageError."""
    for known, _of, place in _RESOURCES:
        if known == name:
            return resource(*place.split("/")).read_text("utf-8", "replace")
    try:
        found = metadata.distribution(PROGRAM if name == "Nanobot Desktop" else name)
    except metadata.PackageNotFoundError:
        raise UsageError(_("Nothing named {name} ships with this program.").format(name=name)) from None
    texts = []
    for file in found.files or ():
        path = Path(str(file.locate()))
        if _TEXT.search(str(file)) and path.suffix not in (".py", ".pyc") and path.is_file():
            texts.append(path.read_text("utf-8", "replace").strip())
    return "\n\n".join(dict.fromkeys(texts)) or _("Its package includes no license text: {licence}").format(
        licence=_described(found).licence
    )


def shipped_packages() -> list[str]:
    """Names of the Python packages that are shipped, this program's own first. Blocks."""
    return [str(found.metadata["Name"]) for found in _packages(PROGRAM, set())]


def _packages(name: str, seen: set[str]) -> Iterator[metadata.Distribution]:
    """A package and all that it needs, as far as they are here."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in seen:
        return
    seen.add(key)
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:  # for another system, or not needed here
        return
    yield found
    for line in found.requires or ():
        needed, extra = _NAME.match(line), _EXTRA.search(line)
        if needed and (extra is None or extra[1] in _EXTRAS.get(key, ())):
            yield from _packages(needed[0], seen)


def _described(found: metadata.Distribution) -> Shipped:
    head = found.metadata
    name = str(head["Name"])
    licence = str(head.get("License-Expression") or head.get("License") or "").strip()
    if not licence or "\n" in licence or len(licence) > _LONGEST:
        classes = [str(line) for line in head.get_all("Classifier") or ()]
        ends = [line.rpartition(" :: ")[2] for line in classes if line.startswith("License :: ")]
        first = licence.splitlines()[0][:_LONGEST] if licence else _("see its text")
        licence = ", ".join(ends) or first
    home = str(head.get("Home-page") or "")
    return Shipped("Nanobot Desktop" if name == PROGRAM else name, found.version, licence, home)
