"""The inbox: what waits for the person, stored before it is shown.

Toasts, badges and panels are views of these rows; nothing is lost when none of them is there to show it.
"""

import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop.bus.bus import Bus
from desktop.bus.events import InboxChanged
from desktop.database.database import Database
from desktop.inbox.groups import GROUP
from desktop.inbox.words import anew
from desktop.paths import temporary

APPROVAL, REMINDER, HEARTBEAT, SUBAGENT, ERROR = "approval", "reminder", "heartbeat", "subagent", "error"
WAITING = "waiting"
"""Something that came switched off and is off until the person says yes to it."""
ANSWER = "answer"
"""An answer that came while the person was looking elsewhere."""
UPDATE = "update"
"""A newer version of the program."""
OPEN, DONE = "open", "done"
SEEN = "seen"
"""The answer of a notice that the person has looked at, or has said to be done with."""

_COLUMNS = "id, at, kind, session, turn, title, body, state, answer, settled, due, shown"
_WAITS, _BEING_HANDED, _SHOWN = 0, 1, 2
# What a person would call the text of a notice; the rest of a body is for the program.
_WORDS_OF_BODY = (
    "EXISTS (SELECT 1 FROM json_tree(inbox.body) AS part WHERE part.type = 'text' "
    "AND part.atom LIKE ? ESCAPE '\\' "
    "AND coalesce(part.key, '') NOT IN ('digest', 'files', 'call', 'arguments', 'tool'))"
)


@dataclass(frozen=True, slots=True)
class Notice:
    """One entry. `at`, `settled` and `due`: Unix time in seconds.

    `body`: that of an approval has its `card`, those of the others a `text` and perhaps a `remedy`.
    """

    id: str
    kind: str
    session: str
    turn: str
    title: str
    body: Mapping[str, Any] = field(default_factory=dict)
    at: float = field(default_factory=time.time)
    state: str = OPEN
    answer: str = ""
    settled: float | None = None
    due: float = 0
    """It is not shown before."""
    shown: int = 0
    """0 not yet; 1 it is being handed to the screen, or was when the program ended; 2 yes."""

    def as_json(self) -> dict[str, Any]:
        """All of it in JSON types."""
        return {name: getattr(self, name) for name in self.__slots__} | {"body": dict(self.body)}


# Inbox.list hides the built-in name where these are needed.
type Notices = list[Notice]
type Strings = list[str]
type Values = list[object]


class Inbox:
    """The rows of state.db and the bells that ring when they change.

    Every method raises StorageError.
    """

    def __init__(self, database: Database, bus: Bus) -> None:
        self._database, self._bus = database, bus
        self.rung: Callable[[], None] | None = None
        """Called after every change: who shows notices must miss none, and the bus may drop events."""
        self._fleeting: dict[str, Notice] = {}
        """Of temporary conversations: in memory while they are open, never on the screen outside the
        window."""

    async def add(self, notice: Notice) -> bool:
        """Store a notice; False where one of this id is there already."""
        if temporary(notice.session):
            known = self._fleeting.setdefault(notice.id, notice)
            return await self._changed(known is notice)
        added = await self._database.write(
            f"INSERT OR IGNORE INTO inbox ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            (
                notice.id,
                notice.at,
                notice.kind,
                notice.session,
                notice.turn,
                notice.title,
                json.dumps(dict(notice.body), ensure_ascii=False),
                notice.state,
                notice.answer,
                notice.settled,
                notice.due,
                notice.shown,
            ),
        )
        return await self._changed(added)

    async def settle(self, id_: str, answer: str) -> bool:
        """Close an open notice with an answer, once; False if it was not open."""
        if self._fleeting.pop(id_, None):
            return await self._changed(1)
        settled = await self._database.write(
            "UPDATE inbox SET state = ?, answer = ?, settled = ? WHERE id = ? AND state = ?",
            (DONE, answer, time.time(), id_, OPEN),
        )
        return await self._changed(settled)

    async def close_forms(self) -> None:
        """Close what is to be filled in for a call: the program has begun anew, and none waits for it."""
        closed = await self._database.write(
            "UPDATE inbox SET state = ?, answer = 'withdrawn', settled = ? WHERE state = ? AND kind = ? "
            "AND json_type(body, '$.card.form') = 'object'",
            (DONE, time.time(), OPEN, APPROVAL),
        )
        await self._changed(closed)

    async def snooze(self, id_: str, until: float) -> bool:
        """Show an open notice anew, not before this Unix time; False if it is not open."""
        snoozed = await self._database.write(
            "UPDATE inbox SET due = ?, shown = ? WHERE id = ? AND state = ?", (until, _WAITS, id_, OPEN)
        )
        return await self._changed(snoozed)

    async def get(self, id_: str) -> Notice | None:
        """One notice."""
        if id_ in self._fleeting:
            return self._fleeting[id_]
        rows = await self._database.read(f"SELECT {_COLUMNS} FROM inbox WHERE id = ?", (id_,))  # noqa: S608
        return _notice(rows[0]) if rows else None

    async def list(
        self,
        *,
        all_: bool = False,
        kind: str = "",
        session: str = "",
        words: str = "",
        before: float | None = None,
        limit: int = 200,
    ) -> list[Notice]:
        """The open ones, or all; the newest first.

        `words`: each of them in its title or its text, in any case; `before`: only those older than this
        Unix time, for the next page.
        """
        conditions: Strings = ["(state = ? OR ?)"]
        values: Values = [OPEN, all_]
        if kind:
            conditions.append("kind = ?")
            values.append(kind)
        if session:
            conditions.append("session = ?")
            values.append(session)
        for word in words.split():
            conditions.append(f"(title LIKE ? ESCAPE '\\' OR {_WORDS_OF_BODY})")
            values += [_containing(word)] * 2
        if before is not None:
            conditions.append("at < ?")
            values.append(before)
        rows = await self._database.read(
            f"SELECT {_COLUMNS} FROM inbox WHERE {' AND '.join(conditions)} "  # noqa: S608
            "ORDER BY at DESC, rowid DESC LIMIT ?",
            (*values, limit),
        )
        here = [one for one in self._fleeting.values() if kind in ("", one.kind)] if before is None else []
        return [*(one for one in reversed(here) if _has(one, words)), *map(_notice, rows)]

    async def seen(self, session: str) -> None:
        """The person looks at a conversation: that an answer is ready there needs no telling any more."""
        settled = await self._database.write(
            "UPDATE inbox SET state = ?, answer = ?, settled = ? "
            "WHERE session = ? AND kind = ? AND state = ?",
            (DONE, SEEN, time.time(), session, ANSWER, OPEN),
        )
        await self._changed(settled)

    async def forget(self, session: str) -> None:
        """Close what a temporary conversation has left open."""
        gone = [id_ for id_, one in self._fleeting.items() if one.session == session]
        for id_ in gone:
            del self._fleeting[id_]
        await self._changed(len(gone))

    async def count(self) -> int:
        """How many are open; what is decided on as one counts once."""
        rows = await self._database.read(
            f"SELECT count(DISTINCT {GROUP}) FROM inbox WHERE state = ?",  # noqa: S608
            (OPEN,),
        )
        return int(rows[0][0]) + len(self._fleeting)

    # ---- for who shows them

    async def unshown(self, now: float) -> Notices:
        """The open ones that are due and were not shown since, the oldest first."""
        rows = await self._database.read(
            f"SELECT {_COLUMNS} FROM inbox WHERE state = 'open' AND shown < 2 AND due <= ? "  # noqa: S608
            "ORDER BY max(at, due), rowid",
            (now,),
        )
        return [_notice(row) for row in rows]

    async def next_due(self, now: float) -> float | None:
        """When the next one is due after this Unix time; None where none waits for its time."""
        rows = await self._database.read(
            "SELECT min(due) FROM inbox WHERE state = 'open' AND shown < 2 AND due > ?", (now,)
        )
        return None if rows[0][0] is None else float(rows[0][0])

    async def handing(self, id_: str) -> bool:
        """It is about to be handed to the screen; False where it is not to be shown any more."""
        return bool(
            await self._database.write(
                "UPDATE inbox SET shown = ?, handed = handed + 1 WHERE id = ? AND state = ? AND shown < ?",
                (_BEING_HANDED, id_, OPEN, _SHOWN),
            )
        )

    async def handed(self, id_: str) -> None:
        """The screen has it. One that was snoozed since `handing` stays to be shown again."""
        await self._database.write(
            "UPDATE inbox SET shown = ? WHERE id = ? AND shown = ?", (_SHOWN, id_, _BEING_HANDED)
        )

    async def pass_over(self, notice: Notice) -> None:
        """It need not be shown: the person does not want its kind on the screen, or has it in front."""
        await self._database.write(
            "UPDATE inbox SET shown = ? WHERE id = ? AND shown < ? AND due = ?",
            (_SHOWN, notice.id, _SHOWN, notice.due),
        )

    async def on_screen(self, ids: Collection[str]) -> set[str]:
        """Those of these that were shown, and that the person has neither settled nor snoozed since."""
        rows = await self._database.read(
            "SELECT id FROM inbox WHERE state = 'open' AND shown > 0 "
            "AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
        return {row[0] for row in rows}

    async def _changed(self, rows: int) -> bool:
        if rows:
            self._bus.publish(InboxChanged(await self.count()))
            if self.rung is not None:
                self.rung()
        return bool(rows)


def _has(notice: Notice, words: str) -> bool:
    return all(word.casefold() in notice.title.casefold() for word in words.split())


def _containing(word: str) -> str:
    for sign in "\\%_":
        word = word.replace(sign, f"\\{sign}")
    return f"%{word}%"


def _notice(row: tuple[Any, ...]) -> Notice:
    id_, at, kind, session, turn, title, body, state, answer, settled, due, shown = row
    title, body = anew(title, json.loads(body))
    return Notice(id_, kind, session, turn, title, body, at, state, answer, settled, due, shown)
