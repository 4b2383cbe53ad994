"""Instructions that a person wrote for nanobot's own work, `prompts/dream.md` and `prompts/evaluator.md`
(since 0.3): kept in the workspace. Dream here works by steps of its own, and reads none of them.
"""

from functools import partial
from pathlib import Path

from desktop.files import Place
from desktop.merge.importer.places import Source, wrong
from desktop.merge.items import Item, Step, step
from desktop.pace import Pace
from desktop.text import _

FOLDER = "prompts"


def steps(source: Source, workspace: Path, pace: Pace) -> list[Step]:
    """What becomes of each. Blocks."""
    if source.workspace is None:
        return []
    paths = source.entries(source.workspace / FOLDER)
    return [_step(source, path, Place(workspace), pace) for path in paths if path.suffix == ".md"]


def _step(source: Source, path: Path, place: Place, pace: Pace) -> Step:
    name = f"{FOLDER}/{path.name}"
    try:
        data = source.read(path) or b""
        here = place.read(name) if place.taken(name) else None
    except OSError as error:
        return step(Item("file", name, "left", wrong(error)))
    if here is not None:
        why = "" if here == data else _("There is already another file with this name, which stays.")
        return step(Item("file", name, "left" if why else "same", why))
    note = _("Dream has its own instructions here and does not read it.")
    return step(Item("file", name, "inert", note), partial(pace.run, _put, place, name, data))


def _put(place: Place, name: str, data: bytes) -> None:
    place.write(name, data, fresh=True)
