"""The models that a person can choose from: what each is called, and how much it can be asked to reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.config.schema import Config
from desktop.errors import AppError, UsageError
from desktop.providers.behaviour import LEVELS, level_of
from desktop.providers.catalogue import titled
from desktop.providers.chooser import ModelChooser, named_in
from desktop.providers.healing import unlearned
from desktop.providers.local import BuiltinServer, installed
from desktop.providers.registry import Choice, described
from desktop.providers.registry_table import BUILTIN, PROVIDERS
from desktop.text import _

if TYPE_CHECKING:
    from desktop.providers.learned import Lessons


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model as a list of models has it; `model` is empty for the built-in one in use."""

    provider: str
    model: str
    title: str
    provider_title: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """How much a model can be asked to reason."""

    levels: tuple[str, ...] = ()
    """Those it has, of behaviour.LEVELS; none where it reasons as it likes."""
    level: str = ""
    """The chosen one as the model has it; "" for none."""
    usual: str = ""
    """What the settings come to."""


def known_level(level: str) -> str:
    """A level of reasoning as it was given; "" for what the settings say. Raises UsageError."""
    if level and level not in LEVELS:
        raise UsageError(
            _("There is no reasoning level {level}.").format(level=level),
            _("The levels are: {levels}").format(levels=", ".join(LEVELS)),
        )
    return level


class ModelChoices:
    """Looks at settings, keys and files; asks no server."""

    def __init__(
        self,
        chooser: ModelChooser,
        builtin: BuiltinServer,
        lessons: "Lessons",
        config: Callable[[], Config],
        models: Path,
    ) -> None:
        """`models`: the folder of the built-in models."""
        self._chooser, self._builtin, self._lessons = chooser, builtin, lessons
        self._config, self._models = config, models

    def line(self, model: str = "", provider: str = "") -> ModelLine:
        """What these names mean now; as they stand where nobody has them any more, for a conversation is
        read all the same. The next question will say what is wrong."""
        try:
            return self._line(self._chooser.choice(model, provider))
        except AppError:
            usual = self._config().agents.defaults
            model, provider = (model, provider) if model or provider else (usual.model, usual.provider)
            return ModelLine(provider, model, " ".join((model or provider).split()), provider)

    def _line(self, chosen: Choice) -> ModelLine:
        maker, usual = _(chosen.spec.display), self._builtin.model
        title, model = chosen.model or maker, chosen.model
        if chosen.spec.kind == "builtin":
            title = usual.name if model in ("", usual.id) else titled(model)
            model = "" if model == usual.id else model
        return ModelLine(chosen.spec.name, model, " ".join(title.split()), maker)

    async def all(self) -> tuple[ModelLine, ...]:
        """The usual one first, then one of each provider that could answer, and those of this computer."""
        config, keyed = self._config(), self._chooser.known_keys()
        lines = [self.line()]
        for spec in PROVIDERS:
            there = spec.name in keyed if spec.needs_key else config.provider(spec.name).api_base
            if spec.suggestion and there:
                lines.append(self._line(self._chooser.choice(spec.suggestion, spec.name)))
        here = [model.id for model in (await installed(self._models)).models]
        own = (self._chooser.choice(name, BUILTIN.name) for name in (*here, *config.local.files))
        lines += map(self._line, own)
        return tuple({(line.provider, line.model): line for line in lines}.values())

    async def reasoning(self, metadata: Mapping[str, Any]) -> Reasoning:
        """For a conversation of this metadata. Raises StorageError."""
        config = self._config()
        try:
            target = described(self._chooser.choice(*named_in(metadata)), config)
        except AppError:
            return Reasoning()  # the next question will say what is wrong
        behaviour = unlearned(target, await self._lessons.of(target))
        return Reasoning(
            tuple(behaviour.levels),
            level_of(behaviour, str(metadata.get("reasoning") or "")),
            level_of(behaviour, config.agents.defaults.reasoning_effort),
        )
