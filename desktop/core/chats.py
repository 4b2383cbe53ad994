"""Between the chat apps and the agent: a message becomes a turn, what came of it goes to the chat."""

import hashlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.agent.commands import parse
from desktop.agent.loop import Loop
from desktop.agent.outward import Outward
from desktop.agent.turn import Inbound, Turn
from desktop.api.reply import Reply
from desktop.bus.bus import Bus
from desktop.bus.events import (
    ConversationChanged,
    PermissionAsked,
    PermissionSettled,
)
from desktop.channels.channels import Channels
from desktop.channels.channels import Parts as ChannelParts
from desktop.channels.message import Address, Button, Outgoing, Pressed, Received
from desktop.channels.outbox import Row
from desktop.channels.pairing import Request
from desktop.channels.receiver import Accepted, shown_name
from desktop.channels.registry import TITLES
from desktop.config.keychain import Keychain
from desktop.config.loosening import Loose
from desktop.config.schema import Config
from desktop.core.chat_commands import ChatCommands
from desktop.core.chat_progress import ChatProgress
from desktop.core.chat_words import about, question
from desktop.core.voices import Voices
from desktop.database.database import Database
from desktop.errors import AppError, UsageError
from desktop.inbox.inbox import APPROVAL, ERROR, WAITING, Inbox, Notice
from desktop.inbox.words import worded
from desktop.services.supervisor import Supervisor
from desktop.session.log import Session
from desktop.session.names import UNIFIED
from desktop.session.sessions import Sessions
from desktop.tasks import spawn
from desktop.text import _, mark

if TYPE_CHECKING:
    from desktop.api.questions import Questions

_OF_OTHERS = ("new", "stop", "help")
"""Commands that whoever may write may use."""
_LONGEST_CARD = 3000
_SAYS = mark("This sender may write to the agent over {channel}.")
_WANTS = mark("{name} wants to write")
_ASKS = mark(
    "{name} (ID {id}) wants to write to the agent over {channel}. They were given the code {code}."
)
_ONLY_IF = mark("Approve only if you know them and they tell you this code.")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Parts:
    """What it is made with."""

    config: Callable[[], Config]
    change: Callable[[Mapping[str, Any]], Awaitable[None]]
    keychain: Keychain
    database: Database
    sessions: Sessions
    loop: Loop
    inbox: Inbox
    bus: Bus
    questions: "Callable[[], Questions]"
    supervisor: Supervisor
    outward: Outward
    folder: Path
    """Where files go that come along."""
    own: Path
    """Where apps keep files of their own."""
    voices: Voices


def code_of(question: str) -> str:
    """The short code by which a question is answered in a chat without buttons."""
    return hashlib.sha256(question.encode()).hexdigest()[:4]


class Chats:
    """The channels, and the agent as they see it."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.channels = Channels(
            ChannelParts(
                lambda: parts.config().channels,
                parts.keychain,
                parts.database,
                parts.supervisor,
                parts.bus,
                self,
                self.pressed,
                self._undelivered,
                parts.folder,
                parts.own,
            )
        )
        self.outbox, self.live = self.channels.outbox, self.channels.live
        self._commands = ChatCommands(parts.loop)
        self._questions: Questions | None = None
        """One for all: it answers one question at a time."""
        self._taken_back: set[str] = set()
        """Turns whose messages are being taken back: their ends are no news for the chat."""

    async def start(self) -> None:
        """Take up what was left, and listen. Raises StorageError."""
        parts, bus = self._parts, self._parts.bus
        parts.outward.carry, parts.outward.reaches = self.carry, self._reaches
        parts.loop.watch(_Answers(self.ended))
        ChatProgress(self.live, self.channels.receipts, parts.config).follow(bus)
        bus.on(PermissionAsked, lambda event: spawn(self._ask(event), name="chats:ask"))
        bus.on(PermissionSettled, lambda event: spawn(self._settled(event), name="chats:settled"))
        for row in await self.outbox.owed():
            await self._make_good(row)
        await self.channels.start()

    async def stop(self) -> None:
        """Take all channels down."""
        await self._commands.stop()
        await self.channels.stop()

    # ---- what comes (channels.receiver.Agent)

    def conversation(self, received: Received, *, own: bool) -> str:
        """One for all private chats of the owner, where wanted; mail proves nobody, and stays out."""
        unified = self._parts.config().agents.defaults.unified_session
        proved = own and not (received.group or received.outside)
        return UNIFIED if unified and proved else received.where.session

    async def fresh(self, session: str) -> bool:
        """Whether nothing was said in a conversation yet."""
        return not await (await self._parts.sessions.open(session)).stored()

    async def begun(self, session: str, turn: str) -> bool:
        """Whether this turn's message is on disk."""
        return bool((await self._parts.sessions.open(session)).of_turn(turn))

    async def hear(self, files: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """What is said in those that are voices."""
        return await self._parts.voices.hear(files)

    async def take_back(self, session: str, turn: str) -> bool:
        """Take a message back that still waits for its turn."""
        self._taken_back.add(turn)
        try:
            return await self._parts.loop.withdraw(session, turn) is not None
        finally:
            self._taken_back.discard(turn)

    async def submit(self, message: Accepted) -> str:
        """Put it on disk and have it answered; what a command came to."""
        received, where = message.received, message.received.where
        command = parse(message.text)
        proved = message.own and not received.outside
        if command and not proved and command.word not in _OF_OTHERS:
            return _("Only the owner of this bot can use /{word}.").format(word=command.word)
        session = await self._parts.sessions.open(message.session)
        await self._belongs(session, received, own=proved and not received.group)
        inbound = Inbound(
            message.session,
            message.text,
            where.channel,
            files=message.files,
            about="" if proved else about(message),
            mark=message.mark,
            sender="" if message.own else shown_name(received),
            chat="" if message.session == where.session else where.session,
        )
        if command:
            return await self._commands.answer(session, inbound, message.turn)
        if channel := self.channels.get(where.channel):
            streaming = bool(getattr(self._parts.config().channels.of(where.channel), "streaming", True))
            self.live.begin(message.turn, channel, where, message.session, received.id, streaming=streaming)
        await self._parts.loop.submit(inbound, message.turn)
        return ""

    async def _belongs(self, session: Session, received: Received, *, own: bool) -> None:
        """Note the chat of a conversation, and who wrote last."""
        where = received.where
        place = {
            "channel": where.channel,
            "chat": where.chat,
            "thread": where.thread,
            "private": not received.group,
            "own": own,
            "name": shown_name(received),
        }
        if session.metadata.get("chat") != place:
            await session.set_metadata(chat=place)
            self._parts.bus.publish(ConversationChanged(session.key, sender=shown_name(received)))

    async def answer(self, code: str, yes: bool) -> str:
        """The owner answers the question of this code."""
        for notice in await self._parts.inbox.list(kind=APPROVAL):
            if code_of(notice.id) == code and await self.outbox.get(f"question:{notice.id}"):
                return await self._answer(notice.id, yes, "")
        return ""

    async def pressed(self, pressed: Pressed) -> str:
        """A button of a question: only the owner's counts."""
        settings = self._parts.config().channels.of(pressed.where.channel)
        if not settings.owner or pressed.sender != settings.owner:
            return _("Only the owner can answer this.")
        word, _colon, question = pressed.data.partition(":")
        if word not in ("yes", "no") or not question:
            return ""
        return await self._answer(question, word == "yes", pressed.where.channel)

    async def _answer(self, question: str, yes: bool, front: str) -> str:
        try:
            self._questions = self._questions or self._parts.questions()
            await self._questions.answer(question, Reply(yes, front=front or "window"))
        except UsageError as error:
            return error.text
        return _("Allowed.") if yes else _("Denied.")

    async def wants_in(self, request: Request) -> None:
        """Ask the owner about a stranger."""
        channel = _(TITLES[request.channel])
        keys = ("channels", request.channel, "allowFrom")
        loose = Loose("item", request.name, keys, request.sender, _(_SAYS).format(channel=channel))
        asks = {"name": request.name, "id": request.sender, "channel": channel, "code": request.code}
        body: dict[str, Any] = {
            "ask": True,
            "stranger": True,
            "loose": loose.as_json(),
            **worded(title=(_WANTS, asks, ""), text=(_ASKS, asks, ""), remedy=(_ONLY_IF, {}, "")),
        }
        await self._parts.inbox.add(Notice(_notice(request), WAITING, "", "", body["title"], body))

    async def has_answer(self, request: Request) -> None:
        """The owner need not be asked any more."""
        await self._parts.inbox.settle(_notice(request), "done")

    async def name_is(self, channel: str, alias: str, sender: str) -> None:
        """The name on the list is this sender's: the id goes in its place."""
        allowed = self._parts.config().channels.of(channel).allow_from
        ids = tuple(dict.fromkeys(sender if one == alias else one for one in allowed))
        await self._parts.change({f"channels.{channel}.allow_from": list(ids)})

    # ---- what goes (agent.loop.Watcher, agent.outward.Outward)

    async def ended(self, turn: Turn) -> None:
        """Its answer goes to the chat of its conversation. Raises StorageError."""
        await self.live.end(turn.id)
        await self.channels.receipts.ended(turn.id, done=turn.outcome == "done")
        where = _address(turn.inbound.chat) or _where(turn.session)
        if where is None:
            return
        key, message = f"answer:{turn.id}", None if turn.id in self._taken_back else _message(turn)
        if not await self.outbox.settle(key, message) and message and await self.outbox.get(key) is None:
            await self.outbox.put(key, where, turn.key, message)
        for joined in turn.joined:  # it answered these, too
            await self.outbox.settle(f"answer:{joined}", None)

    async def carry(self, name: str, session: str, text: str, files: tuple[str, ...], chat: str) -> None:
        """What the agent says by itself goes to the chat of its conversation. Raises StorageError."""
        where = _address(chat) or _where(await self._parts.sessions.open(session)) or _address(session)
        if where is not None:
            await self.outbox.put(name, where, session, Outgoing(text, files))

    def _reaches(self, session: str) -> bool:
        where = _address(session)
        return bool(where and self.channels.get(where.channel))

    async def _ask(self, event: PermissionAsked) -> None:
        """A question goes to the owner, and to nobody else."""
        session = await self._parts.sessions.open(event.session)
        place = session.metadata.get("chat")
        row = await self.outbox.get(f"answer:{event.turn}")
        where = row.where if row else _where(session)
        channel = self.channels.get(where.channel) if where else None
        if where is None or channel is None or not isinstance(place, dict):
            return
        if not channel.abilities.approves:
            return  # it is in the inbox
        owner = self._parts.config().channels.of(channel.name).owner
        if not owner:
            return
        try:
            target = where if place.get("own") else await channel.private(owner)
        except (AppError, OSError) as error:
            _log.info("a question could not be put to the owner: %s", error)
            return
        text = question(event.card)
        buttons: tuple[Button, ...] = ()
        if channel.abilities.buttons:
            buttons = (
                Button(_("Allow once"), f"yes:{event.question}"),
                Button(_("Deny"), f"no:{event.question}"),
            )
        else:
            code = code_of(event.question)
            text += "\n\n" + _("Reply “yes {code}” to allow it once, or “no {code}”.").format(code=code)
        await self.outbox.put(
            f"question:{event.question}", target, event.session, Outgoing(text, buttons=buttons)
        )

    async def _settled(self, event: PermissionSettled) -> None:
        """The question loses its buttons and says what came of it."""
        words = {"yes": _("Allowed"), "no": _("Denied"), "withdrawn": _("No longer needed")}
        row = await self.outbox.get(f"question:{event.question}")
        channel = self.channels.get(row.where.channel) if row else None
        if row and channel and channel.abilities.edit_every_s and event.answer in words:
            text = f"{row.message.text}\n\n**{words[event.answer]}**"
            await self.outbox.amend(row.key, Outgoing(text))

    async def _undelivered(self, row: Row, error: AppError) -> None:
        """What stays behind is in the inbox."""
        title = _("A message could not be sent over {channel}").format(channel=_(TITLES[row.where.channel]))
        text = f"{error.text}\n\n{row.message.text}".strip()
        body = {"again": True, "text": text, "remedy": error.remedy}
        await self._parts.inbox.add(Notice(f"undelivered:{row.key}", ERROR, row.session, "", title, body))

    async def _make_good(self, row: Row) -> None:
        """An answer was owed when the program ended: it is there, or there will be none."""
        turn = row.key.removeprefix("answer:")
        session = await self._parts.sessions.open(row.session)
        records = session.of_turn(turn)
        if not records:
            await self.outbox.drop(row.key)
            return
        last = records[-1]
        said = str(last.get("content") or "") if last.get("role") == "assistant" else ""
        if not said or last.get("tool_calls"):
            said = _("Nanobot was closed before it could answer this. Send it again if you still need it.")
        spoke = "_unsaid" in last
        await self.outbox.settle(row.key, None if spoke else Outgoing(said))


def _notice(request: Request) -> str:
    return f"w{request.code.lower()}"


class _Answers:
    """Watches turns for their ends."""

    def __init__(self, ended: Callable[[Turn], Awaitable[None]]) -> None:
        self._ended = ended

    async def begun(self, turn: Turn) -> None:
        """Nothing is said yet."""

    async def ended(self, turn: Turn) -> None:
        """Its answer goes to the chat. Raises StorageError."""
        await self._ended(turn)


def _message(turn: Turn) -> Outgoing | None:
    text = turn.answer.strip()
    if turn.outcome == "failed":
        return Outgoing(f"⚠️ {text}")
    if turn.outcome == "stopped":
        return Outgoing(f"{text}\n\n{_('Stopped.')}".strip())
    return Outgoing(text) if text and not turn.spoke else None


def _where(session: Session) -> Address | None:
    """The chat of a conversation; None where it has none."""
    place = session.metadata.get("chat")
    if not isinstance(place, dict) or place.get("channel") not in TITLES:
        return None
    return Address(str(place["channel"]), str(place.get("chat", "")), str(place.get("thread", "")))


def _address(session: str) -> Address | None:
    """The chat that a key names; None where it names none."""
    where = Address.of(session)
    return where if where.channel in TITLES and where.chat else None
