"""The frozen program beside this checkout, in turns: what a person waits for."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.table import Table, middle
from tests.bench.window import Bench
from tests.desktop.session import nested_session
from tests.servers.scripted import ScriptedServer
from tests.stories.program import PROGRAM

CHECKOUT = (sys.executable, "-P", "-m", "desktop")
CALLS = {"--version": 1.4, "ask": 1.0}
MOMENTS = {"painted": 1.15, "ready": 1.15}
"""What is timed, and how many times as long the frozen program may take."""


def measure(table: Table, runs: int) -> None:
    """Medians of both, and their ratio; the first round is not counted."""
    if not PROGRAM:
        raise SystemExit("NANOBOT_TEST_PROGRAM names the frozen program.")
    os.environ.pop("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", None)
    with (
        ScriptedServer() as server,
        tempfile.TemporaryDirectory() as folder,
        nested_session() as environment,
    ):
        environment.pop("QT_LINUX_ACCESSIBILITY_ALWAYS_ON")
        bench = Bench(environment, Path(folder), server.url)
        both = {"frozen": (PROGRAM,), "checkout": CHECKOUT}
        taken: dict[tuple[str, str], list[float]] = {}
        for counted in range(runs + 1):
            for whose, command in both.items():
                for what, seconds in _round(bench, command).items():
                    if counted:
                        taken.setdefault((what, whose), []).append(seconds)
    for what, allowed in (CALLS | MOMENTS).items():
        ours, theirs = middle(taken[what, "frozen"]), middle(taken[what, "checkout"])
        ratio = f"<= {allowed} x, is {ours / theirs:.2f}"
        table.line(f"frozen, {what}", f"{ours:.2f} s", f"{theirs:.2f} s", ratio, ours <= allowed * theirs)


def _round(bench: Bench, command: tuple[str, ...]) -> dict[str, float]:
    """Each once, in seconds."""
    taken = {}
    for what, arguments in (("--version", ["--version"]), ("ask", ["ask", "hi"])):
        began = time.monotonic()
        subprocess.run([*command, *arguments], env=bench.environment, stdout=subprocess.DEVNULL, check=True)
        taken[what] = time.monotonic() - began
    with bench.started(command) as window:
        for what in MOMENTS:
            taken[what] = window.moment(what)["wall"] - window.began
    return taken
