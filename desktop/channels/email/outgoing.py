"""A message of the agent as a mail, and the way out by SMTP."""

import asyncio
import base64
import hashlib
import mimetypes
import re
import ssl
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, localtime
from pathlib import Path

import aiosmtplib
from aiosmtplib import SMTPResponse
from aiosmtplib.errors import (
    SMTPAuthenticationError,
    SMTPDataError,
    SMTPException,
    SMTPNotSupported,
    SMTPResponseException,
    SMTPServerDisconnected,
)
from aiosmtplib.protocol import SMTPProtocol

from desktop import logs
from desktop.channels.channel import NotDelivered
from desktop.channels.email.hosts import LARGEST, Hosts
from desktop.channels.email.mailbox import explained, no_mail_server
from desktop.channels.message import Part, Sending
from desktop.config.channels.email import Email as Settings
from desktop.errors import AppError
from desktop.net.way_out import certificates, is_local
from desktop.services.service import SignInNeeded
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _

_ANSWER_S = 60.0
_ADDRESS = re.compile(r"[^\s@<>\"(),:;\\\[\]]+@[^\s@<>\"(),:;\\\[\]]+")
_SPOKEN, _TAKEN, _GO_ON, _FOR_EVER = 200, 250, 354, 500
_LINE, _LINES = 57, 4096
"""Bytes in one line of base64, and lines that are made at once."""
_DOT = re.compile(rb"^\.", re.MULTILINE)
"""What would end the mail is sent twice (RFC 5321, 4.5.2)."""


@dataclass(frozen=True, slots=True)
class Thread:
    """What a mail continues."""

    subject: str = ""
    references: tuple[str, ...] = ()
    """The mails before, the root first."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One to send. Its files are read while it goes."""

    message: EmailMessage
    """With a word in place of what is in each file."""
    files: dict[bytes, tuple[Path, int]] = field(default_factory=dict)
    """By that word: where it is, and its size."""

    def size(self) -> int:
        """Bytes as they go."""
        return sum(len(text) for text in self._texts()) + sum(
            -(-size // 3) * 4 + -(-size // _LINE) * 2 - len(word)
            for word, (_path, size) in self.files.items()
        )

    def pieces(self) -> Iterator[bytes]:
        """As it goes over the line. Blocks. Raises AppError where a file is another one by now."""
        for text in self._texts():
            if text in self.files:
                yield from _encoded(*self.files[text])
            else:
                yield _DOT.sub(b"..", text)

    def _texts(self) -> list[bytes]:
        whole = self.message.as_bytes()
        return re.split(b"(" + b"|".join(self.files) + b")", whole) if self.files else [whole]


def _encoded(path: Path, size: int) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while size > 0:
                data = file.read(min(size, _LINE * _LINES))
                if not data:
                    raise EOFError
                size -= len(data)
                yield base64.encodebytes(data).replace(b"\n", b"\r\n")
    except (OSError, EOFError) as error:
        raise AppError(_("The file {name} was changed just now.").format(name=path.name)) from error


def compose(sending: Sending, thread: Thread, settings: Settings) -> Mail:
    """The mail. The same for each try, but for its date. Raises NotDelivered, OSError. Blocks."""
    to, sender = sending.where.chat, settings.address
    if not _ADDRESS.fullmatch(to):
        raise NotDelivered(_("{address} is not a mail address.").format(address=to))
    mail = EmailMessage(policy=SMTP.clone(cte_type="7bit"))
    mail["From"], mail["To"], mail["Date"] = sender, to, format_datetime(localtime())
    mail["Message-ID"] = message_id(sending, sender)
    mail["Subject"] = _subject(sending, thread, settings)
    if thread.references:
        mail["In-Reply-To"] = thread.references[-1]
        mail["References"] = " ".join(thread.references)
    mail["Auto-Submitted"] = "auto-replied" if thread.references else "auto-generated"
    mail["X-Auto-Response-Suppress"] = "All"
    part = sending.part
    mail.set_content(part.plain + "\n")
    if part.markup:
        mail.add_alternative(_page(part.markup), subtype="html")
    return Mail(mail, _attach(mail, part))


def message_id(sending: Sending, sender: str) -> str:
    """The same for each try of a part, and of no other."""
    part = sending.part
    told = (sending.once, sending.where.session, sending.reply, part.plain, part.file, *part.more)
    digest = hashlib.sha256("\0".join(told).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return f"<{digest}@{sender.rpartition('@')[2] or 'localhost'}>"


def _subject(sending: Sending, thread: Thread, settings: Settings) -> str:
    if thread.references:
        return settings.subject_prefix + thread.subject
    first = next((line.strip(" #*") for line in sending.part.plain.splitlines() if line.strip()), "")
    return (first if len(first) <= 80 else first[:79] + "…") or _("Message from Nanobot")


def _page(markup: str) -> str:
    return f'<html><body style="font-family:sans-serif">\n{markup}\n</body></html>\n'


def _attach(mail: EmailMessage, part: Part) -> dict[bytes, tuple[Path, int]]:
    paths = [Path(name) for name in (part.file, *part.more) if name]
    sizes = [path.stat().st_size for path in paths]
    if sum(sizes) > LARGEST:
        raise NotDelivered(_("The files are too large for mail."))
    words: dict[bytes, tuple[Path, int]] = {}
    for path, size in zip(paths, sizes, strict=True):
        kind, encoding = mimetypes.guess_type(path.name)
        if not kind or encoding or kind.startswith(("message/", "multipart/")):
            kind = "application/octet-stream"
        main, _slash, sub = kind.partition("/")
        word = uuid.uuid4().hex
        mail.add_attachment(b"", maintype=main, subtype=sub, filename=path.name)
        *_others, added = mail.iter_attachments()
        added.set_payload(word)
        words[word.encode()] = path, size
    return words


class Outgoing:
    """The way to one SMTP server; a connection for each mail."""

    def __init__(self, settings: Settings, hosts: Hosts, password: str) -> None:
        logs.mask(password)
        self._settings, self._hosts, self._password = settings, hosts, password

    async def check(self) -> None:
        """Log in, and send nothing. Raises SignInNeeded, AppError."""
        try:
            async with self._session() as smtp:
                await smtp.noop()
        except (SMTPException, OSError) as error:
            raise self._explained(error) from error

    async def send(self, mail: Mail, to: str) -> None:
        """Send a mail. Raises SignInNeeded, NotDelivered, AppError."""
        size = await in_thread(mail.size)
        try:
            async with self._session() as smtp:
                told = [f"size={size}"] if smtp.supports_extension("size") else []
                await smtp.mail(self._settings.address, options=told)
                await smtp.rcpt(to)
                await _hand_over(smtp, mail)
        except (SMTPException, OSError) as error:
            raise self._explained(error) from error

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[aiosmtplib.SMTP]:
        hosts, settings = self._hosts, self._settings
        tls = await in_thread(certificates)
        plain = is_local(hosts.smtp) and not (hosts.smtp_tls or settings.smtp_use_tls)
        smtp = aiosmtplib.SMTP(
            hostname=hosts.smtp,
            port=hosts.smtp_port,
            use_tls=hosts.smtp_tls,
            start_tls=not (hosts.smtp_tls or plain),
            tls_context=tls,
            timeout=_ANSWER_S,
            local_hostname="localhost",  # its own would ask the network for a name, and tell it
        )
        async with smtp:
            await smtp.login(settings.smtp_username or settings.imap_username, self._password)
            yield smtp

    def _explained(self, error: Exception) -> Exception:
        host = self._hosts.smtp
        if isinstance(error, SMTPAuthenticationError) and error.code >= _FOR_EVER:
            return SignInNeeded(
                _("{host} rejected the account or its password.").format(host=host), self._hosts.remedy
            )
        said = _reply(error)
        if said:
            code, words = said
            if code < _SPOKEN:
                return no_mail_server(host)
            text = _("{host} rejected it: {reason}").format(host=host, reason=f"{code} {words}")
            return NotDelivered(text) if code >= _FOR_EVER else AppError(text)
        if isinstance(error, SMTPNotSupported):
            return AppError(_("{host} rejected it: {reason}").format(host=host, reason=error.message))
        if isinstance(error, SMTPServerDisconnected):
            return explained(ConnectionResetError(), host)
        causes = error.__cause__, error.__context__, error
        found = next((one for one in causes if isinstance(one, ssl.SSLError)), OSError())
        return explained(found, host)


async def _hand_over(smtp: aiosmtplib.SMTP, mail: Mail) -> None:
    """Send what is in a mail piece by piece: the library's way holds it five times. A connection on which
    half of it went is cut: what the server has of it is no mail then. Raises SMTPException, AppError,
    OSError."""
    begun = await smtp.execute_command(b"DATA")
    protocol = smtp.protocol
    if begun.code != _GO_ON or protocol is None:
        raise SMTPDataError(begun.code, begun.message)
    answer = spawn(_answer(protocol), name="email:answer")
    try:
        pieces = mail.pieces()
        while not answer.done() and (piece := await in_thread(next, pieces, None)) is not None:
            with suppress(ConnectionError):  # the answer says so
                protocol.write(piece)
                async with asyncio.timeout(_ANSWER_S):
                    await protocol._drain_helper()  # noqa: SLF001 - as asyncio's own drain()
        if not answer.done():
            protocol.write(b".\r\n")
        async with asyncio.timeout(_ANSWER_S):
            said = await answer
    except BaseException:
        smtp.close()
        raise
    finally:
        await cancel(answer)
    if isinstance(said, SMTPException):
        raise said
    if said.code != _TAKEN:
        raise SMTPDataError(said.code, said.message)


async def _answer(protocol: SMTPProtocol) -> SMTPResponse | SMTPException:
    """Also one that comes before all was sent."""
    try:
        return await protocol.read_response()
    except SMTPException as error:
        return error


def _reply(error: Exception) -> tuple[int, str] | None:
    """What the server answered, of the one recipient where it is about them."""
    recipients = getattr(error, "recipients", None)
    found = recipients[0] if recipients else error
    if isinstance(found, SMTPResponseException):
        return found.code, " ".join(str(found.message).split())
    return None
