"""The window beside an empty one of the same size in the same run: start, memory, stutter, rest.

Both run in a desktop session of their own and write their moments into a file (desktop/ui/trace.py). CPU is
the process time that the kernel counted since the interpreter began.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psutil

from tests.bench.idle import SECONDS
from tests.bench.table import Table, middle
from tests.desktop.desk import Desk
from tests.desktop.session import nested_session
from tests.desktop.window import until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import COMMAND, Program

EMPTY = [sys.executable, "-P", str(Path(__file__).parent / "empty_window.py")]
CONVERSATIONS = 30
SETTLE_S = 3.0
STEADY_S = 2.0
"""From the first picture on; what is late before that is the start."""
ANSWER = "slow:0.1"


class Traced:
    """A running process and what it has written down."""

    def __init__(self, process: subprocess.Popen[bytes], trace: Path) -> None:
        self.process = psutil.Process(process.pid)
        self.began = time.monotonic()
        self._trace = trace

    def marks(self, name: str) -> list[dict[str, Any]]:
        lines = self._trace.read_text("utf-8").splitlines() if self._trace.exists() else []
        return [mark for mark in map(json.loads, lines) if mark["mark"] == name]

    def moment(self, name: str) -> dict[str, Any]:
        """Wait for this to be written down."""
        try:
            return until(lambda: self.marks(name), f"the program writes {name!r}", 60)[0]
        except AssertionError as failure:
            failure.add_note(self._trace.with_suffix(".err").read_text("utf-8"))
            raise

    def worst(self, start: float, end: float) -> float:
        """The latest tick between two moments of the clock, in ms; up to 5 ms it is not written."""
        late = [mark["late_ms"] for mark in self.marks("tick") if start <= mark["wall"] <= end]
        return max(late, default=5.0)


class Bench:
    """The program and its peer, in one session and one home."""

    def __init__(self, environment: dict[str, str], folder: Path, url: str) -> None:
        self.desk = Desk(folder, environment)
        self._folder = folder
        self._program = Program(folder / "home", environment)
        self._program.use_server(url, ANSWER)
        _fill(self._program.home / "workspace" / "sessions")

    @property
    def home(self) -> Path:
        """Of the program."""
        return self._program.home

    @property
    def environment(self) -> dict[str, str]:
        """Of the program."""
        return self._program.full_environment

    def window(self, *arguments: str, ticker: bool = False) -> AbstractContextManager[Traced]:
        return self.started([*COMMAND, *arguments], ticker=ticker)

    def empty(self, *arguments: str) -> AbstractContextManager[Traced]:
        return self.started([*EMPTY, *arguments], ticker=bool(arguments))

    @contextmanager
    def started(self, command: Sequence[str], *, ticker: bool = False) -> Iterator[Traced]:
        trace = self._folder / "trace.jsonl"
        trace.unlink(missing_ok=True)
        environment = self._program.full_environment | {
            "NANOBOT_DESKTOP_TRACE": str(trace),
            "NANOBOT_DESKTOP_TRACE_TICKER": str(int(ticker)),
        }
        with (
            trace.with_suffix(".err").open("wb") as errors,
            subprocess.Popen(command, env=environment, stderr=errors) as process,
        ):
            try:
                yield Traced(process, trace)
            finally:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()

    def answers(self) -> int:
        """How many answers are on disk."""
        logs = (self._program.home / "workspace" / "sessions").glob("*.jsonl")
        return sum(log.read_text("utf-8").count('"assistant"') for log in logs)


def _fill(folder: Path) -> None:
    folder.mkdir(parents=True)
    for number in range(CONVERSATIONS):
        lines: list[dict[str, Any]] = [
            {"_type": "metadata", "key": f"bench-{number}", "metadata": {"title": f"About the {number}th"}}
        ]
        for role in ("user", "assistant"):
            moment = f"2026-11-{number % 28 + 1:02}T10:00:00+00:00"
            lines.append({"role": role, "content": f"Words {number}", "timestamp": moment})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"bench-{number}.jsonl").write_text(text, "utf-8")


def measure(table: Table, runs: int) -> None:
    """All figures of the window."""
    # A program without a screen reader is what most people have.
    os.environ.pop("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", None)
    with (
        ScriptedServer() as server,
        tempfile.TemporaryDirectory() as folder,
        nested_session() as environment,
    ):
        environment.pop("QT_LINUX_ACCESSIBILITY_ALWAYS_ON")
        bench = Bench(environment, Path(folder), server.url)
        _start(bench, table, runs)
        _memory(bench, table, runs)
        _lateness(bench, table, runs)
        _idle(bench, table)


def _start(bench: Bench, table: Table, runs: int) -> None:
    marks: dict[str, list[tuple[float, float]]] = {"painted": [], "ready": [], "empty": []}

    def note(name: str, traced: Traced, moment: str) -> None:
        mark = traced.moment(moment)
        marks[name].append((mark["cpu"], mark["wall"] - traced.began))

    for _ in range(runs + 1):
        with bench.window() as ours:
            note("painted", ours, "painted")
            note("ready", ours, "ready")
            time.sleep(1)  # it remembers the list for the next start
        with bench.empty() as empty:
            note("empty", empty, "painted")
    # The first of each filled the disk cache, and ours had no list to remember yet.
    cpu = {name: middle([cpu for cpu, _ in found[1:]]) for name, found in marks.items()}
    wall = {name: middle([wall for _, wall in found[1:]]) for name, found in marks.items()}
    peer = cpu["empty"]
    for name, what, budget in (
        ("painted", "window, list and title painted, CPU", 1.5),
        ("ready", "window, a composer that sends, CPU", 4.0),
    ):
        ratio = cpu[name] / peer
        told = f"<= {budget:g}x ({ratio:.2f}x)"
        table.line(what, f"{cpu[name]:.2f} s", f"empty {peer:.2f} s", told, ratio <= budget)
        table.line(
            f"  the same, wall clock at load {_load()}", f"{wall[name]:.2f} s", f"{wall['empty']:.2f} s"
        )


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def _memory(bench: Bench, table: Table, runs: int) -> None:
    ours, empty = [], []
    for _ in range(runs):
        with bench.window("--hidden") as traced:
            traced.moment("ready")
            ours.append(_settled(traced))
        with bench.empty() as traced:
            traced.moment("painted")
            empty.append(_settled(traced))
    ratio = middle(ours) / middle(empty)
    table.line(
        "window in the tray before a message, PSS",
        f"{middle(ours):.0f} MB",
        f"empty {middle(empty):.0f} MB",
        f"<= 2x ({ratio:.2f}x)",
        ratio <= 2,
    )


def _settled(traced: Traced) -> float:
    time.sleep(SETTLE_S)
    return float(traced.process.memory_full_info().pss) / 2**20


def _lateness(bench: Bench, table: Table, runs: int) -> None:
    ours, empty = [], []
    for _ in range(runs):
        with bench.window(ticker=True) as traced:
            start = traced.moment("painted")["wall"] + STEADY_S
            traced.moment("ready")
            before = bench.answers()
            time.sleep(max(0.0, start - time.monotonic()))
            bench.desk.type("hello")
            bench.desk.key("Return")
            until(lambda: bench.answers() > before, "the answer is on disk", 60)  # noqa: B023
            end = time.monotonic()
            ours.append(traced.worst(start, end))
        with bench.empty("openai") as traced:
            first = traced.moment("painted")["wall"] + STEADY_S
            time.sleep(max(0.0, first + end - start - time.monotonic()))
            empty.append(traced.worst(first, first + end - start))
    allowed = max(16.0, 2 * middle(empty))
    table.line(
        "window's latest tick, 2 s on, through an answer",
        f"{middle(ours):.0f} ms",
        f"empty {middle(empty):.0f} ms",
        f"<= {allowed:.0f} ms",
        middle(ours) <= allowed,
    )


def _idle(bench: Bench, table: Table) -> None:
    with bench.window("--hidden") as traced:
        traced.moment("ready")
        time.sleep(SETTLE_S)
        family = [traced.process, *traced.process.children(recursive=True)]
        before = [sum(process.cpu_times()[:2]) for process in family]
        time.sleep(SECONDS)
        spent = sum(sum(process.cpu_times()[:2]) - was for process, was in zip(family, before, strict=True))
    table.line(f"window in the tray {SECONDS} s, CPU", f"{spent:.2f} s", "", "<= 0.1 s", spent <= 0.1)
