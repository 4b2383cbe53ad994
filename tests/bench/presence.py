"""The program while nobody looks at it: how often it wakes up, ten thousand jobs, and how soon a reminder
and the quick chat are on the screen.

A wake-up is a voluntary switch of one of the process's threads, as the kernel counts them.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil

from desktop.api.client import Api
from desktop.api.remote import Remote
from desktop.cron import file, form
from desktop.cron.clock import KernelAlarm, SystemClock
from desktop.cron.job import Job
from desktop.cron.ledger import Ledger
from desktop.cron.rounds import Rounds
from desktop.cron.runs import Runs
from desktop.cron.schedule import At, Cron, Every
from desktop.cron.store import Store
from desktop.cron.wanted import Wanted
from desktop.paths import Home
from tests.bench.idle import SECONDS
from tests.bench.screen import XScreen
from tests.bench.table import Table, middle
from tests.bench.window import SETTLE_S, Bench, Traced
from tests.desktop.daemon import Daemon
from tests.desktop.session import nested_session
from tests.desktop.window import until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event

type Json = dict[str, Any]

JOBS = 10_000
_HOUR_S = 3600.0
_SHORTCUT = ("Control_L", "Alt_L", "space")
_BELOW_TOP = 40
"""Pixels below the upper edge of the quick chat: within its head, over what was the empty screen."""


def measure(table: Table, runs: int) -> None:
    """All figures of being there."""
    # A program without a screen reader is what most people have.
    os.environ.pop("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", None)
    with (
        ScriptedServer() as server,
        tempfile.TemporaryDirectory() as name,
        nested_session("--notify", "none") as environment,
    ):
        environment.pop("QT_LINUX_ACCESSIBILITY_ALWAYS_ON")
        folder = Path(name)
        with Daemon(folder, environment=environment) as daemon:
            _idle(table, folder / "idle", environment, server.url)
            _reminders(table, runs, folder / "due", environment, server.url, daemon)
            _quick(table, runs, folder / "quick", environment, server.url)
        _start(table, runs, folder / "many", environment, server.url)
        asyncio.run(_next_due(table, runs, folder / "next"))


# ---- at rest


def _idle(table: Table, folder: Path, environment: dict[str, str], url: str) -> None:
    """The window in the tray, `serve`, and an empty window, all at rest in the same minute."""
    benches = [Bench(environment, _made(folder / name), url) for name in ("window", "empty")]
    program = Program(folder / "serve" / "home", environment)
    program.use_server(url)
    for home in (benches[0].home, program.home):
        _fill(home, 3)
        _just_done(home / "workspace")
    with ExitStack() as ends:
        window, empty = benches[0].window("--hidden"), benches[1].empty()
        shown = [ends.enter_context(traced) for traced in (window, empty)]
        serving = ends.enter_context(program.started("serve", "--json", seconds=600))
        read_event(serving, "serving")
        shown[0].moment("ready")
        shown[1].moment("painted")
        processes = [traced.process for traced in shown]
        processes.insert(1, psutil.Process(serving.pid))
        time.sleep(2 * SETTLE_S)
        before = [_cost(process) for process in processes]
        moved = asyncio.run(_minute())
        spent = [
            {what: after[what] - was[what] for what in was}
            for was, after in zip(before, map(_cost, processes), strict=True)
        ]
    for name, cost in zip(("in the tray", "serve"), spent, strict=False):
        what = f"{name}, {SECONDS} s, CPU; wake-ups"
        ours = f"{cost['cpu']:.2f} s; {cost['wakes']:.0f}"
        peer = f"empty {spent[2]['cpu']:.2f} s; {spent[2]['wakes']:.0f}"
        peer += f" (clock set {moved}x)" if moved else ""
        holds = cost["cpu"] <= 0.1 and (moved > 0 or cost["wakes"] <= spent[2]["wakes"])
        table.line(what, ours, peer, "<= 0.1 s; none of ours", holds)


def _just_done(workspace: Path) -> None:
    """Heartbeat and Dream are on, there is nothing to do, and the last look at that was a moment ago."""
    (workspace / "HEARTBEAT.md").write_text("# Tasks\n", "utf-8")
    (workspace / "memory").mkdir(exist_ok=True)
    for stamp in ("cron/.heartbeat", "memory/.dreamed"):
        (workspace / stamp).write_text(f"{time.time():.0f}", "ascii")


async def _minute() -> int:
    """Wait; how often the machine's clock was set meanwhile, which the program has to look at."""
    moved: list[int] = []
    alarm = KernelAlarm()
    alarm.start(lambda: None, lambda: moved.append(1))
    await asyncio.sleep(SECONDS)
    alarm.stop()
    return len(moved)


def _cost(process: psutil.Process) -> dict[str, float]:
    wakes = 0
    for status in Path(f"/proc/{process.pid}/task").glob("*/status"):
        lines = status.read_text("ascii", "replace").splitlines()
        wakes += sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
    return {"cpu": sum(process.cpu_times()[:2]), "wakes": wakes}


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


# ---- ten thousand jobs


def _fill(home: Path, number: int) -> None:
    """So many jobs of all kinds, an hour away and more."""
    now = round(time.time(), 3)
    specs = (At(now + 2 * _HOUR_S), Every(_HOUR_S, now), Cron("0 9 1 1 *", "Europe/Berlin"))
    jobs = (
        Job(f"{n:08x}", f"Job {n}", specs[n % 3], f"Text {n}", plain=True, created=now, updated=now)
        for n in range(number)
    )
    folder = home / "workspace" / "cron"
    folder.mkdir(parents=True, exist_ok=True)
    data = file.join((file.render(form.write(job)) for job in jobs), {"version": 1})
    (folder / "jobs.json").write_bytes(data)


def _start(table: Table, runs: int, folder: Path, environment: dict[str, str], url: str) -> None:
    """From the start to "serving", and to jobs that are known."""
    found: dict[int, list[tuple[float, float, float]]] = {0: [], JOBS: []}
    for number in found:
        program = Program(folder / str(number), environment)
        program.use_server(url)
        _fill(program.home, number)
    for _ in range(runs + 1):
        for number, figures in found.items():
            figures.append(_started(Program(folder / str(number), environment)))
    # The first start reckons when each job is due, and writes that down.
    told = [[middle(column) for column in zip(*figures[1:], strict=True)] for figures in found.values()]
    for at, what, budget in (
        (0, "serving, CPU", 0.1),
        (1, "serving, wall clock", None),
        (2, "its jobs known, CPU", 0.1),
    ):
        more = told[1][at] - told[0][at]
        holds = None if budget is None else more <= budget
        limit = "" if budget is None else f"<= {1000 * budget:.0f} ms more ({1000 * more:.0f})"
        ours, peer = f"{told[1][at]:.2f} s", f"no jobs {told[0][at]:.2f} s"
        table.line(f"start with {JOBS:,} jobs, {what}", ours, peer, limit, holds)


def _started(program: Program) -> tuple[float, float, float]:
    """CPU and time to "serving", and CPU until the jobs are known, seconds."""
    began = time.monotonic()
    with program.started("serve", "--json") as serving:
        read_event(serving, "serving")
        took = time.monotonic() - began
        process = psutil.Process(serving.pid)
        serves = sum(process.cpu_times()[:2])
        until(lambda: asyncio.run(_cron_runs(program.home)), "its jobs are known")
        return serves, took, sum(process.cpu_times()[:2])


async def _cron_runs(home: Path) -> bool:
    running = await Api(Remote(Home(home, home / "models"))).program.status()
    return any((service.name, service.state) == ("cron", "running") for service in running.services)


async def _next_due(table: Table, runs: int, home: Path) -> None:
    """Finding the next due moment: as ever, and right after one of the jobs was changed. CPU."""
    _fill(home, JOBS)
    store = Store(home / "workspace" / "cron", lambda: "UTC")
    nothing: Any = None
    ledger = Ledger(nothing)
    rounds = Rounds(store, ledger, Runs(store, ledger, nothing, nothing, nothing, _CLOCK), _CLOCK)
    await store.load()
    await rounds.plan("UTC", False)
    took, usual = list[float](), list[float]()
    for number in range(runs + 1):
        name = f"{number:08x}"
        await store.update(lambda jobs: {name: jobs[name]}, by_person=True)  # noqa: B023
        for figures in (took, usual):
            began = time.process_time()
            assert rounds.next(_CLOCK.now(), True) is not None
            figures.append(1000 * (time.process_time() - began))
    # The very first one entered them all.
    for what, figures in ((f"next due of {JOBS:,} jobs", usual), ("  the same, one changed", took[1:])):
        found = middle(figures)
        table.line(what, f"{found:.3f} ms", "", "<= 1 ms", found <= 1)


_CLOCK = SystemClock()


# ---- on the screen


def _reminders(
    table: Table, runs: int, folder: Path, environment: dict[str, str], url: str, daemon: Daemon
) -> None:
    """How late the daemon has a reminder, while the program is at rest in the tray."""
    bench = Bench(environment, _made(folder), url)
    with bench.window("--hidden") as traced:
        traced.moment("ready")
        time.sleep(SETTLE_S)
        late = [_reminded(bench.home, f"Reminder {number}", daemon) for number in range(runs)]
    found = middle(late)
    told = f"{1000 * found:.0f} ms (first {1000 * late[0]:.0f})"
    table.line("a reminder at the daemon, late by", told, "", "<= 1000 ms", max(late) <= 1)


def _reminded(home: Path, name: str, daemon: Daemon) -> float:
    due = float(int(time.time()) + 3)
    asyncio.run(_add(home, name, due))
    time.sleep(due - time.time())
    until(lambda: name in daemon.titles(), f"{name} is shown")
    return daemon.written - due


async def _add(home: Path, name: str, due: float) -> None:
    given = Wanted(name=name, message=name, plain=True, at=datetime.fromtimestamp(due).isoformat())
    await Api(Remote(Home(home, home / "models"))).jobs.add(given)


def _quick(table: Table, runs: int, folder: Path, environment: dict[str, str], url: str) -> None:
    """From the key to the first picture: the first time in a program's life, and the next ones."""
    first, later = list[tuple[float, float]](), list[tuple[float, float]]()
    bench = Bench(environment, _made(folder), url)
    with XScreen(environment) as screen:
        for _ in range(runs):
            with bench.window("--hidden") as traced:
                traced.moment("ready")
                time.sleep(SETTLE_S)
                first.append(_opened(screen, traced, environment))
                later.append(_opened(screen, traced, environment))
    for what, figures in (("first time", first), ("later", later)):
        wall, cpu = (middle(column) for column in zip(*figures, strict=True))
        told = f"{1000 * wall:.0f} ms"
        slowest = max(1000 * wall for wall, _cpu in figures)
        table.line(
            f"quick chat after its key, {what}",
            told,
            f"CPU {1000 * cpu:.0f} ms, slowest {slowest:.0f} ms",
            "<= 100 ms",
            wall <= 0.1,
        )


def _opened(screen: XScreen, traced: Traced, environment: Mapping[str, str]) -> tuple[float, float]:
    """Seconds until it is painted, and the CPU of all that it did; it is hidden afterwards."""
    width, height = screen.size
    point = width // 2, int(height * 0.24) + _BELOW_TOP
    empty = screen.colour(*point)
    before, began = sum(traced.process.cpu_times()[:2]), time.monotonic()
    screen.press(*_SHORTCUT)
    painted = screen.until(point, lambda colour: colour != empty)
    time.sleep(1)
    spent = sum(traced.process.cpu_times()[:2]) - before
    screen.press("Escape")
    screen.until(point, lambda colour: colour == empty)
    return painted - began, spent
