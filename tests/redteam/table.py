"""All attempts, by kind."""

from tests.redteam import answers, homes, origins, reports, rugs, strangers, strangers_elsewhere, walls
from tests.redteam.attempt import ATTEMPTS

__all__ = [
    "ATTEMPTS",
    "answers",
    "homes",
    "origins",
    "reports",
    "rugs",
    "strangers",
    "strangers_elsewhere",
    "walls",
]
