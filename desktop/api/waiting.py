"""What came switched off with a backup or an import, and waits for a yes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from desktop.inbox.inbox import WAITING, Inbox


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is off."""

    id: str
    kind: str
    name: str
    text: str
    """What a yes does."""
    remedy: str


class Waiting:
    """The list, and the answers."""

    def __init__(self, inbox: Inbox, answer: Callable[[str, bool], Awaitable[str]]) -> None:
        """`answer` puts one in force, or leaves it off; its name."""
        self._inbox, self._answer = inbox, answer

    async def list(self) -> tuple[Item, ...]:
        """What waits, the newest first. Raises StorageError."""
        return tuple(
            Item(
                notice.id,
                str(notice.body["loose"]["kind"]),
                notice.title,
                str(notice.body["text"]),
                str(notice.body["remedy"]),
            )
            for notice in await self._inbox.list(kind=WAITING, limit=10_000)
        )

    async def answer(self, id_: str, yes: bool) -> str:
        """A yes puts one in force, else it stays off and leaves the list; its name. Raises UsageError where
        it does not wait any more, or was changed since it was listed."""
        return await self._answer(id_, yes)
