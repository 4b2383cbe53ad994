"""Which model answers a conversation, how much it reasons, and what can be chosen."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from desktop.errors import AppError
from desktop.providers.choices import ModelLine, Reasoning, known_level
from desktop.providers.chooser import named_in

if TYPE_CHECKING:
    from desktop.providers.choices import ModelChoices
    from desktop.providers.chooser import ModelChooser
    from desktop.session.sessions import Sessions
    from desktop.tools.toolbox import Toolbox

__all__ = ["AnsweringModel", "Choices", "ModelLine", "Models", "Reasoning"]


@dataclass(frozen=True, slots=True)
class AnsweringModel:
    """The model that answers a conversation; `chosen`: for this one, not by the settings."""

    line: ModelLine
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Choices:
    """What can be chosen: the usual model, and all, which begin with it."""

    usual: ModelLine
    models: tuple[ModelLine, ...]


class Models:
    """Chooses for conversations. Methods with a `session` raise StorageError."""

    def __init__(
        self,
        chooser: "ModelChooser",
        choices: "ModelChoices",
        sessions: "Sessions",
        toolbox: "Toolbox",
    ) -> None:
        self._chooser, self._choices, self._sessions, self._toolbox = chooser, choices, sessions, toolbox

    async def prepare(self, session: str = "") -> None:
        """Wake what a question in this conversation will need; waits for nothing."""
        model, provider = named_in(await self._metadata(session))
        self._chooser.prepare(model, provider)
        with suppress(AppError):  # the question will say what is wrong
            self._toolbox.wake(small_model=self._chooser.choice(model, provider).spec.small_model)

    async def answering(self, session: str = "", *, model: str = "", provider: str = "") -> AnsweringModel:
        """Which model answers a conversation; without `session`, a new one with these names."""
        if session:
            model, provider = named_in(await self._metadata(session))
        return AnsweringModel(self._choices.line(model, provider), chosen=bool(model or provider))

    async def choose(self, session: str, *, model: str = "", provider: str = "") -> AnsweringModel:
        """Answer this conversation with that model; empty names mean the usual one. Raises AppError for a
        name that nobody has."""
        self._chooser.choice(model, provider)
        opened = await self._sessions.open(session)
        await opened.set_metadata(model=model or None, provider=provider or None)
        return AnsweringModel(self._choices.line(model, provider), chosen=bool(model or provider))

    async def choices(self) -> Choices:
        """The usual model, one of each provider that could answer, and those of this computer."""
        lines = await self._choices.all()
        return Choices(lines[0], lines)

    async def reasoning(
        self, session: str = "", *, model: str = "", provider: str = "", level: str = ""
    ) -> Reasoning:
        """What can be chosen for a conversation, and what is; without `session`, for a new one with
        these."""
        if session:
            return await self._choices.reasoning(await self._metadata(session))
        return await self._choices.reasoning({"model": model, "provider": provider, "reasoning": level})

    async def choose_reasoning(self, session: str, level: str = "") -> Reasoning:
        """Have this conversation's model reason so much, a `level` of behaviour.LEVELS; "" as the settings
        say. Raises UsageError."""
        level = known_level(level)
        opened = await self._sessions.open(session)
        await opened.set_metadata(reasoning=level or None)
        return await self._choices.reasoning(opened.metadata)

    async def _metadata(self, session: str) -> Mapping[str, Any]:
        return (await self._sessions.open(session)).metadata if session else {}
