"""What a mail says and carries: its words without what it answers, and its files."""

import fnmatch
import mimetypes
import re
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import default

from desktop.channels.email.html import text_of
from desktop.channels.message import Attachment
from desktop.channels.newfile import NewFile
from desktop.config.channels.email import Email as Settings
from desktop.errors import AppError
from desktop.text import _

_ATTRIBUTION = re.compile(
    r"^\s*(on\b.*\bwrote|am\b.*\bschrieb\b.*|le\b.*a écrit|el\b.*escribió|il\b.*ha scritto|"
    r"op\b.*schreef\b.*|em\b.*escreveu|在.*写道|.*于.*写道|.*<[^<>\s]+@[^<>\s]+>.*(写道|wrote))\s*[:：]?\s*$",
    re.IGNORECASE,
)
_BAR = re.compile(
    r"^\s*(-{3,}\s*.*(original|ursprüngliche|origine|原始邮件|weitergeleitet).*-{3,}|_{20,})\s*$",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"^\s*\*?(from|von|de|发件人|to|sent|gesendet|envoyé|发送时间|date|datum)\*?\s*[:：]", re.IGNORECASE
)
_LONGEST_ATTRIBUTION = 1000
_SIGNED = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")


@dataclass(frozen=True, slots=True)
class Inside:
    """What is in a part that is a file."""

    size: int
    """Bytes; of one that was not fetched yet, how many there are at least."""
    pieces: Callable[[], AsyncIterator[bytes]]
    """Raises AppError, OSError, and NotNow where the mail has to come again."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail: all of it, or its parts with its words alone."""

    message: EmailMessage
    inside: Callable[[Message], Inside]


@dataclass(frozen=True, slots=True)
class Content:
    """One mail, read."""

    text: str
    files: tuple[Attachment, ...]


def parsed(raw: bytes) -> Mail:
    """A mail that is here. Raises whatever the library does on odd ones."""
    return Mail(BytesParser(EmailMessage, policy=default).parsebytes(raw), _here)


def read(mail: Mail, settings: Settings, *, whole: bool) -> Content:
    """The words and files of a mail. `whole`: what it quotes is what it is about. Raises whatever the
    library does on odd ones."""
    text = _words(mail.message)
    if not whole:
        text = without_history(text)
    if len(text) > settings.max_body_chars:
        text = text[: settings.max_body_chars] + "\n" + _("[The rest was too long.]")
    return Content(text, tuple(_files(mail, settings)))


def words(message: EmailMessage) -> list[Message]:
    """The parts in which its words may be. A part without headers counts as false."""
    found = message.get_body(("plain",)), message.get_body(("html",))
    return [part for part in found if part is not None]


def _words(message: EmailMessage) -> str:
    part = next(iter(words(message)), None)
    if part is None:
        return ""
    text = _decoded(part)
    if part.get_content_type() == "text/html":
        return text_of(text)
    text = text.replace("\r\n", "\n").replace("\0", "")
    if str(part.get_param("format", "")).lower() == "flowed":
        text = _unfolded(text)
    if not text.strip() and (html := message.get_body(("html",))) is not None:
        return text_of(_decoded(html))
    return text.strip()


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    raw = data if isinstance(data, bytes) else b""
    try:
        return raw.decode(part.get_content_charset() or "utf-8", "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def _unfolded(text: str) -> str:
    """Lines that were only broken to fit are one again (RFC 3676)."""
    lines: list[str] = []
    open_ = False
    for line in text.split("\n"):
        quoted = line.startswith(">")
        line = line if quoted else line.removeprefix(" ")
        if open_ and not quoted:
            lines[-1] += line
        else:
            lines.append(line)
        open_ = line.endswith(" ") and line != "-- " and not quoted
    return "\n".join(lines)


def without_history(text: str) -> str:
    """Without the mail that it answers below its own words, and without the signature. Answers between the
    lines of the other stay among them."""
    lines = text.split("\n")
    end = _end(lines)
    kept = lines[:end]
    for number, line in enumerate(kept):
        if line.rstrip("\r") == "-- ":
            kept = kept[:number]
            break
    return "\n".join(kept).strip() or text.strip()


def _end(lines: list[str]) -> int:
    """Where the history begins."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    quoted = len(filled)
    while quoted and _quoted(lines[filled[quoted - 1]]):
        quoted -= 1  # from here on all is
    for number, line in enumerate(lines):
        after = bisect_right(filled, number)
        rest = [lines[one] for one in filled[after : after + 4]]
        if _BAR.match(line) and rest and (_FIELD.match(rest[0]) or "原始邮件" in line):
            return number
        if _FIELD.match(line) and sum(bool(_FIELD.match(one)) for one in rest) >= 2:
            return number
        if after + 1 >= quoted and _is_attribution(lines, number):
            return number
    number = len(lines)
    while number and (not lines[number - 1].strip() or _quoted(lines[number - 1])):
        number -= 1
    return number


def _is_attribution(lines: list[str], number: int) -> bool:
    """Also one that is broken in two; not one without end, on which the pattern would take for ever."""
    first, both = lines[number], " ".join(lines[number : number + 2])
    if len(first) > _LONGEST_ATTRIBUTION:
        return False
    return bool(
        _ATTRIBUTION.match(first)
        or (first.strip() and len(both) <= _LONGEST_ATTRIBUTION and _ATTRIBUTION.match(both))
    )


def _quoted(line: str) -> bool:
    return line.lstrip().startswith(">")


def _files(mail: Mail, settings: Settings) -> Iterator[Attachment]:
    bodies = {id(part) for part in words(mail.message)}
    taken = 0
    for part in _leaves(mail.message):
        kind, name = part.get_content_type(), part.get_filename()
        attached = name or part.get_content_disposition() == "attachment"
        if id(part) in bodies or kind in _SIGNED or (kind.startswith("text/") and not attached):
            continue
        inside = mail.inside(part)
        named = str(name or f"{kind.partition('/')[0]}{mimetypes.guess_extension(kind) or ''}")
        fit = any(fnmatch.fnmatch(kind, pattern.lower()) for pattern in settings.allowed_attachment_types)
        fit = (
            fit
            and inside.size <= settings.max_attachment_size
            and taken < settings.max_attachments_per_email
        )
        taken += fit
        file = _File(inside, settings.max_attachment_size)
        yield Attachment(named, inside.size, file.write if fit else _left_out)


def _leaves(part: Message) -> Iterator[Message]:
    if part.is_multipart() and part.get_content_maintype() == "multipart":
        for inner in part.iter_parts() if isinstance(part, EmailMessage) else ():
            yield from _leaves(inner)
    else:
        yield part


def _bytes(part: Message) -> bytes:
    if part.get_content_type() == "message/rfc822" and part.is_multipart():
        inner = part.get_payload(0)
        return inner.as_bytes() if isinstance(inner, Message) else b""
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _here(part: Message) -> Inside:
    data = _bytes(part)

    async def pieces() -> AsyncIterator[bytes]:
        yield data

    return Inside(len(data), pieces)


@dataclass(frozen=True, slots=True)
class _File:
    inside: Inside
    most: int

    async def write(self, file: NewFile) -> None:
        """Write it. Raises AppError, OSError, NotNow."""
        await replace(file, most=min(file.most, self.most)).write(self.inside.pieces())


async def _left_out(_file: NewFile) -> None:
    raise AppError(_("The settings for mail leave this attachment out."))
