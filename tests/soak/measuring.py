"""What a long-lived process of the program takes: memory, open files, threads, time, rows in state.db."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psutil

_TABLES = ("seen", "outbox", "arrivals", "channel_notes", "deliveries", "inbox", "runs", "usage")


@dataclass(frozen=True)
class Figures:
    """At the end of a day, or after so many minutes."""

    when: int
    unit: str
    messages: int
    memory: float
    """MB that are the process's own (USS)."""
    children: float
    """MB of its children."""
    fds: int
    threads: int
    seconds: float
    """Of the CPU, since its start."""
    rows: dict[str, int]
    stored: float
    """MB of state.db."""

    def __str__(self) -> str:
        rows = ", ".join(f"{table} {count}" for table, count in self.rows.items())
        return (
            f"{self.unit} {self.when}: {self.messages} messages, {self.memory:.1f} MB and "
            f"{self.children:.1f} of children, {self.fds} open files, "
            f"{self.threads} threads, {self.seconds:.0f} s CPU; {rows}; state.db {self.stored:.1f} MB"
        )


def measured(when: int, messages: int, pid: int, home: Path, unit: str = "day") -> Figures:
    """A running program's."""
    process = psutil.Process(pid)
    children = process.children(recursive=True)
    spent = process.cpu_times()
    return Figures(
        when,
        unit,
        messages,
        process.memory_full_info().uss / 2**20,
        sum(child.memory_full_info().uss for child in children) / 2**20,
        process.num_fds(),
        process.num_threads(),
        spent.user + spent.system,
        _rows(home),
        (home / "state.db").stat().st_size / 2**20,
    )


def _rows(home: Path) -> dict[str, int]:
    with closing(sqlite3.connect(f"file:{home / 'state.db'}?mode=ro", uri=True)) as database:
        return {
            table: int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]) for table in _TABLES
        }


def growth(values: list[float]) -> float:
    """By how much these rise from one to the next: the slope of the line that fits them best."""
    middle, mean = (len(values) - 1) / 2, sum(values) / len(values)
    across = sum((at - middle) ** 2 for at in range(len(values)))
    return sum((at - middle) * (value - mean) for at, value in enumerate(values)) / across
