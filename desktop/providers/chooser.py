"""Which model answers, and making it ready: settings, key, and the built-in server where it is chosen."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from desktop.bus.bus import Bus
from desktop.bus.events import TurnStarted, TurnWaiting
from desktop.config.agents import ModelRef
from desktop.config.keychain import Keychain
from desktop.config.schema import Config
from desktop.config.store import ConfigStore
from desktop.errors import AppError
from desktop.providers import device
from desktop.providers.base import Endpoint, Provider, ProviderError
from desktop.providers.budget import Budget
from desktop.providers.call_policy import CallPolicy, Candidate
from desktop.providers.client import HostedProvider, Row
from desktop.providers.healing import HealingProvider
from desktop.providers.host_process import ModelHost
from desktop.providers.learned import Lessons
from desktop.providers.local import WINDOW, BuiltinServer
from desktop.providers.normalise import WireCache
from desktop.providers.ready import ModelWanted, Ready
from desktop.providers.registry import Choice, choose, endpoint, engine_of, override_of, sees
from desktop.providers.registry_table import FREE
from desktop.providers.windows import Price, price_of, window_of
from desktop.tasks import in_thread, spawn
from desktop.text import _, sentences

_log = logging.getLogger(__name__)
USUAL_WINDOW = 65_536
"""Tokens, of a model that nobody knows."""


def named_in(metadata: Mapping[str, Any]) -> tuple[str, str]:
    """Model and provider that a conversation of this metadata names; "" for the usual ones."""
    return str(metadata.get("model") or ""), str(metadata.get("provider") or "")


class ModelChooser:
    """The agent's Models: the order of choice of the settings, made ready to be asked."""

    def __init__(
        self,
        store: ConfigStore,
        keychain: Keychain,
        host: ModelHost,
        builtin: BuiltinServer,
        bus: Bus,
        budget: Budget,
        lessons: Lessons,
    ) -> None:
        self._store, self._keychain, self._budget = store, keychain, budget
        self._host, self._builtin, self._bus = host, builtin, bus
        self._renewing = asyncio.Lock()
        self._hosted = HostedProvider(host, WireCache().json)
        self._healing = HealingProvider(self._hosted, lessons)

    def choice(self, model: str = "", provider: str = "") -> Choice:
        """The provider and model by the configured order. Raises AppError for a name nobody has."""
        chosen = choose(
            self._store.config, self.known_keys(), model=model or None, provider=provider or None
        )
        return (
            chosen
            if chosen.model or not chosen.spec.small_model
            else replace(chosen, model=self._builtin.model.id)
        )

    def small_choice(self) -> tuple[str, str]:
        """Model and provider, as ready() takes them, for what is small: titles and summaries. The usual
        ones where the person named none for that."""
        defaults = self._store.config.agents.defaults
        named = defaults.small_model if defaults.small_model.given else defaults
        return named.model, named.provider

    def answering(self, metadata: Mapping[str, Any]) -> str:
        """The provider that answers a conversation of this metadata; "" where it cannot be told."""
        try:
            return self.choice(*named_in(metadata)).spec.name
        except AppError:
            return ""  # the question will say what is wrong

    def places(self, model: str, provider: str) -> tuple[str, int]:
        """The provider that would answer, and how many turns it takes at once."""
        try:
            spec = self.choice(model, provider).spec
        except AppError:
            return "", 1  # the question will say what is wrong
        return spec.name, spec.places

    def known_keys(self) -> set[str]:
        """Names of the providers that have a key somewhere; no key is read for this."""
        return {*self._store.keyed, *self._keychain.remembered}

    def prepare(self, model: str = "", provider: str = "") -> None:
        """Begin what a question will need, the host's engine and the built-in server; waits for nothing."""
        try:
            spec = self.choice(model, provider).spec
        except AppError:
            return  # the first question will say what is wrong
        spawn(self._host.prepare(engine_of(spec, self._store.config)), name="prepare:engine")
        if spec.small_model:
            spawn(self._builtin.start(), name="prepare:builtin-model")

    async def ready(self, wanted: ModelWanted) -> Ready:
        """Raises AppError: no such model, no key, or the keychain is shut."""
        chosen, note = self.choice(wanted.model, wanted.provider), ""
        if wanted.pictures and (other := self._that_sees(chosen)):
            note = _("{model} answers because it can see images.").format(
                model=other.model or other.spec.name
            )
            chosen = other
        defaults, small_model = self._store.config.agents.defaults, chosen.spec.small_model
        window = await self.window(chosen)
        return Ready(
            provider=self._policy(chosen, wanted),
            endpoint=await self.endpoint(chosen),
            window=window,
            max_tokens=min(defaults.max_tokens, window // 4),
            temperature=defaults.temperature,
            reasoning=wanted.reasoning or defaults.reasoning_effort or "",
            small_model=small_model,
            note=note or (self._builtin.model.note if small_model else ""),
        )

    def _policy(self, chosen: Choice, wanted: ModelWanted) -> CallPolicy:
        session, turn = wanted.session, wanted.turn

        def waiting(seconds: float, why: AppError) -> None:
            self._bus.publish(TurnWaiting(session, turn, seconds, why.text))

        def instead(there: Endpoint, why: ProviderError) -> None:
            answers = _("{provider} answers with {model} instead.").format(
                model=there.model, provider=there.title or there.provider
            )
            note = sentences(why.text, answers)
            self._bus.publish(TurnStarted(session, turn, there.provider, there.model, note))

        return CallPolicy(
            self._healing,
            tuple(map(self._candidate, (chosen, *self._fallbacks(chosen)))),
            self._budget.check if wanted.unattended else self._budget.check_month,
            waiting,
            instead,
        )

    def _candidate(self, chosen: Choice) -> Candidate:
        free, endpoint = chosen.spec.name in FREE, partial(self.endpoint, chosen)
        if chosen.spec.small_model:
            return Candidate(free, endpoint, server=self._builtin)
        return Candidate(free, endpoint, partial(self.price, chosen))

    def unattended(self, ready: Ready) -> Ready:
        """The same model for work that nobody waits for: asked only within what that may spend."""
        policy = ready.provider
        assert isinstance(policy, CallPolicy)  # it was made here
        return replace(ready, provider=replace(policy, may_spend=self._budget.check))

    def _fallbacks(self, chosen: Choice) -> list[Choice]:
        """Those to ask instead, without who is asked first and without names that nobody knows."""
        found = []
        for ref in self._store.config.agents.defaults.fallback_models:
            try:
                other = self.choice(*self._named(ref))
            except AppError as error:
                _log.warning("a fallback model is unknown: %s", error)
                continue
            if (other.spec.name, other.model) != (chosen.spec.name, chosen.model):
                found.append(other)
        return found

    def _named(self, ref: ModelRef) -> tuple[str, str]:
        """Model and provider; in files of nanobot a name may be that of a preset."""
        presets = (self._store.config.model_extra or {}).get("modelPresets")
        preset = presets.get(ref.model) if isinstance(presets, dict) else None
        if isinstance(preset, dict) and ref.provider == "auto":
            return str(preset.get("model") or ""), str(preset.get("provider") or "auto")
        return ref.model, ref.provider

    def _that_sees(self, chosen: Choice) -> Choice | None:
        """Another model for pictures, where this one cannot see them and the person named one."""
        named = self._store.config.agents.defaults.vision_model
        if not named.given or sees(chosen, self._store.config):
            return None
        try:
            return self.choice(named.model, named.provider)
        except AppError as error:
            _log.warning("the vision model is unknown: %s", error)
            return None

    async def window(self, chosen: Choice, config: Config | None = None) -> int:
        """Tokens that a model takes, question and answer: the person's word, the model's own, the usual."""
        config = config or self._store.config
        set_ = override_of(chosen, config).context_window_tokens
        set_ = set_ or config.agents.defaults.context_window_tokens
        if chosen.spec.small_model:
            return min(WINDOW, set_ or WINDOW)
        return set_ or await in_thread(window_of, chosen.model, chosen.spec.prefix) or USUAL_WINDOW

    def provider(self, chosen: Choice) -> Provider:
        """What carries out a call to this choice and no other: without limits, and without a second try."""
        return CallPolicy(self._healing, (self._candidate(chosen),), delays=())

    async def price(self, chosen: Choice, config: Config | None = None) -> Price | None:
        """What a token costs: the person's word, else the table's; None where nobody knows."""
        told = override_of(chosen, config or self._store.config)
        if told.input_price is not None or told.output_price is not None:
            asked, answered = ((price or 0.0) / 1e6 for price in (told.input_price, told.output_price))
            return Price(asked, answered, asked, asked, answered)
        if chosen.spec.kind not in ("standard", "gateway") or "plan" in chosen.spec.name:
            return None
        return await in_thread(price_of, chosen.model, chosen.spec.prefix)

    async def endpoint(self, chosen: Choice) -> Endpoint:
        """Where to call, with its key. Raises AppError."""
        return endpoint(chosen, self._store.config, await self.usable_key(chosen))

    async def usable_key(self, chosen: Choice) -> str:
        """The key of a provider, a login renewed where it ends soon; "" for none. Raises AppError."""
        name = chosen.spec.name
        key = await self.key(name)
        if not (key and chosen.spec.oauth):
            return key
        async with self._renewing:  # a login can be renewed once
            key = await self.key(name)
            renewed = await device.fresh(name, key)
            if renewed != key and self._store.config.provider(name).key_stored:
                await self._keychain.set(name, renewed)
            elif renewed != key:
                self._keychain.remember(name, renewed)
        return renewed

    async def listed(self, target: Endpoint, way: str, base: str) -> list[Row]:
        """Which models the provider of an endpoint has, asked for in this way and there. Raises
        ProviderError."""
        return await self._hosted.models(replace(target, base_url=base), way)

    async def key(self, name: str) -> str:
        """The key of a provider, "" where none is known. Raises KeychainError."""
        if given := self._store.keys.get(name):
            return given
        return (await self._keychain.get(name) or "") if name in self.known_keys() else ""
