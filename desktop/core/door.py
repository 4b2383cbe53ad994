"""The door through which front ends act: one verb a thing a person can do, plain JSON both ways.

The command line that owns the home calls handle() directly; any other comes through ipc to the same
place. Events of a running verb go to `send`, the result is returned, failures are raised as AppError.
"""

import asyncio
import os
from collections.abc import Mapping

from desktop.api.subjects import Subjects
from desktop.core.conversations import Conversations
from desktop.core.core import Core
from desktop.core.reasoning import Reasoning
from desktop.core.settings import Settings
from desktop.core.setup import Setup
from desktop.core.subjects import subjects
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import UsageError
from desktop.text import _


class Door:
    """Dispatches verbs to the parts of a core."""

    def __init__(self, core: Core, front: str, own: Mapping[str, Verb] | None = None) -> None:
        """`own`: verbs of the front end that owns the home."""
        self._front = front
        self.subjects = Subjects(subjects(core, front))
        settings = Settings(core)
        self._verbs: dict[str, Verb] = {
            **(own or {}),
            "status": self._status,
            "wait": self._wait,
            "settings": settings.settings,
            "set": settings.set,
            **Conversations(core).verbs(),
            **Reasoning(core).verbs(),
            **Setup(core).verbs(),
        }

    async def handle(self, verb: str, arguments: Json, send: Send) -> Json:
        """Do one thing. Cancelling it ends what it started: the turn of an ask is stopped."""
        if "." in verb:
            return await self.subjects.answer(verb, arguments, send)
        if verb not in self._verbs:
            raise UsageError(_("There is no such request: {verb}.").format(verb=verb))
        return await self._verbs[verb](arguments, send)

    async def _status(self, _arguments: Json, _send: Send) -> Json:
        """Who owns the home, for any version of the program that comes."""
        return {"pid": os.getpid(), "front": self._front}

    async def _wait(self, _arguments: Json, _send: Send) -> Json:
        """Answered never: who asks learns from the end of the connection that the owner has gone."""
        await asyncio.Event().wait()
        return {}
