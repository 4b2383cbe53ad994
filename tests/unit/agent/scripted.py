"""A language model without a server: the Provider seam, played by a script."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.agent.context import Context
from desktop.agent.loop import Loop, Ready
from desktop.agent.runner import Runner
from desktop.bus.bus import Bus, Subscription
from desktop.bus.events import TurnEvent, TurnFailed, TurnFinished
from desktop.database import Database
from desktop.errors import AppError
from desktop.providers.base import Completion, Delta, Endpoint, Request
from desktop.session.log import Sessions
from desktop.usage import UsageLedger

type Step = Delta | Completion | Exception | asyncio.Event


class ScriptedModel:
    """Each call plays the next script: deltas and completions sent, errors raised, events waited for."""

    def __init__(self, *scripts: Sequence[Step]) -> None:
        self.scripts = list(scripts)
        self.requests: list[Request] = []
        self.running = self.most = 0
        self.asked = asyncio.Event()
        self.ended = asyncio.Event()

    async def stream(self, request: Request) -> AsyncGenerator[Delta | Completion]:
        self.requests.append(request)
        self.running += 1
        self.most = max(self.most, self.running)
        self.asked.set()
        try:
            for step in self.scripts.pop(0) if self.scripts else answer("ok"):
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        finally:
            self.running -= 1
            self.ended.set()

    async def ready(self, model: str, provider: str, session: str, turn: str) -> Ready:
        if model == "missing":
            self.ended.set()
            raise AppError("There is no such model.", "Choose another.")
        return Ready(self, Endpoint("acme", model or "m"), window=8192, max_tokens=1024, temperature=0.1)


def answer(*pieces: str, **options: Any) -> list[Step]:
    """Deltas and the completion of a whole answer."""
    return [*(Delta(piece) for piece in pieces), Completion("".join(pieces), **options)]


@dataclass
class Agent:
    """The agent's parts around a scripted model."""

    loop: Loop
    sessions: Sessions
    database: Database
    bus: Bus
    events: Subscription
    seen: list[TurnEvent] = field(default_factory=list)

    async def end_of(self, turn: str) -> TurnFinished | TurnFailed:
        """Wait until a turn is told to be over; what was told before is in `seen`."""
        return await self._until(
            lambda: next(
                (e for e in self.seen if e.turn == turn and isinstance(e, TurnFinished | TurnFailed)), None
            )
        )

    async def _until[T](self, found: Callable[[], T | None]) -> T:
        async with asyncio.timeout(10):
            while (value := found()) is None:
                event = await anext(self.events)
                if isinstance(event, TurnEvent):
                    self.seen.append(event)
        return value

    async def records(self, key: str) -> list[dict[str, Any]]:
        """All that is on disk of a conversation."""
        return await (await self.sessions.open(key)).everything()

    async def said(self, key: str) -> list[tuple[str, str]]:
        return [(m["role"], m["content"]) for m in await self.records(key)]


async def agent_at(folder: Path, model: ScriptedModel, bus: Bus, events: Subscription) -> Agent:
    """An agent in a folder; its database is to be closed."""
    database = Database(folder / "state.db")
    await database.open()
    sessions = Sessions(folder / "sessions")
    runner = Runner(UsageLedger(database, bus), bus)
    loop = Loop(sessions, Context(folder, "Rosa"), model, runner, bus, concurrent_turns=2)
    return Agent(loop, sessions, database, bus, events)
