"""Trying a provider: one real, tiny question, and its models. What is wrong is told by its field."""

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from pydantic import ValidationError

from desktop.config.providers import ProviderSettings
from desktop.config.schema import Config
from desktop.errors import AppError, ConfigError, UsageError
from desktop.logs import mask
from desktop.providers.base import BadRequest, Endpoint, ProviderError, Request
from desktop.providers.behaviour import Behaviour
from desktop.providers.chooser import ModelChooser
from desktop.providers.client import Row
from desktop.providers.healing import sentence
from desktop.providers.learned import Lessons
from desktop.providers.one_off import entered
from desktop.providers.registry import Choice, choose, endpoint, find, listing
from desktop.providers.registry_spec import ProviderSpec
from desktop.text import _
from desktop.usage import UsageLedger

_log = logging.getLogger(__name__)
_LIST_S = 5.0
"""How long the list of all models waits for a provider."""
_TINY_TOKENS = 1024
"""Room for what some models think first."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A provider as it would be: a `name` of the table, or none for the one in use; another `key` or
    address `base` than the stored ones; `usual_base` for the provider's own address."""

    name: str = ""
    model: str = ""
    key: str = field(default="", repr=False)
    base: str = ""
    usual_base: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a tiny question."""

    provider: str
    model: str
    answer: str
    seconds: float
    learned: tuple[str, ...] = ()
    """Sentences on what the model does not take."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a server taught us of a model, and when: Unix time, seconds."""

    text: str
    at: float


class Trials:
    """Asks providers what the person wants to know before using them."""

    def __init__(
        self, models: ModelChooser, ledger: UsageLedger, lessons: Lessons, config: Callable[[], Config]
    ) -> None:
        self._models, self._ledger, self._lessons, self._config = models, ledger, lessons, config

    async def test(self, draft: Draft) -> Answered:
        """One real, tiny question; nothing of the draft is stored. Raises AppError saying what is wrong, a
        ProviderError with the `field` at fault."""
        chosen, target = await self._target(draft)
        started = time.monotonic()
        try:
            answer = await self._tiny_question(chosen, target)
        except BadRequest as error:
            if error.status == 404:
                raise await self._not_found(chosen, target) from error
            raise
        seconds = round(time.monotonic() - started, 2)
        said = (*self._ignored(target), *(one.text for one in await learned(self._lessons, target)))
        return Answered(chosen.spec.name, target.model, answer, seconds, said)

    def _ignored(self, target: Endpoint) -> list[str]:
        """What the person set and the model does not take."""
        set_ = self._config().agents.defaults.model_fields_set
        return notes(target.behaviour) if "temperature" in set_ else []

    async def _target(self, draft: Draft) -> tuple[Choice, Endpoint]:
        config, base = self._config(), address(draft.base)
        mask(draft.key)
        if draft.name and (base or draft.usual_base):
            config = _with_base(config, spec_of(draft.name, config).name, base)
        known = self._models.known_keys()
        chosen = choose(config, known, model=draft.model or None, provider=draft.name or None)
        return chosen, endpoint(chosen, config, draft.key or await self._models.usable_key(chosen))

    async def _not_found(self, chosen: Choice, target: Endpoint) -> ProviderError:
        """Whether it is the model or the address that nobody knows there: a list of models tells."""
        names = {
            "provider": target.title,
            "model": target.model,
            "address": target.base_url or target.title,
        }
        try:
            rows = await self._list(chosen, target)
        except AppError:
            rows = []
        if rows:
            error = BadRequest(
                _("{provider} has no model named {model}.").format(**names),
                _("Choose one from the list of its models."),
                status=404,
            )
            error.field = "model"
            return error
        error = BadRequest(
            _("There is no model server at {address}, or it has no model named {model}.").format(**names),
            _("Check the address and the model name."),
            status=404,
        )
        error.field = "address"
        return error

    async def _tiny_question(self, chosen: Choice, target: Endpoint) -> str:
        defaults = self._config().agents.defaults
        request = Request(
            endpoint=target,
            messages=[{"role": "user", "content": "Reply with the single word: ready"}],
            max_tokens=_TINY_TOKENS,
            temperature=defaults.temperature,
            reasoning=defaults.reasoning_effort or "",
        )
        provider = self._models.provider(chosen)
        return (await entered(provider, request, self._ledger, cause="test")).text.strip()

    async def models(self, draft: Draft) -> list[Row]:
        """Which models a provider has now, as rows: see providers/host/listing.py. Raises AppError."""
        chosen, target = await self._target(draft)
        return await self._list(chosen, target)

    async def all_models(self, providers: Collection[str]) -> dict[str, list[str]]:
        """The names of all models of these providers, by provider, sorted; of one that does not answer in a
        few seconds none."""
        names = sorted(providers)
        found = await asyncio.gather(*map(self._names, names))
        return {name: rows for name, rows in zip(names, found, strict=True) if rows}

    async def _names(self, provider: str) -> list[str]:
        try:
            async with asyncio.timeout(_LIST_S):
                rows = await self.models(Draft(provider))
        except (AppError, TimeoutError) as error:
            _log.info("no list of the models of %s: %s", provider, error)
            return []
        return sorted(str(row[0]) for row in rows)

    async def _list(self, chosen: Choice, target: Endpoint) -> list[Row]:
        way, base = listing(chosen)
        if not way:
            raise AppError(
                _("{provider} doesn’t list its models.").format(provider=target.title),
                _("Enter the model name yourself."),
            )
        return await self._models.listed(target, way, base)


async def learned(lessons: Lessons, target: Endpoint) -> tuple[Learned, ...]:
    """What the server of a model taught us of it. Raises StorageError."""
    return tuple(Learned(sentence(one.what), one.at) for one in await lessons.dated(target))


def notes(behaviour: Behaviour) -> list[str]:
    """What is sent otherwise than the settings say, in sentences."""
    kinds = (behaviour.temperature, behaviour.thinking_temperature)
    if behaviour.temperature is None:
        return [_("It doesn’t accept a temperature, so the one in Settings is not sent.")]
    if fixed := [f"{value:g}" for value in kinds if isinstance(value, float)]:
        return [_("It uses a fixed temperature: {value}.").format(value=" / ".join(fixed))]
    if None in kinds:
        return [_("It doesn’t accept a temperature while reasoning.")]
    return []


def spec_of(name: str, config: Config) -> ProviderSpec:
    """The provider of this name. Raises UsageError."""
    spec = find(name, config)
    if spec is None:
        raise UsageError(
            _("There is no provider named {name}.").format(name=name),
            _("List the names with: nanobot-desktop provider list"),
        )
    return spec


def address(given: str) -> str:
    """An address as it is stored. Raises ConfigError."""
    base = given.strip()
    try:
        ProviderSettings(api_base=base)
    except ValidationError:
        raise ConfigError(
            _("An address must start with http:// or https:// and contain no spaces.")
        ) from None
    return base


def _with_base(config: Config, name: str, base: str) -> Config:
    """The settings as they would be with another address for this provider."""
    entry = config.provider(name).model_copy(update={"api_base": base or None})
    return config.model_copy(update={"providers": {**config.providers, name: entry}})
