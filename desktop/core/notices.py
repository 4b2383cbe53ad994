"""What becomes a notice, and what a button of a notification does.

Where the conversation of a notice has to be shown, the front end is told by an event.
"""

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from desktop.agent.subagents import PREFIX
from desktop.agent.turn import Turn
from desktop.api.reply import Reply
from desktop.bus.events import NoticeOpened
from desktop.core import subjects
from desktop.core.titles import Titles
from desktop.errors import StorageError
from desktop.inbox.inbox import ANSWER, ERROR, SUBAGENT, Notice
from desktop.memory.keeper import Keeper
from desktop.paths import temporary
from desktop.tasks import spawn
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

_EXCERPT = 300
"""Characters of an answer that a notice has."""


class Notices:
    """Acts on the inbox."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    # ---- what is done on the screen

    def acted(self, notice: str, action: str, text: str) -> None:
        """A button of a notification, or the notification itself, was chosen."""
        spawn(self._acted(notice, action, text), name=f"notice:{action}")

    async def _acted(self, id_: str, action: str, text: str) -> None:
        notice, inbox = await self._core.inbox.get(id_), subjects.notices(self._core)
        if action == "dismissed":
            return
        if notice is None:  # it stood for several
            self._core.bus.publish(NoticeOpened(id_))
            return
        if action == "done":
            await inbox.dismiss(id_)
        elif action == "snooze":
            await inbox.snooze(id_)
        elif action == "reply" and text.strip():
            await inbox.reply(id_, text)
        elif action in ("do", "skip"):
            await self._core.background.scheduler.answer(str(notice.body.get("run")), action == "do")
        elif action in ("approve", "deny"):
            reply = Reply(action == "approve", network=_asks_for_network(notice))
            await subjects.questions(self._core).answer(id_, reply)
        else:
            await inbox.open(id_)
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


def _asks_for_network(notice: Notice) -> bool:
    """Whether the call wants the network, which its card says where it can be answered on the screen."""
    try:
        given = json.loads(str(notice.body.get("arguments") or "{}"))
    except ValueError:
        return False
    return isinstance(given, dict) and given.get("network") is True
