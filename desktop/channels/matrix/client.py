"""matrix-nio, which knows rooms and encryption, on our way out and with our errors. Loaded in a thread.

By itself it retries for ever, logs what we tell better, and leaves its database open. Keys of encrypted
rooms are in a file of this account alone, encrypted by a key that is made of the access token: who has the
one without the other has nothing.
"""

import hashlib
import hmac
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
from nio import AsyncClient, AsyncClientConfig
from nio.store import SqliteStore
from peewee import SqliteDatabase

from desktop.channels.matrix.login import Account
from desktop.channels.matrix.server import CALL_S, Server, Unreachable
from desktop.errors import AppError
from desktop.paths import own_folder
from desktop.services.service import SignInNeeded
from desktop.text import _

_FILE = "keys.db"
_NO_END_S = 600.0
"""For calls that may take any time: nio's 0."""
_PRAGMAS = {"foreign_keys": 1, "secure_delete": 1, "journal_mode": "wal", "synchronous": 1}


class _Store(SqliteStore):  # type: ignore[misc]  # nio has no types
    """Keys in one file; the loop does not wait for the disk at each of them."""

    def _create_database(self) -> SqliteDatabase:
        return SqliteDatabase(self.database_path, pragmas=_PRAGMAS)


class Client(AsyncClient):  # type: ignore[misc]  # nio has no types
    """One device of the account."""

    def __init__(self, server: Server, account: Account, folder: Path | None) -> None:
        """`folder` has the keys; None: nothing is encrypted. Blocks. Raises SignInNeeded, OSError."""
        logging.getLogger("nio").setLevel(logging.CRITICAL)  # what fails is told by the server's errors
        self._server = server
        self.not_shared: AppError | None = None
        """Why keys of a room did not reach somebody: nio goes on as if they had."""
        config = AsyncClientConfig(
            encryption_enabled=folder is not None,
            store=_Store,
            store_name=_FILE,
            pickle_key=_pickle_key(account),
            max_timeouts=0,
            max_limit_exceeded=0,
        )
        super().__init__(
            server.base, account.user, account.device, store_path=str(folder or ""), config=config
        )
        if folder is not None:
            _private_file(folder)
        try:
            self.restore_login(account.user, account.device, account.token)
        except Exception as error:
            self.close_store()
            raise lost_keys() from error
        self.close_store()  # of this thread: each has a connection of its own, made when it is wanted

    async def send(
        self,
        method: str,
        path: str,
        data: Any = None,
        headers: Any = None,
        trace_context: Any = None,
        timeout: float | None = None,
    ) -> aiohttp.ClientResponse:
        """Every call that nio makes. Raises SignInNeeded, Slower, Refused, Unreachable."""
        seconds = CALL_S if timeout is None else timeout or _NO_END_S
        try:
            answer = await self._server.request(method, path, data, headers or {}, seconds)
        except AppError as error:
            if "/sendToDevice/" in path:
                self.not_shared = error
            raise
        if answer.content_type != "application/json":
            answer.close()
            raise Unreachable(_("There is no Matrix server at this address."))
        return answer

    def close_store(self) -> None:
        """Close what this thread has open of the keys."""
        if self.store is not None:
            with suppress(Exception):
                self.store.database.close()


def has_keys(folder: Path) -> bool:
    """Whether there are keys of a device. Blocks."""
    return (folder / _FILE).exists()


def forget_keys(folder: Path) -> None:
    """Remove the keys of a device that is given up. Blocks. Raises OSError."""
    for ending in ("", "-wal", "-shm", "-journal"):
        (folder / (_FILE + ending)).unlink(missing_ok=True)


def lost_keys() -> SignInNeeded:
    """The device has no keys any more, and others never take new ones for it."""
    return SignInNeeded(
        _("The keys of this device for encrypted rooms are lost."),
        _("Save the password of the account again under Settings › Channels: that makes a new device."),
    )


def _pickle_key(account: Account) -> str:
    return hmac.new(account.token.encode(), b"keys of encrypted rooms", hashlib.sha256).hexdigest()


def _private_file(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    own_folder(folder)
    (folder / _FILE).touch(mode=0o600)
