"""A job: what shall be done, when, for which conversation, and what is known of its runs."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from desktop.cron.schedule import Spec

type Missed = Literal["late", "skip", "ask"]

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Job:
    """One job. All moments are Unix time in seconds; None for never."""

    id: str
    name: str
    spec: Spec
    message: str
    enabled: bool = True
    plain: bool = False
    """Whether it is a reminder that the person gets word for word; no model is asked."""
    session: str = ""
    """The conversation it came from and its result goes to."""
    chat: str = ""
    """The key of the chat in which it was made, where the conversation is that of several."""
    missed: Missed = "late"
    """What becomes of a due moment that passed while the computer slept or the program was closed."""
    mode: str = ""
    """A permission mode of its own; empty for the conversation's."""
    retries: int = 1
    """How often a failed run is tried again."""
    delete_after_run: bool = False
    """Whether a job with one moment goes away after it; else it stays, switched off."""
    created: float = 0.0
    updated: float = 0.0
    next_due: float | None = None
    last_due: float | None = None
    """The due moment that was last dealt with."""
    last_run: float | None = None
    last_run_id: str = ""
    last_outcome: str = ""
    last_detail: str = ""
    failures: int = 0
    """How many due moments in a row have failed."""
    paused: str = ""
    """Why the program switched it off, as a sentence; empty where it did not."""
    planned_as: str = ""
    """For which schedule `next_due` was reckoned; a schedule edited by hand is noticed by it."""
    planned_in: str = ""
    """In which zone."""
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What other programs keep in the file, by its place: job, schedule, payload, state."""


def new_id() -> str:
    """Eight hexadecimal digits."""
    return uuid.uuid4().hex[:8]
