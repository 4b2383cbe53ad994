"""A mail's headers: who wrote it, what it belongs to, and whether a program wrote it."""

import hashlib
import re
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import compat32, default
from typing import Any

_ID = re.compile(r"<[^<>\s]{1,990}>")
_ENCODED = re.compile(r"=\?[^?]*\?[bq]\?[^?]*\?=", re.IGNORECASE)
_FORWARDED = re.compile(r"^\s*(fwd?|wg|rv|转发)\s*[:：]", re.IGNORECASE)
_ANSWERED = re.compile(r"^\s*((re|aw|sv|antw|回复|答复)\s*(\[\d+\])?\s*[:：]\s*)+", re.IGNORECASE)
_BULK = ("bulk", "list", "junk", "auto_reply")
_PROGRAMS = ("mailer-daemon", "postmaster", "no-reply", "noreply", "donotreply", "do-not-reply")
_MADE_BY_LISTS = ("List-Id", "List-Unsubscribe", "List-Post", "X-Autoreply", "X-Autorespond", "X-Loop")
_LONGEST_SUBJECT, _MOST_REFERENCES = 200, 20


@dataclass(frozen=True, slots=True)
class Letter:
    """What the headers say."""

    uid: int
    size: int
    at: float
    """When the server took it, Unix time in seconds."""
    sender: str
    """The bare address in small letters; empty where there is not exactly one."""
    name: str
    id: str
    """The Message-ID with its brackets, empty where there is none."""
    references: tuple[str, ...]
    """What it answers, the root first."""
    subject: str
    results: tuple[str, ...]
    """Authentication-Results as they are, the topmost first."""
    by_program: bool
    """A list, a program or a server that could not deliver wrote it: answers would go in circles."""

    @property
    def domain(self) -> str:
        return self.sender.rpartition("@")[2]

    @property
    def root(self) -> str:
        """The mail with which its thread began."""
        return next(iter(self.references), self.id)

    @property
    def forwarded(self) -> bool:
        return bool(_FORWARDED.match(self.subject))


def thread_of(root: str) -> str:
    """A short name of the thread that began with this mail."""
    return hashlib.sha256(root.encode()).hexdigest()[:10]


def bare(subject: str) -> str:
    """A subject without the words for an answer."""
    return _ANSWERED.sub("", subject).strip()


def read(uid: int, headers: bytes, size: int, at: float) -> Letter:
    """The headers of a mail. Raises whatever the library does on odd ones."""
    raw = message_from_bytes(headers, policy=compat32)
    parsed = BytesParser(EmailMessage, policy=default).parsebytes(headers, headersonly=True)
    sender, name = _sender(raw, parsed)
    chain = _ID.findall(str(raw.get("References", ""))) or _ID.findall(str(raw.get("In-Reply-To", "")))[:1]
    ids = _ID.findall(str(raw.get("Message-ID", "")))
    references = tuple(chain[:1] + chain[1:][-_MOST_REFERENCES:])
    return Letter(
        uid,
        size,
        at,
        sender,
        name,
        ids[0] if ids else "",
        references,
        " ".join(str(parsed.get("Subject", "")).split())[:_LONGEST_SUBJECT],
        tuple(map(str, raw.get_all("Authentication-Results") or ())),
        _by_program(raw, sender),
    )


def _sender(raw: Message, parsed: EmailMessage) -> tuple[str, str]:
    fields = raw.get_all("From") or []
    addresses: tuple[Any, ...] = getattr(parsed["From"], "addresses", ())
    if len(fields) != 1 or len(addresses) != 1:
        return "", ""
    address = str(addresses[0].addr_spec).strip()
    if address not in _ENCODED.sub("", str(fields[0])) or address.count("@") != 1:
        return "", ""  # made by decoding: servers that checked it saw another one
    local, _at, domain = address.lower().partition("@")
    if not local or not domain or re.search(r"[\s<>\"(),:;\\\[\]]", address) or not address.isascii():
        return "", ""
    return f"{local}@{domain}", str(addresses[0].display_name or "")


def _by_program(raw: Message, sender: str) -> bool:
    automatic = str(raw.get("Auto-Submitted", "no")).partition(";")[0].strip().lower()
    return (
        automatic != "no"
        or str(raw.get("Precedence", "")).strip().lower() in _BULK
        or any(raw.get(name) is not None for name in _MADE_BY_LISTS)
        or str(raw.get("Return-Path", "")).strip() == "<>"
        or raw.get_content_type() == "multipart/report"
        or sender.partition("@")[0] in _PROGRAMS
    )
