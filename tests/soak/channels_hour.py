"""An hour by the clock of a mailbox and a Matrix room on real servers, with long pauses: links stand idle
as long as they do for people, and now and then one is cut."""

import subprocess
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from random import Random

from tests.channels.app import App
from tests.channels.apps import let_in
from tests.channels.real_apps import Email, Matrix
from tests.servers.scripted import ScriptedServer
from tests.soak.measuring import Figures, growth, measured
from tests.stories.program import Program

_PAUSES_S = (1.0, 5.0, 30.0, 90.0, 240.0)
_CUT_EVERY = 6
_MEASURED_EVERY_S = 600.0
_ANSWER_S = 90.0
_MOST_GROWTH_MB = 1.0


class _Hour:
    def __init__(self, stack: ExitStack, chance: Random) -> None:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hour-"))) / "home"
        self.chance, self.program = chance, Program(home)
        self.server = stack.enter_context(ScriptedServer())
        self.apps: list[App] = [Email(stack), Matrix(stack, 2)]
        self.written: Counter[str] = Counter()
        self.figures: list[Figures] = []
        self.wrong: list[str] = []
        self.slowest = 0.0
        self.cuts = 0

    def prepare(self) -> None:
        self.program.use_server(self.server.url, "echo")
        let_in(self.program, self.apps)

    def go(self, seconds: float) -> None:
        """Write, wait for the answer, and let the links stand idle."""
        with self.program.started("serve", "--json", seconds=seconds + 600) as process:
            while self.program.run("channels", "status", "--json").stdout.count('"running"') < len(
                self.apps
            ):
                time.sleep(0.5)  # mail that was there before is nobody's question
            began = measure_at = time.monotonic()
            while time.monotonic() < began + seconds:
                self._ask(self.chance.choice(self.apps))
                if time.monotonic() > measure_at:
                    measure_at += _MEASURED_EVERY_S
                    self._measure(process, (time.monotonic() - began) / 60)
                time.sleep(self.chance.choice(_PAUSES_S))
            self._measure(process, (time.monotonic() - began) / 60)
            self.program.run("quit")

    def _ask(self, app: App) -> None:
        number = self.written.total() + 1
        if number % _CUT_EVERY == 0:
            self.cuts += 1
            app.cut()
        note, began = f"Note {number}.", time.monotonic()
        app.write(note, 0)
        self.written[app.name] += 1
        while not any(note in text for text in app.said()):
            if time.monotonic() - began > _ANSWER_S:
                self.wrong.append(f"{app.name}: no answer to {note} within {_ANSWER_S:.0f} s")
                return
            time.sleep(0.5)
        self.slowest = max(self.slowest, time.monotonic() - began)

    def _measure(self, process: "subprocess.Popen[str]", minute: float) -> None:
        self.figures.append(
            measured(round(minute), self.written.total(), process.pid, self.program.home, "minute")
        )
        print(self.figures[-1], flush=True)

    def judge(self) -> None:
        said = Counter(text.strip() for app in self.apps for text in app.said() if "Note " in text)
        twice = [text for text, count in said.items() if count > 1]
        if twice:
            self.wrong.append(f"came twice: {twice}")
        settled = self.figures[2:]
        if len(settled) > 2:
            grows = growth([one.memory for one in settled])
            opens = growth([float(one.fds) for one in settled])
            print(f"each ten minutes: {grows:.2f} MB, {opens:.1f} open files", flush=True)
            if grows > _MOST_GROWTH_MB or opens > 1:
                self.wrong.append("memory or open files grow")


def run(chance: Random, minutes: int) -> list[str]:
    """So many minutes; what is wrong."""
    with ExitStack() as stack:
        hour = _Hour(stack, chance)
        hour.prepare()
        hour.go(60.0 * minutes)
        hour.judge()
    print(
        f"{minutes} minutes, {dict(hour.written)} written, {hour.cuts} cuts, the slowest answer after "
        f"{hour.slowest:.1f} s; {len(hour.wrong)} wrong",
        flush=True,
    )
    return hour.wrong
