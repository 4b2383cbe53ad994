"""write_file: a whole file, in place at once or not at all."""

from pathlib import Path

from pydantic import Field

from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolResult
from desktop.tools.files.common import apart, usual_mode, utf8, write_whole
from desktop.tools.files.kept import Kept
from desktop.tools.files.opening import shown


class WriteArguments(Arguments):
    path: str = Field(min_length=1, description="The file; its folders are made.")
    content: str = Field(description="All that the file will hold.")


class WriteFile(Tool[WriteArguments]):
    """Make or replace one file."""

    name: str = "write_file"
    description: str = (
        "Write a text file, new or in place of the old one. To change a part of a file use edit_file."
    )
    effect: Effect = Effect.WRITE
    arguments = WriteArguments

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def claim(self, args: WriteArguments, context: ToolContext) -> Claim:
        return Claim(Effect.WRITE, args.path, writes=(context.path(args.path),), body=args.content)

    async def run(self, args: WriteArguments, context: ToolContext) -> ToolResult:
        path = context.real(context.path(args.path))
        return await apart(path, self._write, path, args.content, context)

    def _write(self, path: Path, content: str, context: ToolContext) -> ToolResult:
        data = utf8(content, "content")
        change = self._kept.before(path, data, context)
        mode = usual_mode(path, context) if change.before is None else None
        wrote = write_whole(path, data, mode, change.after)
        count = content.count("\n") + (content[-1:] not in ("", "\n"))
        done = "new file" if change.before is None else "replaced what was there"
        lost = "" if change.kept else "; it was too large to be kept for an undo"
        text = f"Wrote {shown(str(path))}: {count:,} lines, {len(data):,} bytes ({done}{lost})."
        return ToolResult(text, wrote=(wrote,))
