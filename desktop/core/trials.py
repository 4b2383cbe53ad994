"""Trying a provider: one real, tiny question, and its models. What is wrong is told by its field."""

import asyncio
import logging
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from pydantic import ValidationError

from desktop.config.providers import ProviderSettings
from desktop.config.schema import Config
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import AppError, ConfigError, UsageError
from desktop.logs import mask
from desktop.providers.aside import entered
from desktop.providers.base import BadRequest, Endpoint, ProviderError, Request
from desktop.providers.behaviour import Behaviour
from desktop.providers.client import Row
from desktop.providers.healing import sentence
from desktop.providers.registry import Choice, choose, endpoint, find, listing
from desktop.providers.registry_spec import ProviderSpec
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core


_log = logging.getLogger(__name__)
_LIST_S = 5.0
"""How long the list of all models waits for a provider."""
_TINY_TOKENS = 1024
"""Room for what some models think first."""


class Trials:
    """Asks providers what the person wants to know before using them."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {"provider_test": self.provider_test, "provider_models": self.provider_models}

    async def provider_test(self, arguments: Json, _send: Send) -> Json:
        """One real, tiny question to a provider. Raises AppError saying what is wrong, a ProviderError with
        the `field` at fault.

        With `name`, also as it would be with another `key` or `base`; neither is stored.
        """
        chosen, target = await self._target(arguments)
        started = time.monotonic()
        try:
            answer = await self._tiny_question(chosen, target)
        except BadRequest as error:
            if error.status == 404:
                raise await self._not_found(chosen, target) from error
            raise
        return {
            "provider": chosen.spec.name,
            "model": target.model,
            "answer": answer,
            "seconds": round(time.monotonic() - started, 2),
            "learned": [
                *self._ignored(target),
                *(one["text"] for one in await learned(self._core, target)),
            ],
        }

    def _ignored(self, target: Endpoint) -> list[str]:
        """What the person set and the model does not take."""
        set_ = self._core.store.config.agents.defaults.model_fields_set
        return notes(target.behaviour) if "temperature" in set_ else []

    async def _target(self, arguments: Json) -> tuple[Choice, Endpoint]:
        models, config = self._core.models, self._core.store.config
        name, model = str(arguments.get("name") or ""), str(arguments.get("model") or "")
        key, base = str(arguments.get("key") or ""), address(arguments)
        mask(key)
        if name and (base or arguments.get("usual_base")):
            config = _with_base(config, spec_of(self._core, name).name, base)
        chosen = choose(config, models.known_keys(), model=model or None, provider=name or None)
        return chosen, endpoint(chosen, config, key or await models.usable_key(chosen))

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
                _("{provider} has no model {model}.").format(**names),
                _("Choose one from the list of its models."),
                status=404,
            )
            error.field = "model"
            return error
        error = BadRequest(
            _("There is no model server at {address}, or it has no model {model}.").format(**names),
            _("Check the address and the name of the model."),
            status=404,
        )
        error.field = "address"
        return error

    async def _tiny_question(self, chosen: Choice, target: Endpoint) -> str:
        defaults = self._core.store.config.agents.defaults
        request = Request(
            endpoint=target,
            messages=[{"role": "user", "content": "Reply with the single word: ready"}],
            max_tokens=_TINY_TOKENS,
            temperature=defaults.temperature,
            reasoning=defaults.reasoning_effort or "",
        )
        provider = self._core.models.provider(chosen)
        return (await entered(provider, request, self._core.usage, cause="test")).text.strip()

    async def provider_models(self, arguments: Json, _send: Send) -> Json:
        """Which models a provider has now, as rows: see providers/host/listing.py. As it would be with
        another `key` or `base`, too. Raises AppError."""
        chosen, target = await self._target(arguments)
        return {"models": await self._list(chosen, target)}

    async def all_models(self, providers: Collection[str]) -> dict[str, list[str]]:
        """The names of all models of these providers, by provider, sorted; of one that does not answer in a
        few seconds none."""
        names = sorted(providers)
        found = await asyncio.gather(*map(self._names, names))
        return {name: rows for name, rows in zip(names, found, strict=True) if rows}

    async def _names(self, provider: str) -> list[str]:
        try:
            async with asyncio.timeout(_LIST_S):
                rows = (await self.provider_models({"name": provider}, lambda _line: None))["models"]
        except (AppError, TimeoutError) as error:
            _log.info("no list of the models of %s: %s", provider, error)
            return []
        return sorted(str(row[0]) for row in rows)

    async def _list(self, chosen: Choice, target: Endpoint) -> list[Row]:
        way, base = listing(chosen)
        if not way:
            raise AppError(
                _("{provider} gives no list of its models.").format(provider=target.title),
                _("Write the model's name by hand."),
            )
        return await self._core.models.listed(target, way, base)


async def learned(core: "Core", target: Endpoint) -> list[Json]:
    """What the server of a model taught us of it: `text`, and `at` in Unix time, seconds."""
    return [{"text": sentence(one.what), "at": one.at} for one in await core.lessons.dated(target)]


def notes(behaviour: Behaviour) -> list[str]:
    """What is sent otherwise than the settings say, in sentences."""
    kinds = (behaviour.temperature, behaviour.thinking_temperature)
    if behaviour.temperature is None:
        return [_("It takes no temperature: the one in the settings is not sent.")]
    if fixed := [f"{value:g}" for value in kinds if isinstance(value, float)]:
        return [_("It has a temperature of its own: {value}.").format(value=" / ".join(fixed))]
    if None in kinds:
        return [_("While it reasons it takes no temperature.")]
    return []


def spec_of(core: "Core", name: str) -> ProviderSpec:
    """The provider of this name. Raises UsageError."""
    spec = find(name, core.store.config)
    if spec is None:
        raise UsageError(
            _("There is no provider called {name}.").format(name=name),
            _("The names are listed by: nanobot-desktop provider list"),
        )
    return spec


def address(arguments: Json) -> str:
    """The address given, if any. Raises ConfigError."""
    base = str(arguments.get("base") or "").strip()
    try:
        ProviderSettings(api_base=base)
    except ValidationError:
        raise ConfigError(_("An address begins with http:// or https:// and has no spaces.")) from None
    return base


def _with_base(config: Config, name: str, base: str) -> Config:
    """The settings as they would be with another address for this provider."""
    entry = config.provider(name).model_copy(update={"api_base": base or None})
    return config.model_copy(update={"providers": {**config.providers, name: entry}})
