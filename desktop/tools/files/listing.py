"""list_dir: what is in a folder."""

import stat
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from pydantic import Field

from desktop.files import Found
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext
from desktop.tools.files.common import apart
from desktop.tools.files.opening import Refusal, exact, refused, shown
from desktop.tools.files.walking import Closed, flat, walk


class ListArguments(Arguments):
    path: str = Field(min_length=1, description="The folder.")
    recursive: bool = Field(default=False, description="With what is in its folders.")
    max_entries: int = Field(default=200, ge=1, description="How many at most.")


class ListDir(Tool[ListArguments]):
    """The entries of a folder, hidden ones too."""

    name: str = "list_dir"
    description: str = "List a folder: folders end in /, files have their size."
    brief: str = "List which files there are. path: the folder, . for the usual one."
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    arguments = ListArguments

    def __init__(self, closed: Callable[[], Closed]) -> None:
        self._closed = closed

    def claim(self, args: ListArguments, context: ToolContext) -> Claim:
        return Claim(Effect.READ, args.path, reads=(context.path(args.path),))

    async def run(self, args: ListArguments, context: ToolContext) -> str:
        path = context.real(context.path(args.path))
        return await apart(path, self._list, path, args)

    def _list(self, path: Path, args: ListArguments) -> str:
        with refused(path):
            if not stat.S_ISDIR(exact(path).stat(path).st_mode):
                raise Refusal(f"{shown(str(path))} is no folder; read_file reads files.")
            entries = walk(path, self._closed()) if args.recursive else flat(path)
            found = [_line(entry) for entry in islice(entries, args.max_entries + 1)]
        if not found:
            return "The folder is empty."
        if len(found) > args.max_entries:
            found[-1] = "There is more: raise max_entries, list a folder in it, or use find_files."
        return "\n".join(found)


def _line(entry: Found) -> str:
    name = shown(entry.name)
    try:
        if entry.kind == "link":
            return f"{name} -> {shown(entry.target())}"
        if entry.kind == "folder":
            return f"{name}/"
        return f"{name} ({entry.status().st_size:,} bytes)"
    except OSError as error:
        return f"{name} ({error.strerror})"
