"""The files that a person or the agent wrote: AGENTS, SOUL, USER, TOOLS, HEARTBEAT, IDENTITY and MEMORY,
and the instructions for nanobot's own work (`prompts/*.md`, since 0.3), which Dream here does not read.

A file here that is still the one it began with gives way to the old one; what the person has written stays,
and the old one is put beside it.
"""

import errno
import hashlib
import os
from functools import partial
from pathlib import Path

from desktop.files import Place
from desktop.memory import files
from desktop.merge.files import beside, is_template
from desktop.merge.importer.places import FILES, Source, wrong
from desktop.merge.items import Item, Kind, Step, step
from desktop.pace import Pace
from desktop.text import _

MEMORY, PROMPTS = "memory/MEMORY.md", "prompts"


def steps(source: Source, workspace: Path, pace: Pace) -> list[Step]:
    """What becomes of each of these files. Blocks."""
    if source.workspace is None:
        return []
    prompts = source.entries(source.workspace / PROMPTS)
    names = [*(f"{name}.md" for name in FILES), MEMORY]
    names += [f"{PROMPTS}/{path.name}" for path in prompts if path.suffix == ".md"]
    found = []
    for name in names:
        kind: Kind = "memory" if name == MEMORY else "file"
        judge = _prompt if name.startswith(PROMPTS) else _note
        try:
            data = source.read(source.workspace / name)
            if data is not None and (data.strip() or judge is _prompt):
                found.append(judge(kind, name, data, Place(workspace), pace))
        except OSError as error:
            found.append(step(Item(kind, name, "left", wrong(error))))
    return found


def _note(kind: Kind, name: str, old: bytes, place: Place, pace: Pace) -> Step:
    data = _utf8(old)
    note = "" if data == old else _("It was not UTF-8 text and has been converted.")
    here = files.read(place, name)
    if here == data:
        return step(Item(kind, name, "same"))
    if here is None or is_template(place, name):
        item = Item(kind, name, "change" if note else "take", note)
        return step(item, partial(pace.run, _give_way, place, name, data, here))
    other, there = beside(place, name, "imported", len(data), hashlib.sha256(data).hexdigest())
    why = _("You have changed the one here, so it stays; the old one is put beside it as {name}.")
    item = Item(kind, name, "same" if there else "change", why.format(name=Path(other).name))
    put = partial(place.write, other, data, fresh=True)
    return step(item, None if there else partial(pace.run, put))


def _prompt(kind: Kind, name: str, data: bytes, place: Place, pace: Pace) -> Step:
    if place.taken(name):
        same = place.read(name) == data
        why = "" if same else _("There is already another file with this name, which stays.")
        return step(Item(kind, name, "same" if same else "left", why))
    note = _("Dream has its own instructions here and does not read it.")
    put = partial(place.write, name, data, fresh=True)
    return step(Item(kind, name, "inert", note), partial(pace.run, put))


def _give_way(place: Place, name: str, data: bytes, here: bytes | None) -> None:
    """Raises OSError, FileExistsError where the file here has changed meanwhile."""
    try:
        files.put(place, name, data, here)
    except files.ChangedMeanwhile:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place.named(name))) from None


def _utf8(data: bytes) -> bytes:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return files.decoded(data).encode("utf-8", "replace")
    return data
