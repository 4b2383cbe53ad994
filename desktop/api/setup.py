"""Getting a model to answer: what is ready, what the keychain says, which model servers run here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.errors import AppError, KeychainError
from desktop.providers import discover, engine, weights
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.config.keychain import Keychain
    from desktop.config.schema import Config
    from desktop.providers.chooser import ModelChooser
    from desktop.providers.local import BuiltinServer
    from desktop.providers.registry import Choice


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a question can be answered now, and by what."""

    ready: bool
    needs: str
    """"", "key", "address", "model" (the built-in one is not here) or "provider" (unknown: see `text`)."""
    chosen: bool
    """The person decided who answers; else it is the built-in model for want of anything else."""
    provider: str
    title: str
    model: str
    builtin_installed: bool | None
    """None where another provider is ready, for then nobody looked."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class KeychainState:
    """`state`: ready, missing, locked, dismissed, waiting or failed."""

    state: str = "ready"
    text: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A model server of this machine, and the provider that speaks to it."""

    title: str
    provider: str
    base_url: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundServers:
    """Those that run, and what was looked for."""

    servers: tuple[FoundServer, ...]
    known: tuple[str, ...]


class Setup:
    """Looks at what can answer."""

    def __init__(
        self,
        models: "ModelChooser",
        keychain: "Keychain",
        builtin: "BuiltinServer",
        config: "Callable[[], Config]",
        folder: Path,
    ) -> None:
        """`folder`: where the built-in models are."""
        self._models, self._keychain, self._builtin = models, keychain, builtin
        self._config, self._folder = config, folder

    async def readiness(self) -> Readiness:
        """Whether a question can be answered now; asks neither network nor keychain."""
        try:
            chosen = self._models.choice()
        except AppError as error:
            name = self._config().agents.defaults.provider
            there = await self._builtin_here()
            return Readiness(False, "provider", True, name, name, "", there, error.text)
        needs = self._missing(chosen)
        here: bool | None = None
        if chosen.spec.small_model or needs:
            here = await self._builtin_here()
            needs = needs or ("" if here else "model")
        decided, title = chosen.reason != "builtin", _(chosen.spec.display)
        return Readiness(not needs, needs, decided, chosen.spec.name, title, chosen.model, here)

    def _missing(self, chosen: "Choice") -> str:
        if chosen.spec.needs_key and chosen.spec.name not in self._models.known_keys():
            return "key"
        return "address" if chosen.spec.direct and not chosen.base_url else ""

    async def _builtin_here(self) -> bool:
        if await in_thread(engine.fault):
            return False
        try:
            return await weights.verified(self._builtin.model, self._folder) is not None
        except AppError:
            return False

    async def keychain(self, unlock: bool = False) -> KeychainState:
        """Whether the keychain would take a key. Looks without raising a prompt, unless `unlock` asks for
        it."""
        try:
            if unlock:
                await self._keychain.unlock()
            await self._keychain.check()
        except KeychainError as error:
            return KeychainState(error.state, error.text, error.remedy)
        return KeychainState()

    async def servers(self) -> FoundServers:
        """Model servers that run on this machine, with their models. Takes half a second."""
        found = tuple(
            FoundServer(server.name, server.provider, server.base_url, server.models)
            for server in await discover.servers()
        )
        return FoundServers(found, tuple(discover.NAMES.values()))
