"""The scheduler: one alarm for the earliest due moment, and what happens then."""

from dataclasses import dataclass
from typing import Protocol

from desktop.cron.job import Job
from desktop.cron.ledger import Run

NAME = "cron"


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a run: ok, failed or stopped, a sentence, and what it used."""

    outcome: str
    detail: str = ""
    tokens: int = 0
    cost: float | None = None
    """US dollars; None where it is not known."""


class Runner(Protocol):
    """Does what a job says, in a turn with the id of the run."""

    async def __call__(self, job: Job, run: Run) -> Done:
        """Do it to its end."""

    async def begun(self, job: Job, run: Run) -> bool:
        """Whether the message of this run is already on disk."""
