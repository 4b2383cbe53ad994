"""Kills at random moments while subagents work: each result is told once, none is lost, none works twice.

A subagent whose result was stored is told of after the next start, one that was at its work is told of as
interrupted; the program never begins one again by itself.
"""

import json
from collections import Counter
from random import Random

from tests.soak import killing
from tests.soak.killing import Lines, Scene, Soak

_NAMES = "ab"


class _Subagents(Soak):
    """Two subagents a round."""

    what = "while subagents work"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.done: set[str] = set()
        """Subagents of which the program told that their conversation has the result."""
        self.tasks: Counter[str] = Counter()

    def round(self, number: int) -> None:
        """Have two begun, kill, look."""
        self.server.forget()
        spawns = [["spawn", {"task": f"Task {number}{n}.", "label": f"{number}{n}"}] for n in _NAMES]
        self.server.when("comes to this conversation", "say:Begun.")
        for name in _NAMES:
            self.server.when(f"Task {number}{name}.", f"say:Found {number}{name}.")
        self.server.when(f"question {number}", f"use:{json.dumps(spawns)}")
        with self.killed("ask", "--json", "--approve", "all", f"question {number}") as (_, lines):
            self._wait(lines)
        self.moments[lines.last("turn_", "subagent_")] += 1
        self.done |= {
            event["id"]
            for event in lines.events
            if event["event"] == "subagent_changed" and event["state"] in ("done", "interrupted")
        }
        for seen in self.server.requests:
            last = str(seen.body["messages"][-1]["content"])
            if last.startswith("Task "):
                self.tasks[last.partition(".")[0]] += 1
        self._heard(self.done)

    def _wait(self, lines: Lines) -> None:
        """Until one has begun or ended, and a moment more; or until anything."""
        kind = self.chance.choice(("turn_started", "subagent_changed", "subagent_changed", "turn_finished"))
        for _ in range(self.chance.randint(1, 5 if kind == "subagent_changed" else 1)):
            lines.until(kind, since=len(lines.events))
        lines.follow(self.chance.choice((0, 0, self.chance.uniform(0, 0.05), self.chance.uniform(0, 0.5))))

    def _heard(self, ids: set[str]) -> None:
        """The log has the result of each once."""
        results = Counter(
            str(record.get("_from", "")).removeprefix("subagent:") for record in self.records()
        )
        self.lost += [f"{id_} was told {results[id_]} times" for id_ in ids if results[id_] != 1]

    def finish(self) -> str:
        """One turn that nobody kills: after it all is told."""
        self.server.forget()
        self.works("ask", "Are you alive?")
        rows = self.rows("SELECT id, label, state, result, told FROM subagents")
        self._heard({row["id"] for row in rows})
        for row in rows:
            self.expect(row["told"], f"{row['label']} is not marked as told")
            found = row["state"] != "done" or row["result"] == f"Found {row['label']}."
            self.expect(found, f"{row['label']} has the result {row['result']!r}")
        for task, count in self.tasks.items():
            self.expect(count <= 1, f"{task} was worked at {count} times")
        return killing.counted(Counter(row["state"] for row in rows))


def run(chance: Random, rounds: int) -> list[str]:
    """So many kills; what was lost, empty when nothing was."""
    return killing.run(_Subagents, chance, rounds)
