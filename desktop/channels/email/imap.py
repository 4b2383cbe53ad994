"""IMAPClient as a mailbox needs it."""

import imaplib
import socket
import ssl
from collections.abc import Callable
from typing import Any

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError


class Client(IMAPClient):  # type: ignore[misc]
    """IMAPClient, which loses what the server says while it goes to sleep, or fails on it, and which nobody
    can interrupt before it is signed in."""

    def __init__(self, connected: Callable[[socket.socket], None], *address: Any, **options: Any) -> None:
        """`connected` is told of the connection as soon as there is one."""
        self._told = connected
        super().__init__(*address, **options)

    def _create_IMAP4(self) -> imaplib.IMAP4:
        return _Imap(self)

    def connect(self) -> socket.socket:
        """A connection, which waits for an answer no longer than it may."""
        raw = socket.create_connection((self.host, self.port), timeout=self._timeout.connect)
        try:
            self._told(raw.dup())
            if not self.ssl:
                return raw
            tls: socket.socket = self.ssl_context.wrap_socket(raw, server_hostname=self.host)
        except BaseException:
            raw.close()
            raise
        return tls

    def was_told(self) -> bool:
        """Whether the server told of mail with the answer to something else since this was last asked: it
        does not tell twice."""
        return bool(self._imap.untagged_responses.pop("EXISTS", None))

    def begin_idle(self) -> bool:
        """Begin to be told of new mail; whether the server has told something already."""
        imap = self._imap
        self._idle_tag = imap._command("IDLE")  # noqa: SLF001 - as its own idle()
        early = False
        while imap._get_response() is not None:  # noqa: SLF001
            if imap.tagged_commands[self._idle_tag]:
                raise IMAPClientError("IDLE was refused")
            early = True
        waiting = self.socket()
        waiting.setblocking(False)
        try:
            return early or bool(imap.file.peek(1))
        except (BlockingIOError, ssl.SSLWantReadError):
            return early
        finally:
            waiting.setblocking(True)
            self._set_read_timeout()


class _Imap(imaplib.IMAP4):
    def __init__(self, client: Client) -> None:
        self._made = client.connect
        super().__init__(client.host, client.port)

    def _create_socket(self, _timeout: float | None = None) -> socket.socket:
        return self._made()
