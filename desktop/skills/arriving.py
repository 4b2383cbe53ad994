"""A skill that comes from a backup or another program's home: it is off until the person has said yes."""

import hashlib
from pathlib import Path

from desktop.config.loosening import Loose
from desktop.files import Found, Place, walk
from desktop.skills import document
from desktop.skills.loader import FILE
from desktop.text import _


def waiting(folder: Path) -> Loose:
    """What waits for a skill that was put in place. Blocks."""
    name = folder.name
    try:
        known = document.read(folder / FILE, (0, 0, 0))
        about, always = known.description, known.always
    except OSError:
        about, always = "", False
    says = (
        _("The agent reads this skill with every answer: {about}")
        if always
        else _("The agent knows about this skill: {about}")
    )
    return Loose("skill", name, (name,), {"digest": digest(folder)}, says.format(about=about or name))


def digest(folder: Path) -> str:
    """What tells that a skill is still the one that was shown: all of its files. Blocks. Raises OSError."""
    made = hashlib.sha256()
    for found in walk(Place(folder), "", lambda _path: True, lambda _folder: True):
        if found.kind == "folder":
            continue
        data = found.target().encode() if found.kind == "link" else _content(found)
        made.update(f"{found.name}\0{len(data)}\0".encode("utf-8", "replace"))
        made.update(data)
    return made.hexdigest()


def _content(found: Found) -> bytes:
    with found.open() as file:
        return file.stream.read()
