"""The verbs of the inbox, and what a button of a notification does.

Who acts on a notice closes it; where its conversation has to be shown, the front end is told by an event.
"""

import json
import time
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from desktop.agent.subagents import PREFIX
from desktop.agent.turn import Inbound, Turn
from desktop.bus.events import NoticeOpened
from desktop.core.permits import Permits
from desktop.core.titles import Titles
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import StorageError, UsageError
from desktop.inbox.inbox import ANSWER, APPROVAL, ERROR, SUBAGENT, WAITING, Notice
from desktop.memory.keeper import Keeper
from desktop.origin import mark_of
from desktop.paths import temporary
from desktop.tasks import spawn
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

SNOOZES = ("10m", "1h", "tomorrow")
_MORNING = 9
_EXCERPT = 300
"""Characters of an answer that a notice has."""


class Notices:
    """Acts on the inbox."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """Each under its name."""
        return {
            "inbox": self.inbox,
            "notice_done": self.done,
            "notice_open": self.open,
            "snooze": self.snooze,
            "reply": self.reply,
            "spent": self.spent,
            "seen": self.seen,
        }

    async def inbox(self, arguments: Json, _send: Send) -> Json:
        """What waits for the person, the newest first; with `all`, what is done too. `kind` and `words`
        choose; `before` (Unix time) and `limit` page. `open` is how many wait in all."""
        before = arguments.get("before")
        notices = await self._core.inbox.list(
            all_=bool(arguments.get("all")),
            kind=str(arguments.get("kind") or ""),
            words=str(arguments.get("words") or ""),
            before=float(before) if before is not None else None,
            limit=int(arguments.get("limit") or 200),
        )
        return {"notices": [notice.as_json() for notice in notices], "open": await self._core.inbox.count()}

    async def done(self, arguments: Json, _send: Send) -> Json:
        """Close one (`id`), or all but questions of permission (`all`)."""
        if not arguments.get("all"):
            return {"done": await self._close(await self._get(arguments))}
        listed = await self._core.inbox.list(limit=10_000)
        closed = [notice for notice in listed if notice.kind not in (APPROVAL, WAITING)]
        for notice in closed:
            await self._close(notice)
        return {"done": len(closed)}

    async def _close(self, notice: Notice) -> bool:
        """A missed job that asked and is put aside is left out; what waits for a yes has a no."""
        if notice.kind == WAITING:
            await self._core.waiting.answer_one(notice.id, yes=False)
            return True
        if notice.body.get("ask"):
            with suppress(UsageError):  # who runs the jobs is another program: there it stays asked
                return await self._core.background.scheduler.answer(str(notice.body.get("run")), False)
        return await self._core.inbox.settle(notice.id, "done")

    async def open(self, arguments: Json, _send: Send) -> Json:
        """The person looks at it: it is closed, but a question stays open. Gives where it leads."""
        notice = await self._get(arguments)
        if notice.kind not in (APPROVAL, WAITING):
            await self._core.inbox.settle(notice.id, "seen")
        return {"session": notice.session, "turn": notice.turn}

    async def snooze(self, arguments: Json, _send: Send) -> Json:
        """Have one come again later: `until` in Unix time, or `for` one of SNOOZES."""
        notice = await self._get(arguments)
        until = arguments.get("until")
        moment = float(until) if until is not None else later(str(arguments.get("for") or SNOOZES[0]))
        return {"until": moment, "snoozed": await self._core.inbox.snooze(notice.id, moment)}

    async def reply(self, arguments: Json, _send: Send) -> Json:
        """Answer in the conversation of a notice."""
        notice, text = await self._get(arguments), str(arguments["text"])
        session = notice.session or f"reminder:{notice.id}"
        turn = await self._core.loop.submit(
            Inbound(session, text, "window", about=_about(notice), mark=mark_of(notice.body))
        )
        await self._core.inbox.settle(notice.id, "replied")
        return {"turn": turn, "session": session}

    async def seen(self, arguments: Json, _send: Send) -> Json:
        """The person looks at a conversation (`session`): that an answer is ready there is known."""
        await self._core.inbox.seen(str(arguments["session"]))
        return {}

    async def spent(self, _arguments: Json, _send: Send) -> Json:
        """What today has cost: `usd` as far as that is known, `tokens`, and those that are `unpriced`."""
        return asdict(await self._core.usage.today())

    async def _get(self, arguments: Json) -> Notice:
        notice = await self._core.inbox.get(str(arguments["id"]))
        if notice is None:
            raise UsageError(_("There is no such notice."))
        return notice

    # ---- what is done on the screen

    def acted(self, notice: str, action: str, text: str) -> None:
        """A button of a notification, or the notification itself, was chosen."""
        spawn(self._acted(notice, action, text), name=f"notice:{action}")

    async def _acted(self, id_: str, action: str, text: str) -> None:
        given: Json = {"id": id_, "text": text}
        notice = await self._core.inbox.get(id_)
        if action == "dismissed":
            return
        if notice is None:  # it stood for several
            self._core.bus.publish(NoticeOpened(id_))
            return
        if action == "done":
            await self.done(given, _nobody)
        elif action == "snooze":
            await self.snooze(given, _nobody)
        elif action == "reply" and text.strip():
            await self.reply(given, _nobody)
        elif action in ("do", "skip"):
            await self._core.background.scheduler.answer(str(notice.body.get("run")), action == "do")
        elif action in ("approve", "deny"):
            answer = {"question": id_, "yes": action == "approve", "network": _asks_for_network(notice)}
            await Permits(self._core).permit(answer, _nobody)
        else:
            await self.open(given, _nobody)
            opened = NoticeOpened(id_, notice.session, notice.turn, action == "reply")
            self._core.bus.publish(opened)

    # ---- what becomes a notice

    async def files_are_unknown(self) -> None:
        """Say once that it is not known whose words the files are, where state.db is new and the
        conversations are not."""
        if self._core.database.knows_files or not await self._core.sessions.list():
            return
        text = _(
            "It is not known where your files came from: they count as unknown until you vouch for them."
        )
        with suppress(StorageError):  # a disk that is full has other sentences
            await self._core.inbox.add(Notice("marks:new", ERROR, "", "", text, {"text": text}))

    async def ended(self, turn: Turn) -> None:
        """A turn is over: one that told the result of a subagent is worth a notice, and an answer to the
        person who looks elsewhere. Raises StorageError."""
        inbound = turn.inbound
        if inbound.front == "window" and not inbound.source and turn.outcome in ("done", "failed"):
            await self._ready(turn)
        if inbound.source.startswith(PREFIX) and not inbound.cause and turn.outcome == "done":
            body = {"text": turn.answer.strip()}
            await self._core.inbox.add(
                Notice(f"result:{turn.id}", SUBAGENT, turn.key, turn.id, inbound.label, body)
            )

    async def _ready(self, turn: Turn) -> None:
        """Tell that an answer is there, or that there is none, unless the window is in front."""
        core = self._core
        if temporary(turn.key) or not core.store.config.notifications.answer:
            return
        done = turn.outcome == "done"
        title = _("Your answer is ready") if done else _("Your question has no answer")
        body = {"text": turn.answer.strip()[:_EXCERPT]}
        notice = Notice(f"answer:{turn.id}", ANSWER, turn.key, turn.id, title, body)
        if core.background.presenter.away(notice):
            await core.inbox.seen(turn.key)
            await core.inbox.add(notice)


class Watchers:
    """The loop's Watcher: who keeps versions of the memory, who puts results into the inbox, and who names
    conversations."""

    def __init__(self, keeper: Keeper, notices: Notices, titles: Titles) -> None:
        self._keeper, self._notices, self._titles = keeper, notices, titles

    async def begun(self, turn: Turn) -> None:
        """A turn has its place. Raises StorageError."""
        await self._keeper.begun(turn)

    async def ended(self, turn: Turn) -> None:
        """A turn is over. Raises StorageError."""
        await self._keeper.ended(turn)
        await self._notices.ended(turn)
        self._titles.ended(turn)


def later(how: str, now: float | None = None) -> float:
    """The moment that one of SNOOZES means, in Unix time. Raises UsageError."""
    now = time.time() if now is None else now
    if how == "10m":
        return now + 600
    if how == "1h":
        return now + 3600
    if how == "tomorrow":
        day = datetime.fromtimestamp(now).astimezone() + timedelta(days=1)
        return day.replace(hour=_MORNING, minute=0, second=0, microsecond=0).timestamp()
    raise UsageError(_("Snooze for one of these: {words}.").format(words=", ".join(SNOOZES)))


def _about(notice: Notice) -> str:
    """What the model is told of the notice that the person answers."""
    text = str(notice.body.get("text") or "")
    return f"[The person answers this notice: {notice.title!r}, {text[:2000]!r}]" if text else ""


def _asks_for_network(notice: Notice) -> bool:
    """Whether the call wants the network, which its card says where it can be answered on the screen."""
    try:
        given = json.loads(str(notice.body.get("arguments") or "{}"))
    except ValueError:
        return False
    return isinstance(given, dict) and given.get("network") is True


def _nobody(_line: Json) -> None:
    """A button tells of nothing on the way."""
