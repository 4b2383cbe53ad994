"""File tools for a small model: each does one thing, and none can lose what a file holds.

Such a model asks to write a file where it was to add a line to it. So its write_file makes new files only,
and says what to call instead where there is one already, whatever mode the conversation is in.
"""

import re
from pathlib import Path

from pydantic import Field

from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolResult
from desktop.tools.files.common import apart, usual_mode, utf8, write_whole
from desktop.tools.files.edit import encoded, text_of
from desktop.tools.files.ends import end_at
from desktop.tools.files.kept import Kept
from desktop.tools.files.opening import Refusal, exact, shown
from desktop.tools.files.search import Grep, GrepArguments
from desktop.tools.files.write import WriteFile

_BULLET = re.compile(r"\s*(?:[-*+•] (?:\[[ xX]\] )?|(\d{1,6})[.)] )")


class NewFile(WriteFile):
    """Make one file that is not there yet."""

    brief: str = "Make a new file. path: its name. content: its whole text."

    def _write(self, path: Path, content: str, context: ToolContext) -> ToolResult:
        if exact(path).taken(path):
            raise Refusal(
                f"{shown(path.name)} is there already; nothing was changed. To add to it call add_line, "
                "to change words in it edit_file, or choose another name."
            )
        return super()._write(path, content, context)


class LineArguments(Arguments):
    path: str = Field(min_length=1, description="The file.")
    line: str = Field(min_length=1, description="What to add.")


class AddLine(Tool[LineArguments]):
    """Put a line at the end of a text file, in the manner of those before it."""

    name: str = "add_line"
    description: str = "Add a line at the end of a text file; a file that is not there is made."
    brief: str = "Add a line to a file or a list. path: the file. line: only the words to add."
    effect: Effect = Effect.WRITE
    arguments = LineArguments

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def claim(self, args: LineArguments, context: ToolContext) -> Claim:
        path = context.path(args.path)
        body = "\n".join(f"+ {line}" for line in args.line.splitlines())
        return Claim(Effect.WRITE, f"{args.path}: {args.line}", reads=(path,), writes=(path,), body=body)

    async def run(self, args: LineArguments, context: ToolContext) -> ToolResult:
        path = context.real(context.path(args.path))
        return await apart(path, self._add, path, args.line.strip("\r\n"), context)

    def _add(self, path: Path, line: str, context: ToolContext) -> ToolResult:
        utf8(line, "line")
        if not exact(path).taken(path):
            data = utf8(f"{line}\n", "line")
            self._kept.before(path, data, context)
            wrote = write_whole(path, data, usual_mode(path, context))
            return ToolResult(f"Made {shown(str(path))} with this line: {line}", wrote=(wrote,))
        encoding, text, read = text_of(path)
        end = end_at(text, len(text))
        between = end if text and not text.endswith(("\n", "\r")) else ""
        added = _alike(text, line)
        data = encoded(encoding, f"{text}{between}{added}{end}")
        self._kept.before(path, data, context)
        return ToolResult(
            f"Added to {shown(str(path))}: {added}", read=(read,), wrote=(write_whole(path, data),)
        )


def _alike(text: str, line: str) -> str:
    """The line with the bullet, box or next number that the last line of a list has."""
    last = next((one for one in reversed(text.splitlines()) if one.strip()), "")
    bullet = _BULLET.match(last)
    if bullet is None or _BULLET.match(line):
        return line
    mark = re.sub(r"\[[xX]\]", "[ ]", bullet[0])
    if number := bullet[1]:
        mark = mark.replace(number, str(int(number) + 1), 1)
    return mark + line


class WordArguments(Arguments):
    word: str = Field(min_length=1, description="What to look for.")


class SearchFiles(Tool[WordArguments]):
    """Find a word in the files of the workspace, in any case."""

    name: str = "search_files"
    description: str = "Find the lines of text files that hold a word."
    brief: str = "Find which files hold a word. word: the word to look for."
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    arguments = WordArguments

    def __init__(self, grep: Grep) -> None:
        self._grep = grep

    def claim(self, args: WordArguments, context: ToolContext) -> Claim:
        return self._grep.claim(_grep(args), context)

    async def run(self, args: WordArguments, context: ToolContext) -> ToolResult:
        return await self._grep.run(_grep(args), context)


def _grep(args: WordArguments) -> GrepArguments:
    return GrepArguments(pattern=args.word, fixed_strings=True, case_insensitive=True, head_limit=20)
