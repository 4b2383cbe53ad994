"""Going back in a conversation: edit, regenerate, fork, earlier versions, and messages taken back.

Nothing is ever taken out of a log: a message that takes the place of a turn names it (`_replaces`), and
what it took the place of can be opened as a conversation of its own.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.agent.turn import Inbound
from desktop.bus.events import ConversationChanged
from desktop.errors import UsageError
from desktop.session.copies import begun
from desktop.session.model import BEGINS, HIDDEN, Message, asks, marked, replayable
from desktop.session.title import title_of
from desktop.text import _

if TYPE_CHECKING:
    from desktop.agent.loop import Loop
    from desktop.bus.bus import Bus
    from desktop.session.log import Session
    from desktop.session.sessions import Sessions

_CARRIED = ("model", "provider", "reasoning", "folder", "folders", "given")
"""What a conversation that goes on from another one takes along."""


@dataclass(frozen=True, slots=True)
class Version:
    """What stood in the place of a turn before; `when` in ISO 8601."""

    turn: str
    text: str
    when: str


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A message that was taken back, to be written on."""

    text: str
    files: list[str]


class Revisions:
    """Acts on what was said before. Every method raises UsageError for a message that is not there, and
    StorageError."""

    def __init__(
        self, sessions: "Sessions", loop: "Loop", bus: "Bus", halt: Callable[[str], Awaitable[bool]]
    ) -> None:
        """`halt` ends what is under way in a conversation."""
        self._sessions, self._loop, self._bus, self._halt = sessions, loop, bus, halt

    async def edit(self, session: str, turn: str, text: str, files: Sequence[str] | None = None) -> str:
        """Have a message say this instead, with these paths to go along (None: those of before), in place
        of all that came after it; the turn that this begins."""
        opened, asked, messages = await self._found(session, turn)
        given = _files(asked) if files is None else tuple(files)
        made = await self._anew(opened.key, turn, text, given)
        if asked is next((m for m in messages if m.get("role") == "user" and replayable(m)), None):
            await self._begins_with(opened, title_of({"content": text}))
        return made

    async def _begins_with(self, session: "Session", words: str) -> None:
        """The conversation has other first words now."""
        await session.set_metadata(**{BEGINS: words})
        if not session.metadata.get("title"):
            self._bus.publish(ConversationChanged(session.key, title=words))

    async def regenerate(self, session: str, turn: str, *, model: str = "", provider: str = "") -> str:
        """Answer a turn anew, by another model where named; the turn that this begins."""
        opened, asked, _messages = await self._found(session, turn)
        return await self._anew(opened.key, turn, _text(asked), _files(asked), model, provider)

    async def _anew(
        self, key: str, turn: str, text: str, files: tuple[str, ...], model: str = "", provider: str = ""
    ) -> str:
        await self._halt(key)
        return await self._loop.submit(
            Inbound(key, text, "window", model=model, provider=provider, files=files, replaces=turn)
        )

    async def _found(self, key: str, turn: str) -> "tuple[Session, Message, list[Message]]":
        """The conversation, the message with which the turn begins, and all messages."""
        session = await self._sessions.open(key)
        messages = await session.everything()
        for message in reversed(messages):
            if asks(message, turn) and not message.get("_note"):
                return session, message, messages
        raise UsageError(_("This message is not in the conversation."))

    async def withdraw(self, session: str, turn: str) -> Withdrawn:
        """Take back a message that waits for the answer before it. Raises UsageError where it waits no
        more."""
        taken = await self._loop.withdraw(session, turn)
        if taken is None:
            raise UsageError(_("This message is already being answered."), _("Stop the answer instead."))
        return Withdrawn(taken.text, list(taken.files))

    async def fork(self, session: str, turn: str = "") -> str:
        """Begin a conversation with all that was said in another one up to the end of a turn (else all of
        it), as it was then; its key."""
        opened = await self._sessions.open(session)
        messages = await opened.everything()
        taken = _until(messages, turn) if turn else [m for m in messages if HIDDEN not in m]
        if not taken:
            raise UsageError(_("This message is not in the conversation."))
        known = {name: opened.metadata[name] for name in _CARRIED if name in opened.metadata}
        title = str(opened.metadata.get("title") or title_of(taken[0]) or opened.key)
        known["title"] = _("{title} (branch)").format(title=title)
        return (await begun(self._sessions, taken, {**known, "forked_from": opened.key})).key

    async def versions(self, session: str, turn: str) -> tuple[Version, ...]:
        """What stood where a turn stands before it was edited or regenerated, the newest first."""
        _session, asked, messages = await self._found(session, turn)
        found = []
        while earlier := asked.get("_replaces"):
            before = next((m for m in messages if asks(m, earlier)), None)
            if before is None:
                break
            asked = before
            found.append(Version(str(earlier), _text(asked), str(asked.get("timestamp") or "")))
        return tuple(found)


def _until(messages: Sequence[Message], turn: str) -> list[Message]:
    """What a conversation was at the end of a turn: without what was hidden then already, with what was
    hidden only later."""
    last = max((n for n, message in enumerate(messages) if message.get("_turn") == turn), default=-1)
    bare = [{name: value for name, value in m.items() if name != HIDDEN} for m in messages[: last + 1]]
    return [message for message in marked(bare) if HIDDEN not in message]


def _text(asked: Message) -> str:
    content = asked.get("content")
    return content if isinstance(content, str) else title_of(asked)


def _files(asked: Message) -> tuple[str, ...]:
    return tuple(str(path) for path in asked.get("_files") or ())
