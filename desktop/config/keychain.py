"""Secrets in the keychain of the operating system, and nowhere else.

What is given for one run (given.py) comes before what is stored, and needs no keychain.

A keychain may ask the person for a password, and the call blocks until that is answered: every call
runs in a daemon thread with a deadline, one at a time, so that there is never a second prompt on top
of the first. An answer that comes after the deadline is not lost, the next call finds it.
"""

import logging
import secrets
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol

from desktop import logs, remedies
from desktop.config.given import Given, credential, variable
from desktop.errors import KeychainError
from desktop.tasks import in_daemon, in_thread
from desktop.text import _, sentences

_log = logging.getLogger(__name__)
_WINDOWS_LIMIT = 1200
"""UTF-16 units in one Windows credential: the system's limit is 2,560 bytes."""
_PARTS = "nanobot-parts:"


class Backend(Protocol):
    """What the keyring library's backends have in common."""

    def get_password(self, service: str, username: str, /) -> str | None: ...

    def set_password(self, service: str, username: str, password: str, /) -> None: ...

    def delete_password(self, service: str, username: str, /) -> None: ...


class Keychain:
    """Secrets by the names of their entries. What was read once is remembered while the program runs."""

    def __init__(
        self,
        service: str = "nanobot-desktop",
        *,
        seconds: float = 30,
        backend: Callable[[], Backend] | None = None,
        limit: int | None = _WINDOWS_LIMIT if sys.platform == "win32" else None,
        given: Given | None = None,
    ) -> None:
        """`seconds`: how long one call waits for the person. `limit`: the longest value one entry holds.
        `given`: what holds for this run, else what this process was given."""
        self._service = service
        self._seconds = seconds
        self._choose = backend or system_backend
        self._limit = limit
        self._given = given or Given()
        self._known: dict[str, str] = {}
        self._one_at_a_time = threading.Lock()

    @property
    def remembered(self) -> frozenset[str]:
        """Names of the keys in memory."""
        return frozenset(self._known)

    async def check(self) -> None:
        """Look whether the keychain would answer, without raising its prompt. Raises KeychainError."""
        await self._call(self._look)

    async def unlock(self) -> None:
        """Have the keychain ask for its password, if it is locked. Raises KeychainError."""
        await self._call(self._open)

    async def get(self, name: str) -> str | None:
        """The key of this name; None if there is none. Raises KeychainError."""
        if name in self._known:
            return self._known[name]
        if value := await in_thread(self._given.get, name):
            return value
        found: str | None = await self._call(self._get, name)
        return found

    async def set(self, name: str, value: str) -> None:
        """Store a key; it is in the keychain when this returns, or was given for this run where there is no
        keychain. Raises KeychainError."""
        logs.mask(value)
        try:
            await self._call(self._set, name, value)
        except KeychainError as error:
            if error.state != "missing" or await in_thread(self._given.get, name) != value:
                raise

    async def delete(self, name: str) -> None:
        """Remove a key; it is no error if there is none. Raises KeychainError."""
        await self._call(self._delete, name)

    async def entries(self) -> list[str]:
        """The names of all entries of ours, where the system's keychain lists them; else those in memory.
        Raises KeychainError."""
        found: list[str] = await self._call(self._entries)
        return found

    def forget(self, name: str) -> None:
        """Drop a key from memory; what is stored stays."""
        self._known.pop(name, None)

    def remember(self, name: str, value: str) -> None:
        """Use a key until the program ends, without storing it."""
        logs.mask(value)
        self._known[name] = value

    async def _call(self, work: Callable[..., Any], *arguments: str) -> Any:
        try:
            return await in_daemon(self._alone, work, *arguments, seconds=self._seconds)
        except TimeoutError:
            raise _waiting() from None
        except Exception as error:
            told = error if isinstance(error, KeychainError) else _told_apart(error)
            if told.state == "missing":
                raise _missing(arguments[0] if arguments else "") from error
            raise told from error

    def _alone(self, work: Callable[..., Any], *arguments: str) -> Any:
        """In the thread: wait for a call whose prompt is still open, but not for ever."""
        if not self._one_at_a_time.acquire(timeout=self._seconds):
            raise TimeoutError
        try:
            return work(*arguments)
        finally:
            self._one_at_a_time.release()

    def _get(self, name: str) -> str | None:
        if name in self._known:
            return self._known[name]
        backend = self._choose()
        value = backend.get_password(self._service, name)
        if value and value.startswith(_PARTS):
            parts = [backend.get_password(self._service, entry) for entry in _entries(name, value)]
            value = None if None in parts else "".join(part or "" for part in parts)
        if value:
            logs.mask(value)
            self._known[name] = value
        return value or None

    def _set(self, name: str, value: str) -> None:
        """Parts have names of their own, so that the old key holds until the new one is whole."""
        backend = self._choose()
        if self._limit is None:
            backend.set_password(self._service, name, value)
        else:
            old = backend.get_password(self._service, name) or ""
            size = self._limit // 2
            parts = [value[start : start + size] for start in range(0, len(value), size)]
            stored = value if len(parts) < 2 else f"{_PARTS}{secrets.token_hex(4)}:{len(parts)}"
            for entry, part in zip(_entries(name, stored), parts, strict=False):
                backend.set_password(self._service, entry, part)
            backend.set_password(self._service, name, stored)
            self._drop(backend, _entries(name, old))
        self._known[name] = value

    def _delete(self, name: str) -> None:
        backend = self._choose()
        stored = backend.get_password(self._service, name)
        if stored is not None:
            self._drop(backend, [name, *_entries(name, stored)])
        self._known.pop(name, None)

    def _entries(self) -> list[str]:
        names = set(self._known)
        if sys.platform == "linux" and self._choose is system_backend:
            names |= _secret_service_names(self._service)
        return sorted(names)

    def _look(self) -> None:
        self._choose()
        if sys.platform == "linux":
            _look_at_secret_service()

    def _open(self) -> None:
        """Looking for a key that is not there raises the prompt all the same."""
        self._choose().get_password(self._service, "")

    def _drop(self, backend: Backend, entries: list[str]) -> None:
        for entry in entries:
            backend.delete_password(self._service, entry)


def _entries(name: str, stored: str) -> list[str]:
    """The further entries that a stored value points to: none for a key that fits into one."""
    if not stored.startswith(_PARTS):
        return []
    tag, _colon, count = stored.removeprefix(_PARTS).partition(":")
    return [f"{name}#{tag}.{n}" for n in range(int(count))]


def system_backend() -> Backend:
    """The system's own keychain, named outright: no entry points (a frozen program has none), no
    plain-text backend. Raises KeychainError where the system offers none."""
    try:
        if sys.platform == "darwin":
            from keyring.backends.macOS import Keyring
        elif sys.platform == "win32":
            from keyring.backends.Windows import WinVaultKeyring as Keyring
        else:
            from keyring.backends.SecretService import Keyring
        kind: Any = Keyring
        _log.debug("keychain backend of priority %s", kind.priority)  # raises where it cannot be used
        backend: Backend = kind()
    except (ImportError, RuntimeError) as error:
        raise _missing() from error
    return backend


def _look_at_secret_service() -> None:
    """Asking for the default collection by its alias unlocks nothing and creates nothing."""
    import secretstorage

    connection = secretstorage.dbus_init()
    try:
        collection = secretstorage.Collection(connection, "/org/freedesktop/secrets/aliases/default")
        if collection.is_locked():
            raise _locked()
    except secretstorage.ItemNotFoundException:
        return  # a new keychain: the first key will make it ask for a password
    finally:
        connection.close()


def _secret_service_names(service: str) -> set[str]:
    import secretstorage

    connection = secretstorage.dbus_init()
    try:
        found = secretstorage.search_items(connection, {"service": service})
        return {str(item.get_attributes().get("username", "")) for item in found} - {""}
    finally:
        connection.close()


def _told_apart(error: Exception) -> KeychainError:
    """The sentence for what a backend raised."""
    from keyring.errors import InitError, KeyringLocked, NoKeyringError

    if isinstance(error, NoKeyringError | FileNotFoundError | ConnectionError):  # no bus, or nobody on it
        return _missing()
    if isinstance(error, KeyringLocked):
        return _locked()
    if isinstance(error, InitError):
        return KeychainError(
            _("The keychain’s prompt was dismissed."),
            _("Try again and answer it, or use a key for this run only."),
            state="dismissed",
        )
    return KeychainError(
        _("The keychain could not be used: {kind}.").format(kind=type(error).__name__),
        _("The key in it was not changed. Try again, or use a key for this run only."),
        state="failed",
    )


def _locked() -> KeychainError:
    return KeychainError(
        _("The keychain is locked."),
        _("Unlock it and try again, or use a key for this run only."),
        state="locked",
    )


def _missing(entry: str = "") -> KeychainError:
    remedy = sentences(
        remedies.keychain(), _("To provide secrets without one, see: nanobot-desktop doctor")
    )
    if entry:
        remedy = without_keychain(entry)
    return KeychainError(_("This computer has no keychain."), remedy, state="missing")


def without_keychain(entry: str) -> str:
    """What to do for a secret where there is no keychain."""
    if not credential(entry):
        return sentences(remedies.keychain(), _("Sign-ins can’t be stored anywhere else."))
    if remedies.here().linux:
        other = _(
            "Or provide it for one run as the systemd credential {credential} or in the environment "
            "variable {variable}."
        )
    else:
        other = _("Or provide it for one run in the environment variable {variable}.")
    return sentences(
        remedies.keychain(), other.format(credential=credential(entry), variable=variable(entry))
    )


def _waiting() -> KeychainError:
    return KeychainError(
        _("The keychain is waiting for your password."),
        _("Answer its prompt and try again, or use a key for this run only."),
        state="waiting",
    )
