"""Seven days of all chat apps in one process of the program: it answers every message once, and does not
grow.

A day is as long as its messages take; a night is a signal of logind, the network gone, and a wall clock
that jumps to the next day. By day every connection of every app is cut, and the network of the namespace
goes away and comes back. At each day's end, when nothing is owed any more, the program is measured. After
the week the clock jumps a month ahead: what is kept only for a while has to go then.
"""

import asyncio
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from desktop.api.client import Api
from desktop.api.remote import Remote
from desktop.cron.wanted import Wanted
from desktop.errors import AppError
from desktop.ipc.connection import NoOwnerError
from desktop.paths import Home
from tests.channels.app import App
from tests.channels.apps import apps, let_in
from tests.channels.real_apps import Email
from tests.redteam import network
from tests.servers.scripted import ScriptedServer
from tests.servers.system_bus import VARIABLE, emit, mocks, private_bus
from tests.soak.killing import Scene, Soak, StuckError
from tests.soak.measuring import Figures, growth, measured
from tests.stories.program import Program

DAYS, PEOPLE = 7, 20
_NOTE = re.compile(r"Note (\d+)\.")
_GREETING = "Good morning."
_DAY_S, _MONTH_S = 86_400, 31 * 86_400
_STUCK_S = 400.0
"""More than an app that was cut off often waits for its next try."""
AT_ONCE = 8
"""How many people wait for an answer at any moment. Each turn under way holds its conversation, which grows
for all of the week: with 80, memory grows by what the 64 turns hold that run at once."""
_MOST_A_THREAD = 20
"""Letters of one thread in a day: the program stops at 24, and then lets two programs talk no longer."""
_WITHOUT_NETWORK = ("telegram", "slack", "discord", "qq", "dingtalk", "feishu", "mochat")
"""Apps whose people write without the network of this namespace."""
SHIFTED = Path(__file__).with_name("shifted_clock.c")
_LOGIND = "org.freedesktop.login1"
_MOST_GROWTH_MB = 1.0
"""A day, from the third on: the first two fill the caches."""


class _Week(Soak):
    """People who write, wait for the answer, and write again."""

    what = "days"

    def __init__(self, scene: Scene, messages: int, clock: "_Clock", at_once: int) -> None:
        super().__init__(scene)
        self.at_once = at_once
        self.messages, self.clock = messages, clock
        self.apps = apps(self.stack, PEOPLE)
        for app in self.apps:
            if isinstance(app, Email):
                app.threads = True
        self.people = [(app, number) for app in self.apps for number in range(PEOPLE)]
        self.written: dict[int, App] = {}
        self.asked: dict[tuple[App, int], int] = {}
        """Who waits for the answer to which note."""
        self.today: Counter[tuple[App, int]] = Counter()
        self.floor = 0
        """Rows of the outbox up to this one are done."""
        self.cuts = 0
        self.figures: list[Figures] = []

    def prepare(self) -> None:
        """Everybody may write; the model says what it was asked."""
        self.program.cold = True
        self.program.use_server(self.server.url, "echo")
        let_in(self.program, self.apps)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """One process for the whole of it; all know each other at the end of its first minute."""
        environment = self.program.environment
        self.program.environment = environment | self.clock.environment
        quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        with (self.program.home.parent / "errors").open("wb") as errors:
            process = self.program.begin("serve", stderr=errors, **quiet)
        self.pid = process.pid
        try:
            self._until(self._listening, "not every app came up")
            for person in self.people:
                self._write(*person)
            self._rest()
            asyncio.run(self._plan())
            yield
            self.expect(process.poll() is None, "the program ended by itself")
            self.works("quit")
            process.wait(60)
        finally:
            process.kill()
            process.wait()

    def _listening(self) -> bool:
        told = self.program.run("channels", "status", "--json").stdout
        return told.count('"running"') == len(self.apps)

    async def _plan(self) -> None:
        """A reminder every morning, to the chat of one of the people."""
        api = Api(Remote(Home(self.program.home, self.program.home / "models")))
        hour = (time.gmtime().tm_hour + 12) % 24
        session = f"telegram:{self.apps[0].chat(0)}"
        wanted = Wanted(
            name="Morning", message=_GREETING, plain=True, cron=f"0 {hour} * * *", tz="UTC", session=session
        )
        try:
            await api.jobs.add(wanted)
        except (NoOwnerError, AppError) as error:
            self.lost.append(f"the reminder: {error}")

    # ---- a day

    def round(self, number: int) -> None:
        """A day and the night after it. Raises StuckError."""
        self.today.clear()
        began, share = len(self.written), self.messages // DAYS // 4
        self._talk(began + share)
        for app in self.chance.sample(self.apps, len(self.apps)):
            self._cut(app)
            self._talk(len(self.written) + share // len(self.apps))
        with self.clock.offline():
            self._write_offline(10)
            time.sleep(3)
        self._talk(began + 3 * share)
        self._cut(self.chance.choice(self.apps))
        self._talk(began + 4 * share - 10 if number < DAYS else self.messages - 10)
        self._rest()
        self.figures.append(measured(number, len(self.written), self.pid, self.program.home))
        print(self.figures[-1], flush=True)
        self.server.forget()
        with self.clock.asleep(_DAY_S):
            self._write_offline(10)

    def _talk(self, until: int) -> None:
        """Have people write who have no answer to wait for, until so many notes are written."""
        progress, answers = time.monotonic(), len(self.asked)
        while len(self.written) < until:
            self._look()
            if len(self.asked) != answers:
                progress, answers = time.monotonic(), len(self.asked)
            elif time.monotonic() - progress > _STUCK_S:
                raise StuckError(f"no answer to {self._waiting()}")
            free = [person for person in self.people if self._may(person)]
            room = min(self.at_once - len(self.asked), until - len(self.written))
            for person in self.chance.sample(free, max(0, min(room, len(free)))):
                self._write(*person)
            time.sleep(0.1)

    def _may(self, person: tuple[App, int]) -> bool:
        full = person[0].name == "email" and self.today[person] >= _MOST_A_THREAD
        return person not in self.asked and not full

    def _write(self, app: App, person: int) -> None:
        note = len(self.written) + 1
        self.written[note], self.asked[app, person] = app, note
        self.today[app, person] += 1
        app.write(f"Note {note}.", person)

    def _write_offline(self, count: int) -> None:
        free = [person for person in self.people if self._may(person)]
        free = [(app, person) for app, person in free if app.name in _WITHOUT_NETWORK]
        for person in self.chance.sample(free, min(count, len(free))):
            self._write(*person)

    def _cut(self, app: App) -> None:
        self.cuts += 1
        app.cut()

    def _look(self) -> None:
        """Who has an answer now."""
        rows: list[sqlite3.Row] = []
        with suppress(sqlite3.OperationalError):  # it is being written just now
            rows = self.rows(
                "SELECT body FROM outbox WHERE id > ? AND state = 'sent' AND key LIKE 'answer:%'",
                self.floor,
            )
        done = {int(note) for row in rows for note in _NOTE.findall(row["body"])}
        self.asked = {person: note for person, note in self.asked.items() if note not in done}

    def _rest(self) -> None:
        """Wait until everybody has an answer, and nothing is owed. Raises StuckError."""

        def rests() -> bool:
            self._look()
            return not (self.asked or sum(app.waiting() for app in self.apps))

        self._until(rests, "no rest")
        self.floor = int(self.rows("SELECT max(id) AS last FROM outbox")[0]["last"])

    def _until(self, holds: Callable[[], bool], otherwise: str) -> None:
        end = time.monotonic() + _STUCK_S
        while not holds():
            if time.monotonic() > end:
                raise StuckError(f"{otherwise}: {self._waiting()}")
            time.sleep(0.2)

    def _waiting(self) -> str:
        left = [f"{app.name} {person}: {note}" for (app, person), note in self.asked.items()]
        told = self.rows("SELECT key, channel, state, body FROM outbox WHERE state <> 'sent' LIMIT 5")
        waiting = {app.name: app.waiting() for app in self.apps}
        return f"{left}; {[tuple(row) for row in told]}; {waiting}"

    # ---- the end

    def month(self) -> None:
        """A month later: what was kept for a while goes."""
        self._rest()
        with self.clock.asleep(_MONTH_S):
            pass
        for app in self.apps:
            self._write(app, 0)
        self._rest()
        if self.clock.moves:
            tables = ("seen", "outbox")
            self._until(lambda: max(self._count(table) for table in tables) < PEOPLE, "what is old stays")
        self.figures.append(measured(DAYS + 31, len(self.written), self.pid, self.program.home))
        print(self.figures[-1], flush=True)

    def _count(self, table: str) -> int:
        return int(self.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"])

    def finish(self) -> str:
        """What everybody has, once the program has ended."""
        stored = Counter(
            int(note)
            for record in self.records()
            if record.get("role") == "user"
            for note in _NOTE.findall(str(record.get("content")))
        )
        for number, app in self.written.items():
            self.expect(stored[number] == 1, f"{app.name}: Note {number} is stored {stored[number]} times")
        told = [self._judge(app) for app in self.apps]
        if self.clock.moves:
            runs = self.rows("SELECT outcome FROM runs WHERE name = 'Morning'")
            greeted = sum(_GREETING in text for text in self.apps[0].said())
            self.expect(len(runs) == DAYS + 1, f"{len(runs)} runs in the week, and after the month")
            self.expect(greeted == len(runs), f"{greeted} greetings for {len(runs)} runs")
            told.append(f"{greeted} greetings")
        self._flat()
        return f"{len(self.written)} written, {self.cuts} cuts; " + "; ".join(told)

    def _judge(self, app: App) -> str:
        said = Counter(int(note) for text in app.said() for note in _NOTE.findall(text))
        mine = {number for number, there in self.written.items() if there is app}
        self.expect(said.keys() <= mine, f"{app.name}: {said.keys() - mine} are of others")
        self.expect(said.keys() >= mine, f"{app.name}: no answer to {mine - said.keys()}")
        twice = sum(said.values()) - len(said)
        # The beginning of an answer that was on its way when the connection was cut stands beside it.
        self.expect(twice <= self.cuts, f"{app.name}: {twice} came twice")
        return f"{app.name} {len(mine)}, {twice} twice"

    def _flat(self) -> None:
        """Nothing but the logs and their index grows."""
        days = self.figures[2:DAYS]
        if len(days) < 3:
            return
        slope = growth([one.memory for one in days])
        self.expect(slope < _MOST_GROWTH_MB, f"memory grows by {slope:.2f} MB a day")
        fds = [float(one.fds) for one in days]  # with connections that are kept open for a while
        self.expect(growth(fds) < len(self.apps), f"open files: {fds}")
        self.expect(days[-1].threads <= days[0].threads + 2, "the threads grow")
        print(f"from the third day on memory grows by {slope:.2f} MB a day", flush=True)


class _Clock:
    """The program's wall clock, its logind, and the network of this namespace."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        bus = stack.enter_context(private_bus(folder))
        os.environ[VARIABLE] = bus
        stack.enter_context(mocks(bus, logind=_LOGIND))
        self._file, self._ahead = folder / "ahead", 0
        self._file.write_bytes(struct.pack("=q", 0))
        self.environment = {VARIABLE: bus}
        self.moves = shutil.which("cc") is not None
        if self.moves:
            made = folder / "clock.so"
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", made, SHIFTED, "-ldl"], check=True)
            self.environment |= {"LD_PRELOAD": str(made), "SHIFTED_CLOCK": str(self._file)}
        else:
            print("there is no C compiler: the program's clock stays", flush=True)

    @contextmanager
    def offline(self) -> Iterator[None]:
        """No network, also not with this computer itself."""
        _link("down")
        try:
            yield
        finally:
            _link("up")

    @contextmanager
    def asleep(self, seconds: int) -> Iterator[None]:
        """As a laptop that is closed: the network goes, and so much later it is another time."""
        self._tell(going=True)
        with self.offline():
            self._ahead += seconds
            with self._file.open("r+b") as file:  # in its place: the program has it mapped
                file.write(struct.pack("=q", self._ahead))
            time.sleep(2)
            yield
        self._tell(going=False)

    @staticmethod
    def _tell(*, going: bool) -> None:
        manager = f"{_LOGIND}.Manager"
        emit(_LOGIND, "/org/freedesktop/login1", manager, "PrepareForSleep", "b", str(going).lower())


def _link(state: str) -> None:
    subprocess.run(["ip", "link", "set", "lo", state], check=True)


def run(chance: Random, messages: int, at_once: int) -> list[str]:
    """So many messages in a week, with so many people waiting at any moment; what was lost. Leaves this
    process without its network."""
    network.enter()
    started = time.monotonic()
    with (
        ScriptedServer() as server,
        tempfile.TemporaryDirectory(prefix="week-") as folder,
        ExitStack() as stack,
    ):
        home = Program(Path(folder) / "home")
        soak = _Week(Scene(chance, home, server, stack), messages, _Clock(stack, Path(folder)), at_once)
        soak.prepare()
        try:
            with soak.serving():
                for number in range(1, DAYS + 1):
                    soak.round(number)
                soak.month()
        except StuckError as stuck:
            soak.lost.append(str(stuck))
            print("".join((home.home / "logs/nanobot.log").read_text("utf-8").splitlines(True)[-40:]))
        told = soak.finish()
    print(f"{DAYS} days in {time.monotonic() - started:.0f} s: {told}; {len(soak.lost)} lost", flush=True)
    return soak.lost
