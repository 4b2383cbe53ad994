"""A model that can be asked now: what a turn, a summary, Dream and the heartbeat are handed."""

from dataclasses import dataclass

from desktop.providers.base import Endpoint, Provider


@dataclass(frozen=True, slots=True)
class ModelWanted:
    """Which model is to be made ready, and for what."""

    model: str = ""
    """Its name; "" for the configured order of choice."""
    provider: str = ""
    session: str = ""
    turn: str = ""
    unattended: bool = False
    """Nobody waits for it, so it is asked only within what such work may spend."""
    pictures: bool = False
    """There are some to be seen, by another model where this one cannot."""
    reasoning: str = ""
    """How much it shall think, of behaviour.LEVELS; "" for what the settings say."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The model, and how it is to be asked."""

    provider: Provider
    endpoint: Endpoint
    window: int
    """Tokens that fit, question and answer together."""
    max_tokens: int
    temperature: float | None = None
    reasoning: str = ""
    """How much it shall think, as Request.reasoning."""
    small_model: bool = False
    note: str = ""
    """What the person should know about this model."""
