"""A command of the program in a session of its own, killed with all its children in the end."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.soak.kill import Lines
from tests.stories.program import Program


@contextmanager
def killed(program: Program, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], Lines]]:
    """The command and what it tells; after the block it is dead, and all that it told is taken in."""
    with subprocess.Popen(
        [*program.command, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=program.full_environment,
        start_new_session=True,
    ) as process:
        lines = Lines(process)
        try:
            yield process, lines
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        lines.follow(5)
