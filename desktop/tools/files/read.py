"""read_file: any file as text with line numbers, in parts; pictures as pictures."""

import os
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path

from pydantic import Field

from desktop.files import Seen, seen
from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.files.common import apart, failures
from desktop.tools.files.encoding import SAMPLE, magic, sniff
from desktop.tools.files.lines import Hashed, lines, numbered
from desktop.tools.files.opening import Refusal, open_plain, shown
from desktop.tools.files.worker import in_worker

_DOCUMENT_SECONDS = 30.0
_MOST_PICTURE = 20 << 20
_PICTURES = {"PNG", "JPEG", "GIF", "WEBP", "HEIC"}
_OFFICE = {".docx", ".docm", ".xlsx", ".xlsm"}


class ReadArguments(Arguments):
    path: str = Field(min_length=1, description="The file.")
    offset: int = Field(default=1, ge=1, description="The first line to read.")
    limit: int = Field(default=2000, ge=1, description="How many lines at most.")
    pages: str = Field(default="", description='Of a PDF: the pages, such as "3-7"; 20 at a time.')


@dataclass(frozen=True, slots=True)
class _Look:
    """What a file turned out to be: its text, or the kind of file it is."""

    file: Seen
    kind: str = ""
    text: str = ""
    stream: BufferedReader | None = None
    """Of a document, for the child."""


class ReadFile(Tool[ReadArguments]):
    """One part of one file."""

    name: str = "read_file"
    description: str = (
        "Read a file: text with line numbers, PDF, Word (.docx), Excel (.xlsx) as text, or an image. Long "
        "files come in parts; the result says how to go on."
    )
    brief: str = "Read a file. path: its name."
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    capped: bool = False
    arguments = ReadArguments

    def claim(self, args: ReadArguments, context: ToolContext) -> Claim:
        return Claim(Effect.READ, args.path, reads=(context.path(args.path),))

    async def run(self, args: ReadArguments, context: ToolContext) -> ToolResult:
        path = context.real(context.path(args.path))
        look = await apart(path, _look, path, args)
        if look.kind in _PICTURES:
            text = f"{shown(path.name)}: an image ({look.kind})."
            return ToolResult(text, images=(path,), read=(look.file,))
        if look.kind:
            return await _document(path, look, args)
        return ToolResult(look.text, read=(look.file,))


def _look(path: Path, args: ReadArguments) -> _Look:
    with open_plain(path) as file:
        stream, size = file.stream, file.status.st_size
        sample = stream.read(SAMPLE)
        what = magic(sample)
        if what in _PICTURES and size > _MOST_PICTURE:
            raise Refusal(f"The image has {size:,} bytes; up to {_MOST_PICTURE:,} can be shown.")
        hashed = Hashed(stream)
        if what in _PICTURES:
            return _Look(file.seen(hashed.digest()), what)
        if what == "PDF" or (what == "ZIP" and path.suffix.lower() in _OFFICE):
            return _Look(file.seen(hashed.digest()), what, stream=os.fdopen(os.dup(stream.fileno()), "rb"))
        encoding = sniff(sample)
        if encoding is None:
            raise Refusal(_binary(path, what, size))
        if not sample:
            return _Look(file.seen(hashed.digest()), text="The file is empty.")
        text, following = numbered(lines(hashed, encoding), args.offset, args.limit)
        end = f"The file has {size:,} bytes." if following else "This is the end of the file."
        return _Look(file.seen(hashed.digest()), text=f"{text}\n\n({end}{_go_on(following)})")


def _go_on(following: int | None) -> str:
    return f" Read on with offset={following}." if following else ""


def _binary(path: Path, what: str, size: int) -> str:
    what = f" ({what})" if what else ""
    text = f"{shown(path.name)} is a binary file{what} of {size:,} bytes, no text."
    if path.suffix.lower() in (".doc", ".xls", ".ppt"):
        text += " Old Office files can be read once they are saved as .docx or .xlsx."
    return text


async def _document(path: Path, look: _Look, args: ReadArguments) -> ToolResult:
    assert look.stream
    with look.stream as stream, failures(path):
        part = await in_worker(
            _DOCUMENT_SECONDS,
            stream.fileno(),
            op="document",
            path=str(path),
            pages=args.pages,
            offset=args.offset,
            limit=args.limit,
        )
        read = seen(path, os.fstat(stream.fileno()), look.file.digest)
    if read != look.file:  # somebody wrote in it while the child read
        read = replace(read, digest="")
    if not part["text"]:
        raise ToolFailure(f"There is no text in {shown(path.name)}.")
    return ToolResult(f"{part['text']}\n\n({part['note']}.{_go_on(part['next'])})", read=(read,))
