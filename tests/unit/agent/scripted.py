"""A language model without a server: the Provider seam, played by a script."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.agent.approvals import Approvals
from desktop.agent.asking import Asking
from desktop.agent.context import Context
from desktop.agent.executor import ToolExecutor
from desktop.agent.loop import Loop
from desktop.agent.provenance import Provenance
from desktop.agent.runner import Runner
from desktop.agent.scope import Scope
from desktop.bus.bus import Bus, Subscription
from desktop.bus.events import Event, PermissionAsked, TurnEvent, TurnFailed, TurnFinished
from desktop.config.schema import Config
from desktop.database.database import Database
from desktop.errors import AppError
from desktop.inbox.inbox import Inbox
from desktop.marks import Marks
from desktop.memory.consolidator import Consolidator
from desktop.memory.history import History
from desktop.origin import Mark
from desktop.providers.base import Completion, Delta, Endpoint, Request, ToolCall
from desktop.providers.behaviour import Behaviour, WireRules
from desktop.providers.ready import ModelWanted, Ready
from desktop.session.sessions import Sessions
from desktop.tools.audit import Audit
from desktop.tools.base import Saying, Tool
from desktop.tools.toolset import Toolset
from desktop.usage import UsageLedger

type Step = Delta | Completion | Exception | asyncio.Event


class ScriptedModel:
    """Each call plays the next script: deltas and completions sent, errors raised, events waited for."""

    def __init__(self, *scripts: Sequence[Step]) -> None:
        self.scripts: Sequence[Sequence[Step]] = list(scripts)
        self.requests: list[Request] = []
        self.running = self.most = 0
        self.asked = asyncio.Event()
        self.ended = asyncio.Event()
        self.window, self.small_model = 8192, False
        self.rules = WireRules()

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        self.requests.append(request)
        self.running += 1
        self.most = max(self.most, self.running)
        self.asked.set()
        try:
            for step in self._next():
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        finally:
            self.running -= 1
            self.ended.set()

    async def busy(self, calls: int) -> None:
        """Wait until so many calls are under way."""
        async with asyncio.timeout(60):
            while self.running < calls:
                self.asked.clear()
                await self.asked.wait()

    def _next(self) -> Sequence[Step]:
        if not self.scripts:
            return answer("ok")
        first, *self.scripts = self.scripts
        return first

    def places(self, model: str, provider: str) -> tuple[str, int]:
        return provider or "acme", 1 if provider == "slow" else 64

    async def ready(self, wanted: ModelWanted) -> Ready:
        if wanted.model == "missing":
            self.ended.set()
            raise AppError("There is no such model.", "Choose another.")
        there = Endpoint("acme", wanted.model or "m", behaviour=Behaviour(rules=self.rules))
        return Ready(
            self, there, self.window, max_tokens=1024, temperature=0.1, small_model=self.small_model
        )


def answer(*pieces: str, **options: Any) -> list[Step]:
    """Deltas and the completion of a whole answer."""
    return [*(Delta(piece) for piece in pieces), Completion("".join(pieces), **options)]


def calls(*named: tuple[str, dict[str, Any] | str], text: str = "") -> list[Step]:
    """A step of the model that calls tools: each with its name and its arguments."""
    made = [
        ToolCall(f"c{number}", name, given if isinstance(given, str) else json.dumps(given))
        for number, (name, given) in enumerate(named)
    ]
    return [Completion(text, tool_calls=tuple(made), finish="tool_calls")]


@dataclass
class Bench:
    """The tools and settings of a test."""

    tools: dict[str, Tool[Any]] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    delivered: list[Saying] = field(default_factory=list)
    steps: int = 200

    async def toolset(self, *, small_model: bool) -> Toolset:
        return Toolset(self.tools, small_model)

    async def deliver(self, saying: Saying, _source: str, _mark: Mark) -> None:
        self.delivered.append(saying)

    def permit(self, **values: Any) -> None:
        """Change the page of permissions."""
        given = self.config.permissions.model_dump() | values
        self.config = Config.model_validate(self.config.model_dump() | {"permissions": given})


@dataclass
class Agent:
    """The agent's parts around a scripted model."""

    loop: Loop
    bench: Bench
    approvals: Approvals
    inbox: Inbox
    audit: Audit
    workspace: Path
    sessions: Sessions
    database: Database
    bus: Bus
    events: Subscription
    seen: list[TurnEvent] = field(default_factory=list)
    others: list[Event] = field(default_factory=list)
    memory: Consolidator | None = None
    idle: float = 0.0
    """After how many seconds of quiet a conversation is summed up."""

    async def end_of(self, turn: str) -> TurnFinished | TurnFailed:
        """Wait until a turn is told to be over; what was told before is in `seen`."""
        return await self.until(
            lambda: next(
                (e for e in self.seen if e.turn == turn and isinstance(e, TurnFinished | TurnFailed)), None
            )
        )

    async def asked(self, number: int = 1) -> PermissionAsked:
        """Wait for a question to the person."""

        def found() -> PermissionAsked | None:
            questions = [event for event in self.seen if isinstance(event, PermissionAsked)]
            return questions[number - 1] if len(questions) >= number else None

        return await self.until(found)

    async def until[T](self, found: Callable[[], T | None]) -> T:
        async with asyncio.timeout(60):
            while (value := found()) is None:
                event = await anext(self.events)
                if isinstance(event, TurnEvent):
                    self.seen.append(event)
                else:
                    self.others.append(event)
        return value

    async def records(self, key: str) -> list[dict[str, Any]]:
        """All that is on disk of a conversation."""
        return await (await self.sessions.open(key)).everything()

    async def said(self, key: str) -> list[tuple[str, str]]:
        return [(m["role"], m["content"]) for m in await self.records(key)]


async def agent_at(
    folder: Path, model: ScriptedModel, bus: Bus, events: Subscription, *, memory: bool = False
) -> Agent:
    """An agent in a folder, with a memory or without; its database is to be closed."""
    database = Database(folder / "state.db")
    await database.open()
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    history = History(workspace / "memory")
    recent = history.prompt if memory else lambda _tokens: ""
    sessions, context, bench = (
        Sessions(workspace / "sessions"),
        Context(workspace, "Rosa", None, recent),
        Bench(),
    )
    scope = Scope(lambda: bench.config, workspace, folder)
    inbox, audit = Inbox(database, bus), Audit(database)
    marks = Marks(database)
    approvals = Approvals(scope, inbox, bus, marks)
    executor = ToolExecutor(scope, approvals, audit, bus, bench.deliver, Provenance(scope, marks))
    usage = UsageLedger(database, bus)
    keeper = Consolidator(history, usage, bus, sessions.open, lambda: agent.idle) if memory else None
    runner = Runner(Asking(usage, bus), executor, context, bus, keeper)
    loop = Loop(sessions, context, model, bench, runner, bus, concurrent_turns=2, steps=lambda: bench.steps)
    agent = Agent(
        loop, bench, approvals, inbox, audit, workspace, sessions, database, bus, events, memory=keeper
    )
    return agent
