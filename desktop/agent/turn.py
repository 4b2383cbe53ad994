"""One message of the person on its way to an answer: what came in, what came of it so far."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from desktop.agent.view import View
from desktop.origin import TRUSTED, Mark, unknown
from desktop.providers.base import Message, Request
from desktop.providers.ready import ModelWanted, Ready
from desktop.session.log import Session
from desktop.tools.base import Saying


@dataclass(frozen=True, slots=True)
class ParkedAnswer:
    """A call that the person allowed after its turn had ended."""

    question: str
    tool: str
    arguments: str
    digest: str
    """What the card showed; another digest now, and it is asked anew."""
    network: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    """The files that the digest covers, and what stood in them, hashed."""


UNATTENDED = ("job", "heartbeat")
"""Fronts of turns that nobody waits for, and what the ledger calls their calls."""


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message, and where its answer will be read."""

    session: str
    text: str
    front: str = "terminal"
    model: str = ""
    """Another model for this turn alone; empty for the configured one."""
    provider: str = ""
    """Who has it; empty for whoever is known for it."""
    replaces: str = ""
    """The turn whose place this one takes: it was asked otherwise, or is to be answered anew."""
    approve: str = "ask"
    """ask: the person, and wait; never: park each question at once; all: yes to each of this turn."""
    files: tuple[str, ...] = ()
    """Paths that the person gave along."""
    pictures: tuple[str, ...] = ()
    """Those of them that a model which sees is shown."""
    late: ParkedAnswer | None = None
    note: bool = False
    """The program's own words (an answer to a parked question), not the person's."""
    source: str = ""
    """The session whose agent wrote this: a task for a subagent, or the result of one."""
    label: str = ""
    """What the subagent is called."""
    parent: str = ""
    """The conversation that a subagent works for: its questions are asked there."""
    about: str = ""
    """What the model is told beside the text."""
    cause: str = ""
    """Of UNATTENDED, where it was not the person that began this; also for subagents of such a turn."""
    mark: Mark = TRUSTED
    """Whose words it is, or were in view where it was written."""
    addresses: frozenset[str] = frozenset()
    """Addresses that were given where it was written."""
    sender: str = ""
    """Who wrote it, where that was not the person: a name as a chat app shows it."""
    chat: str = ""
    """The key of the chat that it came from, where its conversation is that of several chats."""

    @property
    def alone(self) -> bool:
        """Whether it cannot join a turn that runs."""
        return bool(self.model or self.provider or self.late or self.replaces)

    def record(self) -> Message:
        """The message for the log, with our marks."""
        record: Message = {"role": "user", "content": self.text}
        marks = {
            "_note": self.note,
            "_files": list(self.files),
            "_images": list(self.pictures),
            "_from": self.source,
            "_replaces": self.replaces,
            "_label": self.label,
            "_addresses": sorted(self.addresses),
            "_sender": self.sender,
            "_chat": self.chat,
        }
        mark = self.mark
        if self.pictures:  # what is seen in them may be anybody's words
            mark |= unknown(*(Path(picture).name for picture in self.pictures))
        return record | {name: value for name, value in marks.items() if value} | mark.as_fields()


class Models(Protocol):
    """Finds the model for a turn, starting what it needs."""

    def places(self, model: str, provider: str) -> tuple[str, int]:
        """The provider that would answer, and how many turns it takes at once. Never raises."""

    async def ready(self, wanted: ModelWanted) -> Ready:
        """Raises AppError if there is none."""


class Slot:
    """A turn's right to work beside others; lent to them while the turn only waits for the person."""

    def __init__(self, slots: asyncio.Semaphore) -> None:
        self._slots, self._held, self._waiting = slots, False, 0

    async def take(self) -> None:
        """Wait for a place."""
        await self._slots.acquire()
        self._held = True

    def give(self) -> None:
        """Let another turn work; nothing if this one has no place."""
        if self._held:
            self._held = False
            self._slots.release()

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[None]:
        """Give the place away until the block ends; who is cancelled in it needs none any more."""
        self._waiting += 1
        self.give()
        try:
            yield
        except BaseException:
            self._waiting -= 1
            raise
        self._waiting -= 1
        if not self._waiting:
            await self.take()


@dataclass(slots=True)
class Turn:
    """A turn that runs."""

    id: str
    session: Session
    inbound: Inbound
    slot: Slot
    waiting: Callable[[], list["Joined"]] = list
    """Takes the messages that came meanwhile; each is on disk."""
    joined: list[str] = field(default_factory=list)
    """Turns that go on as this one, and end with it."""
    text: list[str] = field(default_factory=list)
    """Said since the last tool call."""
    reasoning: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    asked: float = 0.0
    """When the model was asked last (monotonic)."""
    prompt: str = ""
    """The system prompt, which stays as it is for the whole turn."""
    earlier: list[Message] = field(default_factory=list)
    """Notes on what is no longer sent of the conversation, as a message before the others."""
    estimate: int = 0
    """About how many tokens the last request had, before anything is known of the model."""
    request: Request | None = None
    """The call to a model that is under way, for the ledger."""
    view: View = field(default_factory=View)
    """What is sent to the model, and what came in since."""
    said: list[Saying] = field(default_factory=list)
    """What the message tool is putting into this conversation in this round."""
    spoke: bool = False
    """It put something there in the last round: no second answer is wanted."""
    read: set[Path] = field(default_factory=set)
    """The files that it read."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Variables that the skills which it loaded need, and whose skill's each is."""
    closed: bool = False
    """Its end is in the log, or could not be written there."""
    outcome: str = ""
    """done, failed or stopped, once it is closed."""
    answer: str = ""
    """What it came to: the answer, or why there is none."""

    @property
    def key(self) -> str:
        """The session's key."""
        return self.session.key

    @property
    def home(self) -> str:
        """The conversation where the person sees this turn: a subagent's is the one it works for."""
        return self.inbound.parent or self.session.key

    def record(self, **marks: object) -> Message:
        """The assistant's message as far as it came, with our own marks under underscored names."""
        message: Message = {"role": "assistant", "content": "".join(self.text), "_turn": self.id}
        if self.reasoning:
            message["reasoning_content"] = "".join(self.reasoning)
        return message | self.mark.fields_if_marked() | {f"_{name}": value for name, value in marks.items()}

    def next_step(self) -> None:
        """What was said so far is stored."""
        self.text.clear()
        self.reasoning.clear()

    @property
    def mark(self) -> Mark:
        """How far what the model writes now can be trusted."""
        return self.view.mark


@dataclass(frozen=True, slots=True)
class Joined:
    """A message that came while the turn was at work."""

    id: str
    inbound: Inbound
