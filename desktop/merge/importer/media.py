"""Files that came and went with old conversations: copied into the workspace, and found again from the
messages that name them.

nanobot keeps them below `media/<channel>/` (those it made: `generated/`), and names them by absolute paths,
in a message's `media` or in its text. A home may have moved since: a path counts from its `media` on.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from desktop.files import Place, Seen, seen
from desktop.merge.here import Keep
from desktop.merge.importer.places import Source, wrong
from desktop.merge.items import Item, Step, step
from desktop.origin import unknown
from desktop.pace import Pace
from desktop.providers.pictures import kind
from desktop.session.model import Message
from desktop.text import _, ngettext

FOLDERS = ("media", "generated")
TO = "files"
"""Where in the workspace these folders go."""
_MOST_FILES = 100_000
_MOST_NAMED = 50
_BLOCK = 1 << 20
_IN_TEXT = re.compile(r"\[\w[\w ]{0,30}: ?([^\]\n]{1,4096})\]")
"""As nanobot writes a file into the text of a message: [image: /path], [file: /path], [voice: /path]."""
_OURS = ("_files", "_images")
"""Marks that mean something here alone: an old file has none that could be believed."""


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    name: str
    """Its place in the workspace."""
    here: bool = False


class OldMedia:
    """The old files beside those of this workspace."""

    def __init__(self, source: Source, workspace: Path, pace: Pace, keep: Keep) -> None:
        self._source, self._place, self._pace, self._keep = source, Place(workspace), pace, keep
        self._files: dict[str, _File] = {}
        """By their paths in the old home, with slashes."""
        self._pictures: dict[str, bool] = {}

    # ---- the plan

    def steps(self) -> list[Step]:
        """What becomes of the files, a step for each folder of a channel. Blocks."""
        found: list[Step] = []
        for name in FOLDERS:
            top = self._source.data / name
            if self._source.is_folder(top):
                found += self._of_folder(name, top)
            elif os.path.lexists(top):
                found.append(step(Item("file", name, "left", self._why(top))))
        return found

    def _of_folder(self, name: str, top: Path) -> list[Step]:
        entries = self._source.entries(top)
        folders = [path for path in entries if self._source.is_folder(path) and not path.is_symlink()]
        loose = [path for path in entries if path not in folders]
        groups = [(name, loose)] if loose else []
        groups += [(f"{name}/{path.name}", list(self._source.below(path))) for path in folders]
        return [one for group, paths in groups if (one := self._step(group, paths)) is not None]

    def _step(self, group: str, paths: Sequence[Path]) -> Step | None:
        files: list[_File] = []
        left = 0
        for path in self._pace.paced(paths):
            old = path.relative_to(self._source.data).as_posix()
            file = self._file(path, f"{TO}/{old}") if len(self._files) < _MOST_FILES else None
            if file is None:
                left += 1
            else:
                self._files[old] = file
                files.append(file)
        new = [file for file in files if not file.here]
        note = ngettext(
            "{n} entry is left out: it is a link or not a file.",
            "{n} entries are left out: they are links or not files.",
            left,
        )
        note = note.format(n=left) if left else ""
        if not files:
            return step(Item("file", group, "left", note)) if left else None
        if not new:
            return step(Item("file", group, "same", note, len(files)))
        item = Item("file", group, "take" if len(new) == len(files) else "add", note, len(new))
        return step(item, partial(self._take, group, new))

    def _file(self, path: Path, name: str) -> _File | None:
        """Where a file goes: to its own name, or beside another file that has it here. None for what is no
        file, or not to be read."""
        try:
            status = self._source.look(path)
            if status is None or not stat.S_ISREG(status.st_mode):
                return None
            if not self._place.taken(name):
                return _File(path, name)
            if self._equal(path, name, status):
                return _File(path, name, here=True)
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return None
        stem, dot, ending = name.rpartition(".") if "." in path.name else (name, "", "")
        beside = f"{stem}-{digest[:12]}{dot}{ending}"
        return _File(path, beside, here=self._place.is_file(beside))

    def _equal(self, path: Path, name: str, status: os.stat_result) -> bool:
        try:
            with self._place.open(name) as here, path.open("rb") as old:
                if here.status.st_size != status.st_size:
                    return False
                if here.status.st_mtime_ns == status.st_mtime_ns:
                    return True
                blocks = iter(partial(old.read, _BLOCK), b"")
                return all(block == here.stream.read(len(block)) for block in blocks)
        except OSError:
            return False

    def _why(self, path: Path) -> str:
        try:
            self._source.look(path)
        except OSError as error:
            return wrong(error)
        return _("It is not a folder.")

    # ---- doing

    async def _take(self, group: str, files: Sequence[_File]) -> None:
        """Copy files; whose words they are is kept before they are there. Raises OSError of the first one
        that could not be copied, once the others are."""
        known = await self._pace.run(self._looked, files)
        await self._keep(known, unknown(group))
        await self._pace.run(self._put, files)

    def _looked(self, files: Sequence[_File]) -> list[Seen]:
        found = []
        for file in self._pace.paced(files):
            with suppress(OSError), file.path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
                found.append(seen(self._place.named(file.name), os.fstat(stream.fileno()), digest))
        return found

    def _put(self, files: Sequence[_File]) -> None:
        failed: OSError | None = None
        for file in self._pace.paced(files):
            try:
                with file.path.open("rb") as stream:
                    modified = os.fstat(stream.fileno()).st_mtime_ns
                    blocks = iter(partial(stream.read, _BLOCK), b"")
                    self._place.write(file.name, self._pace.paced(blocks), fresh=True, modified=modified)
            except PermissionError as error:
                failed = failed or error
        if failed is not None:
            raise failed

    # ---- what messages name

    def attach(self, record: Message) -> Message:
        """A message with its files as a message of here has them. Changes and returns it. Blocks."""
        for name in _OURS:
            record.pop(name, None)
        if not self._files or record.get("role") not in ("user", "assistant"):
            return record
        old = list(dict.fromkeys(filter(None, map(self._known, _named(record)))))[:_MOST_NAMED]
        if not old:
            return record
        paths = {name: str(self._place.named(self._files[name].name)) for name in old}
        record["_files"] = list(paths.values())
        if record["role"] == "user":
            record["_runtime"] = f"[files given along: {'; '.join(paths.values())}]"
            pictures = [] if _has_data(record) else [name for name in old if self._is_picture(name)]
            if pictures:  # what is seen in them may be anybody's words
                record["_images"] = [paths[name] for name in pictures]
                record |= unknown(*(Path(name).name for name in pictures)).as_fields()
        return record

    def _known(self, named: str) -> str:
        """The file that a path of a message means; "" for none of these."""
        parts = named.strip().replace("\\", "/").split("/")
        rests = ("/".join(parts[at:]) for at, part in enumerate(parts) if part in FOLDERS)
        return next((rest for rest in rests if rest in self._files), "")

    def _is_picture(self, old: str) -> bool:
        if old not in self._pictures:
            self._pictures[old] = False
            with suppress(OSError), self._files[old].path.open("rb") as file:
                self._pictures[old] = bool(kind(file.read(16)))
        return self._pictures[old]


def _named(record: Message) -> Iterator[str]:
    """The paths that a message names."""
    media = record.get("media")
    yield from (one for one in (media if isinstance(media, list) else [media]) if isinstance(one, str))
    content = record.get("content")
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, Mapping):
            meta = block.get("_meta")
            path: Any = meta.get("path") if isinstance(meta, Mapping) else None
            if isinstance(path, str):
                yield path
            block = block.get("text")
        if isinstance(block, str):
            yield from _IN_TEXT.findall(block)


def _has_data(record: Message) -> bool:
    """Whether a message has its pictures in itself."""
    content = record.get("content")
    blocks = content if isinstance(content, list) else ()
    return any(isinstance(block, Mapping) and block.get("type") == "image_url" for block in blocks)
