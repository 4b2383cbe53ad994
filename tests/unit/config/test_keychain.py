"""Keys in the keychain: every way it can fail is told apart, and no key is lost over it.

The tests at the end speak to the real Secret Service and run where one is on the session bus.
"""

import asyncio
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from keyring.errors import InitError, KeyringError, KeyringLocked, NoKeyringError, PasswordDeleteError

from desktop import logs
from desktop.config.keychain import Keychain, system_backend
from desktop.errors import KeychainError


class Vault:
    """A keychain that holds its entries in memory and does what a test says."""

    def __init__(self, limit: int | None = None) -> None:
        self.entries: dict[str, str] = {}
        self.before: Callable[[], None] = lambda: None
        self.reads = 0
        self._limit = limit

    def get_password(self, service: str, username: str, /) -> str | None:
        self.before()
        self.reads += 1
        return self.entries.get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str, /) -> None:
        self.before()
        if self._limit and len(password.encode("utf-16-le")) > self._limit:
            raise ValueError("too long")
        self.entries[f"{service}/{username}"] = password

    def delete_password(self, service: str, username: str, /) -> None:
        self.before()
        if self.entries.pop(f"{service}/{username}", None) is None:
            raise PasswordDeleteError("no such entry")


def failing(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


async def test_keys_are_stored_read_once_and_removed() -> None:
    vault = Vault()
    keychain = Keychain(backend=lambda: vault)
    assert await keychain.get("groq") is None
    await keychain.set("groq", "gsk_secret_one")
    assert vault.entries == {"nanobot-desktop/groq": "gsk_secret_one"}
    other = Keychain(backend=lambda: vault)
    reads = vault.reads
    assert [await other.get("groq") for _ in range(3)] == ["gsk_secret_one"] * 3
    assert vault.reads == reads + 1
    await keychain.delete("groq")
    await keychain.delete("groq")
    assert vault.entries == {}
    assert await keychain.get("groq") is None


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (NoKeyringError("none"), "missing"),
        (KeyringLocked("locked"), "locked"),
        (InitError("dismissed"), "dismissed"),
        (KeyringError("odd"), "failed"),
        (OSError("bus"), "failed"),
    ],
)
async def test_failures_are_told_apart_and_delete_nothing(error: Exception, state: str) -> None:
    vault = Vault()
    keychain = Keychain(backend=lambda: vault)
    await keychain.set("groq", "gsk_secret_two")
    vault.before = failing(error)
    fresh = Keychain(backend=lambda: vault)
    for call in (fresh.get("groq"), fresh.set("groq", "gsk_other_key"), fresh.delete("groq")):
        with pytest.raises(KeychainError) as caught:
            await call
        assert caught.value.state == state
        assert caught.value.remedy
        assert "gsk" not in str(caught.value)
    vault.before = lambda: None
    assert await fresh.get("groq") == "gsk_secret_two"


async def test_a_key_for_this_run_only_is_not_stored() -> None:
    vault = Vault()
    vault.before = failing(NoKeyringError("none"))
    keychain = Keychain(backend=lambda: vault)
    keychain.remember("groq", "gsk_session_only")
    assert await keychain.get("groq") == "gsk_session_only"
    assert vault.entries == {}


async def test_every_key_is_hidden_in_the_log() -> None:
    vault = Vault()
    vault.entries["nanobot-desktop/a"] = "key-read-from-vault"
    keychain = Keychain(backend=lambda: vault)
    await keychain.get("a")
    await keychain.set("b", "key-that-was-set")
    keychain.remember("c", "key-remembered")
    assert (
        logs.masked("key-read-from-vault key-that-was-set key-remembered") == "[hidden] [hidden] [hidden]"
    )


@pytest.fixture
def prompt() -> Iterator[threading.Event]:
    """A password prompt that nobody answers until the event is set."""
    answered = threading.Event()
    yield answered
    answered.set()


async def test_a_prompt_that_nobody_answers_is_waiting_and_its_late_answer_counts(
    prompt: threading.Event,
) -> None:
    vault = Vault()
    vault.entries["nanobot-desktop/groq"] = "gsk_behind_a_prompt"
    prompts = []

    def ask() -> None:
        prompts.append(1)
        prompt.wait(10)

    vault.before = ask
    keychain = Keychain(seconds=0.05, backend=lambda: vault)
    for _ in range(3):
        with pytest.raises(KeychainError) as caught:
            await keychain.get("groq")
        assert caught.value.state == "waiting"
    assert len(prompts) == 1
    prompt.set()
    async with asyncio.timeout(60):
        while True:
            try:
                found = await keychain.get("groq")
                break
            except KeychainError:
                continue
    assert found == "gsk_behind_a_prompt"


async def test_a_key_longer_than_a_windows_credential_is_split() -> None:
    vault = Vault(limit=2560)
    keychain = Keychain(backend=lambda: vault, limit=1200)
    token = "".join(chr(0x4E00 + n % 500) if n % 3 else "🔑" for n in range(5000))
    await keychain.set("oauth", "short-key")
    await keychain.set("oauth", token)
    assert await Keychain(backend=lambda: vault, limit=1200).get("oauth") == token
    await keychain.set("oauth", token[::-1])
    assert await Keychain(backend=lambda: vault, limit=1200).get("oauth") == token[::-1]
    parts = len(vault.entries)
    vault.before = failing(KeyringLocked("locked"))
    with pytest.raises(KeychainError):
        await keychain.set("oauth", "x" * 9000)
    vault.before = lambda: None
    assert await Keychain(backend=lambda: vault, limit=1200).get("oauth") == token[::-1]
    assert len(vault.entries) == parts
    await keychain.set("oauth", "short-again")
    assert vault.entries == {"nanobot-desktop/oauth": "short-again"}
    await keychain.set("oauth", token)
    await keychain.delete("oauth")
    assert vault.entries == {}


def secret_service() -> bool:
    """Whether the session bus has an owner of the Secret Service; asks without starting one."""
    if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return False
    jeepney: Any = importlib.import_module("jeepney")
    blocking: Any = importlib.import_module("jeepney.io.blocking")
    bus = jeepney.DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
    with blocking.open_dbus_connection() as connection:
        call = jeepney.new_method_call(bus, "NameHasOwner", "s", ("org.freedesktop.secrets",))
        return bool(connection.send_and_get_reply(call).body[0])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reaches its keychain over a bus")
async def test_without_a_session_bus_the_keychain_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with pytest.raises(KeychainError) as caught:
        await Keychain().get("groq")
    assert caught.value.state == "missing"
    assert "NANOBOT_PROVIDERS__" in caught.value.remedy


@pytest.mark.machine
@pytest.mark.skipif(
    not secret_service(), reason="needs an unlocked Secret Service: tests/desktop-session.sh"
)
async def test_the_real_secret_service_keeps_a_key() -> None:
    service = "nanobot-desktop-test"
    try:
        await Keychain(service).set("groq", "gsk_réal_🔑")
        assert await Keychain(service).get("groq") == "gsk_réal_🔑"
        assert system_backend().get_password(service, "groq") == "gsk_réal_🔑"
    finally:
        await Keychain(service).delete("groq")
    assert await Keychain(service).get("groq") is None
