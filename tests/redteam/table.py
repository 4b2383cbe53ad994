"""All attempts, by kind."""

from tests.redteam import answers, origins, walls
from tests.redteam.attempt import ATTEMPTS

__all__ = ["ATTEMPTS", "answers", "origins", "walls"]
