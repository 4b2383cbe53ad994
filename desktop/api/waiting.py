"""What came switched off with a backup or an import, and waits for a yes."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from desktop.config.loosening import Loose
from desktop.config.permissions import Rule
from desktop.inbox.inbox import WAITING, Inbox
from desktop.text import _

_LONGEST = 2_000
"""Characters of a value that are shown."""


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

    def __init__(
        self,
        inbox: Inbox,
        answer: Callable[[str, bool], Awaitable[str]],
        answer_all: Callable[[Sequence[str], bool], Awaitable[None]],
    ) -> None:
        """`answer` puts one in force, or leaves it off; its name. `answer_all` does so with several."""
        self._inbox, self._answer, self._answer_all = inbox, answer, answer_all

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

    async def answer_all(self, ids: tuple[str, ...], yes: bool) -> None:
        """The same for several, in the order in which they can be put in force."""
        await self._answer_all(ids, yes)


def description(loose: Loose) -> str:
    """What a yes does, and the value, whole as far as a person reads."""
    from desktop.tools.permissions.rules import sentence
    from desktop.tools.permissions.visible import visible

    if loose.kind in ("job", "skill") or loose.value is True:
        return visible(_(loose.says))
    if loose.keys == ("permissions", "rules"):
        text = sentence(Rule.model_validate(loose.value))
    elif isinstance(loose.value, dict) and loose.value.get("command"):
        text = " ".join([str(loose.value["command"]), *map(str, loose.value.get("args") or ())])
        rest = {key: one for key, one in loose.value.items() if key not in ("command", "args")}
        text += f"\n{json.dumps(rest, ensure_ascii=False)}" if rest else ""
    else:
        value = loose.value
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return visible(f"{_(loose.says)}\n{text[:_LONGEST]}")
