"""The speed table: medians of the program beside a bare peer in the same run, printed, never asserted.

Usage: .venv/bin/python tests/bench [PART ...] [--runs N] [--no-nanobot] [--messages N] [--model NAME]
"""

import argparse
import asyncio
import compileall
import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import (
    chats,
    cold,
    frozen,
    idle,
    lean,
    marks,
    memory,
    models,
    opening,
    presence,
    reminding,
    search,
    servers,
    speech,
    together,
    tools,
    turn,
    window,
)
from tests.bench.table import Table

PARTS = (
    *("import", "cold", "warm", "turn", "idle", "window", "presence"),
    *(
        "conversation",
        "acts",
        "search",
        "memory",
        "files",
        "marks",
        "tools",
        "mcp",
        "remind",
        "models",
        "chats",
        "together",
        "speech",
    ),
)
MODELS, FROZEN = "lean", "frozen"
"""Only when asked for: how well the built-in models act, minutes each, and the program that
NANOBOT_TEST_PROGRAM names beside this checkout."""


def _compile() -> None:
    """Have the program start as it does for people: its code is compiled, like that of its peers."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(Path(__file__).resolve().parents[2] / "desktop", quiet=2)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests/bench", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", default=PARTS, help=f"any of {', '.join((*PARTS, MODELS, FROZEN))}"
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-nanobot", action="store_true", help="leave the ancestor out of the table")
    parser.add_argument("--messages", type=int, default=search.MESSAGES, help="how many to search in")
    parser.add_argument("--model", action="append", choices=lean.MODELS, help="of lean; else both")
    arguments = parser.parse_args()
    _compile()
    table = Table()
    print(f"Python {platform.python_version()}, {platform.machine()}, medians of {arguments.runs} runs\n")
    if "import" in arguments.parts:
        cold.imports(table, arguments.runs)
    if "cold" in arguments.parts:
        cold.one_shot(table, arguments.runs, nanobot=not arguments.no_nanobot)
    if "warm" in arguments.parts:
        cold.through_a_running_program(table, arguments.runs)
    if "turn" in arguments.parts:
        asyncio.run(turn.measure(table))
    if "idle" in arguments.parts:
        idle.measure(table)
    if "window" in arguments.parts:
        window.measure(table, arguments.runs)
    if FROZEN in arguments.parts:
        frozen.measure(table, arguments.runs)
    if "chats" in arguments.parts:
        chats.measure(table, arguments.runs)
    if "together" in arguments.parts:
        together.measure(table, arguments.runs)
    if "presence" in arguments.parts:
        presence.measure(table, arguments.runs)
    if "search" in arguments.parts:
        asyncio.run(search.measure(table, arguments.messages))
    if "memory" in arguments.parts:
        asyncio.run(memory.measure(table, arguments.runs))
    if "files" in arguments.parts:
        asyncio.run(opening.measure(table, arguments.runs))
    if "marks" in arguments.parts:
        asyncio.run(marks.measure(table, arguments.runs))
    if "tools" in arguments.parts:
        asyncio.run(tools.measure(table, arguments.runs, nanobot=not arguments.no_nanobot))
    if "mcp" in arguments.parts:
        asyncio.run(servers.measure(table, arguments.runs))
    if "remind" in arguments.parts:
        asyncio.run(reminding.measure(table, arguments.runs))
    if "models" in arguments.parts:
        asyncio.run(models.measure(table, arguments.runs))
    if "speech" in arguments.parts:
        asyncio.run(speech.measure(table, min(3, arguments.runs)))
    if MODELS in arguments.parts:
        lean.measure(arguments.model or list(lean.MODELS))
    if "conversation" in arguments.parts:
        from tests.bench import conversation  # it brings Qt into this process

        conversation.measure(table)
    if "acts" in arguments.parts:
        from tests.bench import acts  # it brings Qt, too

        table.head()
        acts.measure()


if __name__ == "__main__":
    main()
