"""A skill that comes from a backup or another program's home: it is off until the person has said yes."""

import hashlib
import os
from pathlib import Path

from desktop.config.loosening import Loose
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
        _("The agent reads this skill in every answer: {about}")
        if always
        else _("The agent is told of this skill: {about}")
    )
    return Loose("skill", name, (name,), {"digest": digest(folder)}, says.format(about=about or name))


def digest(folder: Path) -> str:
    """What tells that a skill is still the one that was shown: all of its files. Blocks. Raises OSError."""
    made = hashlib.sha256()
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(root, name)
            data = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            made.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode("utf-8", "replace"))
            made.update(data)
    return made.hexdigest()
