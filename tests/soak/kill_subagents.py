"""Kills at random moments while subagents work: each result is told once, none is lost, none works twice.

A subagent whose result was stored is told of after the next start, one that was at its work is told of as
interrupted; the program never begins one again by itself.
"""

import json
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

from tests.servers.scripted import ScriptedServer
from tests.soak.kill import Lines
from tests.soak.killing import killed
from tests.stories.program import Program

type Json = dict[str, Any]

_NAMES = "ab"
_WAIT_S = 60


class Run:
    """A home, a model server that outlives every kill, and what was told until now."""

    def __init__(self, chance: Random, folder: Path, server: ScriptedServer) -> None:
        self.chance, self.server = chance, server
        self.program = Program(folder / "home")
        self.lost: list[str] = []
        self.done: set[str] = set()
        """Subagents of which the program told that their conversation has the result."""
        self.tasks: Counter[str] = Counter()
        self.program.use_server(server.url, "say:Noted.")

    def round(self, number: int) -> None:
        """Have two begun, kill, look."""
        self._script(number)
        with killed(self.program, "ask", "--json", "--approve", "all", f"question {number}") as (
            _process,
            lines,
        ):
            self._wait(lines)
        self._note(lines.events)

    def _script(self, number: int) -> None:
        self.server.forget()
        spawns = [["spawn", {"task": f"Task {number}{n}.", "label": f"{number}{n}"}] for n in _NAMES]
        self.server.when("comes to this conversation", "say:Begun.")
        for name in _NAMES:
            self.server.when(f"Task {number}{name}.", f"say:Found {number}{name}.")
        self.server.when(f"question {number}", f"use:{json.dumps(spawns)}")

    def _wait(self, lines: Lines) -> None:
        """Until one has begun or ended, and a moment more; or until anything."""
        kind = self.chance.choice(("turn_started", "subagent_changed", "subagent_changed", "turn_finished"))
        for _ in range(self.chance.randint(1, 5 if kind == "subagent_changed" else 1)):
            lines.until(kind, since=len(lines.events))
        lines.follow(self.chance.choice((0, 0, self.chance.uniform(0, 0.05), self.chance.uniform(0, 0.5))))

    def _note(self, events: list[Json]) -> None:
        self.done |= {
            event["id"]
            for event in events
            if event["event"] == "subagent_changed" and event["state"] in ("done", "interrupted")
        }
        for seen in self.server.requests:
            last = str(seen.body["messages"][-1]["content"])
            if last.startswith("Task "):
                self.tasks[last.partition(".")[0]] += 1
        self._heard(self.done)

    def _results(self) -> Counter[str]:
        """How often the log has the result of each."""
        found: Counter[str] = Counter()
        for path in (self.program.home / "workspace" / "sessions").glob("*.jsonl"):
            for line in path.read_bytes().splitlines():
                with suppress(ValueError):  # cut by a kill before anybody was told of it
                    found[str(json.loads(line).get("_from", "")).removeprefix("subagent:")] += 1
        return found

    def _heard(self, ids: set[str]) -> None:
        results = self._results()
        self.lost += [f"{id_} was told {results[id_]} times" for id_ in ids if results[id_] != 1]

    def finish(self) -> Counter[str]:
        """One turn that nobody kills: after it all is told. The states that the subagents came to."""
        self.server.forget()
        done = self.program.run("ask", "Are you alive?", seconds=_WAIT_S)
        if done.returncode:
            self.lost.append(f"the turn after the kills: {done.stderr}")
        with closing(sqlite3.connect(self.program.home / "state.db")) as database:
            rows = database.execute("SELECT id, label, state, result, told FROM subagents").fetchall()
        self._heard({row[0] for row in rows})
        self.lost += [
            f"{label} is not marked as told" for _id, label, _state, _result, told in rows if not told
        ]
        for _id, label, state, result, _told in rows:
            if state == "done" and result != f"Found {label}.":
                self.lost.append(f"{label} has the result {result!r}")
        self.lost += [
            f"{task} was worked at {count} times" for task, count in self.tasks.items() if count > 1
        ]
        return Counter(row[2] for row in rows)


def run(chance: Random, rounds: int) -> list[str]:
    """So many kills; what was lost, empty when nothing was."""
    started = time.monotonic()
    with ScriptedServer() as server, tempfile.TemporaryDirectory(prefix="killed-") as folder:
        one = Run(chance, Path(folder), server)
        for number in range(1, rounds + 1):
            one.round(number)
        states = one.finish()
    told = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    print(
        f"{rounds} kills while subagents work in {time.monotonic() - started:.0f} s: {told}; "
        f"{len(one.lost)} lost",
        flush=True,
    )
    return one.lost
