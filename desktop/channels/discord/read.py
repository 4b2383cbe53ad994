"""How far the channels were read: Discord does not send again what came while the program was away.

A note may lag behind, and then a message is looked at twice; it is never ahead of what is stored.
"""

import json

from desktop.channels.notes import Notes

_NOTE = "read"
_MOST, _UNNOTED = 100, 20
_EPOCH_S = 1_420_070_400
"""Where Discord's clock begins: https://docs.discord.com/developers/reference#snowflakes."""


def snowflake(at: float) -> int:
    """The id of something made at a moment, Unix time in seconds."""
    return int((at - _EPOCH_S) * 1000) << 22


class Read:
    """The channels where somebody has to do with the agent, the most recent last."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self.since = 0
        """The newest message that was seen anywhere, or when the bot was first switched on, by Discord's
        clock: this computer's may be wrong, and what people write then would count as read."""
        self._chats: dict[str, tuple[int, bool]] = {}
        self._unnoted = 0

    async def load(self, now: int) -> None:
        """As it was left. `now`: an id of this moment; no message is newer. Raises StorageError."""
        note = await self._notes.get(_NOTE)
        if not note:
            self.since = now
            await self.save()
            return
        found = json.loads(note)
        self.since = min(int(found["since"]), now)
        self._chats = {str(id_): (int(last), bool(private)) for id_, last, private in found["chats"]}

    def chats(self) -> list[tuple[str, int, bool]]:
        """Each channel, its last message, and whether it is a private one."""
        return [(id_, last, private) for id_, (last, private) in self._chats.items()]

    def forget(self, channel: str) -> None:
        """It is gone."""
        self._chats.pop(channel, None)

    async def saw(self, channel: str, message: int, *, private: bool, matters: bool) -> None:
        """A message is stored, or was nothing to store. `matters`: it was meant for the agent. Raises
        StorageError."""
        self.since = max(self.since, message)
        last, _private = self._chats.pop(channel, (0, private))
        if not last and not matters:
            return
        self._chats[channel] = (max(last, message), private)
        while len(self._chats) > _MOST:
            del self._chats[next(iter(self._chats))]
        self._unnoted += 1
        if matters or self._unnoted >= _UNNOTED:
            await self.save()

    async def save(self) -> None:
        """Note it. Raises StorageError."""
        self._unnoted = 0
        chats = [[id_, last, private] for id_, last, private in self.chats()]
        await self._notes.set(_NOTE, json.dumps({"since": self.since, "chats": chats}))
