"""A question of permission, as the window knows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Question:
    """One that is open."""

    id: str
    session: str
    turn: str
    call: str
    card: Mapping[str, Any]
    """What there is to see, as tools.permissions.card gives it."""
    parked: bool = False
    """Its turn goes on, or went on, without an answer."""
    at: float = 0.0
