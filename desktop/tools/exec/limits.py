"""How much a command may take: memory, processes, the size of a file. How long is up to `run`.

Where systemd runs, memory and processes are counted for all of a command together, in a scope of its own.
Elsewhere the limits are those of the kernel for each process; processes are counted in the sandbox alone,
for outside of it all that the person runs would count, and the kernel does not count root's.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from desktop.config.tools import ExecTool

LEFT = "[it left processes in the background, which were ended: {count}]"
_TELLING = (
    '"$@"; code=$?; set -- /proc/[0-9]*; if [ $# -gt 2 ]; then sleep 0.2; set -- /proc/[0-9]*; fi; '
    f'if [ $# -gt 2 ]; then echo "{LEFT.format(count="$(($# - 2))")}"; fi; exit $code'
)
"""Run it, and count what is there beside this shell and the sandbox's first process."""
_CHECK_SECONDS = 5.0
_KILLED, _TOO_LARGE = 137, 153
"""Exit codes of a process that SIGKILL or SIGXFSZ ended."""
_MEMORY = re.compile(r"out of memory|cannot allocate memory|MemoryError|bad_alloc", re.IGNORECASE)
_PROCESSES = re.compile(r"fork: |can't start new thread|resource temporarily unavailable", re.IGNORECASE)
_FILE = re.compile(r"file too large|file size limit exceeded", re.IGNORECASE)


def limited(argv: Sequence[str], settings: ExecTool, *, sandboxed: bool) -> Sequence[str]:
    """The command line that runs argv with the kernel's limits. What is stricter already stays. In the
    sandbox it also tells what ends with the command: nobody outside could see that."""
    if sys.platform == "win32":
        return argv
    steps = []
    if settings.max_memory:
        steps.append(f"ulimit -d {settings.max_memory * 1024}")
    if settings.max_file_size:
        steps.append(f"ulimit -f {settings.max_file_size * 2048}")  # in blocks of 512 bytes
    if settings.max_processes and sandboxed:
        steps.append(
            f"ulimit -u {settings.max_processes} || ulimit -p {settings.max_processes}"
        )  # dash: -p
    if not (steps or sandboxed):
        return argv
    quiet = "".join(f"{{ {step}; }} 2>/dev/null; " for step in steps)
    return ("/bin/sh", "-c", quiet + (_TELLING if sandboxed else 'exec "$@"'), "sh", *argv)


def scoped(argv: Sequence[str], settings: ExecTool) -> tuple[Sequence[str], dict[str, str]]:
    """The command line that runs argv in a scope of systemd's, and what that needs in its environment;
    as it is where systemd does not run. Blocks."""
    runner, needed = _runner()
    if not runner or not (settings.max_memory or settings.max_processes):
        return argv, {}
    limits = []
    if settings.max_memory:
        limits += [f"--property=MemoryMax={settings.max_memory}M", "--property=MemorySwapMax=0"]
    if settings.max_processes:
        limits.append(f"--property=TasksMax={settings.max_processes}")
    without = [word for name in needed for word in ("-u", name)]
    return (*runner, *limits, "--", "env", *without, *argv), dict(needed)


@functools.cache
def _runner() -> tuple[tuple[str, ...], dict[str, str]]:
    """systemd-run for this account, tried once, and the environment that it needs."""
    program = shutil.which("systemd-run")
    if not program or not Path("/run/systemd/system").is_dir():
        return (), {}
    argv: tuple[str, ...] = (program, "--scope", "--quiet", "--collect")
    needed: dict[str, str] = {}
    if os.getuid() != 0:
        argv = (*argv, "--user")
        needed = {"XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"}
    try:
        done = subprocess.run(
            [*argv, "--property=TasksMax=64", "--", "true"],
            env={"PATH": os.environ.get("PATH", os.defpath), **needed},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_CHECK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return (), {}
    return (argv, needed) if done.returncode == 0 else ((), {})


def reached(code: int, output: str, settings: ExecTool) -> str:
    """Which limit a failed command may have come to, for the model; empty for none."""
    if settings.max_file_size and (code == _TOO_LARGE or _FILE.search(output)):
        return f"[a file of a command can have {settings.max_file_size:,} MB at most]"
    if settings.max_memory and (code == _KILLED or _MEMORY.search(output)):
        return f"[a command can use {settings.max_memory:,} MB of memory at most]"
    if settings.max_processes and _PROCESSES.search(output):
        return f"[a command can have {settings.max_processes:,} processes and threads at most]"
    return ""
