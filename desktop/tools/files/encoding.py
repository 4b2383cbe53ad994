"""Which encoding a text file has, guessed from its beginning, so that it can be read and written back."""

import codecs
import locale
from dataclasses import dataclass

SAMPLE = 1 << 16
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"PK\x03\x04", "ZIP"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OLE"),
    (b"\x7fELF", "ELF"),
    (b"\x1f\x8b", "gzip"),
)
_HEIC = b"heic heix heim heis hevc hevx hevm hevs mif1 msf1".split()


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of a file become text; encode() gives the same bytes back."""

    name: str
    bom: bytes = b""

    @property
    def errors(self) -> str:
        """Broken bytes survive an edit, where the encoding lets them."""
        return "strict" if self.name.startswith(("utf-16", "utf-32")) else "surrogateescape"

    def decode(self, data: bytes) -> str:
        return data[len(self.bom) :].decode(self.name, self.errors)

    def encode(self, text: str) -> bytes:
        return self.bom + text.encode(self.name, self.errors)


def magic(sample: bytes) -> str:
    """What a file is by its first bytes; empty where they say nothing."""
    if sample[:4] == b"RIFF" and sample[8:12] == b"WEBP":
        return "WEBP"
    if sample[4:8] == b"ftyp" and sample[8:12] in _HEIC:
        return "HEIC"
    return next((name for start, name in _MAGIC if sample.startswith(start)), "")


def sniff(sample: bytes) -> Encoding | None:
    """The encoding of a file that begins like this; None if it is no text."""
    for bom, name in _BOMS:
        if sample.startswith(bom):
            return Encoding(name, bom)
    if b"\0" in sample:
        return None
    own = locale.getencoding().lower()
    candidates = ("utf-8", own) if own not in ("utf-8", "ascii", "cp1252") else ("utf-8",)
    for name in candidates:
        if _decoded(sample, name) is not None:
            return Encoding(name)
    if _is_chinese(sample):
        return Encoding("gb18030")
    return Encoding("latin-1" if _decoded(sample, "cp1252") is None else "cp1252")


def _decoded(sample: bytes, name: str) -> str | None:
    """The text of a sample, which may end within a character."""
    try:
        return codecs.getincrementaldecoder(name)().decode(sample)
    except (UnicodeDecodeError, LookupError):
        return None


def _is_chinese(sample: bytes) -> bool:
    """Whether it reads as GB 18030 and its characters are everyday ones: Latin text seldom does both."""
    text = _decoded(sample, "gb18030")
    if not text or text.isascii():
        return False
    foreign = [c for c in text if not c.isascii()]
    everyday = sum(1 for c in foreign if _is_everyday(c))
    return everyday >= 0.9 * len(foreign)


def _is_everyday(character: str) -> bool:
    try:
        return bool(character.encode("gb2312"))
    except UnicodeEncodeError:
        return False
