"""Kills while conversations are summed up and Dream works: nothing is lost, nothing is doubled.

Each round tells the agent one thing more, sometimes writes a line into the notes by hand, and kills the
program while it goes over all that. In the end every message is in exactly one summary, every fact stands
in the memory once, each line by hand is still there, the cursors agree with the files, no entry is in the
history and in an archive, and the repository of the versions opens.
"""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from random import Random
from typing import Any

from desktop.files import Place
from desktop.memory.archives import Archives
from desktop.memory.history import OLD, History
from desktop.memory.notes import Notes, facts, normal
from desktop.memory.repository import VERSIONS, Repository
from tests.servers.scripted import Seen
from tests.soak import killing
from tests.soak.killing import Lines, Scene, Soak

HISTORY = "memory/history.jsonl"
_SUMMING, _READING = "You keep the memory", "You look after the long-term notes"
_MESSAGE = re.compile(r"message \d+\b")


class _Memory(Soak):
    """One message a round, summed up and dreamt of."""

    what = "of the memory's work"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.by_hand: list[str] = []
        self.told = 0

    def prepare(self) -> None:
        super().prepare()
        self.server.when(_SUMMING, _summary)
        self.server.when(_READING, _learned)

    def round(self, number: int) -> None:
        """Tell something, write something, let time pass, kill."""
        self.told = number
        self.works("ask", f"message {number}")
        if self.chance.random() < 0.5:
            self._write()
        if self.chance.random() < 0.3:
            self._age()
        with self.killed("memory", "dream", "--json") as (_process, lines):
            self._wait(lines)
        last = lines.events[-1] if lines.events else {}
        self.moments[str(last.get("phase") or ("done" if last else "start"))] += 1

    def _write(self) -> None:
        line = f"- By hand {len(self.by_hand)}."
        path = self.workspace / self.chance.choice(("USER.md", "memory/MEMORY.md"))
        path.parent.mkdir(exist_ok=True)
        text = path.read_text("utf-8") if path.exists() else ""
        path.write_text(f"{text}{line}\n", "utf-8")
        self.by_hand.append(line)

    def _age(self) -> None:
        """Make what is in the history so old that it belongs into an archive."""
        lines = self._history().splitlines()
        for at, line in enumerate(lines):
            record = json.loads(line)
            moment = datetime.fromisoformat(record["timestamp"])
            if datetime.now(UTC) - moment < OLD:
                lines[at] = json.dumps({**record, "timestamp": (moment - OLD).isoformat()})
        if lines:
            (self.workspace / HISTORY).write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def _history(self) -> str:
        path = self.workspace / HISTORY
        return path.read_text("utf-8") if path.exists() else ""

    def _wait(self, lines: Lines) -> None:
        """Until so many phases were told, and a moment more."""
        for _ in range(self.chance.choice((1, 1, 2, 2, 3))):
            lines.until("dream", since=len(lines.events))
            if lines.events and "changed" in lines.events[-1]:
                break
        lines.follow(self.chance.choice((0, self.chance.uniform(0, 0.03), self.chance.uniform(0, 0.4))))

    def finish(self) -> str:
        """One Dream that nobody kills, and a look at everything."""
        self.works("memory", "dream", "--json")
        archived, entries = self._look_at_history()
        self._look_at_notes()
        repository = Repository(Place(self.workspace), VERSIONS)
        self.expect(repository.sound(), "the repository of the versions does not open")
        self.lost += [
            f"{path.name} was set aside" for path in repository.folder.parent.glob(".versions.dam*")
        ]
        log = self.program.events("memory", "log", "--limit", "1000")
        versions = killing.counted(Counter(version["cause"] for version in log))
        return f"{archived} of {entries} entries in archives, versions: {versions}"

    def _look_at_history(self) -> tuple[int, int]:
        """How many entries there are in archives, and in all."""
        entries = History(self.workspace / "memory").entries()
        cursors = [entry.cursor for entry in entries]
        grow = all(first < second for first, second in pairwise(cursors))
        self.expect(grow, f"the cursors do not grow: {cursors}")
        for name in (".cursor", ".dream_cursor"):
            kept = (self.workspace / "memory" / name).read_text("ascii")
            self.expect(kept == str(cursors[-1]), f"{name} is {kept}, the last entry {cursors[-1]}")
        spans = sorted((entry.start, entry.end) for entry in entries)
        whole = spans[0][0] == 0 and all(first[1] == second[0] for first, second in pairwise(spans))
        self.expect(whole, f"the entries cover {spans}")
        archived = {entry.cursor for entry in Archives(self.workspace / "memory").entries()}
        here = {json.loads(line)["cursor"] for line in self._history().splitlines()}
        self.expect(not archived & here, f"{archived & here} are in the history and in an archive")
        found = Counter(word for entry in entries for word in _MESSAGE.findall(entry.content))
        for number in range(1, self.told + 1):
            times = found[f"message {number}"]
            self.expect(times == 1, f"message {number} is in {times} summaries")
        return len(archived), len(entries)

    def _look_at_notes(self) -> None:
        notes = Notes(self.workspace)
        texts = {name: notes.read(name).text for name in ("USER", "MEMORY")}
        known = Counter(fact.text for fact in facts(texts["MEMORY"]))
        sources = notes.sources()
        for number in range(1, self.told + 1):
            fact = f"Fact of message {number}."
            self.expect(known[fact] == 1, f"{fact!r} stands in the memory {known[fact]} times")
            self.expect(("MEMORY", normal(fact)) in sources, f"{fact!r} has no source")
        lines = Counter(line for text in texts.values() for line in text.splitlines())
        self.lost += [f"{line!r} is there {lines[line]} times" for line in self.by_hand if lines[line] != 1]


def _summary(seen: Seen) -> str:
    said = _MESSAGE.findall(_text(seen))
    return f"say:- Was told {', '.join(said)}."


def _learned(seen: Seen) -> str:
    new = _text(seen).partition("## New entries")[2]
    entries = re.findall(r"### Entry #(\d+).*?\n(.*?)(?=\n### Entry|\Z)", new, re.DOTALL)
    lines = [
        f"[MEMORY] Fact of {word}. (#{cursor})"
        for cursor, text in entries
        for word in _MESSAGE.findall(text)
    ]
    return "say:" + ("\n".join(lines) or "[SKIP]")


def _text(seen: Seen) -> str:
    messages: list[dict[str, Any]] = seen.body["messages"]
    return str(messages[-1]["content"])


def run(chance: Random, rounds: int) -> list[str]:
    """So many kills; what was lost or doubled, empty when nothing was."""
    return killing.run(_Memory, chance, rounds)
