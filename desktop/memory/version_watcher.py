"""Keeps what turns, and the person between them, did to the files of the memory as versions.

A look at the files before and after each turn; only where one was touched there is a commit. The one before
is waited for: what a person wrote is kept before an agent can write over it.
"""

import asyncio
import logging
from typing import Protocol

from desktop.errors import AppError
from desktop.memory.versions import AGENT, PERSON, Versions
from desktop.tasks import spawn

_log = logging.getLogger(__name__)


class Inbound(Protocol):
    """Where a turn comes from."""

    @property
    def source(self) -> str: ...
    @property
    def note(self) -> bool: ...


class Turn(Protocol):
    """A turn that begins or has ended."""

    @property
    def inbound(self) -> Inbound: ...


class VersionWatcher:
    """Watches turns."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        self._work: set[asyncio.Task[None]] = set()
        self._in_order = asyncio.Lock()
        """Who did it is told by what is kept first."""

    async def begun(self, turn: Turn) -> None:
        """What was changed until now was the person's doing, or of an agent that reports now."""
        await self._commit(AGENT if turn.inbound.source else PERSON)

    async def ended(self, _turn: Turn) -> None:
        """What was changed since was the agent's."""
        task = spawn(self._commit(AGENT), name="memory:versions")
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _commit(self, cause: str) -> None:
        try:
            async with self._in_order:
                if await self._versions.changed():
                    await self._versions.commit(cause)
        except AppError as error:
            _log.warning("a change of the memory has no version: %s", error)

    async def close(self) -> None:
        """Wait for what is being kept."""
        await asyncio.gather(*self._work, return_exceptions=True)
