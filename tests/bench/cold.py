"""Whole commands as a person waits for them: imports, one-shot answers, answers of a running program."""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.peers import bare, nanobot
from tests.bench.table import Table, middle
from tests.servers.scripted import ScriptedServer
from tests.stories.program import COMMAND, Program, read_event


def _wall(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    started = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - started


def _cpu(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def imports(table: Table, runs: int) -> None:
    """CPU of importing the command line, beside an empty interpreter."""
    ours = middle([_cpu([sys.executable, "-c", "import desktop.cli.app"]) for _ in range(runs)])
    empty = middle([_cpu([sys.executable, "-c", "pass"]) for _ in range(runs)])
    table.line("import desktop.cli, CPU", f"{ours:.3f} s", f"empty {empty:.3f} s", "<= 0.3 s", ours <= 0.3)


def one_shot(table: Table, runs: int, *, nanobot: bool) -> None:
    """`ask` from nothing, beside a bare script with the same engine, in turns."""
    with ScriptedServer() as server:
        for engine in ("openai", "litellm"):
            with tempfile.TemporaryDirectory() as folder:
                program = Program(Path(folder))
                program.use_server(server.url, "say:hello", engine=engine)
                ask, peer = [*COMMAND, "ask", "hi"], bare(engine, server.url, "say:hello")
                _wall(ask, program.full_environment)
                _wall(peer)
                ours, theirs = [], []
                for _ in range(runs):
                    ours.append(_wall(ask, program.full_environment))
                    theirs.append(_wall(peer))
            more = middle(ours) - middle(theirs)
            table.line(
                f"ask, cold, {engine}",
                f"{middle(ours):.2f} s",
                f"bare {middle(theirs):.2f} s",
                f"<= bare + 1 s ({more:+.2f})",
                more <= 1,
            )
        if nanobot:
            _ancestor(table, server.url, runs)


def _ancestor(table: Table, url: str, runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = nanobot(url, Path(folder))
        if found is None:
            table.line("nanobot-ai 0.3.5 one-shot", "", "cannot be installed here")
            return
        command, environment = found
        _wall(command, environment)
        table.line(
            "nanobot-ai 0.3.5 one-shot",
            "",
            f"{middle([_wall(command, environment) for _ in range(runs)]):.2f} s",
        )


def through_a_running_program(table: Table, runs: int) -> None:
    """`ask` while a conversation runs, whose model host is warm."""
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder))
        program.use_server(server.url, "say:hello")
        with program.started("chat", "--json", seconds=600) as chat:
            assert chat.stdin is not None
            chat.stdin.write("hi\n")
            chat.stdin.flush()
            read_event(chat, "turn_finished")
            ask = [*COMMAND, "ask", "hi"]
            _wall(ask, program.full_environment)
            ours = middle([_wall(ask, program.full_environment) for _ in range(runs)])
    table.line("ask through a running program", f"{ours:.2f} s", "", "<= 0.5 s", ours <= 0.5)
