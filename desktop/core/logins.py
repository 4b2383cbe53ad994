"""Logins at providers that give no keys: a code is told, entered elsewhere, and the tokens kept."""

from contextlib import aclosing
from typing import TYPE_CHECKING

from desktop.core.verbs import Json, Send, Verb
from desktop.errors import UsageError
from desktop.providers import device
from desktop.providers.registry import find
from desktop.providers.registry_spec import ProviderSpec
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core


class Logins:
    """The verbs of signing in and out."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {"provider_login": self.provider_login, "provider_logout": self.provider_logout}

    async def provider_login(self, arguments: Json, send: Send) -> Json:
        """Tell a code (event "code": `user_code`, `page`, `seconds`), and wait until it was entered. The
        tokens go to the keychain, with `session_only` to memory. Raises AppError, CodeExpired among them;
        cancelling ends it."""
        spec = self._spec(str(arguments["name"]))
        client, code = await device.begin(spec.name)
        async with aclosing(client):
            told = {"user_code": code.user_code, "page": code.page, "seconds": code.seconds}
            send({"event": "code", **told})
            tokens = await device.wait(spec.name, client, code)
        if arguments.get("session_only"):
            self._core.keychain.remember(spec.name, tokens)
            await self._core.apply()
        else:
            await self._core.keychain.set(spec.name, tokens)
            await self._core.change({f"providers.{spec.name}.keyStored": True})
        return {"provider": spec.name}

    async def provider_logout(self, arguments: Json, _send: Send) -> Json:
        """Forget the tokens, in the keychain and wherever they were lent. Raises KeychainError."""
        spec = self._spec(str(arguments["name"]))
        await self._core.keychain.delete(spec.name)
        await self._core.host.stop()
        await self._core.change({f"providers.{spec.name}.keyStored": None})
        return {"provider": spec.name}

    def _spec(self, name: str) -> ProviderSpec:
        spec = find(name, self._core.store.config)
        if spec is None or not spec.oauth:
            raise UsageError(
                _("{name} is not a provider with a login.").format(name=name),
                _("Those are: {names}.").format(names="github_copilot, openai_codex"),
            )
        return spec
