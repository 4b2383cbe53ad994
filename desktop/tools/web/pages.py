"""From the bytes of a page to text for a model. Only the reader child imports this: parsers are heavy, and
a hostile page may keep one busy for ever.

The child reads requests of one line of JSON and the page's bytes after it, and answers with one line each.
"""

import json
import os
import re
import sys
from typing import Any
from urllib.parse import urljoin

from desktop.tools.web import hidden

HIDDEN_ARGUMENT = "--page-reader"
_MOST_MEMORY = 2 << 30
_MOST_ELEMENTS = 40_000
"""Above so many, words are taken without looking for the article among them."""
_MOST_LARGE = 6_000_000
_MOST_LINKS = 500
_META = re.compile(rb"<meta[^>]+charset=[\"']?([A-Za-z0-9_-]+)", re.IGNORECASE)
_TAG = re.compile(
    r"<(script|style|template|noscript)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE
)


def read(body: bytes, content_type: str, address: str, mode: str, most: int) -> dict[str, Any]:
    """{"text", "title", "links", "length"} of a page, `most` characters of it; `mode`: markdown, text."""
    found = _read(body, content_type, address, mode)
    return {**found, "text": found["text"][:most], "length": len(found["text"])}


def _read(body: bytes, content_type: str, address: str, mode: str) -> dict[str, Any]:
    kind = content_type.partition(";")[0].strip().lower()
    text = _decoded(body, content_type)
    if kind.endswith("json") or (kind in ("", "text/plain") and text.lstrip()[:1] in ("{", "[")):
        return {"text": _pretty(text), "title": "", "links": _plain_links(text)}
    if "html" in kind or "xml" in kind or (not kind and "<html" in text[:2000].lower()):
        return _page(text, address, mode)
    return {"text": text, "title": "", "links": _plain_links(text)}


def _decoded(body: bytes, content_type: str) -> str:
    named = re.search(r"charset=[\"']?([\w-]+)", content_type)
    meta = _META.search(body[:4096])
    for name in (named[1] if named else "", meta[1].decode() if meta else "", "utf-8"):
        try:
            return body.decode(name) if name else body.decode("utf-8")
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("utf-8", "replace")


def _pretty(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def _plain_links(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"https?://[^\s<>\"'\\)]+", text)))[:_MOST_LINKS]


def _page(text: str, address: str, mode: str) -> dict[str, Any]:
    from lxml import html  # type: ignore[import-untyped]

    large = text.count("<") > _MOST_ELEMENTS
    if large:
        text = text[:_MOST_LARGE]
    bare = {"text": _bare(text), "title": "", "links": _plain_links(text)}
    try:
        tree = html.fromstring(text.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    except (ValueError, html.etree.LxmlError):
        return bare
    title = hidden.plain(" ".join(str(tree.findtext(".//title") or "").split()))
    hidden.strip(tree)
    links = [
        urljoin(address, str(link)).partition("#")[0] for link in tree.xpath("//a/@href")[:_MOST_LINKS]
    ]
    seen = _lines(tree)
    found = "" if large or not seen else _main_text(tree, address, mode)
    return {"text": found or seen, "title": title, "links": list(dict.fromkeys(links))}


def _lines(tree: Any) -> str:
    """All words of a tree but its head's."""
    words = [str(text) for text in tree.xpath("//text()[not(ancestor::head)]")]
    lines = (" ".join(line.split()) for line in " ".join(words).splitlines())
    return "\n".join(line for line in lines if line)


def _main_text(tree: Any, address: str, mode: str) -> str:
    import trafilatura

    try:
        return str(
            trafilatura.extract(
                tree,
                url=address,
                output_format="markdown" if mode == "markdown" else "txt",
                include_links=mode == "markdown",
                include_tables=True,
                include_comments=False,
                favor_recall=True,
            )
            or ""
        )
    except Exception:  # it raises anything on odd trees; the bare text is there
        return ""


def _bare(text: str) -> str:
    from html import unescape

    words = unescape(_TAG.sub(" ", text))
    lines = (" ".join(line.split()) for line in words.splitlines())
    return "\n".join(line for line in lines if line)


def main() -> None:
    """The child: requests until the input ends."""
    wire = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get into the answers
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import trafilatura  # noqa: F401  while the first page is still on its way

    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        body = sys.stdin.buffer.read(request.pop("size"))
        wire.write(json.dumps(_answer(body, request)).encode() + b"\n")
        wire.flush()


def _answer(body: bytes, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return read(body, **request)
    except MemoryError:
        return {"refusal": "The page needs more memory than it may have."}
    except RecursionError:
        return {"refusal": "The page is nested too deeply to be read."}
