"""Logins at providers that give no keys: a code is told, entered elsewhere, and the tokens kept."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from desktop.config.keychain import Keychain
from desktop.config.schema import Config
from desktop.errors import UsageError
from desktop.providers import device
from desktop.providers.registry import find
from desktop.providers.registry_spec import ProviderSpec
from desktop.text import _


@dataclass(frozen=True, slots=True)
class LoginCode:
    """A code that the person enters on a page; it holds for so many seconds."""

    user_code: str
    page: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SignedIn:
    """It was entered, and the login is kept."""

    provider: str


class Logins:
    """Signs in and out."""

    def __init__(
        self,
        keychain: Keychain,
        config: Callable[[], Config],
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
        apply: Callable[[], Awaitable[None]],
        end_host: Callable[[], Awaitable[None]],
    ) -> None:
        """`change` sets settings by name, `apply` has what changed elsewhere obeyed, `end_host` ends the
        process to which tokens were lent."""
        self._keychain, self._config = keychain, config
        self._change, self._apply, self._end_host = change, apply, end_host

    async def login(self, name: str, *, session_only: bool = False) -> AsyncGenerator[LoginCode | SignedIn]:
        """Tell a code, and wait until it was entered. The tokens go to the keychain, with `session_only` to
        memory. Raises AppError, CodeExpired among them; closing ends it."""
        spec = self._spec(name)
        client, code = await device.begin(spec.name)
        async with aclosing(client):
            yield LoginCode(code.user_code, code.page, code.seconds)
            tokens = await device.wait(spec.name, client, code)
        if session_only:
            self._keychain.remember(spec.name, tokens)
            await self._apply()
        else:
            await self._keychain.set(spec.name, tokens)
            await self._change({f"providers.{spec.name}.keyStored": True})
        yield SignedIn(spec.name)

    async def logout(self, name: str) -> str:
        """Forget the tokens, in the keychain and wherever they were lent; the provider's own name. Raises
        KeychainError."""
        spec = self._spec(name)
        await self._keychain.delete(spec.name)
        await self._end_host()
        await self._change({f"providers.{spec.name}.keyStored": None})
        return spec.name

    def _spec(self, name: str) -> ProviderSpec:
        spec = find(name, self._config())
        if spec is None or not spec.oauth:
            raise UsageError(
                _("{name} does not use a login.").format(name=name),
                _("Providers with a login: {names}.").format(names="github_copilot, openai_codex"),
            )
        return spec
