"""Turns that are worth a notice when they end: answers for a person who looks elsewhere, and what subagents
found."""

from collections.abc import Callable
from contextlib import suppress

from desktop.agent.subagents import PREFIX
from desktop.agent.turn import Turn
from desktop.errors import StorageError
from desktop.inbox.inbox import ANSWER, ERROR, SUBAGENT, Inbox, Notice
from desktop.paths import temporary
from desktop.text import _

_EXCERPT = 300
"""Characters of an answer that a notice has."""


class TurnNotices:
    """Watches turns."""

    def __init__(self, inbox: Inbox, wanted: Callable[[], bool], away: Callable[[Notice], bool]) -> None:
        """`wanted`: whether the person wants to be told of answers; `away`: whether what a notice tells is
        not before their eyes."""
        self._inbox, self._wanted, self._away = inbox, wanted, away

    async def begun(self, turn: Turn) -> None:
        """Worth none."""

    async def ended(self, turn: Turn) -> None:
        """A turn is over: one that told the result of a subagent is worth a notice, and an answer to the
        person who looks elsewhere. Raises StorageError."""
        inbound = turn.inbound
        if inbound.front == "window" and not inbound.source and turn.outcome in ("done", "failed"):
            await self._ready(turn)
        if inbound.source.startswith(PREFIX) and not inbound.cause and turn.outcome == "done":
            body = {"text": turn.answer.strip()}
            await self._inbox.add(
                Notice(f"result:{turn.id}", SUBAGENT, turn.key, turn.id, inbound.label, body)
            )

    async def _ready(self, turn: Turn) -> None:
        """Tell that an answer is there, or that there is none, unless the window is in front."""
        if temporary(turn.key) or not self._wanted():
            return
        done = turn.outcome == "done"
        title = _("Your answer is ready") if done else _("Your question could not be answered")
        body = {"text": turn.answer.strip()[:_EXCERPT]}
        notice = Notice(f"answer:{turn.id}", ANSWER, turn.key, turn.id, title, body)
        if self._away(notice):
            await self._inbox.seen(turn.key)
            await self._inbox.add(notice)


async def files_are_unknown(inbox: Inbox) -> None:
    """Say once that it is not known whose words the files are, where state.db is new and the
    conversations are not."""
    text = _(
        "Your files have no known origin. They count as unknown until you confirm that they are yours."
    )
    with suppress(StorageError):  # a disk that is full has other sentences
        await inbox.add(Notice("marks:new", ERROR, "", "", text, {"text": text}))
