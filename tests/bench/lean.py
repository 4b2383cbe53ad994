"""How often a built-in model does the simplest thing asked of it: "write ... into ...", in ten wordings.

Each wording is a conversation of its own, asked of one running program as a person at a terminal would.
Right is a file of the name asked for that holds exactly the text asked for, white space around it aside.
Sentences that ask for nothing of the kind must leave no file.
"""

import json
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.stories.program import Program, read_event, say

MODELS = ("qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct")
_HOUR = 3600.0
_ANSWER_S = 600.0
_OWN = ("sessions", "files", "memory")
"""Folders of the workspace that are the program's own."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What is said; which file must hold what afterwards, none where `file` is empty."""

    said: str
    file: str = ""
    text: str = ""


WORDINGS = (
    Wording("Write the word hello into greeting.txt.", "greeting.txt", "hello"),
    Wording("Please create a file called todo.md with the text: buy milk", "todo.md", "buy milk"),
    Wording("Save 'meeting at 10' in notes.txt", "notes.txt", "meeting at 10"),
    Wording('Can you write "I am fine" into the file status.txt?', "status.txt", "I am fine"),
    Wording("Put the number 42 into answer.txt", "answer.txt", "42"),
    Wording('Make a file list.txt that contains "apples, pears"', "list.txt", "apples, pears"),
    Wording("write good morning into morning.txt", "morning.txt", "good morning"),
    Wording("Store my name, Ada, in a file named name.txt", "name.txt", "Ada"),
    Wording("I need a file readme.txt with the sentence: This is a test", "readme.txt", "This is a test"),
    Wording("Write 'Call Bob tomorrow' to reminders.txt please", "reminders.txt", "Call Bob tomorrow"),
)
PLAIN = (
    Wording("Hello!"),
    Wording("Thanks, that is all."),
    Wording("What is the capital of France?"),
)


def measure(models: list[str]) -> None:
    """The table of each model."""
    for model in models:
        started = time.monotonic()
        right, quiet = _table(model)
        print(
            f"{model}: {right} of {len(WORDINGS)} fully right, {quiet} of {len(PLAIN)} plain sentences "
            f"without a file, {time.monotonic() - started:.0f} s\n",
            flush=True,
        )


def _table(model: str) -> tuple[int, int]:
    """One line a wording; how many were right, of those that ask for a file and of those that do not."""
    files = Path(os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models").expanduser()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder) / "home")
        program.configure(local={"model": model})
        (program.home / "models").symlink_to(files)
        print(f"{'':2} {'asked':60} {'called':30} {'in the file':22} {'s':>4}  answer", flush=True)
        with program.started("chat", "--json", seconds=_HOUR) as owner:  # it keeps the model in memory
            say(owner, "Hello")
            read_event(owner, "turn_finished")
            right = sum(_asked(program, number, one) for number, one in enumerate(WORDINGS))
            quiet = sum(_asked(program, number, one) for number, one in enumerate(PLAIN, len(WORDINGS)))
    return right, quiet


def _asked(program: Program, number: int, wording: Wording) -> bool:
    """Ask in a conversation of its own and look at what is there afterwards."""
    before, started = _files(program), time.monotonic()
    arguments = ("ask", wording.said, "--session", f"lean:{number}", "--approve", "all")
    events = program.events(*arguments, seconds=_ANSWER_S)
    took, after = time.monotonic() - started, _files(program)
    made = {name: text for name, text in after.items() if before.get(name) != text}
    wanted = {wording.file: wording.text} if wording.file else {}
    right = {name: text.strip() for name, text in made.items()} == wanted
    held = " ".join(text if name == wording.file else f"[{name}]" for name, text in made.items())
    print(
        f"{'ok' if right else '--'} {wording.said:60} {_called(events):30} {held!r:22.22} {took:4.0f}  "
        f"{_answer(events)!r:.70}",
        flush=True,
    )
    return right


def _files(program: Program) -> dict[str, str]:
    """What is in the workspace, but for the program's own folders."""
    place = program.home / "workspace"
    inside = (path.relative_to(place) for path in place.rglob("*") if path.is_file())
    return {
        path.as_posix(): (place / path).read_text("utf-8", "replace")
        for path in inside
        if path.parts[0] not in _OWN
    }


def _called(events: list[dict[str, Any]]) -> str:
    outcomes = [(e["tool"], e["outcome"]) for e in events if e["event"] == "tool_finished"]
    return ", ".join(tool if outcome == "ok" else f"{tool} {outcome}" for tool, outcome in outcomes)


def _answer(events: list[dict[str, Any]]) -> str:
    last = events[-1] if events else {}
    return " ".join(str(last.get("text") or last.get("error") or json.dumps(last)).split())
