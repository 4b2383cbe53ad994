"""The running program: what of it works, and what to know before a conversation goes on."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from desktop.tasks import in_thread

if TYPE_CHECKING:
    from desktop.config.store import ConfigStore
    from desktop.services.status import Status
    from desktop.session.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Service:
    """A part that can be off; `last_ok` in Unix time."""

    name: str
    state: str
    detail: str
    last_ok: float | None


@dataclass(frozen=True, slots=True)
class Running:
    """The process that owns the home."""

    pid: int
    front: str
    """window, serve, or the command that it carries out."""
    started: float
    """Unix time."""
    services: tuple[Service, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with the settings; the last good ones are in use."""

    text: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Opening:
    """What to know before a conversation goes on."""

    problems: tuple[Problem, ...]
    unanswered: str
    """The message that was left without an answer, "" for none."""


class Program:
    """Tells of the process that answers."""

    def __init__(
        self,
        front: str,
        started: float,
        services: "Callable[[], Sequence[Status]]",
        store: "ConfigStore",
        sessions: "Sessions",
    ) -> None:
        self._front, self._started, self._services = front, started, services
        self._store, self._sessions = store, sessions

    async def status(self) -> Running:
        """Who owns the home, and the state of its parts."""
        services = tuple(Service(s.name, s.state.value, s.detail, s.last_ok) for s in self._services())
        return Running(os.getpid(), self._front, self._started, services)

    async def assistant(self) -> str:
        """What the agent calls itself."""
        return self._store.config.agents.defaults.bot_name

    async def dictates(self) -> bool:
        """Whether speaking into the microphone is of use: the person wants it, and it can be recorded."""
        wanted = self._store.config.transcription.enabled
        return wanted and await in_thread(find_spec, "miniaudio") is not None

    async def opening(self, session: str = "cli:direct") -> Opening:
        """What to know before a conversation goes on. Raises StorageError."""
        from desktop.session.title import title_of

        opened = await self._sessions.open(session or "cli:direct")
        problems = tuple(Problem(problem.text, problem.remedy) for problem in self._store.problems)
        return Opening(problems, title_of(opened.unanswered or {}))
