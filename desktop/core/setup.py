"""The verbs that make a model answer: what is ready, the keychain, found servers."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from desktop.core.local_verbs import LocalVerbs
from desktop.core.logins import Logins
from desktop.core.provider_verbs import ProviderVerbs
from desktop.core.trials import Trials
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import AppError, KeychainError
from desktop.providers import discover, engine, weights
from desktop.providers.registry import Choice
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core


class Setup:
    """Finds out what can answer, and sets it up: in the keychain, in config.json, on the disk."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            **ProviderVerbs(self._core).verbs(),
            **Trials(self._core).verbs(),
            **Logins(self._core).verbs(),
            **LocalVerbs(self._core).verbs(),
            "readiness": self.readiness,
            "keychain": self.keychain,
            "servers": self.servers,
        }

    async def readiness(self, _arguments: Json, _send: Send) -> Json:
        """Whether a question can be answered now, and by what; asks neither network nor keychain.

        `chosen`: the person decided who answers; else it is the built-in model for want of anything else.
        `needs` is "", "key", "address", "model" (the built-in one is not here) or "provider" (unknown).
        `builtin_installed` is None where another provider is ready, for then nobody looked.
        """
        try:
            chosen = self._core.models.choice()
        except AppError as error:
            return await self._unready("provider") | {"text": error.text}
        needs = self._missing(chosen)
        here: bool | None = None
        if chosen.spec.lean or needs:
            here = await self._builtin_here()
            needs = needs or ("" if here else "model")
        return {
            "ready": not needs,
            "needs": needs,
            "chosen": chosen.reason != "builtin",
            "provider": chosen.spec.name,
            "title": _(chosen.spec.display),
            "model": chosen.model,
            "builtin_installed": here,
        }

    async def _unready(self, needs: str) -> Json:
        here = await self._builtin_here()
        name = self._core.store.config.agents.defaults.provider
        return {
            "ready": False,
            "needs": needs,
            "provider": name,
            "title": name,
            "model": "",
            "builtin_installed": here,
        }

    def _missing(self, chosen: Choice) -> str:
        if chosen.spec.needs_key and chosen.spec.name not in self._core.models.known_keys():
            return "key"
        return "address" if chosen.spec.direct and not chosen.base_url else ""

    async def _builtin_here(self) -> bool:
        if await in_thread(engine.fault):
            return False
        try:
            return await weights.verified(self._core.builtin.model, self._core.home.models) is not None
        except AppError:
            return False

    async def keychain(self, arguments: Json, _send: Send) -> Json:
        """Whether the keychain would take a key: "state" is ready, missing, locked, waiting or failed, with
        the sentence and its remedy. Looks without raising a prompt, unless `unlock` asks for it."""
        try:
            if arguments.get("unlock"):
                await self._core.keychain.unlock()
            await self._core.keychain.check()
        except KeychainError as error:
            return {"state": error.state, "text": error.text, "remedy": error.remedy}
        return {"state": "ready", "text": "", "remedy": ""}

    async def servers(self, _arguments: Json, _send: Send) -> Json:
        """Model servers that run on this machine, with their models. Takes half a second."""
        found = await discover.servers()
        return {
            "servers": [
                asdict(server) | {"title": server.name, "provider": server.provider} for server in found
            ],
            "known": list(discover.NAMES.values()),
        }
