"""Who somebody is: WhatsApp writes the same person by phone number or by an ID that hides it (`…@lid`).

A person is their phone number where it is known, and a chat is called after it; else both are the hidden
ID. What pairs are learned is kept: those who may write are listed in either way.
"""

import json
from collections.abc import Callable, Mapping

from desktop.channels.notes import Notes

NUMBERS, HIDDEN, GROUPS = "@s.whatsapp.net", "@lid", "@g.us"
_NOTE, _MOST = "linked ids", 5000


def plain(account: str) -> str:
    """Without the device and the part behind @: 4917012345:3@s.whatsapp.net is 4917012345."""
    return account.partition("@")[0].partition(":")[0].partition(".")[0]


def account(id_: str) -> str:
    """Where an ID of ours is written to: phone numbers are bare in the settings."""
    return id_ if "@" in id_ else f"{id_}{NUMBERS}"


class People:
    """The pairs of hidden ID and number."""

    def __init__(self, notes: Notes, told: Callable[[], Mapping[str, str]]) -> None:
        """`told`: the pairs of the settings, which count where none is learned."""
        self._notes, self._told = notes, told
        self._learned: dict[str, str] | None = None

    async def learn(self, one: str, other: str) -> None:
        """Two accounts are the same person. Raises StorageError."""
        learned = await self._known()
        for hidden, number in ((one, other), (other, one)):
            if hidden.endswith(HIDDEN) and number.endswith(NUMBERS):
                key, value = plain(hidden), plain(number)
                if learned.get(key) == value:
                    return
                learned.pop(key, None)
                learned[key] = value
                while len(learned) > _MOST:
                    del learned[next(iter(learned))]
                await self._notes.set(_NOTE, json.dumps(learned))

    async def number(self, account_: str) -> str:
        """The phone number, empty where it is hidden. Raises StorageError."""
        if account_.endswith(NUMBERS):
            return plain(account_)
        return (await self._pairs()).get(plain(account_), "")

    async def id(self, account_: str) -> str:
        """Who it is, in the words of the settings. Raises StorageError."""
        return await self.number(account_) or f"{plain(account_)}{HIDDEN}"

    async def chat(self, account_: str) -> str:
        """What a chat with somebody is called. Raises StorageError."""
        if account_.endswith(GROUPS):
            return account_
        return account(await self.id(account_))

    async def names(self, *accounts: str) -> tuple[str, ...]:
        """All that a list may call somebody who was written so. Raises StorageError."""
        hidden = {plain(one) for one in accounts if one.endswith(HIDDEN)}
        numbers = [number for one in accounts if one and (number := await self.number(one))]
        for number in numbers[:1]:
            hidden |= {key for key, value in (await self._pairs()).items() if value == number}
        found = [name for one in numbers[:1] for name in (one, f"+{one}", f"{one}{NUMBERS}")]
        return (*found, *(name for one in sorted(hidden) for name in (f"{one}{HIDDEN}", one)))

    async def _pairs(self) -> dict[str, str]:
        told = {plain(hidden): plain(number.lstrip("+")) for hidden, number in self._told().items()}
        return told | await self._known()

    async def _known(self) -> dict[str, str]:
        if self._learned is None:
            stored = json.loads(await self._notes.get(_NOTE) or "{}")
            self._learned = {str(hidden): str(number) for hidden, number in stored.items()}
        return self._learned
