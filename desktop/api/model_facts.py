"""What is known of one model of a provider, and what the person knows better."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic.alias_generators import to_camel

from desktop.config.providers import ModelOverride, ProviderSettings
from desktop.providers.registry import Choice, behaviour_for, choose, described, override_of, sees
from desktop.providers.trial import Learned, learned, notes

if TYPE_CHECKING:
    from desktop.config.store import ConfigStore
    from desktop.providers.chooser import ModelChooser
    from desktop.providers.learned import Lessons

__all__ = ["Facts", "Known", "Learned", "ModelFacts"]


@dataclass(frozen=True, slots=True)
class Known:
    """Of a model, by the fields of ModelOverride; prices in US dollars for a million tokens."""

    context_window_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    tools: bool | None = None
    vision: bool | None = None
    reasoning: bool | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What the program knows, and what the person has `set`, which counts."""

    known: Known = Known()
    set: Known = Known()
    notes: tuple[str, ...] = ()
    """What it takes as the table has it, in sentences."""
    learned: tuple[Learned, ...] = ()


class ModelFacts:
    """Reads and overrides facts of models."""

    def __init__(
        self,
        chooser: "ModelChooser",
        lessons: "Lessons",
        store: "ConfigStore",
        take: Callable[[Mapping[tuple[str, ...], Any]], Awaitable[None]],
    ) -> None:
        """`take` sets values by their places, and the running parts obey them."""
        self._chooser, self._lessons, self._store, self._take = chooser, lessons, store, take

    async def of(self, provider: str, model: str) -> Facts:
        """Of one model. Raises AppError."""
        config, chosen = self._store.config, self._chosen(provider, model)
        override = override_of(chosen, config)
        bare = config.model_copy(
            update={"providers": config.providers | {chosen.spec.name: ProviderSettings()}}
        )
        price = await self._chooser.price(chosen, bare)
        known = Known(
            context_window_tokens=await self._chooser.window(chosen, bare),
            input_price=round(price.asked * 1e6, 4) if price else None,
            output_price=round(price.answered * 1e6, 4) if price else None,
            vision=sees(chosen, bare),
            reasoning=bool(behaviour_for(chosen, bare).levels),
        )
        return Facts(
            known,
            Known(**{name: getattr(override, name) for name in ModelOverride.model_fields}),
            tuple(notes(behaviour_for(chosen, config))),
            await learned(self._lessons, described(chosen, config)),
        )

    async def override(self, provider: str, model: str, values: Mapping[str, Any]) -> None:
        """Know something better: `values` by the fields of ModelOverride, None for nothing. Raises
        ConfigError naming the field, StorageError; then nothing changed."""
        kept = self._store.config.provider(provider).models.get(model, ModelOverride())
        dumped = kept.model_dump(by_alias=True, exclude_none=True)
        changes = {to_camel(field): value for field, value in values.items()}
        merged = {field: value for field, value in (dumped | changes).items() if value is not None}
        await self._take({("providers", provider, "models", model): merged or None})

    async def forget(self, provider: str, model: str) -> None:
        """Forget what the model's server taught us: it is asked for all again. Raises StorageError."""
        await self._lessons.forget(described(self._chosen(provider, model), self._store.config))

    def _chosen(self, provider: str, model: str) -> Choice:
        return choose(self._store.config, self._chooser.known_keys(), model=model, provider=provider)
