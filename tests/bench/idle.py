"""What a program that nobody talks to costs: CPU of the process and of its children over a minute."""

import tempfile
import time
from pathlib import Path

import psutil

from tests.bench.table import Table
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event

SECONDS = 60


def _cpu(processes: list[psutil.Process]) -> list[float]:
    return [sum(process.cpu_times()[:2]) for process in processes]


def measure(table: Table) -> None:
    """An idle conversation after one answer, model host warm."""
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder))
        program.use_server(server.url, "say:hello")
        with program.started("chat", "--json", seconds=600) as chat:
            assert chat.stdin is not None
            chat.stdin.write("hi\n")
            chat.stdin.flush()
            read_event(chat, "turn_finished")
            time.sleep(2)
            family = [psutil.Process(chat.pid), *psutil.Process(chat.pid).children(recursive=True)]
            before = _cpu(family)
            time.sleep(SECONDS)
            spent = [after - b for after, b in zip(_cpu(family), before, strict=True)]
            size = family[0].memory_full_info().pss / 2**20
    table.line(
        f"CPU, idle {SECONDS} s",
        f"{spent[0]:.2f} s",
        f"children {sum(spent[1:]):.2f} s",
        "<= 0.1 s",
        sum(spent) <= 0.1,
    )
    table.line("memory, idle, program alone (PSS)", f"{size:.0f} MB")
