"""What it costs to understand a reminder while it is typed, and to set it; no model is there to ask."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from desktop.api.client import Api
from desktop.api.subjects import Local, Subjects
from desktop.core.subjects import subjects
from tests.bench.running import running_core
from tests.bench.table import Table, middle

_BUDGET_MS = 50.0
_SAID = (
    "remind me in 20 minutes to call Anna",
    "every weekday at 9 stand-up",
    "remind me to buy tickets for the 8 pm show on the 24th of December, 2027 at quarter past nine",
    "明天下午三点提醒我开会",
    "每个月最后一天下午五点提醒我发账单",
)
_FIRST = """
import time
from desktop.cron.schedule import zone_of
began = time.perf_counter()
from desktop.cron.reminders.understand import understand
understand("remind me in 20 minutes to call Anna", time.time(), "Europe/Berlin")
print(time.perf_counter() - began)
"""


async def measure(table: Table, runs: int) -> None:
    """The first one of a program, each letter after it, and Enter."""
    first = middle([_first() for _run in range(runs)]) * 1000
    table.line("first letter of a reminder: the rules load", f"{first:.1f} ms", "in a thread")
    letters: list[float] = []
    entered: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with running_core(Path(folder), "http://127.0.0.1:9", "none") as core:
            api = Api(Local(Subjects(subjects(core, "bench"))))
            for said in _SAID * runs:
                letters.extend([await _read(api, said[:end]) for end in range(1, len(said) + 1)])
                entered.append(await _set(api, said))
    letters.sort()
    _line(table, "a letter of a reminder, 99 of 100", [letters[len(letters) * 99 // 100]])
    _line(table, "Enter: a reminder read and on disk", entered)


async def _read(api: Api, said: str) -> float:
    began = time.perf_counter()
    await api.reminders.read(said)
    return time.perf_counter() - began


async def _set(api: Api, said: str) -> float:
    began = time.perf_counter()
    reminder = (await api.reminders.read(said)).reminder
    assert reminder is not None
    await api.jobs.add(reminder.job)
    return time.perf_counter() - began


def _first() -> float:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", _FIRST], cwd=root, capture_output=True, text=True, check=True, timeout=60
    )
    return float(done.stdout)


def _line(table: Table, what: str, seconds: list[float]) -> None:
    spent = middle(seconds) * 1000
    table.line(what, f"{spent:.1f} ms", "", f"<= {_BUDGET_MS:.0f} ms", spent <= _BUDGET_MS)
