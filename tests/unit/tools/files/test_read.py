"""read_file: any file as numbered text, in parts, without being hung or filled by a bad one."""

import os
import socket
import zipfile
from pathlib import Path

import pytest

from desktop.tools.base import ToolResult
from tests.unit.providers.samples import HEIC
from tests.unit.tools.files.conftest import Bench

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def pdf(*pages: str) -> bytes:
    """A small PDF with one line of text a page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    start = len(out)
    count = len(objects) + 1
    out += (
        f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>\n".encode()
    )
    return out + f"startxref\n{start}\n%%EOF\n".encode()


async def test_lines_have_their_numbers(bench: Bench) -> None:
    bench.put("a.txt", "one\r\ntwo\n\nfour")
    text = await bench.call("read_file", path="a.txt")
    assert text == "   1| one\n   2| two\n   3| \n   4| four\n\n(This is the end of the file.)"


async def test_any_line_end_ends_a_line(bench: Bench) -> None:
    bench.put("a.txt", "one\rtwo\r\nthree\nfour\r" + "x" * (1 << 18) + "\r\n" * 3 + "end")
    text = await bench.call("read_file", path="a.txt")
    assert [line[:11] for line in text.splitlines()[:4]] == [
        "   1| one",
        "   2| two",
        "   3| three",
        "   4| four",
    ]
    assert "   8| end\n" in text
    assert await bench.call("grep", pattern="^tw", path="a.txt", output_mode="content") == "a.txt:2: two"


async def test_a_long_file_comes_in_parts_that_fit_together(bench: Bench) -> None:
    bench.put("a.txt", "".join(f"line {n}\n" for n in range(1, 31)))
    first = await bench.call("read_file", path="a.txt", limit=12)
    assert "  12| line 12" in first
    assert "line 13" not in first
    assert "Read on with offset=13." in first
    second = await bench.call("read_file", path="a.txt", offset=13, limit=100)
    assert second.startswith("  13| line 13\n")
    assert "end of the file" in second


async def test_a_part_has_at_most_128_000_characters(bench: Bench) -> None:
    bench.put("a.txt", ("x" * 999 + "\n") * 300)
    text = await bench.call("read_file", path="a.txt")
    assert 120_000 < len(text) < 128_200
    following = int(text.rpartition("offset=")[2].rstrip(".)"))
    assert (await bench.call("read_file", path="a.txt", offset=following)).startswith(
        f"{following:>4}| xxx"
    )


async def test_an_offset_behind_the_end_says_how_many_lines_there_are(bench: Bench) -> None:
    bench.put("a.txt", "1\n2\n3\n")
    assert "only 3 lines" in await bench.failure("read_file", path="a.txt", offset=4)


async def test_an_empty_file_is_said_to_be_empty(bench: Bench) -> None:
    bench.put("a.txt")
    assert "empty" in await bench.call("read_file", path="a.txt")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("\ufeffGrüße".encode(), "Grüße"),
        ("\ufeffGrüße 世界".encode("utf-16-le"), "Grüße 世界"),
        ("\ufeffGrüße 世界".encode("utf-16-be"), "Grüße 世界"),
        ("今天天气很好,我们去公园。".encode("gb18030"), "今天天气很好,我们去公园。"),
        ("Där är en fin älg, déjà vu à côté".encode("cp1252"), "Där är en fin älg, déjà vu à côté"),
        (b"ok " * 30_000 + b"\xff end", "\ufffd end"),
    ],
)
async def test_text_of_any_encoding_is_read(bench: Bench, data: bytes, text: str) -> None:
    bench.put("a.txt", data.replace(b"ok ", b"ok\n"))
    assert text in await bench.call("read_file", path="a.txt", offset=30_001 if b"ok" in data else 1)


async def test_a_character_between_two_blocks_stays_whole(bench: Bench) -> None:
    bench.put("a.txt", "x" + "€\n" * 200_000)
    assert "150000| €\n" in await bench.call("read_file", path="a.txt", offset=150_000, limit=2)


async def test_a_huge_line_is_cut_and_says_so(bench: Bench) -> None:
    bench.put("a.txt", "a" * 3_000_000 + "\nshort\n")
    text = await bench.call("read_file", path="a.txt")
    assert len(text) < 25_000
    assert "this line goes on for 2,980,000 characters" in text
    assert "   2| short" in text


async def test_two_gigabytes_are_not_loaded(bench: Bench) -> None:
    path = bench.put("a.txt", "begin\n" * 50_000)
    with path.open("r+b") as stream:
        stream.truncate(2 << 30)  # sparse
    text = await bench.call("read_file", path="a.txt", limit=3)
    assert "begin" in text
    assert "2,147,483,648 bytes" in text
    assert "100 MiB" in await bench.failure("read_file", path="a.txt", offset=60_000)


async def test_binary_files_are_named_as_such(bench: Bench) -> None:
    bench.put("a.bin", b"\x7fELF" + bytes(100))
    assert "binary file (ELF) of 104 bytes" in await bench.failure("read_file", path="a.bin")
    bench.put("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    assert "saved as .docx" in await bench.failure("read_file", path="old.doc")


async def test_what_is_no_file_is_refused_without_being_opened(bench: Bench) -> None:
    os.mkfifo(bench.workspace / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(bench.workspace / "s"))
        assert "a socket" in await bench.failure("read_file", path="s")
    assert "a pipe" in await bench.failure("read_file", path="pipe")
    assert "a device" in await bench.failure("read_file", path="/dev/zero")
    assert "a folder" in await bench.failure("read_file", path=".")
    (bench.workspace / "link").symlink_to("pipe")
    assert "a pipe" in await bench.failure("read_file", path="link")


async def test_what_is_not_there_gets_a_hint(bench: Bench) -> None:
    assert "does not exist" in await bench.failure("read_file", path="no\nsuch")
    assert "\\n" in await bench.failure("read_file", path="no\nsuch")
    assert "zero byte" in await bench.failure("read_file", path="a\0b")
    (bench.workspace / "a").symlink_to("b")
    (bench.workspace / "b").symlink_to("a")
    await bench.failure("read_file", path="a")


async def test_a_picture_is_shown(bench: Bench) -> None:
    bench.put("cat.txt", PNG)
    result = await bench.result("read_file", path="cat.txt")
    assert isinstance(result, ToolResult)
    assert result.images == (bench.workspace / "cat.txt",)


async def test_pages_of_a_pdf(bench: Bench) -> None:
    bench.put("a.pdf", pdf(*(f"This is page {n}" for n in range(1, 31))))
    text = await bench.call("read_file", path="a.pdf")
    assert "This is page 20" in text
    assert "This is page 21" not in text
    assert 'pages="21-30"' in text
    text = await bench.call("read_file", path="a.pdf", pages="3-4")
    assert "This is page 3" in text
    assert "This is page 5" not in text
    assert "30 pages" in await bench.failure("read_file", path="a.pdf", pages="31")
    assert "3-7" in await bench.failure("read_file", path="a.pdf", pages="all")


async def test_word_and_excel(bench: Bench) -> None:
    import docx
    import openpyxl  # type: ignore[import-untyped]

    document = docx.Document()
    document.add_heading("Title", 1)
    document.add_paragraph("Some words")
    document.add_table(1, 2).rows[0].cells[1].text = "cell"
    document.save(str(bench.workspace / "a.docx"))
    text = await bench.call("read_file", path="a.docx")
    assert "# Title" in text
    assert text.index("Some words") < text.index("|  | cell |")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"], sheet["B3"] = "name", 5
    sheet["XFD900"] = "far"
    book.save(str(bench.workspace / "a.xlsx"))
    text = await bench.call("read_file", path="a.xlsx")
    assert "1\tname" in text
    assert "3\t\t5" in text
    assert "900\t" in text


def bomb(path: Path, paragraphs: int, says: int = 0) -> None:
    """A Word file of so many paragraphs, or that says of itself how large it is."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS)
        with archive.open("word/document.xml", "w") as part:
            part.write(f'<w:document xmlns:w="{_WORD}"><w:body>'.encode())
            for _ in range(paragraphs >> 18):
                part.write(b"<w:p/>" * (1 << 18))
            part.write(b"</w:body></w:document>")
        if says:
            archive.filelist[-1].file_size = says


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override '
    'PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


async def test_a_zip_bomb_is_a_clear_failure(bench: Bench) -> None:
    bomb(bench.workspace / "a.docx", 1 << 18, says=2 << 30)
    assert "too large" in await bench.failure("read_file", path="a.docx")
    bomb(bench.workspace / "b.docx", 9 << 20)
    await bench.failure("read_file", path="b.docx")
    bomb(bench.workspace / "c.docx", 1 << 18)
    assert "2000| " in await bench.call("read_file", path="c.docx")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", b"%PDF-1.7\nnothing"),
        ("a.docx", b"PK\x03\x04 damaged"),
        ("a.xlsx", b"PK\x03\x04" + bytes(99)),
    ],
)
async def test_a_damaged_document_is_a_clear_failure(bench: Bench, name: str, data: bytes) -> None:
    bench.put(name, data)
    assert "damaged" in await bench.failure("read_file", path=name)


async def test_a_picture_of_a_phone_is_a_picture(bench: Bench) -> None:
    bench.put("IMG_1.heic", HEIC)
    result = await bench.result("read_file", path="IMG_1.heic")
    assert isinstance(result, ToolResult)
    assert "an image (HEIC)" in result.text
    assert result.images == (bench.workspace / "IMG_1.heic",)
