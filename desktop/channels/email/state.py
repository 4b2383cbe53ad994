"""What is kept of a mailbox from one start to the next: how far it was read, what threads are about, and
how many answers each got today."""

import json
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from desktop.channels.email.letter import Letter, bare, thread_of
from desktop.channels.email.mailbox import Place
from desktop.channels.email.outgoing import Thread
from desktop.channels.notes import Notes

MOST_A_DAY = 24
"""Answers in one thread: two programs that answer each other end here."""
_MOST_REFERENCES = 20
_BACK_S = 20 * 86_400.0
"""How far back mail is looked for again: what was answered is known for longer (channels.seen)."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a mailbox was read."""

    account: str
    validity: int
    next: int
    began: float
    """Unix time in seconds when it was first looked at: older mail is not the agent's."""
    since: float = 0.0
    """Only mail that came after it, where the numbers are others than those that were read; 0 else."""


@dataclass(slots=True)
class _Day:
    day: str = ""
    threads: dict[str, int] = field(default_factory=dict)


class State:
    """In the notes of the channel. Every method raises StorageError."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def begin(self, account: str, place: Place, now: float) -> Mark:
        """Where to go on. A mailbox that was never looked at begins with the next mail."""
        kept = _json(await self._notes.get("mark"))
        if kept.get("account") != account:
            mark = Mark(account, place.validity, place.next, float(int(now)))  # mail has whole seconds
        else:
            at = float(kept["began"]), float(kept.get("since", 0))
            mark = Mark(account, int(kept["validity"]), int(kept["next"]), *at)
            if mark.validity != place.validity:
                since = max(mark.began, now - _BACK_S)
                mark = replace(mark, validity=place.validity, next=1, since=since)
        await self.keep(mark)
        return mark

    async def caught_up(self, mark: Mark, place: Place) -> Mark:
        """All mail was seen that was there when the mailbox was opened: from here on the numbers say
        enough."""
        mark = replace(mark, next=max(mark.next, place.next), since=0.0)
        await self.keep(mark)
        return mark

    async def keep(self, mark: Mark) -> None:
        """This far it was read."""
        await self._notes.set("mark", json.dumps(asdict(mark)))

    async def thread(self, name: str) -> Thread:
        """What an answer in a thread continues."""
        kept = _json(await self._notes.get(f"thread:{name}"))
        return Thread(str(kept.get("subject", "")), tuple(kept.get("references", ())))

    async def came(self, letter: Letter, id_: str) -> str:
        """A mail belongs to a thread; its short name, empty for the one that the agent began by itself."""
        name = thread_of(letter.root or id_)
        if letter.references and _json(await self._notes.get(f"begun:{name}")):
            name = ""
        references = (*letter.references, letter.id) if letter.id else letter.references
        kept = {"subject": bare(letter.subject), "references": _short(references)}
        await self._notes.set(f"thread:{letter.sender}:{name}", json.dumps(kept))
        return name

    async def went(self, to: str, thread: str, subject: str, references: tuple[str, ...], id_: str) -> None:
        """The agent wrote a mail; an answer to one that it wrote by itself finds its conversation."""
        if not references:
            await self._notes.set(f"begun:{thread_of(id_)}", json.dumps({"by": "agent"}))
        kept = {"subject": bare(subject), "references": _short((*references, id_))}
        await self._notes.set(f"thread:{to}:{thread}", json.dumps(kept))

    async def may_answer(self, thread: str) -> bool:
        """Whether a thread may have one more answer today."""
        return (await self._today()).threads.get(thread, 0) < MOST_A_DAY

    async def answers(self, thread: str) -> None:
        """Count one more."""
        day = await self._today()
        day.threads[thread] = day.threads.get(thread, 0) + 1
        await self._notes.set("answers", json.dumps(asdict(day)))

    async def _today(self) -> _Day:
        kept = _json(await self._notes.get("answers"))
        today = datetime.now().astimezone().date().isoformat()
        return _Day(today, dict(kept.get("threads", {})) if kept.get("day") == today else {})


def _short(references: tuple[str, ...]) -> list[str]:
    return [*references[:1], *references[1:][-_MOST_REFERENCES:]]


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
