"""What a frozen program lacks shows here, before it reaches a person: packaging/check.py runs this.

It imports what it is told to and has each library that reads data of its own do some work.
"""

import importlib
import io
import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from desktop.cli.output import emit

_PAGE = (
    "<html lang=en><head><title>Mill</title><meta name=date content=2020-01-02></head><body><article>"
    + "<p>The river ran past the mill, and on the 3rd of May 2021 the miller said so.</p>" * 20
    + "</article></body></html>"
)


def main() -> None:
    """Read {"modules": [...], "without": [...]} from stdin, write what failed and what could be done to
    stdout, as JSON. `without`: works that are left out, as the system can't do them."""
    asked, failed = json.load(sys.stdin), dict[str, str]()
    for name in asked["modules"]:
        _try(name, partial(importlib.import_module, name), failed)
    works = {name: work for name, work in _WORKS.items() if name not in asked.get("without", ())}
    done = {name: _try(name, work, failed) for name, work in works.items()}
    emit({"failed": failed, "done": done})


def _try(name: str, work: Callable[[], object], failed: dict[str, str]) -> str:
    try:
        return str(work())
    except BaseException as error:  # a module may even end the program when it is imported
        failed[name] = repr(error)[:300]
        return ""


def _catalogue() -> str:
    from desktop import text

    text.use("zh_CN")
    try:
        return text._("Settings")
    finally:
        text.use("en")


def _documents() -> int:
    import docx
    import openpyxl  # type: ignore[import-untyped]
    import pypdf

    paper, book, pages = docx.Document(), openpyxl.Workbook(), pypdf.PdfWriter()
    paper.add_paragraph("Hello")
    pages.add_blank_page(100, 100)
    files = io.BytesIO(), io.BytesIO(), io.BytesIO()
    paper.save(files[0])
    book.save(files[1])
    pages.write(files[2])
    sheets = openpyxl.load_workbook(files[1], read_only=True).sheetnames
    return len(docx.Document(files[0]).paragraphs) + len(sheets) + len(pypdf.PdfReader(files[2]).pages)


def _page() -> str:
    import justext  # type: ignore[import-untyped]
    import trafilatura

    text = trafilatura.extract(
        _PAGE, url="https://example.co.uk/a", with_metadata=True, output_format="json"
    )
    return f"{json.loads(text or '{}').get('title')} {len(justext.get_stoplist('English'))}"


def _formula() -> bool:
    from ziamath.zmath import Latex

    return "<svg" in Latex(r"\frac{a}{b} + \sum_{i=0}^n x_i^2").svg()


def _lexers() -> int:
    from pygments.lexers import get_all_lexers, get_lexer_by_name

    return len([get_lexer_by_name(aliases[0]) for _name, aliases, *_rest in get_all_lexers() if aliases])


def _markdown() -> str:
    from markdown_it import MarkdownIt

    return str(
        MarkdownIt("js-default", {"linkify": True}).enable("linkify").render("see example.com **x**")
    )


def _tokens() -> list[int]:
    import tiktoken

    from desktop.providers.windows import data_folder

    os.environ["TIKTOKEN_CACHE_DIR"] = str(data_folder())
    return [
        len(tiktoken.get_encoding(name).encode("Hello there")) for name in ("cl100k_base", "o200k_base")
    ]


def _prices() -> str:
    from desktop.providers.windows import price_of, window_of

    return f"{window_of('gpt-4o', '')} {price_of('gpt-4o', 'openai')}"


def _pictures() -> list[str]:
    import pi_heif
    from PIL import Image

    pi_heif.register_heif_opener()
    read = []
    for kind in ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP"):
        file = io.BytesIO()
        Image.new("RGB", (8, 8)).save(file, kind)
        read.append(str(Image.open(file).format))
    return [*read, *sorted(extension for extension in Image.registered_extensions() if "hei" in extension)]


def _sounds() -> list[int]:
    import pysilk
    import soundfile

    from desktop.providers.speech import decode

    pcm, ogg, silk = bytes(2 * 24_000), io.BytesIO(), io.BytesIO()
    with soundfile.SoundFile(ogg, "w", 24_000, 1, "OPUS", format="OGG") as file:
        file.buffer_write(pcm, "int16")
    pysilk.encode(io.BytesIO(pcm), silk, 24_000, 24_000)
    return [len(decode.samples(data.getvalue(), kind, 9)) for kind, data in (("ogg", ogg), ("silk", silk))]


def _times() -> str:
    import zoneinfo

    import cronsim
    import tzlocal

    begin = datetime(2026, 1, 1, tzinfo=UTC)
    tzlocal.get_localzone_name()
    return f"{zoneinfo.ZoneInfo('Asia/Shanghai')} {next(cronsim.CronSim('0 9 * * 1', begin))}"


def _engines() -> list[str]:
    from ddgs.engines import ENGINES

    return sorted(ENGINES["text"])


def _licences() -> int:
    from desktop.api.about import shipped_packages

    return len(shipped_packages())


_WORKS: dict[str, Callable[[], object]] = {
    "the Chinese catalogue": _catalogue,
    "documents": _documents,
    "pages of the web": _page,
    "formulas": _formula,
    "lexers": _lexers,
    "Markdown": _markdown,
    "tokens": _tokens,
    "prices": _prices,
    "pictures": _pictures,
    "sounds": _sounds,
    "times": _times,
    "search engines": _engines,
    "licences": _licences,
}
