"""A scheduler with everything real but the time, which the test moves."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from desktop.bus.bus import Bus
from desktop.cron.clock import Ring
from desktop.cron.job import Job
from desktop.cron.ledger import Ledger, Run
from desktop.cron.schedule import Spec
from desktop.cron.service import Done, Scheduler
from desktop.cron.store import Store
from desktop.database.database import Database
from desktop.inbox.inbox import Inbox, Notice


def unix(text: str, zone: str = "UTC") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


@dataclass
class Time:
    """The clock and the alarm of a test."""

    moment: float
    armed: float | None = None
    ring: Ring = lambda: None
    changed: Ring = lambda: None

    def now(self) -> float:
        return self.moment

    def start(self, ring: Ring, changed: Ring) -> None:
        self.ring, self.changed = ring, changed

    def set(self, moment: float | None) -> None:
        self.armed = moment

    def stop(self) -> None:
        self.armed = None


@dataclass
class Worker:
    """The runner: it notes what it was asked for, and says what the test wants."""

    time: Time
    runs: list[tuple[Job, Run, float]] = field(default_factory=list)
    say: Callable[[Job, Run], Done] = lambda _job, _run: Done("ok", "done", 100, 0.01)
    gate: asyncio.Event | None = None
    """Where there is one, a run waits for it."""
    known: set[str] = field(default_factory=set)
    """The runs whose message is on disk."""
    reminded: list[str] = field(default_factory=list)

    async def __call__(self, job: Job, run: Run) -> Done:
        self.runs.append((job, run, self.time.moment))
        self.known.add(run.id)
        if self.gate:
            await self.gate.wait()
        return self.say(job, run)

    async def remind(self, job: Job, run: Run) -> None:
        self.reminded.append(run.id)

    async def begun(self, job: Job, run: Run) -> bool:
        return run.id in self.known

    @property
    def planned(self) -> list[tuple[str, float]]:
        return [(job.name, run.planned) for job, run, _at in self.runs]


class Bed:
    """One process with a scheduler; `again()` is the next one on the same files."""

    def __init__(self, folder: Path, now: float, zone: str = "UTC", home: str = "home") -> None:
        self.folder, self.zone, self.home = folder, zone, home
        self.time = Time(now)
        self.worker = Worker(self.time)
        self._make()

    def _make(self) -> None:
        (self.folder / self.home).mkdir(exist_ok=True, parents=True)
        self.bus = Bus()
        self.database = Database(self.folder / self.home / "state.db")
        self.store = Store(self.folder / "workspace" / "cron", lambda: self.zone)
        self.ledger, self.inbox = Ledger(self.database), Inbox(self.database, self.bus)
        self.scheduler = Scheduler(
            self.store,
            self.ledger,
            self.inbox,
            self.bus,
            self.worker,
            lambda: self.zone,
            front="test",
            clock=self.time,
            alarm=lambda: self.time,
            wake=None,
        )

    async def start(self) -> None:
        await self.database.open()
        await self.scheduler.start()

    async def stop(self) -> None:
        await self.scheduler.stop()
        await self.database.close()

    async def again(self, *, after: float = 0.0) -> None:
        """The process ends; the next one begins so many seconds later."""
        await self.stop()
        self.time.moment += after
        self._make()
        await self.start()
        await self.scheduler.quiet()

    async def add(self, spec: Spec, name: str = "job", **fields: object) -> Job:
        job = await self.scheduler.add(Job("", name, spec, f"do {name}", **fields))  # type: ignore[arg-type]
        await self.scheduler.settled()
        return job

    async def sleep(self, seconds: float) -> None:
        """The machine sleeps so long: the alarm rings when it wakes up, if it was armed for a moment
        before that."""
        self.time.moment += seconds
        if self.time.armed is not None and self.time.armed <= self.time.moment:
            self.time.ring()
        await self.scheduler.quiet()

    async def until(self, end: float) -> None:
        """Time passes, awake: the alarm rings at its moment each time."""
        while self.time.armed is not None and self.time.armed <= end:
            self.time.moment = max(self.time.moment, self.time.armed)
            self.time.ring()
            await self.scheduler.quiet()
        self.time.moment = max(self.time.moment, end)

    async def notices(self, kind: str = "") -> list[Notice]:
        """The oldest first."""
        found = await self.inbox.list(all_=True, limit=100_000)
        return [notice for notice in reversed(found) if not kind or notice.kind == kind]

    async def rows(self, **fields: str) -> list[Run]:
        """The ledger, the oldest first."""
        return list(reversed(await self.ledger.list(limit=100_000, **fields)))  # type: ignore[arg-type]


async def soon(reached: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something that other tasks or the system bring about."""
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.01)
