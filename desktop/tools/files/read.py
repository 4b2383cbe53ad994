"""read_file: any file as text with line numbers, in parts; pictures as pictures."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from desktop.tools.base import Arguments, Claim, Effect, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.files.common import apart, failures
from desktop.tools.files.encoding import SAMPLE, magic, sniff
from desktop.tools.files.lines import lines, numbered
from desktop.tools.files.opening import Refusal, open_plain, resolved, shown
from desktop.tools.files.worker import in_worker

_DOCUMENT_SECONDS = 30.0
_MOST_PICTURE = 20 << 20
_PICTURES = {"PNG", "JPEG", "GIF", "WEBP"}
_OFFICE = {".docx", ".docm", ".xlsx", ".xlsm"}


class ReadArguments(Arguments):
    path: str = Field(min_length=1, description="The file.")
    offset: int = Field(default=1, ge=1, description="The first line to read.")
    limit: int = Field(default=2000, ge=1, description="How many lines at most.")
    pages: str = Field(default="", description='Of a PDF: the pages, such as "3-7"; 20 at a time.')


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a file turned out to be: its text, or the kind of file it is."""

    path: Path
    kind: str = ""
    text: str = ""


class ReadFile(Tool[ReadArguments]):
    """One part of one file."""

    name: str = "read_file"
    description: str = (
        "Read a file: text with line numbers, PDF, Word (.docx), Excel (.xlsx) as text, or a picture. Long "
        "files come in parts; the result says how to go on."
    )
    effect: Effect = Effect.READ
    parallel_safe: bool = True
    capped: bool = False
    arguments = ReadArguments

    def claim(self, args: ReadArguments, context: ToolContext) -> Claim:
        return Claim(Effect.READ, args.path, reads=(context.path(args.path),))

    async def run(self, args: ReadArguments, context: ToolContext) -> str | ToolResult:
        path = context.path(args.path)
        seen = await apart(path, _look, path, args)
        if seen.kind in _PICTURES:
            return ToolResult(f"{shown(seen.path.name)}: a picture ({seen.kind}).", images=(seen.path,))
        if seen.kind:
            return await _document(seen.path, args)
        return seen.text


def _look(path: Path, args: ReadArguments) -> _Seen:
    path = resolved(path)
    with open_plain(path) as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        sample = stream.read(SAMPLE)
        what = magic(sample)
        if what in _PICTURES and size > _MOST_PICTURE:
            raise Refusal(f"The picture has {size:,} bytes; up to {_MOST_PICTURE:,} can be shown.")
        if what in _PICTURES or what == "PDF" or (what == "ZIP" and path.suffix.lower() in _OFFICE):
            return _Seen(path, what)
        encoding = sniff(sample)
        if encoding is None:
            raise Refusal(_binary(path, what, size))
        if not sample:
            return _Seen(path, text="The file is empty.")
        text, following = numbered(lines(stream, encoding), args.offset, args.limit)
    end = f"The file has {size:,} bytes." if following else "This is the end of the file."
    return _Seen(path, text=f"{text}\n\n({end}{_go_on(following)})")


def _go_on(following: int | None) -> str:
    return f" Read on with offset={following}." if following else ""


def _binary(path: Path, what: str, size: int) -> str:
    what = f" ({what})" if what else ""
    text = f"{shown(path.name)} is a binary file{what} of {size:,} bytes, no text."
    if path.suffix.lower() in (".doc", ".xls", ".ppt"):
        text += " Old Office files can be read once they are saved as .docx or .xlsx."
    return text


async def _document(path: Path, args: ReadArguments) -> str:
    with failures(path):
        part = await in_worker(
            _DOCUMENT_SECONDS,
            op="document",
            path=str(path),
            pages=args.pages,
            offset=args.offset,
            limit=args.limit,
        )
    if not part["text"]:
        raise ToolFailure(f"There is no text in {shown(path.name)}.")
    return f"{part['text']}\n\n({part['note']}.{_go_on(part['next'])})"
