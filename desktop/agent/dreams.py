"""What Dream works with: a model made ready, and the agent's own runner on a copy of the notes, with tools
that see nothing else.
"""

import asyncio
import logging
import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.agent.approvals import Approvals
from desktop.agent.asking import Asking
from desktop.agent.context import Context
from desktop.agent.executor import ToolExecutor
from desktop.agent.loop import Loop
from desktop.agent.runner import Runner
from desktop.agent.scope import Scope
from desktop.agent.turn import Inbound, Models, Slot, Turn
from desktop.bus.bus import Bus
from desktop.config.schema import Config
from desktop.files import Place
from desktop.inbox.inbox import Inbox
from desktop.marks import Marks
from desktop.memory.consolidator import Consolidator
from desktop.memory.files import NOTES, SKILLS
from desktop.memory.tokens import Meter
from desktop.origin import Mark
from desktop.paths import resource
from desktop.providers.base import Completion, Provider, Request
from desktop.providers.ready import ModelWanted, Ready
from desktop.session.model import text_tokens
from desktop.session.sessions import Sessions
from desktop.tasks import in_thread
from desktop.tools.audit import Audit
from desktop.tools.base import Arguments, Claim, Effect, Saying, Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.toolset import Toolset
from desktop.usage import UsageLedger

TOKENS = 120_000
"""What the edits of one batch may cost, questions and answers together."""
_PROMPT = (
    "You keep the notes of a personal assistant in order. You work alone in a folder with a copy of them: "
    "nobody reads what you write but in the files. Do just what the message says."
)
_log = logging.getLogger(__name__)


_CONVERSATIONS = 50
"""How many conversations are looked at for what is not summed up yet: the newest."""


async def cover(sessions: Sessions, loop: Loop, models: Models, memory: Consolidator) -> None:
    """Have the newest conversations summed up to their ends, but for those that are being answered. Raises
    AppError."""
    ready = None
    for info in (await sessions.list())[:_CONVERSATIONS]:
        session = await sessions.open(info.key)
        if loop.turns(info.key) or await session.count() <= session.covered:
            continue
        if ready is None:
            ready = await models.ready(ModelWanted("", "", "dream", ""))
        await memory.cover(session, ready)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the model of Dream works with."""

    config: Callable[[], Config]
    models: Models
    inbox: Inbox
    marks: Marks
    audit: Audit
    usage: UsageLedger
    meter: Meter
    home: Path


class DreamModel:
    """Makes the model of Dream ready."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, unattended: bool) -> tuple[Ready, "Editing"]:
        """For reading and for editing; `unattended`: within what such work may spend. Raises AppError."""
        chosen = self._parts.config().agents.defaults.dream.model_override
        ready = await self._parts.models.ready(ModelWanted(chosen, "", "dream", "", unattended=unattended))
        return ready, Editing(self._parts, ready)


@dataclass(slots=True)
class _Watch:
    """What the tools and the model of one piece of work have come to."""

    tokens: int = 0
    idle: bool = False
    """An edit changed nothing: there is no more to come."""
    refused: list[str] = field(default_factory=list)


class Editing:
    """Dream's Editor: the runner with three tools, on a folder."""

    def __init__(self, parts: Parts, ready: Ready) -> None:
        self._parts, self._ready = parts, ready

    async def __call__(self, task: str, folder: Path, writable: frozenset[str]) -> None:
        """Have the model work. Raises ProviderError, StorageError."""
        parts, bus, watch = self._parts, Bus(), _Watch()
        scope = Scope(Config, folder, parts.home)
        executor = ToolExecutor(
            scope, Approvals(scope, parts.inbox, bus, parts.marks), parts.audit, bus, _nowhere
        )
        asking = _Bounded(parts.usage, bus, watch)
        runner = Runner(asking, executor, _Brief(folder, ""), bus, meter=parts.meter)
        sessions = Sessions(folder / "sessions")
        session = await sessions.open("dream")
        slot = Slot(asyncio.Semaphore(1))
        turn = Turn(uuid.uuid4().hex[:12], session, Inbound("dream", task, "dream", approve="never"), slot)
        await session.append(turn.inbound.record() | {"_turn": turn.id})
        tools = await in_thread(_tools, folder, writable, watch)
        steps = parts.config().agents.defaults.dream.max_iterations
        await runner.run(turn, self._ready, Toolset(tools), steps)
        for line in watch.refused:
            _log.warning("refused of a Dream: %.300s", line)


class _Brief(Context):
    """What the model is told: its work alone."""

    async def system_prompt(self, *, small_model: bool = False, window: int = 65_536) -> str:
        """The same for every model."""
        return _PROMPT


class _Bounded(Asking):
    """Asks no more once enough was spent, or nothing more comes of it."""

    def __init__(self, usage: UsageLedger, bus: Bus, watch: _Watch) -> None:
        super().__init__(usage, bus, cause="memory")
        self._watch = watch

    async def call(
        self, turn: Turn, provider: Provider, request: Request, *, small_model: bool
    ) -> Completion:
        """As the model answers; an end of our own where it shall not be asked."""
        if self._watch.idle or self._watch.tokens > TOKENS:
            _log.info("no more is asked of a Dream after %d tokens", self._watch.tokens)
            return Completion("done")
        completion = await super().call(turn, provider, request, small_model=small_model)
        spent = completion.usage
        known = spent.input_tokens + spent.output_tokens if spent else 0
        self._watch.tokens += known or text_tokens(f"{request.messages}{completion.text}")
        return completion


class _Fenced(Tool[Any]):
    """A file tool that sees nothing but the copy of the notes and the skills that ship with the program."""

    def __init__(self, inner: Tool[Any], folder: Path, writable: frozenset[str], watch: _Watch) -> None:
        self.name, self.description, self.brief = inner.name, inner.description, inner.brief
        self.effect, self.arguments, self.capped = inner.effect, inner.arguments, inner.capped
        self._inner, self._watch = inner, watch
        self._writable = {_real(folder / name) for name in writable}
        self._readable = {_real(folder / name) for name in NOTES.values()} | self._writable
        self._shelf = _real(resource(SKILLS))

    def claim(self, args: Arguments, context: ToolContext) -> Claim:
        """As the tool's own, within the fence. Raises ToolFailure outside."""
        claim = self._inner.claim(args, context)
        for path in claim.writes:
            if _real(path) not in self._writable:
                self._refuse(f"write {claim.gist}")
        for path in claim.reads:
            if _real(path) not in self._readable and not _real(path).is_relative_to(self._shelf):
                self._refuse(f"read {claim.gist}")
        return claim

    def _refuse(self, what: str) -> None:
        self._watch.refused.append(what)
        raise ToolFailure("This file is none of your work. Change only the files that the task names.")

    async def run(self, args: Arguments, context: ToolContext) -> str | ToolResult:
        """Do it, and note where that changed nothing."""
        if self.effect is not Effect.WRITE:
            return await self._inner.run(args, context)
        path = _real(context.path(str(getattr(args, "path", ""))))
        before = await in_thread(_bytes, path)
        same = getattr(args, "old_text", None) == getattr(args, "new_text", "")
        try:
            done = await self._inner.run(args, context)
        except ToolFailure:
            self._watch.idle |= same
            raise
        self._watch.idle |= before == await in_thread(_bytes, path)
        return done


def _tools(folder: Path, writable: frozenset[str], watch: _Watch) -> dict[str, Tool[Any]]:
    from desktop.tools.files.edit import EditFile
    from desktop.tools.files.kept import Kept
    from desktop.tools.files.read import ReadFile
    from desktop.tools.files.write import WriteFile

    kept = Kept(folder / ".undo")
    tools: list[Tool[Any]] = [ReadFile(), EditFile(kept), WriteFile(kept)]
    return {tool.name: _Fenced(tool, folder, writable, watch) for tool in tools}


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _bytes(path: Path) -> bytes | None:
    try:
        return Place(path.parent).read(path.name)
    except OSError:
        return None


async def _nowhere(_saying: Saying, _source: str, _mark: Mark) -> None:
    raise ToolFailure("There is nobody to write to.")
