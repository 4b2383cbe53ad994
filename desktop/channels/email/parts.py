"""A large mail by its parts: first what it is made of and its words, and a file only when it is written.

What the server says of its structure is taken as it is; where that can't be understood, opened() says so.
"""

import binascii
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any, Protocol

from desktop.channels.email.body import Inside, Mail, words
from desktop.channels.newfile import NotFetched, NotNow
from desktop.errors import AppError
from desktop.tasks import in_daemon

_MOST_TEXT = 2_000_000
"""Bytes of words that are looked at: more than the settings let through, in any encoding."""
_NOT_BASE64 = bytes(
    set(range(256)) - {*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="}
)


class Box(Protocol):
    """The mailbox. It blocks, and raises AppError, OSError."""

    def structure(self, uid: int) -> Any:
        """What a mail is made of, as IMAPClient has it; None where that can't be understood. Raises
        NotFetched where it is gone."""

    def headers(self, uid: int, sections: list[str]) -> dict[str, bytes]:
        """The headers of its parts."""

    def pieces(self, uid: int, section: str) -> Iterator[bytes]:
        """What is in a part, as it was sent. Raises NotFetched where the mail is gone."""


@dataclass(frozen=True, slots=True)
class Node:
    """One part, as the server knows it."""

    number: str
    """Empty for the mail itself."""
    kind: str
    inner: tuple["Node", ...] = ()
    encoding: str = ""
    size: int = 0
    """Bytes, encoded."""

    @property
    def headers(self) -> str:
        return f"{self.number}.MIME" if self.number else "HEADER"

    @property
    def content(self) -> str:
        return self.number or "TEXT"

    @property
    def least(self) -> int:
        """How many bytes there are in it at least: lines of base64 have 64 letters or 76, as a rule."""
        if self.encoding == "base64":
            return self.size * 8 // 11
        return self.size // 3 if self.encoding == "quoted-printable" else self.size

    def all(self) -> Iterator["Node"]:
        """This one and what is in it."""
        yield self
        for node in self.inner:
            yield from node.all()


def opened(box: Box, uid: int) -> Mail | None:
    """A mail with its words; None where it can't be had by parts. Blocks. Raises NotFetched where it is
    gone, AppError, OSError, and whatever the library does on odd ones."""
    structure = box.structure(uid)
    try:
        root = node_of(structure)
    except (AttributeError, ValueError, TypeError, IndexError, RecursionError):
        return None
    if not any(node.size for node in root.all()):
        return None  # the server finds nothing in it: it is no multipart, whatever it says
    found = box.headers(uid, [node.headers for node in root.all()])
    leaves: dict[int, Node] = {}
    message = _built(root, found, leaves)
    for part in words(message):
        node = leaves[id(part)]
        text = b"".join(decoded(_beginning(box.pieces(uid, node.content)), node.encoding))
        del part["Content-Transfer-Encoding"]
        part.set_payload(text.decode("ascii", "surrogateescape"))
    return Mail(message, lambda part: _inside(box, uid, leaves[id(part)]))


def node_of(structure: Any, number: str = "") -> Node:
    """A structure of IMAPClient. Raises whatever comes of an odd one."""
    if structure.is_multipart:
        dot = f"{number}." if number else ""
        inner = tuple(node_of(one, f"{dot}{index}") for index, one in enumerate(structure[0], 1))
        return Node(number, "multipart/mixed", inner)
    main, sub, encoding = (bytes(structure[at] or b"").decode("ascii", "replace") for at in (0, 1, 5))
    return Node(number, f"{main}/{sub}".lower(), (), encoding.strip().lower(), int(structure[6] or 0))


def _built(node: Node, headers: dict[str, bytes], leaves: dict[int, Node]) -> EmailMessage:
    """The same as the library makes of the mail, with nothing in the leaves."""
    parser = BytesParser(EmailMessage, policy=default)
    part = parser.parsebytes(headers.get(node.headers, b""), headersonly=True)
    if "Content-Type" not in part or (node.inner and part.get_content_maintype() != "multipart"):
        del part["Content-Type"]
        part["Content-Type"] = node.kind
    part.set_payload("")
    if node.inner:
        part.set_payload([_built(one, headers, leaves) for one in node.inner])
    else:
        leaves[id(part)] = node
    return part


def _beginning(pieces: Iterator[bytes]) -> Iterator[bytes]:
    left = _MOST_TEXT
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def _inside(box: Box, uid: int, node: Node) -> Inside:
    async def pieces() -> AsyncIterator[bytes]:
        found = decoded(box.pieces(uid, node.content), node.encoding)
        try:
            while (piece := await in_daemon(next, found, None, seconds=None)) is not None:
                yield piece
        except NotFetched:
            raise
        except (AppError, OSError) as error:
            raise NotNow from error

    return Inside(node.least, pieces)


def decoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """What was encoded for mail; other encodings than the two of MIME stay as they are."""
    if encoding == "base64":
        return _from_base64(pieces)
    return _from_quoted(pieces) if encoding == "quoted-printable" else iter(pieces)


def _from_base64(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """What comes after the padding is not part of it."""
    held = b""
    for piece in pieces:
        held += piece.translate(None, _NOT_BASE64)
        held, padding, _rest = held.partition(b"=")
        whole = len(held) & ~3
        yield binascii.a2b_base64(held[:whole])
        held = held[whole:]
        if padding:
            break
    if len(held) > 1:
        yield binascii.a2b_base64(held + b"=" * (4 - len(held)))


def _from_quoted(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = b""
    for piece in pieces:
        held += piece
        sign = held.rfind(b"=", -2)  # what follows it tells what it means
        whole = len(held) if sign < 0 else sign
        yield binascii.a2b_qp(held[:whole])
        held = held[whole:]
    yield binascii.a2b_qp(held)
