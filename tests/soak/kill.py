"""Kills at random moments of a turn; then everything acknowledged must still be there.

Acknowledged is what the program told a script: after turn_started the person's message is on disk, after
turn_finished the whole answer, after turn_failed what was shown of it. The next turn must work after
every kill.
"""

import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import psutil

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

_HOURS = 4 * 3600.0


@dataclass
class Told:
    """What the program acknowledged in the whole run."""

    questions: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    killed_at: dict[str, int] = field(default_factory=dict)

    def note(self, moment: str) -> None:
        self.killed_at[moment] = self.killed_at.get(moment, 0) + 1


def run(chance: Random, program: int, host: int, server: int) -> list[str]:
    """The three parts in turn; what was lost, empty when nothing was."""
    lost: list[str] = []
    for name, rounds, part in (
        ("program", program, _program),
        ("host", host, _host),
        ("server", server, _server),
    ):
        if not rounds:
            continue
        started = time.monotonic()
        told = Told()
        part(chance, rounds, told)
        moments = ", ".join(f"{moment} {n}" for moment, n in sorted(told.killed_at.items()))
        print(
            f"{rounds} kills of the {name} in {time.monotonic() - started:.0f} s ({moments}): "
            f"{len(told.questions)} questions and {len(told.answers)} answers acknowledged, "
            f"{len(told.lost)} lost",
            flush=True,
        )
        lost += told.lost
    return lost


def _program(chance: Random, rounds: int, told: Told) -> None:
    """kill -9 of an `ask` at any moment from its start to after its end."""
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder))
        program.use_server(server.url)
        for number in range(rounds):
            server.script(f"slow:{chance.choice((0.001, 0.01, 0.02))}")
            question = f"question {number} of the run"
            with program.started("ask", "--json", question) as ask:
                lines = Lines(ask)
                _wait(chance, lines)
                ask.kill()
                ask.wait()
                lines.follow(5)
            server.forget()
            _take(told, lines.events, question)
            _children_are_gone(told, program.home)
        _compare(told, program, "say:Alive.", server)


def _wait(chance: Random, lines: "Lines") -> None:
    """Until some moment: any at all, or one just after the program told something."""
    kind = chance.choice(("", "turn_started", "text_delta", "turn_finished"))
    if kind:
        lines.until(kind)
        lines.follow(chance.choice((0, chance.uniform(0, 0.05), chance.uniform(0, 0.5))))
    else:
        lines.follow(chance.uniform(0, 3))


def _host(chance: Random, rounds: int, told: Told) -> None:
    """kill -9 of the model host while a conversation's answer is on its way."""
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder))
        program.use_server(server.url)
        with program.started("chat", "--json", seconds=_HOURS) as chat:
            lines = Lines(chat)
            for number in range(rounds):
                server.script("slow:0.02")
                question = f"question {number} of the run"
                lines.say(question)
                lines.follow(chance.uniform(0, 1.2))
                for child in _children(chat.pid, "--model-host"):
                    child.kill()
                if not lines.until("turn_finished", "turn_failed"):
                    told.lost.append(f"{question}: no end of the turn was told")
                    break
                server.forget()
                _take(told, lines.taken(), question)
        _compare(told, program, "say:Alive.", server)


def _server(chance: Random, rounds: int, told: Told) -> None:
    """kill -9 of the built-in model's server while it answers."""
    models = Path(os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models").expanduser()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder))
        (program.home / "models").symlink_to(models)
        # Short questions and short answers: a small model reads a long conversation for a minute.
        program.configure(agents={"defaults": {"maxTokens": 64, "contextWindowTokens": 1024}})
        with program.started("chat", "--json", seconds=_HOURS) as chat:
            lines = Lines(chat)
            for number in range(rounds):
                question = f"Count from {number} to {number + 20}."
                lines.say(question)
                if chance.random() < 0.7:
                    lines.until("text_delta", "turn_failed")
                    lines.follow(chance.uniform(0, 1))
                else:
                    lines.follow(chance.uniform(0, 6))
                for child in _children(chat.pid, "server.mjs", "llama-server"):
                    child.kill()
                if not lines.until("turn_finished", "turn_failed", seconds=180):
                    told.lost.append(f"{question}: no end of the turn was told")
                    break
                _take(told, lines.taken(), question)
        _compare(told, program)


class Lines:
    """The JSON lines of a running command, read by a thread as they come."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._arrived: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.events: list[dict[str, Any]] = []
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

    def taken(self) -> list[dict[str, Any]]:
        """What came since the last call."""
        events, self.events = self.events, []
        return events


def _take(told: Told, events: list[dict[str, Any]], question: str) -> None:
    kinds = [event["event"] for event in events]
    if "turn_started" in kinds:
        told.questions.append(question)
    told.answers += [event["text"] for event in events if event["event"] == "turn_finished"]
    if "turn_failed" in kinds:  # what was shown until then stays too
        told.answers.append("".join(e["text"] for e in events if e["event"] == "text_delta"))
    last = next(
        (kind for kind in reversed(kinds) if kind.startswith(("turn_", "text_"))), "before the turn"
    )
    told.note(last)


def _compare(told: Told, program: Program, model: str = "", server: ScriptedServer | None = None) -> None:
    """Everything told is in the file, and one more turn works."""
    if server is not None:
        program.use_server(server.url, model)
    after = program.run("ask", "Are you alive?", seconds=120)
    if after.returncode:
        told.lost.append(f"the turn after the kills failed: {after.stderr}")
    messages = program.events("sessions", "show")
    questions = [m["content"] for m in messages if m["role"] == "user"]
    answers = [m["content"] for m in messages if m["role"] == "assistant"]
    told.lost += [f"question {q!r}" for q in told.questions if questions.count(q) != 1]
    told.lost += [f"answer {a!r}" for a in told.answers if answers.count(a) < told.answers.count(a)]


def _children(pid: int, *marks: str) -> Iterator[psutil.Process]:
    for child in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):
            if any(mark in " ".join(child.cmdline()) for mark in marks):
                yield child


def _children_are_gone(told: Told, home: Path) -> None:
    """No model host outlives its program."""
    with _deadline(5) as left:
        while orphans := [p for p in psutil.process_iter() if _is_orphan(p, home)]:
            if not left():
                told.lost.append(f"{len(orphans)} model hosts outlived the program")
                return
            psutil.wait_procs(orphans, timeout=1)


@contextmanager
def _deadline(seconds: float) -> Iterator[Any]:
    end = time.monotonic() + seconds
    yield lambda: time.monotonic() < end


def _is_orphan(process: psutil.Process, home: Path) -> bool:
    with suppress(psutil.Error):
        return (
            "--model-host" in process.cmdline()
            and process.environ().get("NANOBOT_DESKTOP_HOME") == str(home)
            and process.status() != psutil.STATUS_ZOMBIE
        )
    return False
