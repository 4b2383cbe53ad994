"""A model that can be asked now: what a turn, a summary, Dream and the heartbeat are handed."""

from dataclasses import dataclass

from desktop.providers.base import Endpoint, Provider


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
