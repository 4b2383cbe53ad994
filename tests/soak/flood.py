"""Thousands of messages that wait at the start, as after a week without the computer.

The owner's are all stored, in their order, and answered; the others' as far as their rate allows, and each
of them is told so once. The program is there long before all that was read.
"""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.channels.app import PEOPLE
from tests.channels.apps import Telegram
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

_MOST_S = 900.0
_OWNER = 0


def run(count: int) -> list[str]:
    """Half by the owner, half by nine others; what is wrong."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server, app = stack.enter_context(ScriptedServer()), Telegram(stack)
        program = Program(home)
        _prepare(program, server, app)
        for number in range(count):
            app.write(f"Note {number}.", _OWNER if number % 2 == 0 else 1 + number // 2 % (PEOPLE - 1))
        begun = time.monotonic()
        with program.started("serve", "--json", seconds=2 * _MOST_S) as process:
            assert process.stdout is not None
            while json.loads(process.stdout.readline()).get("event") != "serving":
                pass
            _tell("serving after", begun)
            _until(lambda: bool(app.said()))
            _tell("first answer after", begun)
            _until(lambda: not app.waiting())
            _tell(f"{count} read after", begun)
            _tell(f"peak {_peak(process)} MB, all told", begun)
            app.write("Note 999999.", 1)
            app.write("Note 888888.", _OWNER)
            _until(lambda: "Note 888888." in _texts(home, app.chat(_OWNER)))
            _tell("the next one stored", begun)
            program.run("quit")
        return _judge(home, app, count)


def _prepare(program: Program, server: ScriptedServer, app: Telegram) -> None:
    program.use_server(server.url, "say:Good day.")
    config = program.home / "config.json"
    settings: dict[str, Any] = json.loads(config.read_text("utf-8"))
    told = {"enabled": True, "allowFrom": ["*"], "owner": app.chat(_OWNER)}
    settings["channels"] = {"telegram": told | app.settings()}
    config.write_text(json.dumps(settings), "utf-8")
    program.environment |= app.environment()


def _judge(home: Path, app: Telegram, count: int) -> list[str]:
    wrong = []
    mine = [text for text in _texts(home, app.chat(_OWNER)) if text != "Note 888888."]
    if mine != [f"Note {number}." for number in range(0, count, 2)]:
        wrong.append(f"{len(mine)} of the owner's are stored, or not in their order")
    told = sum("Write again" in text for text in app.said())
    if not PEOPLE - 1 <= told <= (PEOPLE - 1) * (_MOST_S // 60):
        wrong.append(f"{told} were told to wait")
    print(f"{len(app.said())} said, {told} told to wait", flush=True)
    return wrong


def _texts(home: Path, chat: str) -> list[str]:
    """What somebody's conversation has of theirs."""
    found = []
    for path in home.glob(f"workspace/sessions/telegram%3A{chat}.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            if record.get("role") == "user":
                found.append(str(record["content"]))
    return found


def _peak(process: "subprocess.Popen[str]") -> int:
    status = Path(f"/proc/{process.pid}/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def _tell(what: str, begun: float) -> None:
    print(f"{what} {time.monotonic() - begun:.1f} s", flush=True)


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _MOST_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.3)
