"""Text out of PDF, Word and Excel files. Only the worker child imports this: such files can be bombs."""

import logging
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from desktop.tools.files.opening import Refusal

PDF_PAGES = 20
_MOST_UNPACKED = 1 << 30


def text_lines(stream: BinaryIO, pages: str) -> tuple[Iterator[str], str]:
    """The lines of a document, and a note of what it is and how to go on. Raises Refusal."""
    logging.disable()  # the libraries complain of every oddity of a file
    start = stream.read(8)
    stream.seek(0)
    if start.startswith(b"%PDF-"):
        return _pdf(stream, pages)
    try:
        with zipfile.ZipFile(stream) as archive:
            names = {info.filename for info in archive.infolist()}
            size = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise Refusal("The document is damaged: its parts cannot be unpacked.") from None
    if size > _MOST_UNPACKED:
        raise Refusal(f"The document unpacks to {size:,} bytes; that is too large to read.")
    if "word/document.xml" in names:
        return _split(_word(stream)), "Word document"
    if "xl/workbook.xml" in names:
        return _split(_excel(stream)), "Excel workbook; a line is a row: its number, then its cells by tabs"
    raise Refusal("This is an archive, no Word or Excel document.")


def _split(blocks: Iterator[str]) -> Iterator[str]:
    for block in blocks:
        yield from block.split("\n")


def _pdf(stream: BinaryIO, pages: str) -> tuple[Iterator[str], str]:
    from pypdf import PdfReader

    reader = PdfReader(stream)
    if reader.is_encrypted and not reader.decrypt(""):
        raise Refusal("The PDF is locked with a password.")
    count = len(reader.pages)
    first, last = page_range(pages, count)
    note = f"PDF, pages {first} to {last} of {count}"
    if last < count:
        note += f'; read on with pages="{last + 1}-{min(count, last + PDF_PAGES)}"'
    return _split(_pdf_pages(reader, first, last)), note


def page_range(pages: str, count: int) -> tuple[int, int]:
    """First and last page of "3-7", "3", "3-" or nothing, at most PDF_PAGES of them. Raises Refusal."""
    start, dash, end = pages.replace(" ", "").partition("-")
    try:
        first = int(start or 1)
        last = int(end) if end else (count if dash or not start else first)
    except ValueError:
        raise Refusal(f'pages must be like "3-7" or "3", not {pages!r}.') from None
    if not 1 <= first <= min(last, count):
        raise Refusal(f"The document has {count} pages; there is no {pages!r} in it.")
    return first, min(last, count, first + PDF_PAGES - 1)


def _pdf_pages(reader: Any, first: int, last: int) -> Iterator[str]:
    for number in range(first, last + 1):
        yield f"--- page {number} ---"
        try:
            text = reader.pages[number - 1].extract_text().strip()
        except MemoryError:
            raise
        except Exception as error:  # one broken page is no reason to lose the others
            text = f"[this page can't be read: {type(error).__name__}]"
        yield text or "[no text on this page: an image or empty]"


def _word(stream: BinaryIO) -> Iterator[str]:
    import docx
    from docx.text.paragraph import Paragraph

    for block in docx.Document(stream).iter_inner_content():
        if isinstance(block, Paragraph):
            style = (block.style.name or "") if block.style else ""
            level = style.removeprefix("Heading ") if style.startswith("Heading ") else ""
            yield "#" * int(level) + f" {block.text}" if level.isdigit() else block.text
        else:
            for row in block.rows:
                yield "| " + " | ".join(cell.text.replace("\n", " ") for cell in row.cells) + " |"


def _excel(stream: BinaryIO) -> Iterator[str]:
    from openpyxl import load_workbook  # type: ignore[import-untyped]

    book = load_workbook(stream, read_only=True, data_only=True)
    for sheet in book.worksheets:
        yield f"--- sheet {sheet.title} ---"
        sheet.reset_dimensions()  # what the file says of its size may be wrong by millions
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            cells = ["" if value is None else str(value).replace("\n", " ") for value in row]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                yield "\t".join([str(number), *cells])
