"""A question of permission, as the window knows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    faults: Mapping[str, str] = field(default_factory=dict)
    """What is wrong with what was filled in last, by field."""
