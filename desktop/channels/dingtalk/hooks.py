"""How each chat is written to: the address that its last message brought, and what is needed after that.

On disk, so that a reminder reaches a chat after a restart.
"""

import json
import time
from dataclasses import astuple

from desktop.channels.dingtalk.incoming import Hook
from desktop.channels.notes import Notes

_EARLY_S = 30.0


class Hooks:
    """Those of one robot. Every method raises StorageError."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._known: dict[str, Hook] = {}

    async def came(self, chat: str, hook: Hook) -> None:
        """Somebody wrote there. One that was told again may bring an address that ended."""
        before = await self.of(chat)
        if before is None or before.until <= hook.until:
            self._known[chat] = hook
            await self._notes.set(f"hook:{chat}", json.dumps(astuple(hook)))

    async def of(self, chat: str) -> Hook | None:
        """A chat's; None where nobody ever wrote."""
        if chat not in self._known and (stored := await self._notes.get(f"hook:{chat}")):
            self._known[chat] = Hook(*json.loads(stored))
        return self._known.get(chat)

    async def over(self, chat: str, hook: Hook) -> None:
        """Its address is not taken any more."""
        if self._known.get(chat) == hook:
            self._known[chat] = left = Hook(hook.group, hook.robot, hook.staff)
            await self._notes.set(f"hook:{chat}", json.dumps(astuple(left)))


def usable(hook: Hook | None) -> bool:
    """Whether a chat has an address now."""
    return hook is not None and bool(hook.url) and time.time() < hook.until - _EARLY_S
