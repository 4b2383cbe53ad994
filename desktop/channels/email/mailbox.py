"""A mailbox by IMAP, with IMAPClient. All of it blocks: one thread at a time is in it (see service.py).

Nothing is changed by reading: bodies are peeked at, and a mail is marked once it is dealt with.
"""

import imaplib
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import batched
from typing import Any

from imapclient import SocketTimeout
from imapclient.exceptions import IMAPClientError, LoginError, ProtocolError

from desktop import logs
from desktop.channels.email.hosts import Hosts
from desktop.channels.email.imap import Client
from desktop.channels.email.letter import Letter
from desktop.channels.email.letter import read as read_letter
from desktop.channels.newfile import NotFetched
from desktop.config.channels.email import Email as Settings
from desktop.errors import AppError
from desktop.net.way_out import certificates, is_local
from desktop.services.service import SignInNeeded
from desktop.text import _

_CONNECT_S, _READ_S = 20.0, 60.0
_IDLE_S = 9 * 60.0
"""Some servers and routers forget a connection after ten minutes of silence."""
_CUT = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, ssl.SSLEOFError)
_DAY_S = 86_400.0
_AT_ONCE = 50
_PIECE = 1 << 20
"""Bytes that are asked for at once of what is large."""
_MOST_HEADERS = 65_536
"""Bytes of the headers of one part that are looked at."""
_FOR_NOW = ("[unavailable]", "[inuse]", "[limit]", "[serverbug]", "try again", "temporar", "too many")


@dataclass(frozen=True, slots=True)
class Place:
    """How far a mailbox goes."""

    validity: int
    """Another one means that the numbers of the mails are others."""
    next: int
    """The number of the next mail."""


class Mailbox:
    """One connection."""

    def __init__(self, settings: Settings, hosts: Hosts, password: str) -> None:
        logs.mask(password)
        self._settings, self._hosts, self._password = settings, hosts, password
        self._client: Any = None
        self._link: socket.socket | None = None
        self._lock, self._closed = threading.Lock(), False
        self._wake, self._woken = socket.socketpair()
        self._woken.setblocking(False)

    def open(self) -> Place:
        """Connect, log in and open the mailbox. Raises SignInNeeded, AppError, OSError."""
        with self._lock:
            try:
                return self._open()
            except (LoginError, IMAPClientError, OSError) as error:
                raise self._explained(error) from error

    def _open(self) -> Place:
        settings, hosts = self._settings, self._hosts
        tls = certificates()
        timeout = SocketTimeout(connect=_CONNECT_S, read=_READ_S)
        address = hosts.imap, hosts.imap_port
        try:
            self._client = client = Client(
                self._connected, *address, ssl=hosts.imap_tls, ssl_context=tls, timeout=timeout
            )
        except IMAPClientError as error:
            raise no_mail_server(hosts.imap) from error
        if not hosts.imap_tls and (client.has_capability("STARTTLS") or not is_local(hosts.imap)):
            client.starttls(tls)
        by_name = settings.imap_username, self._password
        if all(word.isascii() for word in by_name):
            client.login(*by_name)
        else:
            client.plain_login(*by_name)  # the other way takes ASCII alone
        if client.has_capability("ID"):
            client.id_({"name": "Nanobot"})  # 163.com opens no mailbox for those without a name
        try:
            opened = client.select_folder(settings.imap_mailbox)
        except IMAPClientError as error:
            raise NoMailbox(
                _("There is no mailbox {name}.").format(name=settings.imap_mailbox),
                _("Enter one that is there, such as INBOX."),
            ) from error
        following = opened.get(b"UIDNEXT") or max(client.search(["UID", "*"]), default=0) + 1
        return Place(int(opened[b"UIDVALIDITY"]), int(following))

    def _connected(self, link: socket.socket) -> None:
        """`link`: the connection once more, below its TLS."""
        self._link = link
        if self._closed:
            raise ConnectionAbortedError

    @property
    def tells(self) -> bool:
        """Whether the server tells of new mail by itself."""
        return bool(self._client.has_capability("IDLE"))

    def letters(self, first: int, since: float) -> list[Letter]:
        """The headers of unread mail from a number on that came after a moment. Raises AppError,
        OSError."""
        with self._lock:
            try:
                return self._letters(first, since)
            except (IMAPClientError, OSError) as error:
                raise self._explained(error) from error

    def _letters(self, first: int, since: float) -> list[Letter]:
        client = self._client
        client.was_told()
        if not self.tells:
            client.noop()  # some servers see new mail only then
        day = datetime.fromtimestamp(max(0.0, since - _DAY_S), UTC).date()  # for any zone of the server
        found = client.search(["UNSEEN", "SINCE", day, "UID", f"{first}:*"])
        numbers = sorted(uid for uid in found if uid >= first)
        letters: list[Letter] = []
        for start in range(0, len(numbers), _AT_ONCE):
            what = ["RFC822.SIZE", "INTERNALDATE", "BODY.PEEK[HEADER]"]
            answers = client.fetch(numbers[start : start + _AT_ONCE], what)
            letters += [_letter(uid, answers[uid]) for uid in sorted(answers)]
        return [letter for letter in letters if letter.at >= since]

    def recent(self, count: int) -> list[Letter]:
        """The headers of the last mails, read or not. Raises AppError, OSError."""
        with self._lock:
            try:
                numbers = sorted(self._client.search(["UID", "*"]))
                if not numbers:
                    return []
                client, last = self._client, numbers[-1]
                near = sorted(client.search(["UID", f"{max(1, last - 5 * count)}:*"]))[-count:]
                answers = client.fetch(near, ["RFC822.SIZE", "INTERNALDATE", "BODY.PEEK[HEADER]"])
                return [_letter(uid, answers[uid]) for uid in sorted(answers, reverse=True)]
            except (IMAPClientError, OSError) as error:
                raise self._explained(error) from error

    def whole(self, uid: int) -> bytes:
        """A mail as it is; empty where it is gone. Raises AppError, OSError."""
        with self._lock:
            try:
                return bytes(self._client.fetch([uid], ["BODY.PEEK[]"]).get(uid, {}).get(b"BODY[]", b""))
            except (IMAPClientError, OSError) as error:
                raise self._explained(error) from error

    def structure(self, uid: int) -> Any:
        """What a mail is made of, as IMAPClient has it; None where that can't be understood. Raises
        NotFetched where it is gone, AppError, OSError."""
        with self._lock:
            try:
                answer = self._client.fetch([uid], ["BODYSTRUCTURE"]).get(uid)
            except (ProtocolError, RecursionError, IndexError):
                return None
            except (IMAPClientError, OSError) as error:
                raise self._explained(error) from error
        if answer is None:
            raise _gone()
        return answer.get(b"BODYSTRUCTURE")

    def headers(self, uid: int, sections: list[str]) -> dict[str, bytes]:
        """The headers of parts of a mail, by their sections. Raises AppError, OSError."""
        found: dict[str, bytes] = {}
        for some in batched(sections, _AT_ONCE):
            what = [f"BODY.PEEK[{section}]<0.{_MOST_HEADERS}>" for section in some]
            with self._lock:
                try:
                    answer = self._client.fetch([uid], what).get(uid, {})
                except (IMAPClientError, OSError) as error:
                    raise self._explained(error) from error
            for section in some:
                found[section] = answer.get(f"BODY[{section}]<0>".encode()) or b""
        return found

    def pieces(self, uid: int, section: str) -> Iterator[bytes]:
        """What is in a part of a mail, as it was sent; asked for piece by piece. Raises AppError, OSError,
        and NotFetched where the mail is gone."""
        start, piece = 0, bytes(_PIECE)
        while len(piece) == _PIECE:
            with self._lock:
                try:
                    what = f"BODY.PEEK[{section}]<{start}.{_PIECE}>"
                    answer = self._client.fetch([uid], [what]).get(uid)
                except (IMAPClientError, OSError) as error:
                    raise self._explained(error) from error
            if answer is None:
                raise _gone()
            piece = answer.get(f"BODY[{section}]<{start}>".encode()) or b""
            start += len(piece)
            yield piece

    def dealt_with(self, uid: int) -> None:
        """Mark a mail, and move or delete it where that is wanted. Raises AppError, OSError."""
        with self._lock:
            try:
                self._deal(uid)
            except (IMAPClientError, OSError) as error:
                raise self._explained(error) from error

    def _deal(self, uid: int) -> None:
        client, settings = self._client, self._settings
        if settings.mark_seen:
            client.add_flags([uid], [b"\\Seen"], silent=True)
        if settings.post_action == "move" and settings.post_action_move_mailbox:
            if client.has_capability("MOVE"):
                client.move([uid], settings.post_action_move_mailbox)
                return
            client.copy([uid], settings.post_action_move_mailbox)
        elif settings.post_action != "delete":
            return
        client.delete_messages([uid], silent=True)
        if settings.post_action_expunge and client.has_capability("UIDPLUS"):
            client.uid_expunge([uid])

    def wait(self) -> None:
        """Until there may be new mail, or wake() or close() was called. Raises AppError, OSError."""
        with self._lock:
            try:
                self._wait()
            except (IMAPClientError, OSError) as error:
                raise self._explained(error) from error

    def _wait(self) -> None:
        client = self._client
        if self._closed:
            raise ConnectionAbortedError
        if client.was_told():
            return
        if not self.tells:
            self._something(float(self._settings.poll_interval_seconds), by_server=False)
        elif client.begin_idle():
            client.idle_done()
        else:
            end = time.monotonic() + _IDLE_S
            while self._something(end - time.monotonic(), by_server=True):
                told = client.idle_check(timeout=0)
                if not told or any(b"EXISTS" in line for line in told):  # nothing told: it was closed
                    break
            client.idle_done()
        with suppress(BlockingIOError):
            self._woken.recv(64)

    def _something(self, seconds: float, *, by_server: bool) -> bool:
        """Whether the server said something within the time; False where wake() was called."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            if by_server:
                selector.register(self._client.socket(), selectors.EVENT_READ)
            ready = {key.fileobj for key, _events in selector.select(max(0.0, seconds))}
        return bool(ready) and self._woken not in ready

    def wake(self) -> None:
        """End a wait(); from any thread."""
        with suppress(OSError):
            self._wake.send(b"\0")

    def interrupt(self) -> None:
        """End whatever is under way, by an error; from any thread."""
        self._closed = True
        if self._link is not None:
            with suppress(OSError):
                self._link.shutdown(socket.SHUT_RDWR)
        self.wake()

    def close(self) -> None:
        """Give everything back; never raises."""
        self.interrupt()
        with self._lock, suppress(Exception):
            self._wake.close()
            self._woken.close()
            if self._link is not None:
                self._link.close()
            if self._client is not None:
                self._client.shutdown()

    def _explained(self, error: Exception) -> Exception:
        host = self._hosts.imap
        if isinstance(error, LoginError):
            if any(word in str(error).lower() for word in _FOR_NOW):
                return AppError(_("{host} lets nobody in right now.").format(host=host))
            return SignInNeeded(
                _("{host} rejected the account or its password.").format(host=host), self._hosts.remedy
            )
        return explained(error, host)


class NoMailbox(AppError):
    """The account has no mailbox of that name."""


class Cut(AppError):
    """The connection ended, by the server or on the way; the next try may succeed."""


class NoServer(AppError):
    """Nobody answers there, or somebody else."""


def _gone() -> NotFetched:
    return NotFetched(_("The file could not be received."))


def explained(error: Exception, host: str) -> Exception:
    """A failure to reach a server, or of what it says, in our words."""
    if isinstance(error, AppError):
        return error
    if isinstance(error, ssl.SSLCertVerificationError):
        return NoServer(
            _("The certificate of {host} can’t be trusted.").format(host=host),
            _("Check the name of the server and the clock of this computer."),
        )
    if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return no_mail_server(host)
    if isinstance(error, (imaplib.IMAP4.abort, *_CUT)):
        return Cut(
            _("The connection to {host} was interrupted.").format(host=host),
            _("Check the internet connection."),
        )
    if isinstance(error, OSError):
        return NoServer(
            _("{host} can’t be reached.").format(host=host),
            _("Check the internet connection, and the server and its port under Settings › Channels."),
        )
    return AppError(_("{host} rejected it: {reason}").format(host=host, reason=error))


def no_mail_server(host: str) -> NoServer:
    """Somebody answers there, in another language."""
    return NoServer(
        _("{host} does not answer as a mail server.").format(host=host),
        _("Check the server, its port and its encryption under Settings › Channels."),
    )


def _letter(uid: int, answer: dict[bytes, Any]) -> Letter:
    date = answer.get(b"INTERNALDATE")
    at = date.timestamp() if isinstance(date, datetime) else time.time()
    try:
        return read_letter(uid, answer[b"BODY[HEADER]"], int(answer.get(b"RFC822.SIZE", 0)), at)
    except Exception:  # the library raises anything on odd headers, and strangers write them
        return Letter(uid, 0, at, "", "", "", (), "", (), by_program=True)
