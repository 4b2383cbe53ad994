"""Conversations: listed, read, named, pinned, archived, deleted and restored; and who works for one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.agent.loop import FLEETING
from desktop.bus.events import ConversationChanged
from desktop.config.document import write
from desktop.errors import UsageError, explain
from desktop.paths import temporary
from desktop.session.copies import begun
from desktop.session.export import Format, export
from desktop.session.model import HIDDEN, NAMED, Message, now
from desktop.session.pasted import kept
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.agent.loop import Loop
    from desktop.agent.subagents import Subagents
    from desktop.bus.bus import Bus
    from desktop.inbox.inbox import Inbox
    from desktop.session.log import Session
    from desktop.session.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Conversation:
    """One in the list."""

    key: str
    title: str
    updated: str
    """ISO 8601, seconds."""
    damaged: int
    """Lines that cannot be read."""
    pinned: bool
    archived: bool
    sender: str = ""
    """Who writes there, where it is a chat's."""


@dataclass(frozen=True, slots=True)
class Opened:
    """All of one conversation."""

    key: str
    messages: list[dict[str, Any]]
    """As the log has them."""
    turns: list[str]
    """Those being answered, the oldest first."""
    damaged: int


@dataclass(frozen=True, slots=True)
class Worker:
    """A subagent; `started` in Unix time."""

    id: str
    label: str
    task: str
    state: str
    started: float | None


class Conversations:
    """Acts on sessions. Every method raises StorageError; UsageError for what cannot be meant."""

    def __init__(
        self,
        sessions: "Sessions",
        loop: "Loop",
        subagents: "Subagents",
        inbox: "Inbox",
        bus: "Bus",
        halt: Callable[[str], Awaitable[bool]],
    ) -> None:
        """`halt` ends what is under way in a conversation."""
        self._sessions, self._loop, self._subagents = sessions, loop, subagents
        self._inbox, self._bus, self._halt = inbox, bus, halt

    async def list(self) -> tuple[Conversation, ...]:
        """All of them, the newest first."""
        return tuple(
            Conversation(
                info.key,
                info.title,
                info.updated.isoformat(timespec="seconds"),
                info.damaged,
                info.pinned,
                info.archived,
                info.sender,
            )
            for info in await self._sessions.list()
        )

    async def read(self, session: str) -> Opened:
        """One, whole."""
        opened = await self._sessions.open(session)
        messages, turns = await opened.everything(), self._loop.turns(opened.key)
        return Opened(opened.key, messages, turns, opened.damaged)

    async def rename(self, session: str, title: str) -> None:
        """Give one a title; an empty one is its first words again."""
        opened, title = await self._sessions.open(session), " ".join(title.split())
        await opened.set_metadata(title=title or None, **{NAMED: True})
        self._bus.publish(ConversationChanged(opened.key, title=title))

    async def pin(self, session: str, pinned: bool = True) -> None:
        """Keep one on top of the list, or no longer."""
        opened = await self._stored(session)
        await opened.set_metadata(pinned=pinned or None)
        self._bus.publish(ConversationChanged(opened.key, pinned=pinned))

    async def archive(self, session: str, archived: bool = True) -> None:
        """Put one aside until something is said in it, or bring it back."""
        opened = await self._stored(session)
        await opened.set_metadata(archived_at=now() if archived else None)
        self._bus.publish(ConversationChanged(opened.key, archived=archived))

    async def _stored(self, key: str) -> "Session":
        session = await self._sessions.open(key)
        if not await session.stored():
            raise UsageError(_("There is no conversation named {key}.").format(key=session.key))
        return session

    async def delete(self, session: str) -> None:
        """Stop what is under way in one, and put it away for 30 days."""
        await self._halt(session)
        await self._sessions.delete(session)
        await self._inbox.forget(session)
        await self._inbox.seen(session)

    async def restore(self, session: str) -> bool:
        """Bring a deleted one back; False if there is none."""
        return await self._sessions.restore(session)

    async def keep(self, session: str) -> str:
        """Make an ordinary conversation of a temporary one; its key."""
        if self._loop.turns(session):
            raise UsageError(_("An answer is still in progress. Save the conversation when it is done."))
        opened = await self._sessions.open(session)
        records = await opened.everything()
        if not (temporary(session) and records):
            raise UsageError(_("There is nothing to save in this conversation."))
        made = await begun(self._sessions, map(_ordinary, records), opened.metadata)
        await in_thread(kept, self._sessions.folder.parent, session)
        await self.delete(session)
        return made.key

    async def export(self, session: str, path: str, kind: Format = "markdown", *, title: str = "") -> None:
        """Write one to a file as a document called `title`: all of it or nothing. Raises AppError where
        the file cannot be written."""
        if not Path(path).is_absolute():
            raise UsageError(_("The conversation can’t be written there."))
        messages = await (await self._sessions.open(session)).everything()

        def store() -> None:
            write(Path(path), export(kind, session, title, messages).encode())

        try:
            await in_thread(store)
        except OSError as error:
            raise explain(error) from error

    async def subagents(self, session: str) -> tuple[Worker, ...]:
        """Those that work or wait for one."""
        return tuple(
            Worker(one.id, one.label, one.task, one.state, one.started)
            for one in self._subagents.of(session)
        )

    async def stop_subagent(self, id_: str) -> bool:
        """End one, which its conversation is told; False if it was at no work."""
        return await self._subagents.stop_one(id_)


def _ordinary(message: Message) -> Message:
    """A message of a temporary conversation as one of an ordinary one."""
    found = {name: value for name, value in message.items() if name != HIDDEN}
    if runtime := found.get("_runtime"):
        found["_runtime"] = str(runtime).replace(FLEETING, "").rstrip()
    return found
