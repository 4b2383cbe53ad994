"""Keys in the old settings: found, moved to the keychain, and if wanted taken out of the old file."""

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop import logs
from desktop.config import document
from desktop.config.base import normal
from desktop.config.keychain import Keychain
from desktop.config.mcp import sounds_secret

_ENDINGS = ("key", "token", "secret", "password", "passwd", "aeskey", "authcode")
_WITH_PASSWORD = re.compile(r"\w+://[^/@\s:]*:[^/@\s]+@")

type Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Secret:
    """A value of the old settings that belongs in the keychain. It is hidden in the log from here on."""

    entry: str
    """Its name in the keychain."""
    keys: Keys
    """Where it stands in the old file, as written there."""
    value: str = field(repr=False)
    after: Mapping[Keys, Any] = field(default_factory=dict)
    """Settings that tell of it once it is stored, by their places."""

    def __post_init__(self) -> None:
        logs.mask(self.value)


def is_secret(name: str, value: object) -> bool:
    """Whether a value under this name must not be in a settings file."""
    if not isinstance(value, str) or not value.strip() or document.is_reference(value):
        return False
    if sounds_secret(name, value) or _WITH_PASSWORD.match(value):
        return True
    return "${" not in value and normal(name).endswith(_ENDINGS)


def given(value: object) -> str:
    """The secret in a value; "" where there is none but a reference to a variable."""
    if not isinstance(value, str) or document.is_reference(value):
        return ""
    return value.strip()


async def store(keychain: Keychain, secrets: Sequence[Secret]) -> None:
    """Put them into the keychain. Raises KeychainError."""
    for secret in secrets:
        await keychain.set(secret.entry, secret.value)


async def stored(keychain: Keychain, secrets: Sequence[Secret]) -> list[Secret]:
    """Those that the keychain holds as they are. Raises KeychainError."""
    return [secret for secret in secrets if await keychain.get(secret.entry) == secret.value]


def scrub(path: Path, secrets: Sequence[Secret]) -> int:
    """Empty these values in the old file, if they are still there; how many that were. Blocks. Raises
    OSError, ConfigError."""
    data = path.read_bytes()
    old = document.parse(data, path.name)
    cleaned = copy.deepcopy(old)
    emptied = sum(_emptied(cleaned, secret) for secret in secrets)
    if emptied:
        document.write(path, document.render(cleaned, data.decode("utf-8", "replace")))
    return emptied


def _emptied(old: dict[str, Any], secret: Secret) -> bool:
    here: Any = old
    for key in secret.keys[:-1]:
        here = here.get(key) if isinstance(here, dict) else None
    last = secret.keys[-1]
    if not isinstance(here, dict) or given(here.get(last)) != secret.value:
        return False
    here[last] = ""
    return True
