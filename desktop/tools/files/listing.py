"""list_dir: what is in a folder."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pydantic import Field

from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext
from desktop.tools.files.common import apart
from desktop.tools.files.opening import Refusal, resolved, shown
from desktop.tools.files.walking import walk

_MOST_READ = 100_000


class ListArguments(Arguments):
    path: str = Field(min_length=1, description="The folder.")
    recursive: bool = Field(default=False, description="With what is in its folders.")
    max_entries: int = Field(default=200, ge=1, description="How many at most.")


class ListDir(Tool[ListArguments]):
    """The entries of a folder, hidden ones too."""

    name: str = "list_dir"
    description: str = "List a folder: folders end in /, files have their size."
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    arguments = ListArguments

    def __init__(self, hidden: tuple[Path, ...] = ()) -> None:
        self._hidden = frozenset(map(str, hidden))

    def claim(self, args: ListArguments, context: ToolContext) -> Claim:
        return Claim(Effect.READ, args.path, reads=(context.path(args.path),))

    async def run(self, args: ListArguments, context: ToolContext) -> str:
        path = context.path(args.path)
        return await apart(path, self._list, path, args)

    def _list(self, path: Path, args: ListArguments) -> str:
        path = resolved(path)
        if not path.is_dir():
            path.stat()  # says why, if there is nothing
            raise Refusal(f"{shown(str(path))} is no folder; read_file reads files.")
        entries = walk(path, self._hidden) if args.recursive else _flat(path)
        start = len(str(path).rstrip(os.sep)) + 1
        found = [_line(entry, start) for entry in islice(entries, args.max_entries + 1)]
        if not found:
            return "The folder is empty."
        if len(found) > args.max_entries:
            found[-1] = "There is more: raise max_entries, list a folder in it, or use find_files."
        return "\n".join(found)


def _flat(path: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        yield from sorted(islice(entries, _MOST_READ), key=lambda entry: entry.name)


def _line(entry: os.DirEntry[str], start: int) -> str:
    name = shown(entry.path[start:].replace(os.sep, "/"))
    try:
        if entry.is_symlink():
            return f"{name} -> {shown(os.readlink(entry.path))}"  # noqa: PTH115 - a name, not a Path
        if entry.is_dir():
            return f"{name}/"
        return f"{name} ({entry.stat().st_size:,} bytes)"
    except OSError as error:
        return f"{name} ({error.strerror})"
