"""A long conversation through the real window: what it holds in memory must not grow with what was said."""

import tempfile
from pathlib import Path

import psutil

from tests.desktop.session import nested_session
from tests.desktop.window import Window, running_window, until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

EARLY = 100
ALLOWED_MB = 20.0
ANSWER = """say:Here is **answer** with `code` and a list:

- one
- two

```python
def f(x: int) -> int:
    return x + 1
```

| a | b |
|---|--:|
| 1 | 2 |

And a last paragraph with some more words in it, so that there is something to lay out."""


def run(messages: int) -> list[str]:
    """Send so many messages, each after the answer to the one before; what went wrong."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ScriptedServer() as server,
        nested_session("--tray", "none", "--notify", "none") as environment,
    ):
        program = Program(Path(folder) / "home", environment)
        program.use_server(server.url, "echo")
        with running_window(program, seconds=3600) as window:
            process = psutil.Process(window.pid)
            early = 0.0
            for number in range(1, messages + 1):
                server.script(ANSWER)
                _say(window, program, number)
                if number == EARLY:
                    early = _megabytes(process)
                if number % EARLY == 0:
                    print(f"{number:6} messages  {_megabytes(process):7.1f} MB", flush=True)
            late = _megabytes(process)
    print(f"after {EARLY}: {early:.1f} MB, after {messages}: {late:.1f} MB")
    return (
        [] if late <= early + ALLOWED_MB else [f"{late - early:.1f} MB grew between {EARLY} and {messages}"]
    )


def _say(window: Window, program: Program, number: int) -> None:
    window.set_text("Message", f"Message {number}: say something with a list and a table.")
    window.press("Send")
    until(lambda: _answers(program) >= number, f"answer {number} is on disk", 60)
    window.gone("Stop")


def _answers(program: Program) -> int:
    """How many answers the log holds."""
    logs = list((program.home / "workspace" / "sessions").glob("*.jsonl"))
    return sum(log.read_bytes().count(b'"role":"assistant"') for log in logs)


def _megabytes(process: psutil.Process) -> float:
    return float(process.memory_full_info().uss) / 2**20
