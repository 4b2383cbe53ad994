"""Kills at random moments of a turn; then everything acknowledged must still be there.

Acknowledged is what the program told a script: after turn_started the person's message is on disk, after
turn_finished the whole answer, after turn_failed what was shown of it. The next turn must work after
every kill.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import psutil

from tests.soak import killing
from tests.soak.killing import Lines, Scene, Soak, StuckError

_HOURS = 4 * 3600.0
_GONE_S = 5.0


class _Turns(Soak):
    """What the program acknowledged of its turns."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.questions: list[str] = []
        self.answers: list[str] = []

    def take(self, lines: Lines, question: str) -> None:
        """Note what was told of a turn."""
        self.moments[lines.last("turn_", "text_")] += 1
        events = lines.taken()
        kinds = [event["event"] for event in events]
        if "turn_started" in kinds:
            self.questions.append(question)
        self.answers += [event["text"] for event in events if event["event"] == "turn_finished"]
        if "turn_failed" in kinds:  # what was shown until then stays too
            self.answers.append("".join(e["text"] for e in events if e["event"] == "text_delta"))

    def finish(self) -> str:
        """Everything told is in the file, and one more turn works."""
        self.works("ask", "Are you alive?")
        said = self.program.said()
        questions = [text for role, text in said if role == "user"]
        answers = [text for role, text in said if role == "assistant"]
        self.lost += [f"question {q!r}" for q in self.questions if questions.count(q) != 1]
        self.lost += [f"answer {a!r}" for a in self.answers if answers.count(a) < self.answers.count(a)]
        return f"{len(self.questions)} questions and {len(self.answers)} answers acknowledged"


class _Program(_Turns):
    """kill -9 of an `ask` at any moment from its start to after its end."""

    what = "of the program"

    def round(self, number: int) -> None:
        self.server.script(f"slow:{self.chance.choice((0.001, 0.01, 0.02))}")
        question = f"question {number} of the run"
        with self.program.started("ask", "--json", question) as ask:
            lines = Lines(ask)
            self._wait(lines)
            ask.kill()
            ask.wait()
            lines.follow(5)
        self.server.forget()
        self.take(lines, question)
        self._children_are_gone()

    def _wait(self, lines: Lines) -> None:
        """Until some moment: any at all, or one just after the program told something."""
        kind = self.chance.choice(("", "turn_started", "text_delta", "turn_finished"))
        if kind:
            lines.until(kind)
            spread = (0, self.chance.uniform(0, 0.05), self.chance.uniform(0, 0.5))
            lines.follow(self.chance.choice(spread))
        else:
            lines.follow(self.chance.uniform(0, 3))

    def _children_are_gone(self) -> None:
        """No model host outlives its program."""
        end = time.monotonic() + _GONE_S
        while orphans := [p for p in psutil.process_iter() if _is_orphan(p, self.program.home)]:
            if time.monotonic() > end:
                self.lost.append(f"{len(orphans)} model hosts outlived the program")
                return
            psutil.wait_procs(orphans, timeout=1)


class _Child(_Turns):
    """kill -9 of a child of the program while a conversation's answer is on its way."""

    marks: tuple[str, ...]
    """Words in the child's command line."""

    def prepare(self) -> None:
        super().prepare()
        self.configure()
        self._chat = self.stack.enter_context(self.program.started("chat", "--json", seconds=_HOURS))
        self._lines = Lines(self._chat)

    def configure(self) -> None:
        """Settings other than the usual."""

    def ask(self, question: str) -> Lines:
        self._lines.say(question)
        return self._lines

    def kill(self, question: str, seconds: float) -> None:
        """Kill the child; the turn must come to an end in so many seconds."""
        for child in _children(self._chat.pid, *self.marks):
            child.kill()
        if not self._lines.until("turn_finished", "turn_failed", seconds=seconds):
            raise StuckError(f"{question}: no end of the turn was told")
        self.server.forget()
        self.take(self._lines, question)

    def finish(self) -> str:
        self.stack.close()  # the chat
        return super().finish()


class _Host(_Child):
    """The model host."""

    what = "of the model host"
    marks = ("--model-host",)

    def round(self, number: int) -> None:
        self.server.script("slow:0.02")
        question = f"question {number} of the run"
        self.ask(question).follow(self.chance.uniform(0, 1.2))
        self.kill(question, 60)


class _Server(_Child):
    """The built-in model's server."""

    what = "of the model server"
    marks = ("server.mjs", "llama-server")

    def configure(self) -> None:
        models = Path(
            os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models"
        ).expanduser()
        (self.program.home / "models").symlink_to(models)
        # Short questions and short answers: a small model reads a long conversation for a minute.
        self.program.configure(agents={"defaults": {"maxTokens": 64, "contextWindowTokens": 1024}})

    def round(self, number: int) -> None:
        question = f"Count from {number} to {number + 20}."
        lines = self.ask(question)
        if self.chance.random() < 0.7:
            lines.until("text_delta", "turn_failed")
            lines.follow(self.chance.uniform(0, 1))
        else:
            lines.follow(self.chance.uniform(0, 6))
        self.kill(question, 180)


def run(chance: Random, program: int, host: int, server: int) -> list[str]:
    """So many kills of each in turn; what was lost, empty when nothing was."""
    kills = ((_Program, program), (_Host, host), (_Server, server))
    return [lost for soak, rounds in kills if rounds for lost in killing.run(soak, chance, rounds)]


def _children(pid: int, *marks: str) -> Iterator[psutil.Process]:
    for child in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):
            if any(mark in " ".join(child.cmdline()) for mark in marks):
                yield child


def _is_orphan(process: psutil.Process, home: Path) -> bool:
    with suppress(psutil.Error):
        return (
            "--model-host" in process.cmdline()
            and process.environ().get("NANOBOT_DESKTOP_HOME") == str(home)
            and process.status() != psutil.STATUS_ZOMBIE
        )
    return False
