"""Asking: a message is put on disk and answered, and what happens meanwhile is told."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.agent.commands import COMMANDS, parse
from desktop.agent.turn import Inbound
from desktop.api.following import Step, next_turn_to_end, turn_to_end
from desktop.errors import UsageError
from desktop.tasks import in_thread
from desktop.text import _

if TYPE_CHECKING:
    from desktop.agent.loop import Loop
    from desktop.agent.subagents import Subagents
    from desktop.bus.bus import Bus
    from desktop.skills.loader import Skills

DIRECT = "cli:direct"
"""The conversation of the terminal where none is named."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A message that is on disk."""

    turn: str
    command: bool
    """It was for the program, and the reply is told already."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command as it is typed, "/model", with what may follow, and what it does."""

    name: str
    usage: str
    about: str


@dataclass(frozen=True, slots=True)
class NamedSkill:
    """A skill that a message can name."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Completions:
    """What can be typed at the beginning of a message."""

    commands: tuple[CommandLine, ...]
    skills: tuple[NamedSkill, ...]


class Turns:
    """Begins turns and ends them."""

    def __init__(
        self,
        loop: "Loop",
        subagents: "Subagents",
        bus: "Bus",
        halt: Callable[[str, str], Awaitable[bool]],
        skills: "Skills",
    ) -> None:
        """`halt` ends what is under way in a conversation, or one turn."""
        self._loop, self._subagents, self._bus = loop, subagents, bus
        self._halt, self._skills = halt, skills

    async def completions(self) -> Completions:
        """Commands, and the skills that can be used."""
        commands = (CommandLine(f"/{one.word}", one.usage, _(one.about)) for one in COMMANDS)
        skills = (skill for skill in await in_thread(self._skills.all) if skill.usable)
        return Completions(
            tuple(commands), tuple(NamedSkill(skill.name, skill.description) for skill in skills)
        )

    async def submit(
        self, session: str, text: str, *, files: Sequence[str] = (), front: str = "window"
    ) -> Submitted:
        """Put a message on disk and have it answered, with the paths of `files` to go along. Raises
        UsageError, StorageError."""
        turn = await self._loop.submit(Inbound(session, text, front, files=tuple(files)))
        return Submitted(turn, parse(text) is not None)

    async def ask(
        self,
        text: str,
        *,
        session: str = DIRECT,
        model: str = "",
        approve: str = "ask",
        files: Sequence[str] = (),
        front: str = "terminal",
    ) -> AsyncIterator[Step]:
        """The same, and all that happens until nothing is under way in that conversation; who closes this
        ends it. `approve`: ask, never or all. Raises UsageError, StorageError."""
        session = session or DIRECT
        inbound = Inbound(session, text, front, model=model, approve=approve, files=tuple(files))
        await self._subagents.recover(session)
        with self._bus.subscribe() as events:
            turn = await self._loop.submit(inbound)
            try:
                async for event in turn_to_end(events, turn):
                    yield event
                turn = ""  # results of subagents come, and are answered, too
                while self._subagents.of(session) or self._loop.turns(session):
                    async for event in next_turn_to_end(events, session):
                        yield event
            except BaseException:
                await self._halt(session, turn)
                raise

    async def again(self, session: str) -> str:
        """Answer the last message of a conversation, which has none or a failed one; the turn. Raises
        UsageError."""
        turn = await self._loop.again(session)
        if not turn:
            raise UsageError(_("There is no message to answer in this conversation."))
        return turn

    async def stop(self, session: str = DIRECT, turn: str = "") -> bool:
        """End all that is under way in a conversation, or one turn of it and what works for that; False if
        there was nothing."""
        return await self._halt(session or DIRECT, turn)
