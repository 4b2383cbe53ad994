"""The device of the account that this program is: made by a password once, kept as a token and its keys."""

import hashlib
import hmac
import logging

from desktop.channels.channel import Given, WrongField
from desktop.channels.matrix import login
from desktop.channels.matrix.client import forget_keys, has_keys, lost_keys
from desktop.channels.matrix.login import Account
from desktop.channels.matrix.server import Server
from desktop.channels.message import Known
from desktop.config.channels.matrix import Matrix as Settings
from desktop.errors import ConfigError, KeychainError
from desktop.services.service import SignInNeeded
from desktop.tasks import in_thread
from desktop.text import _

_log = logging.getLogger(__name__)


class Device:
    """By the settings and secrets as they are now."""

    def __init__(self, given: Given) -> None:
        self._given, self._settings = given, given.settings().matrix

    async def open(self) -> tuple[Server, Account]:
        """Sign in. Raises SignInNeeded, ConfigError, AppError."""
        try:
            server = await self._found()
        except WrongField as error:
            raise ConfigError(error.text, error.remedy) from error
        try:
            return server, await self._account(server)
        except WrongField as error:
            await server.close()
            kind = SignInNeeded if error.field in self._settings.SECRETS else ConfigError
            raise kind(error.text, error.remedy) from error
        except BaseException:
            await server.close()
            raise

    async def probe(self) -> Known:
        """Whether a server lets the account in; a device that is made to find out is given up again.
        Raises WrongField, AppError."""
        server = await self._found()
        try:
            await login.look(server)
            password, used = await self._password()
            if password and not used:
                account = await login.sign_in(server, self._settings, password)
                await login.sign_out(server)
            else:
                account = await self._known(server)
        except SignInNeeded as error:
            by_password = await self._given.notes.get("password")
            raise WrongField(
                "password" if by_password else "accessToken", error.text, error.remedy
            ) from error
        finally:
            await server.close()
        return Known(account.user, _notes(self._settings))

    async def has_keys(self, account: Account) -> None:
        """From now on the device has keys, which it must not lose."""
        await self._given.notes.set("keys", account.device)

    async def _found(self) -> Server:
        return await login.found(self._settings, self._settings.proxy or await self._given.kept("proxy"))

    async def _account(self, server: Server) -> Account:
        """By the token first where the password was used: one given for this run comes each time."""
        password, used = await self._password()
        if not password or used:
            try:
                return await self._known(server)
            except SignInNeeded:
                if not password:
                    raise
                server.token = ""
        return await self._made(server, password)

    async def _known(self, server: Server) -> Account:
        token = await self._given.secret("accessToken")
        account = await login.known(server, self._settings, token)
        if self._settings.e2ee_enabled:
            await self._check_keys(server, account)
        return account

    async def _check_keys(self, server: Server, account: Account) -> None:
        """A device has the keys that it had, or never had any: others take no new ones for it."""
        if await in_thread(has_keys, self._given.folder):
            return
        if await self._given.notes.get("keys") == account.device:
            raise lost_keys()
        if await login.has_keys(server, account):
            raise SignInNeeded(
                _("Another program has the keys of this device for encrypted rooms."),
                _("Save the account’s password or turn off encrypted rooms under Settings › Channels."),
            )

    async def _password(self) -> tuple[str, bool]:
        """The password, empty where there is none, and whether the token was made by it."""
        password, token = await self._given.kept("password"), await self._given.kept("accessToken")
        used = bool(token) and await self._given.notes.get("password") == _print(token, password)
        return password, used

    async def _made(self, server: Server, password: str) -> Account:
        """A new device; the password is forgotten."""
        account = await login.sign_in(server, self._settings, password)
        try:
            await self._given.keep("accessToken", account.token)
        except KeychainError:
            await login.sign_out(server)
            raise
        await in_thread(forget_keys, self._given.folder)
        await self._given.notes.set("password", _print(account.token, password))
        try:
            await self._given.keep("password", "")
        except KeychainError as error:
            _log.info("the password of Matrix was used, and could not be removed: %s", error)
        return account


def _notes(settings: Settings) -> tuple[str, ...]:
    """What the account may and may not do, told honestly."""
    if not settings.e2ee_enabled:
        return (_("Messages of encrypted rooms can’t be read."),)
    return (
        _("Encrypted rooms are read and answered; reactions are never encrypted."),
        _("Devices are trusted when first seen. What is sent to verified devices only can’t be read."),
    )


def _print(token: str, password: str) -> str:
    """By which a password is known again, for who has the token, too."""
    return hmac.new(token.encode(), password.encode(), hashlib.sha256).hexdigest()
