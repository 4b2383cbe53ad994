"""The verbs that go back in a conversation: ask otherwise, answer anew, go on from there in another one.

Nothing is ever taken out of a log: a message that takes the place of a turn names it (`_replaces`), and
what it took the place of can be opened as a conversation of its own.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from desktop.agent.turn import Inbound
from desktop.bus.events import ConversationChanged
from desktop.core.conversations import begun
from desktop.core.verbs import Json, Send, Verb
from desktop.errors import UsageError
from desktop.session.log import Session
from desktop.session.model import BEGINS, HIDDEN, Message, asks, marked, replayable, title_of
from desktop.text import _

if TYPE_CHECKING:
    from desktop.core.core import Core

_CARRIED = ("model", "provider", "reasoning", "folder", "folders", "given")
"""What a conversation that goes on from another one takes along."""


class Revising:
    """Acts on what was said before."""

    def __init__(self, core: "Core") -> None:
        self._core = core

    def verbs(self) -> dict[str, Verb]:
        """All of them, by name."""
        return {
            "edit": self.edit,
            "regenerate": self.regenerate,
            "fork": self.fork,
            "versions": self.versions,
            "withdraw": self.withdraw,
        }

    async def edit(self, arguments: Json, _send: Send) -> Json:
        """Ask otherwise: `text` (and the paths of `files`, else those that went along) takes the place of
        `turn` and of all that came after. Raises UsageError, StorageError."""
        session, asked, messages = await self._found(arguments)
        given = arguments.get("files")
        files = _files(asked) if given is None else tuple(str(path) for path in given)
        text = str(arguments["text"])
        made = await self._anew(arguments, session, text, files)
        if asked is next((m for m in messages if m.get("role") == "user" and replayable(m)), None):
            await self._begins_with(session, title_of({"content": text}))
        return made

    async def _begins_with(self, session: Session, words: str) -> None:
        """The conversation has other first words now."""
        await session.set_metadata(**{BEGINS: words})
        if not session.metadata.get("title"):
            self._core.bus.publish(ConversationChanged(session.key, title=words))

    async def regenerate(self, arguments: Json, _send: Send) -> Json:
        """Answer `turn` anew, by another `model` of `provider` where named. Raises UsageError,
        StorageError."""
        session, asked, _messages = await self._found(arguments)
        return await self._anew(arguments, session, _text(asked), _files(asked))

    async def _anew(self, arguments: Json, session: Session, text: str, files: tuple[str, ...]) -> Json:
        await self._core.halt(session.key)
        inbound = Inbound(
            session=session.key,
            text=text,
            front=str(arguments.get("front") or "terminal"),
            model=str(arguments.get("model") or ""),
            provider=str(arguments.get("provider") or ""),
            files=files,
            replaces=str(arguments["turn"]),
        )
        turn = await self._core.loop.submit(inbound)
        return {"turn": turn, "text": text, "files": list(files)}

    async def _found(self, arguments: Json) -> tuple[Session, Message, list[Message]]:
        """The conversation, the message with which the turn begins, and all messages."""
        session = await self._core.sessions.open(str(arguments["session"]))
        turn = str(arguments["turn"])
        messages = await session.everything()
        for message in reversed(messages):
            if asks(message, turn) and not message.get("_note"):
                return session, message, messages
        raise UsageError(_("There is no such message in this conversation."))

    async def withdraw(self, arguments: Json, _send: Send) -> Json:
        """Take back a message that waits for the answer before it: the `text` and the `files` of `turn`.
        Raises UsageError where it waits no more, StorageError."""
        taken = await self._core.loop.withdraw(str(arguments["session"]), str(arguments["turn"]))
        if taken is None:
            raise UsageError(_("This message is being answered already."), _("Stop the answer instead."))
        return {"text": taken.text, "files": list(taken.files)}

    async def fork(self, arguments: Json, _send: Send) -> Json:
        """Begin a conversation with all that was said in another one up to the end of `turn` (else all of
        it), as it was then. Gives its key, `session`. Raises UsageError, StorageError."""
        session = await self._core.sessions.open(str(arguments["session"]))
        turn = str(arguments.get("turn") or "")
        messages = await session.everything()
        taken = _until(messages, turn) if turn else [m for m in messages if HIDDEN not in m]
        if not taken:
            raise UsageError(_("There is no such message in this conversation."))
        known = {name: session.metadata[name] for name in _CARRIED if name in session.metadata}
        title = str(session.metadata.get("title") or title_of(taken[0]) or session.key)
        known["title"] = _("{title} (from there on)").format(title=title)
        made = await begun(self._core, taken, {**known, "forked_from": session.key})
        return {"session": made.key}

    async def versions(self, arguments: Json, _send: Send) -> Json:
        """What stood where `turn` stands before it was asked otherwise or answered anew, the newest first:
        `turn`, `text` and `when` of each. Raises UsageError."""
        _session, asked, messages = await self._found(arguments)
        found = []
        while earlier := asked.get("_replaces"):
            before = next((m for m in messages if asks(m, earlier)), None)
            if before is None:
                break
            asked = before
            line = {"turn": str(earlier), "text": _text(asked), "when": str(asked.get("timestamp") or "")}
            found.append(line)
        return {"versions": found}


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
