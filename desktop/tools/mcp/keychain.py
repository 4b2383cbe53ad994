"""The keychain as MCP servers use it: what is wrong with it is told in words about them."""

from typing import Protocol

from desktop.errors import KeychainError
from desktop.text import _


class Entries(Protocol):
    """A keychain, as far as it is needed here."""

    async def get(self, name: str) -> str | None: ...

    async def set(self, name: str, value: str) -> None: ...

    async def delete(self, name: str) -> None: ...


class ForServers:
    """Entries of another keychain."""

    def __init__(self, keychain: Entries) -> None:
        self._keychain = keychain

    async def get(self, name: str) -> str | None:
        """The value of a name; None where there is none. Raises KeychainError."""
        try:
            return await self._keychain.get(name)
        except KeychainError as error:
            raise _told(error) from error

    async def secret(self, name: str) -> str:
        """The same, "" where there is none. Raises KeychainError."""
        return await self.get(name) or ""

    async def set(self, name: str, value: str) -> None:
        """Store a value. Raises KeychainError."""
        try:
            await self._keychain.set(name, value)
        except KeychainError as error:
            raise _told(error) from error

    async def delete(self, name: str) -> None:
        """Remove a value; it is no error if there is none. Raises KeychainError."""
        try:
            await self._keychain.delete(name)
        except KeychainError as error:
            raise _told(error) from error


def _told(error: KeychainError) -> KeychainError:
    if error.state == "missing":
        return KeychainError(
            _("This computer has no keychain to store the keys and sign-ins of MCP servers."),
            error.remedy,
            state=error.state,
        )
    remedies = {
        "locked": _("Unlock it, then try again."),
        "waiting": _("Answer its prompt, then try again."),
        "dismissed": _("Try again and answer it."),
    }
    remedy = remedies.get(error.state, _("Try again."))
    kept = _("Keys and sign-ins of MCP servers are stored there.")
    return KeychainError(error.text, f"{remedy} {kept}", state=error.state)
