"""Skills: whole folders, none over one that is here."""

import os
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path

from desktop.files import Place
from desktop.merge.here import Here
from desktop.merge.importer.places import Source, wrong
from desktop.merge.items import Item, Step, step
from desktop.pace import Pace
from desktop.skills.arriving import waiting
from desktop.skills.loader import FILE, FOLDER
from desktop.text import _

_MOST_FILES, _MOST_BYTES = 5_000, 500 * 1024 * 1024
_BLOCK = 1 << 20
PART = ".import-"


class OldSkills:
    """The old workspace's skills beside those of this one."""

    def __init__(self, source: Source, here: Here, pace: Pace) -> None:
        self._source, self._here, self._pace = source, here, pace
        self._folder = here.workspace / FOLDER

    def steps(self) -> list[Step]:
        """What becomes of each. Blocks."""
        if self._source.workspace is None:
            return []
        here = _named(self._folder)
        old = self._source.entries(self._source.workspace / "skills")
        folders = [path for path in old if not path.name.startswith(".")]
        return [found for path in folders if (found := self._step(path, here)) is not None]

    def _step(self, path: Path, here: dict[str, Path]) -> Step | None:
        try:
            seen = self._source.look(path)
            if seen is None or not stat.S_ISDIR(seen.st_mode):
                return None
            if not self._source.is_file(path / FILE):
                return step(Item("skill", path.name, "left", _("There is no SKILL.md in the folder.")))
            files, left = self._files(path)
        except OSError as error:
            return step(Item("skill", path.name, "left", wrong(error)))
        if len(files) > _MOST_FILES or sum(size for _path, size in files) > _MOST_BYTES:
            return step(Item("skill", path.name, "left", _("It is too large to be a skill.")))
        names = [name for name, _size in files]
        other = here.get(path.name.casefold())
        if other is not None:
            same = self._equal(path, other, names)
            why = "" if same else _("There is already a skill with this name, which stays.")
            return step(Item("skill", path.name, "same" if same else "left", why, len(names)))
        note = _("Off until you approve it.")
        if left:
            note += " " + _("Links that lead out of the old home, or to folders, are left out.")
        item = Item("skill", path.name, "waits", note, len(names))
        return Step((item,), partial(self._take, path, names), lambda: [waiting(self._folder / path.name)])

    async def _take(self, path: Path, names: list[Path]) -> None:
        await self._here.switch_off([path.name])
        await self._pace.run(self._put, path, names)

    def _files(self, folder: Path) -> tuple[list[tuple[Path, int]], int]:
        """The files below a folder with their sizes; and how many links are not followed."""
        found: list[tuple[Path, int]] = []
        left = 0
        for path in self._pace.paced(self._source.below(folder)):
            try:
                seen = self._source.look(path)
            except OSError:
                seen = None
            if seen is None or not stat.S_ISREG(seen.st_mode):
                left += 1
                continue
            found.append((path.relative_to(folder), seen.st_size))
            if len(found) > _MOST_FILES:
                break
        return found, left

    def _equal(self, one: Path, other: Path, names: list[Path]) -> bool:
        try:
            return all((one / name).read_bytes() == (other / name).read_bytes() for name in names)
        except OSError:
            return False

    def _put(self, path: Path, names: list[Path]) -> None:
        """Copy a folder beside its place, then give it its name. Raises OSError, CalledOffError."""
        place, part = Place(self._folder.parent, self._folder.name), f"{PART}{path.name}"
        place.remove_tree(part)
        try:
            for name in self._pace.paced(names):
                with (path / name).open("rb") as file:
                    executable = os.fstat(file.fileno()).st_mode & 0o111
                    blocks = iter(partial(file.read, _BLOCK), b"")
                    place.write(f"{part}/{name.as_posix()}", blocks, mode=0o700 if executable else 0o600)
            place.mkdir(part)
            if place.taken(path.name):
                raise FileExistsError(17, os.strerror(17), str(self._folder / path.name))
            place.move(part, path.name)
        finally:
            with suppress(OSError):
                place.remove_tree(part)


def clear_parts(folder: Path) -> None:
    """Remove what an import that was killed has left."""
    place = Place(folder.parent, folder.name)
    with suppress(OSError):
        for name in place.names():
            if name.startswith(PART):
                place.remove_tree(name)


def _named(folder: Path) -> dict[str, Path]:
    try:
        return {path.name.casefold(): path for path in folder.iterdir()}
    except OSError:
        return {}
