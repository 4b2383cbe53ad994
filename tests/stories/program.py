"""The real program as a child process, in a home of its own, as a person or a script would start it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.warm.program import Forked, suits

PROGRAM = os.environ.get("NANOBOT_TEST_PROGRAM", "")
"""A program to be tested instead of this checkout: a frozen one, or one that was installed."""
COMMAND = [PROGRAM] if PROGRAM else [sys.executable, "-P", "-m", "desktop"]


@dataclass
class Program:
    """A home, and the command line that works in it."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    """What the command line begins with, such as the way into a namespace."""

    cold: bool = False
    """Whether it always starts anew, where the stories fork one that has its modules loaded."""

    @property
    def command(self) -> list[str]:
        return [*self.inside, *COMMAND]

    def configure(self, **config: Any) -> None:
        """Write config.json."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "config.json").write_text(json.dumps(config), "utf-8")

    def use_server(self, url: str, model: str = "say:Hello there.", **provider: Any) -> None:
        """Let questions go to an OpenAI-compatible server that needs no key. Conversations are not named by
        it, so that it is asked what a test asks."""
        self.configure(
            agents={"defaults": {"provider": "custom", "model": model, "autoTitles": False}},
            providers={"custom": {"apiBase": url, **provider}},
        )

    @property
    def full_environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NANOBOT_")}
        return kept | {
            "NANOBOT_DESKTOP_HOME": str(self.home),
            "NANOBOT_DESKTOP_LANGUAGE": "en",
            **self.environment,
        }

    def run(
        self, *arguments: str, given: str = "", seconds: float = 180, encoding: str = "utf-8"
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; half letters go in as the bytes that they stand for."""
        with self.begin(*arguments, encoding=encoding, errors="surrogateescape") as process:
            try:
                out, complaints = process.communicate(given, timeout=seconds)
            except BaseException:
                process.kill()
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, complaints)

    def begin(self, *arguments: str, **options: Any) -> subprocess.Popen[Any]:
        """A command as Popen() starts it with these options, with pipes to it where they say nothing."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        options = {"env": self.full_environment, **pipes, **options}
        if not (self.cold or self.inside or PROGRAM) and suits(options["env"]):
            return Forked(arguments, **options)
        return subprocess.Popen([*self.command, *arguments], **options)

    def talk(self, key: str, *questions: str) -> None:
        """Have these asked and answered in a conversation, one after the other."""
        done = self.run("chat", "--session", key, given="".join(f"{question}\n" for question in questions))
        assert done.returncode == 0, done.stderr

    def events(self, *arguments: str, given: str = "", seconds: float = 180) -> list[dict[str, Any]]:
        """The JSON lines of a command with --json."""
        done = self.run(*arguments, "--json", given=given, seconds=seconds)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def shown(self, key: str = "cli:direct") -> list[dict[str, Any]]:
        """A conversation as `sessions show` gives it to a script."""
        return self.events("sessions", "show", key)

    def said(self, key: str = "cli:direct") -> list[tuple[str, str]]:
        """Who said what in a conversation."""
        return [(message["role"], message["content"]) for message in self.shown(key)]

    @contextmanager
    def started(self, *arguments: str, seconds: float = 180) -> Iterator[subprocess.Popen[str]]:
        """A command that goes on while the block runs, then is asked to end; killed after so long."""
        with self.begin(*arguments, text=True) as process:
            watchdog = threading.Timer(seconds, process.kill)
            watchdog.start()
            try:
                yield process
            finally:
                watchdog.cancel()
                if process.poll() is None:
                    process.terminate()
                    try:
                        process.wait(60)
                    except subprocess.TimeoutExpired:
                        process.kill()


def say(process: subprocess.Popen[str], text: str) -> None:
    """Type a line into a conversation."""
    assert process.stdin is not None
    process.stdin.write(f"{text}\n")
    process.stdin.flush()


def read_event(process: subprocess.Popen[str], kind: str) -> dict[str, Any]:
    """Read the lines of a --json command until one of this kind. Fails if the output ends before."""
    assert process.stdout is not None
    for line in process.stdout:
        event: dict[str, Any] = json.loads(line)
        if event.get("event") == kind:
            return event
    assert process.stderr is not None
    raise AssertionError(f"the output ended before {kind}: {process.stderr.read()}")


def texts(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below a folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()
