"""edit_file: one exact piece of a file for another; line ends, encoding and mode stay as they are."""

import hashlib
from pathlib import Path

from pydantic import Field

from desktop.files import Seen
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolResult
from desktop.tools.files.common import apart, usual_mode, utf8, write_whole
from desktop.tools.files.encoding import SAMPLE, Encoding, sniff
from desktop.tools.files.ends import found, places, plain, replaced
from desktop.tools.files.kept import Kept
from desktop.tools.files.nearest import nearest
from desktop.tools.files.opening import Refusal, exact, open_plain, shown

_MOST_BYTES = 10 << 20


class EditArguments(Arguments):
    path: str = Field(min_length=1, description="The file.")
    old_text: str = Field(
        description="What is there now, exactly, without line numbers; it must be there once."
    )
    new_text: str = Field(description="What shall be there instead.")
    replace_all: bool = Field(default=False, description="Replace it everywhere.")


class EditFile(Tool[EditArguments]):
    """Change one file in one place, or one text in all places."""

    name: str = "edit_file"
    description: str = (
        "Replace a piece of a text file by another. old_text must match exactly and be there once, or "
        "replace_all be set."
    )
    brief: str = (
        "Change words in a file. path: the file. old_text: the words there now. new_text: what they become."
    )
    effect: Effect = Effect.WRITE
    arguments = EditArguments

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def claim(self, args: EditArguments, context: ToolContext) -> Claim:
        path = context.path(args.path)
        return Claim(Effect.WRITE, args.path, reads=(path,), writes=(path,), body=_change(args))

    async def run(self, args: EditArguments, context: ToolContext) -> ToolResult:
        path = context.real(context.path(args.path))
        return await apart(path, self._edit, path, args, context)

    def _edit(self, path: Path, args: EditArguments, context: ToolContext) -> ToolResult:
        utf8(args.new_text, "new_text")
        if not args.old_text:
            return self._create(path, args.new_text, context)
        encoding, text, read = text_of(path)
        if args.old_text == args.new_text:
            raise Refusal("old_text and new_text are the same: nothing would change.")
        spans = found(text, args.old_text)
        count = len(spans)
        if count == 0:
            raise Refusal(_missing(plain(text), plain(args.old_text)))
        at = places(text, spans)
        if count > 1 and not args.replace_all:
            raise Refusal(_ambiguous(plain(text), plain(args.old_text), count, at))
        edited = replaced(text, spans, args.new_text)
        if edited == text:
            raise Refusal("old_text and new_text differ in line ends alone: nothing would change.")
        data = encoded(encoding, edited)
        self._kept.before(path, data, context)
        wrote = write_whole(path, data)
        where = ", ".join(map(str, at)) + (", ..." if count > len(at) else "")
        what = "1 place, line" if count == 1 else f"{count} places, lines"
        kept = "" if args.old_text in text else " Its lines end as they did, otherwise than old_text's."
        return ToolResult(f"Edited {shown(str(path))}: {what} {where}.{kept}", read=(read,), wrote=(wrote,))

    def _create(self, path: Path, text: str, context: ToolContext) -> ToolResult:
        if exact(path).taken(path):
            raise Refusal(
                "old_text is empty. To replace a whole file use write_file; to add, edit a line there."
            )
        data = utf8(text, "new_text")
        self._kept.before(path, data, context)
        wrote = write_whole(path, data, usual_mode(path, context))
        return ToolResult(f"Wrote {shown(str(path))}: new file, {len(data):,} bytes.", wrote=(wrote,))


def _change(args: EditArguments) -> str:
    """The change as a person reads it: lines out, lines in."""
    out = [f"- {line}" for line in args.old_text.splitlines()]
    return "\n".join([*out, *(f"+ {line}" for line in args.new_text.splitlines())])


def text_of(path: Path) -> tuple[Encoding, str, Seen]:
    """A text file whole, and how it is encoded. Raises Refusal, OSError."""
    with open_plain(path) as file:
        data = file.stream.read(_MOST_BYTES + 1)
        read = file.seen(hashlib.sha256(data).hexdigest())
    if len(data) > _MOST_BYTES:
        raise Refusal(
            f"The file has more than {_MOST_BYTES:,} bytes. Change it with a command (sed, a script)."
        )
    encoding = sniff(data[:SAMPLE])
    if encoding is None:
        raise Refusal(f"{shown(path.name)} is a binary file; only text can be edited.")
    try:
        text = encoding.decode(data)
        faithful = encoding.encode(text) == data
    except UnicodeError:
        faithful = False
    if not faithful:
        raise Refusal(f"{shown(path.name)} has bytes that are no {encoding.name}: an edit would damage it.")
    return encoding, text, read


def encoded(encoding: Encoding, text: str) -> bytes:
    """A text as such a file holds it. Raises Refusal for what its encoding has not."""
    try:
        return encoding.encode(text)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise Refusal(
            f"The file is in {encoding.name}, which has no {character!r}. Read it and write it whole with "
            "write_file: that makes it UTF-8."
        ) from None


def _missing(text: str, wanted: str) -> str:
    diff = nearest(text, wanted)
    if not diff:
        return "old_text is not in the file, nor anything like it. Read the file again."
    return f"old_text is not in the file. The lines most like it (- old_text, + the file):\n{diff}"


def _ambiguous(text: str, old: str, count: int, at: list[int]) -> str:
    lines, length = text.split("\n"), old.count("\n") + 1
    parts = []
    for number in at:
        first, last = max(1, number - 2), min(len(lines), number + length + 1, number + 20)
        parts.append(
            "\n".join(f"{n:>4}| {lines[n - 1].rstrip(chr(13))[:300]}" for n in range(first, last + 1))
        )
    return (
        f"old_text is in the file {count} times. Add lines around it until it is unique or set replace_all."
        "\nIt begins at:\n" + "\n  ...\n".join(parts)
    )
