"""The files that a person or the agent wrote: AGENTS, SOUL, USER, TOOLS, HEARTBEAT, IDENTITY and MEMORY.

A file here that is still the one it began with gives way to the old one; what the person has written stays,
and the old one is put beside it.
"""

from functools import partial
from pathlib import Path, PurePosixPath

from desktop.files import Place
from desktop.memory import files
from desktop.merge.importer.places import FILES, Source, wrong
from desktop.merge.items import Item, Step, step
from desktop.pace import Pace
from desktop.paths import resource
from desktop.text import _

MEMORY = "memory/MEMORY.md"


def steps(source: Source, workspace: Path, pace: Pace) -> list[Step]:
    """What becomes of each of these files. Blocks."""
    if source.workspace is None:
        return []
    found = []
    for name in (*(f"{name}.md" for name in FILES), MEMORY):
        kind = "memory" if name == MEMORY else "file"
        try:
            data = source.read(source.workspace / name)
            if data is None or not data.strip():
                continue
            found.append(_step(name, _utf8(data), data, workspace, pace))
        except OSError as error:
            item = Item("memory" if kind == "memory" else "file", name, "left", wrong(error))
            found.append(step(item))
    return found


def _step(name: str, data: bytes, old: bytes, workspace: Path, pace: Pace) -> Step:
    place = Place(workspace)
    note = "" if data == old else _("It was not UTF-8 text and has been converted.")
    kind = "memory" if name == MEMORY else "file"
    try:
        here = files.read(place, name)
    except OSError as error:
        return step(Item(kind, name, "left", wrong(error)))  # type: ignore[arg-type]
    if here == data:
        return step(Item(kind, name, "same"))  # type: ignore[arg-type]
    if here is None or not here.strip() or _is_template(Path(name).name, here):
        item = Item(kind, name, "change" if note else "take", note)  # type: ignore[arg-type]
        return step(item, partial(pace.run, files.put, place, name, data, here))
    beside, there = _beside(place, name, data)
    why = _("You have changed the one here, so it stays; the old one is put beside it as {name}.")
    item = Item(kind, name, "same" if there else "change", why.format(name=Path(beside).name))  # type: ignore[arg-type]
    return step(item, None if there else partial(pace.run, files.put, place, beside, data, None))


def _utf8(data: bytes) -> bytes:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return files.decoded(data).encode("utf-8", "replace")
    return data


def _is_template(name: str, data: bytes) -> bool:
    templates = resource("templates").glob(f"*/{name}")
    return any(path.read_bytes().split() == data.split() for path in templates)


def _beside(place: Place, name: str, data: bytes) -> tuple[str, bool]:
    """The first name beside a file that is free, or that holds this already."""
    number, path = 1, PurePosixPath(name)
    while True:
        suffix = "" if number == 1 else f"-{number}"
        beside = path.with_name(f"{path.stem}.imported{suffix}{path.suffix}").as_posix()
        here = files.read(place, beside)
        if here is None or here == data:
            return beside, here is not None
        number += 1
