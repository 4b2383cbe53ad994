"""The harness of the kill soaks: start the program, kill it at some moment, start it again, judge.

A soak is a class that says what a round does, when it kills, and what must hold in the end. From here it
has a home, a model server that outlives every kill, the lines that the program told, and what is stored.
"""

import json
import os
import queue
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

type Json = dict[str, Any]


class Lines:
    """The JSON lines of a running command, read by a thread as they come."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._arrived: queue.SimpleQueue[Json | None] = queue.SimpleQueue()
        self.events: list[Json] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with suppress(ValueError):  # a line cut by the kill was not told
                self._arrived.put(json.loads(line))
        self._arrived.put(None)

    def say(self, text: str) -> None:
        """Type a line into the conversation."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended: until() will find no answer
            os.write(self._process.stdin.fileno(), f"{text}\n".encode())

    def follow(self, seconds: float) -> None:
        """Take what comes in so many seconds, or until the output ends."""
        end = time.monotonic() + seconds
        with suppress(queue.Empty):
            while (left := end - time.monotonic()) > 0:
                event = self._arrived.get(timeout=left)
                if event is None:
                    return
                self.events.append(event)

    def until(self, *kinds: str, seconds: float = 60, since: int = 0) -> bool:
        """Take events until one of these kinds is there, looking from `since` on; False if none came."""
        end = time.monotonic() + seconds
        while not any(event["event"] in kinds for event in self.events[since:]):
            try:
                event = self._arrived.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                return False
            if event is None:
                return False
            self.events.append(event)
        return True

    def taken(self) -> list[Json]:
        """What came since the last call."""
        events, self.events = self.events, []
        return events

    def last(self, *beginnings: str) -> str:
        """The last kind of event told that begins like one of these."""
        kinds = (event["event"] for event in reversed(self.events))
        return next((kind for kind in kinds if kind.startswith(beginnings)), "before the turn")


class StuckError(Exception):
    """A round that no other can follow."""


@dataclass(frozen=True)
class Scene:
    """A home, a model server that outlives every kill, and what else lives as long as the soak."""

    chance: Random
    program: Program
    server: ScriptedServer
    stack: ExitStack


class Soak(ABC):
    """What the rounds of one soak do, and what was lost until now."""

    what: ClassVar[str]
    """What is killed or when, for the summary: "kills of ..."."""

    def __init__(self, scene: Scene) -> None:
        self.chance, self.program, self.server = scene.chance, scene.program, scene.server
        self.stack = scene.stack
        self.workspace = self.program.home / "workspace"
        self.lost: list[str] = []
        self.moments: Counter[str] = Counter()
        """Where the kills fell."""

    def prepare(self) -> None:
        """Before the first round."""
        self.program.use_server(self.server.url, "say:Noted.")

    @abstractmethod
    def round(self, number: int) -> None:
        """Have the program do something, and kill it. Raises StuckError if the soak cannot go on."""

    @abstractmethod
    def finish(self) -> str:
        """Go on without a kill, and judge. What was acknowledged, for the summary."""

    # ---- for the rounds

    @contextmanager
    def killed(self, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Lines]]:
        """A command in a session of its own; after the block it and all its children are dead, and all that
        it told is taken in."""
        with self.program.begin(
            *arguments,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        ) as process:
            lines = Lines(process)
            try:
                yield process, lines
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            lines.follow(5)

    # ---- for judging

    def expect(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.lost.append(otherwise)

    def works(self, *arguments: str) -> str:
        """What a command that nobody kills prints."""
        done = self.program.run(*arguments, seconds=120)
        self.expect(not done.returncode, f"{arguments} after a kill: {done.stderr}")
        return done.stdout

    def records(self) -> list[Json]:
        """The lines of the session logs as they are on disk."""
        found: list[Json] = []
        for path in (self.workspace / "sessions").glob("*.jsonl"):
            for line in path.read_bytes().splitlines():
                with suppress(ValueError):  # cut by a kill before anybody was told of it
                    found.append(json.loads(line))
        return found

    def rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        """From state.db, for reading alone: what the program left is not tidied up."""
        path = self.program.home / "state.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            return database.execute(query, values).fetchall()


def run(make: Callable[[Scene], Soak], chance: Random, rounds: int) -> list[str]:
    """So many rounds; what was lost or came twice, empty when nothing was."""
    started = time.monotonic()
    with (
        ScriptedServer() as server,
        tempfile.TemporaryDirectory(prefix="killed-") as folder,
        ExitStack() as stack,
    ):
        soak = make(Scene(chance, Program(Path(folder) / "home"), server, stack))
        soak.prepare()
        try:
            for number in range(1, rounds + 1):
                soak.round(number)
        except StuckError as stuck:
            soak.lost.append(str(stuck))
        told = soak.finish()
    print(
        f"{rounds} kills {soak.what} in {time.monotonic() - started:.0f} s ({counted(soak.moments)}): "
        f"{told}; {len(soak.lost)} lost",
        flush=True,
    )
    return soak.lost


def counted(counts: Counter[str]) -> str:
    """Such as "claimed 3, start 1"."""
    return ", ".join(f"{what} {count}" for what, count in sorted(counts.items()))
