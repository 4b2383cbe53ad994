"""grep and find_files: what the model asks, and what the person is told of it. The worker does the work."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import Field

from desktop.files import Seen
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolResult
from desktop.tools.files.common import apart, failures
from desktop.tools.files.opening import Refusal, exact, kind, refused, shown
from desktop.tools.files.walking import Closed
from desktop.tools.files.worker import in_worker

_GREP_SECONDS = 20.0
_FIND_SECONDS = 40.0
"""The child stops by itself after three quarters of these."""


class GrepArguments(Arguments):
    pattern: str = Field(min_length=1, description="A regular expression of Python, matched line by line.")
    path: str = Field(default=".", description="A file or a folder.")
    glob: str = Field(default="", description='Only these files, such as "*.py" or "src/**/*.{ts,tsx}".')
    case_insensitive: bool = False
    fixed_strings: bool = Field(default=False, description="The pattern is plain text.")
    output_mode: Literal["content", "files_with_matches", "count"] = "content"
    context_before: int = Field(default=0, ge=0, le=20)
    context_after: int = Field(default=0, ge=0, le=20)
    head_limit: int = Field(default=250, ge=0, description="How many results; 0 is all.")
    offset: int = Field(default=0, ge=0, description="How many results to leave out first.")


class FindArguments(Arguments):
    path: str = Field(default=".", description="The folder to search.")
    query: str = Field(default="", description="Words that the path holds, in any case.")
    glob: str = Field(default="", description='Such as "*.pdf" or "docs/**/*.md".')
    sort: Literal["path", "modified"] = Field(default="path", description="modified: the newest first.")
    include_dirs: bool = False
    head_limit: int = Field(default=200, ge=0, description="How many results; 0 is all.")
    offset: int = Field(default=0, ge=0, description="How many results to leave out first.")


class Grep(Tool[GrepArguments]):
    """Search in files."""

    name: str = "grep"
    description: str = (
        "Search text files for a regular expression. Links, binary files and files over 2 MB are left out."
    )
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    arguments = GrepArguments

    def __init__(self, closed: Callable[[], Closed]) -> None:
        self._closed = closed

    def claim(self, args: GrepArguments, context: ToolContext) -> Claim:
        return Claim(Effect.READ, f"{args.pattern} ({args.path})", reads=(context.path(args.path),))

    async def run(self, args: GrepArguments, context: ToolContext) -> ToolResult:
        path = context.real(context.path(args.path))
        return await _search("grep", _GREP_SECONDS, path, args, self._closed)


class FindFiles(Tool[FindArguments]):
    """Search for files."""

    name: str = "find_files"
    description: str = "Find files by words of their path or by a glob, in all folders below a path."
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    arguments = FindArguments

    def __init__(self, closed: Callable[[], Closed]) -> None:
        self._closed = closed

    def claim(self, args: FindArguments, context: ToolContext) -> Claim:
        wanted = " ".join(filter(None, (args.query, args.glob)))
        gist = f"{wanted} ({args.path})" if wanted else args.path
        return Claim(Effect.READ, gist, reads=(context.path(args.path),))

    async def run(self, args: FindArguments, context: ToolContext) -> ToolResult:
        path = context.real(context.path(args.path))
        return await _search("find", _FIND_SECONDS, path, args, self._closed)


async def _search(
    op: str, seconds: float, path: Path, args: GrepArguments | FindArguments, closed: Callable[[], Closed]
) -> ToolResult:
    told = await apart(path, _told, path, closed)
    with failures(path):
        answer = await in_worker(seconds, op=op, **{**args.model_dump(), "path": str(path), "closed": told})
    read = tuple(Seen(**file | {"path": Path(file["path"])}) for file in answer.get("read", ()))
    return ToolResult(answer["text"], read=read)


def _told(path: Path, closed: Callable[[], Closed]) -> dict[str, list[str]]:
    """What the search leaves out. Raises Refusal, OSError for a place that cannot be searched."""
    with refused(path):
        mode = exact(path).stat(path).st_mode
    if not stat.S_ISDIR(mode) and (other := kind(mode)):
        raise Refusal(f"{shown(str(path))} is {other}.")
    return closed().told()
