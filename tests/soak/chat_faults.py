"""What is too slow for every run of what goes wrong with chat apps: files of 50 MB each way, and a wall
clock that jumps two days ahead and back again, with all apps in one process of the program.

Each file that fits comes whole and is sent whole, and the program does not grow by it; one that is too
large for its app is told in the chat. Whatever the clock says, each app answers, once.
"""

import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from tests.channels.app import App
from tests.channels.apps import Telegram, apps, let_in
from tests.channels.trouble import give, received_files
from tests.servers.scripted import ScriptedServer
from tests.soak.channels_week import SHIFTED
from tests.stories.program import Program
from tests.unit.core.test_permits import use

_LARGE, _MOST_S = 50_000_000, 240.0
_COMES = {"telegram": 20_000_000, "matrix": 19_000_000, "email": 19_000_000}
"""The largest files that reach the program, where that is not 50 MB."""
_GOES = {"telegram": 45_000_000, "slack": 45_000_000, "discord": 10_000_000, "matrix": 19_000_000}
_DAY_S = 86_400
_MOST_GROWTH_MB = 25.0
"""While files of 50 MB come and go: buffers, and the allocator's own."""


class _Faults:
    def __init__(self, stack: ExitStack, home: Path) -> None:
        self.server = stack.enter_context(ScriptedServer())
        self.apps = apps(stack, 2)
        self.program = Program(home, cold=True)
        self.lost: list[str] = []
        self._notes = 0
        self._clock, self._ahead = home.parent / "ahead", 0
        self.pid = 0

    def prepare(self) -> None:
        """Everybody may write, and send as much as may be."""
        self.program.use_server(self.server.url, "echo")
        mail = {"maxAttachmentSize": 25_000_000, "allowedAttachmentTypes": ["*"]}
        let_in(self.program, self.apps, email=mail)
        self._clock.write_bytes(struct.pack("=q", 0))
        if shutil.which("cc"):
            made = self._clock.with_name("clock.so")
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", made, SHIFTED, "-ldl"], check=True)
            self.program.environment |= {"LD_PRELOAD": str(made), "SHIFTED_CLOCK": str(self._clock)}

    @contextmanager
    def serving(self) -> Iterator[None]:
        """One process for all of it."""
        quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        process = self.program.begin("serve", stderr=subprocess.DEVNULL, **quiet)
        self.pid = process.pid
        try:
            self._until(self._running, "not every app came up")
            yield
            self.program.run("quit")
            process.wait(60)
        finally:
            process.kill()
            process.wait()

    def _running(self) -> bool:
        return self.program.run("channels", "status", "--json").stdout.count('"running"') == len(self.apps)

    def ask(self, when: str) -> None:
        """Each app answers, once."""
        asked: dict[App, str] = {}
        for app in self.apps:
            self._notes += 1
            asked[app] = f"Note {self._notes} {when}."
            app.write(asked[app], 0)
        for app, note in asked.items():
            self._until(partial(self._count, app, note), f"{app.name}: no answer {when}")
            if (count := self._count(app, note)) > 1:
                self.lost.append(f"{app.name}: {count} answers {when}")

    @staticmethod
    def _count(app: App, words: str) -> int:
        return sum(words in text for text in app.said())

    def jump(self, days: int) -> None:
        """Another wall clock."""
        self._ahead += days * _DAY_S
        with self._clock.open("r+b") as file:  # in its place: the program has it mapped
            file.write(struct.pack("=q", self._ahead))

    # ---- files

    def come(self) -> None:
        """A file as large as may be, and for Telegram one that is larger."""
        for app in self.apps:
            size = _COMES.get(app.name, _LARGE)
            with self._flat(f"{app.name}: {size / 1e6:.0f} MB come"):
                give(app, f"Keep {app.name}", [(f"{app.name}.bin", bytes(size))], 0)
                self._until(partial(self._here, app, size), f"{app.name}: no file")
        for app in self.apps:
            if isinstance(app, Telegram):
                give(app, "Too much", [("huge.bin", bytes(_LARGE))], 0)
                self._until(partial(self._count, app, "huge.bin"), "a file too large is not told of")

    def _here(self, app: App, size: int) -> bool:
        found = list((self.program.home / "workspace" / "files" / app.name).glob(f"*-{app.name}.bin"))
        return [file.stat().st_size for file in found] == [size]

    def go(self) -> None:
        """A file that fits, and one that does not, which is told of."""
        for app in self.apps:
            sizes = {f"fits-{app.name}.bin": _GOES.get(app.name, 19_000_000)}
            if app.name != "slack":
                sizes[f"huge-{app.name}.bin"] = 60_000_000
            for name, size in sizes.items():
                (self.program.home / "workspace" / name).write_bytes(bytes(size))
            media = [str(self.program.home / "workspace" / name) for name in sizes]
            with self._flat(f"{app.name}: {_GOES.get(app.name, 19_000_000) / 1e6:.0f} MB go"):
                self.server.script(use("message", content="Here.", media=media), "say:Done.")
                app.write("Send them", 0)
                self._until(partial(self._there, app, sizes), f"{app.name}: not sent as it should")

    def _there(self, app: App, sizes: dict[str, int]) -> bool:
        (fits, size), *huge = sizes.items()
        told = all(self._count(app, name) for name, _size in huge)
        return told and received_files(app).get(fits) == size

    @contextmanager
    def _flat(self, what: str) -> Iterator[None]:
        with suppress(OSError):  # from here on it counts anew, where that may be asked
            Path(f"/proc/{self.pid}/clear_refs").write_text("5", "ascii")
        before = self._memory()
        yield
        grown = self._memory() - before
        print(f"{what}: peak {grown:+.1f} MB", flush=True)
        if grown > _MOST_GROWTH_MB:
            self.lost.append(f"{what}: the program grew by {grown:.0f} MB")

    def _memory(self) -> float:
        """The most that the program held since then, MB."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def _until(self, holds: Callable[[], object], otherwise: str) -> None:
        end = time.monotonic() + _MOST_S
        while not holds():
            if time.monotonic() > end or not psutil.pid_exists(self.pid):
                self.lost.append(otherwise)
                return
            time.sleep(0.2)


def run() -> list[str]:
    """What is wrong."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faults-")))
        faults = _Faults(stack, folder / "home")
        faults.prepare()
        with faults.serving():
            faults.ask("today")
            for days, when in ((2, "two days on"), (-1, "a day back"), (-1, "today again")):
                faults.jump(days)
                faults.ask(when)
            faults.come()
            faults.go()
            faults.ask("in the end")
        return faults.lost
