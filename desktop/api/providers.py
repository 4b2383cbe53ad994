"""Providers: which there are, their keys and logins, trying one, and which of them is used."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from desktop.config.schema import provider_name
from desktop.errors import AppError, UsageError
from desktop.logs import mask
from desktop.providers.about import ABOUT
from desktop.providers.login import LoginCode, Logins, SignedIn
from desktop.providers.registry import find
from desktop.providers.registry_spec import ProviderSpec
from desktop.providers.registry_table import BUILTIN, POPULAR, PROVIDERS
from desktop.providers.trial import Answered, Draft, Trials, address, spec_of
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.config.keychain import Keychain
    from desktop.config.store import ConfigStore
    from desktop.providers.chooser import ModelChooser

__all__ = ["Answered", "Draft", "LoginCode", "Providers", "SignedIn"]


@dataclass(frozen=True, slots=True)
class ProviderLine:
    """A provider as the settings have it."""

    name: str = ""
    title: str = ""
    about: str = ""
    kind: str = ""
    """standard, gateway, local, direct (the person's address), oauth or builtin."""
    needs_key: bool = False
    keyed: bool = False
    """There is a key: in the keychain (`stored`), by the environment (`given`), or for this session."""
    stored: bool = False
    given: bool = False
    offered: str = ""
    """The variable of the environment in which other programs keep a key of it."""
    plaintext: bool = False
    """A key stands in config.json, and is not used."""
    base: str = ""
    """The usual address."""
    address: str = ""
    """The one that the person set."""
    suggestion: str = ""
    """The usual model."""
    key_page: str = ""
    place: int = 0
    """Where it stands in a list of all: the smaller, the sooner; those of one place go by their titles."""
    others: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Name and title of other providers, by how their keys begin."""


@dataclass(frozen=True, slots=True)
class InUse:
    """Who answers; all empty where that cannot be told."""

    name: str = ""
    title: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class AllProviders:
    """Those of the table and those that the person added."""

    providers: tuple[ProviderLine, ...] = ()
    provider: str = "auto"
    """As the settings name it."""
    model: str = ""
    answers: InUse = InUse()


class ListedModel(NamedTuple):
    """A model of a provider's list, with what its server says of it; prices in US dollars a token. A list
    may have tens of thousands."""

    name: str
    window: int | None
    asked: float | None
    answered: float | None
    sees: bool | None
    tools: bool | None


class Providers:
    """Keys go to the keychain, all else to config.json."""

    def __init__(
        self,
        chooser: "ModelChooser",
        trials: Trials,
        logins: Logins,
        store: "ConfigStore",
        keychain: "Keychain",
        change: Callable[[Mapping[str, Any]], Awaitable[None]],
        apply: Callable[[], Awaitable[None]],
    ) -> None:
        self._chooser, self._trials, self._logins = chooser, trials, logins
        self._store, self._keychain, self._change, self._apply = store, keychain, change, apply

    async def all(self) -> AllProviders:
        """Every provider, and which one is in use."""
        config, known = self._store.config, self._chooser.known_keys()
        own = [spec for name in config.providers if (spec := find(name, config))]
        specs = {spec.name: spec for spec in (BUILTIN, *PROVIDERS, *own)}
        defaults = config.agents.defaults
        try:
            chosen = self._chooser.choice()
            answers = InUse(chosen.spec.name, _(chosen.spec.display), chosen.model)
        except AppError:
            answers = InUse()
        lines = tuple(self._line(spec, known) for spec in specs.values())
        return AllProviders(lines, provider_name(defaults.provider), defaults.model, answers)

    def _line(self, spec: ProviderSpec, known: set[str]) -> ProviderLine:
        settings = self._store.config.provider(spec.name)
        about = ABOUT.get(spec.name) or ABOUT["custom"]
        return ProviderLine(
            name=spec.name,
            title=_(spec.display),
            about=_(about),
            kind=spec.kind,
            needs_key=spec.needs_key,
            keyed=spec.name in known,
            stored=settings.key_stored,
            given=spec.name in self._store.keys,
            offered="" if spec.name in known else offered(spec, os.environ),
            plaintext=spec.name in self._store.plaintext_keys,
            base=spec.base,
            address=settings.api_base or "",
            suggestion=spec.suggestion,
            key_page=spec.key_page,
            place=POPULAR.index(spec.name) if spec.name in POPULAR else len(POPULAR),
            others={
                other.key_prefix: (other.name, _(other.display))
                for other in PROVIDERS
                if other.key_prefix and other.name != spec.name and not spec.direct
            },
        )

    async def use(self, draft: Draft, *, engine: str = "", session_only: bool = False) -> InUse:
        """Store a provider's key and settings and make it the one in use.

        The key goes to the keychain first: if that fails, nothing is changed. With `session_only` it
        stays in the memory of this process and nowhere else. Raises ConfigError, KeychainError.
        """
        spec = spec_of(draft.name, self._store.config)
        values: dict[str, Any] = {"agents.defaults.provider": spec.name}
        if base := address(draft.base):
            values[f"providers.{spec.name}.apiBase"] = base
        elif draft.usual_base:
            values[f"providers.{spec.name}.apiBase"] = None
        values |= await self._keep(spec, draft.key, session_only=session_only)
        if engine:
            values[f"providers.{spec.name}.engine"] = engine
        values["agents.defaults.model"] = draft.model or self._fitting_model(spec)
        await self._change(values)
        if draft.key:
            await self._store.scrub_key(spec.name)
        return InUse(spec.name, _(spec.display), self._store.config.agents.defaults.model)

    async def _keep(self, spec: ProviderSpec, key: str, *, session_only: bool) -> dict[str, Any]:
        """Put a key where it belongs; the settings that follow from it. Raises KeychainError."""
        if key and session_only:
            self._keychain.remember(spec.name, key)
        elif key:
            mask(key)
            await self._keychain.set(spec.name, key)
            return {f"providers.{spec.name}.keyStored": True}
        return {}

    def _fitting_model(self, spec: ProviderSpec) -> str:
        """The configured model if it was chosen for this provider, else the provider's usual one."""
        defaults = self._store.config.agents.defaults
        return defaults.model if defaults.provider == spec.name and defaults.model else spec.suggestion

    async def store_key(self, name: str, key: str, *, session_only: bool = False) -> None:
        """Store a provider's key; who answers stays as it is. Raises KeychainError, then nothing changed.
        `session_only`: in the memory of this process and nowhere else."""
        spec, key = spec_of(name, self._store.config), key.strip()
        if not key:
            raise UsageError(_("The key is empty."))
        await self._change(await self._keep(spec, key, session_only=session_only))
        await self._store.scrub_key(spec.name)

    async def key(self, name: str) -> str:
        """The key of a provider, for the person to look at. Raises KeychainError, UsageError."""
        spec = spec_of(name, self._store.config)
        key = await self._chooser.key(spec.name)
        if not key:
            raise UsageError(_("There is no key for {name}.").format(name=_(spec.display)))
        return key

    async def take_key(self, name: str, *, session_only: bool = False) -> None:
        """Take the key that stands in an environment variable: the person was asked. Raises KeychainError,
        UsageError."""
        spec = spec_of(name, self._store.config)
        if not (variable := offered(spec, os.environ)):
            raise UsageError(_("The environment has no key for {name}.").format(name=_(spec.display)))
        await self.store_key(spec.name, os.environ[variable], session_only=session_only)

    async def forget_key(self, name: str) -> None:
        """Remove a provider's key from the keychain, or from memory if it is nowhere else.

        Raises KeychainError; then it is still there.
        """
        spec = spec_of(name, self._store.config)
        if self._store.config.provider(spec.name).key_stored:
            await self._keychain.delete(spec.name)
            await self._change({f"providers.{spec.name}.keyStored": None})
        else:
            self._keychain.forget(spec.name)
            await self._apply()

    async def login(self, name: str, *, session_only: bool = False) -> AsyncIterator[LoginCode | SignedIn]:
        """Tell a code, and wait until it was entered. The tokens go to the keychain, with `session_only` to
        memory. Raises AppError, CodeExpired among them; closing ends it."""
        async with aclosing(self._logins.login(name, session_only=session_only)) as steps:
            async for step in steps:
                yield step

    async def logout(self, name: str) -> str:
        """Forget a login, here and wherever it was lent; the provider's own name. Raises KeychainError."""
        return await self._logins.logout(name)

    async def test(self, draft: Draft = Draft()) -> Answered:  # noqa: B008
        """One real, tiny question to a provider, else the one in use. Raises AppError saying what is wrong,
        a ProviderError with the `field` at fault."""
        return await self._trials.test(draft)

    async def models(self, draft: Draft) -> tuple[ListedModel, ...]:
        """Which models a provider has now, in the order of their names. Raises AppError."""
        rows = await self._trials.models(draft)
        return await in_thread(lambda: tuple(map(ListedModel._make, rows)))


def offered(spec: ProviderSpec, environ: Mapping[str, str]) -> str:
    """The variable of the environment in which other programs keep a key of this provider; "" for none.
    A name that several share is only that provider's whose name it has."""
    for variable in spec.key_names:
        sharing = [other.name for other in PROVIDERS if variable in other.key_names]
        owns = len(sharing) == 1 or spec.name == variable.removesuffix("_API_KEY").lower()
        if owns and environ.get(variable, "").strip():
            return variable
    return ""
