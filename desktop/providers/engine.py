"""What runs the built-in model's file: a llama-server of the machine, else the engine that we ship.

The one we ship is llama.cpp's own server, too, in the package xllamacpp. Both are a child that ends when
the program does, and speak the same wire; what differs is how they are told their settings.
"""

import importlib.util
import mmap
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from desktop.errors import AppError
from desktop.paths import self_command
from desktop.providers import processor
from desktop.text import _

SHIPPED, OF_THE_MACHINE = "xllamacpp", "llama-server"
CACHE_MB = 256
"""What a server may keep of prompts it has read; llama.cpp's own default is 8 GB."""
BATCH = 256
"""Tokens that are read in one go: between two of them the server notices that nobody waits any more."""
TOKEN_NAME = "NANOBOT_ENGINE_TOKEN"  # noqa: S105 - the name of a variable
WAITING = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Threads that wait sleep: spinning, they are forty times slower on a busy computer."""
_DEVICES_SECONDS = 10.0
_DEVICE = re.compile(r"^\s+\w+\d+: (.{1,100}?)(?: \(\d.*)?$", re.MULTILINE)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|^NANOBOT_", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start one engine. `port` is 0 when the engine chooses and tells it on its first line."""

    engine: str
    command: tuple[str, ...]
    token_name: str
    """The environment variable in which the engine expects the token of this run."""
    port: int = 0
    environment: dict[str, str] = field(default_factory=dict)
    """Its settings besides."""


def child_environment(**more: str) -> dict[str, str]:
    """The environment for a foreign child: ours without anything that may be a secret."""
    kept = {name: value for name, value in os.environ.items() if not _SECRET.search(name)}
    return {**kept, **more}


def cores() -> int:
    """How many threads the model gets: one for each core we may use, hyper-threads not counted."""
    import psutil

    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(usable, psutil.cpu_count(logical=False) or usable))


def llama_server() -> str | None:
    """The llama-server on the PATH."""
    return shutil.which("llama-server")


def available() -> str | None:
    """The engine that would run a model here; None where there is none. Blocks."""
    if llama_server():
        return OF_THE_MACHINE
    return None if unfit() else SHIPPED


def unfit() -> AppError | None:
    """Why the engine that we ship cannot run here; None where it can. Blocks."""
    if library() is None:
        return AppError(
            _("The built-in model’s engine is not available for this kind of computer."),
            _("Install llama.cpp so that llama-server is on the PATH, then try again."),
        )
    if lacks := processor.lacking():
        return AppError(
            _("This processor is too old for the built-in model’s engine: it lacks {features}.").format(
                features=", ".join(lacks)
            ),
            _("Install a llama.cpp built for it, so that llama-server is on the PATH, or use a provider."),
        )
    return None


def fault() -> AppError | None:
    """Why nothing can run a model here; None where something can. Blocks."""
    return None if llama_server() else unfit()


def library() -> Path | None:
    """The compiled part of the engine that we ship; None where it is not installed. Nothing is loaded."""
    spec = importlib.util.find_spec("xllamacpp")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    return next((path for path in folder.iterdir() if path.suffix in (".so", ".pyd")), None)


def knows(architecture: str) -> bool:
    """Whether the engine that runs here can load models of this architecture. Blocks: it reads 100 MB,
    once.

    A llama-server of the machine cannot be asked; it says so when it starts.
    """
    found = library()
    return bool(llama_server()) or found is None or not architecture or _holds(found, architecture)


@cache
def _holds(library: Path, architecture: str) -> bool:
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(architecture.encode() + b"\0") >= 0


def gpu() -> str:
    """The GPU that the engine here would use, by its own name for it; empty for none. Blocks."""
    if server := llama_server():
        return _device_of(server)
    return "Metal" if sys.platform == "darwin" and platform.machine() == "arm64" else ""


@cache
def _device_of(server: str) -> str:
    try:
        done = subprocess.run(
            [server, "--list-devices"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_DEVICES_SECONDS,
            check=False,
            env=child_environment(),
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _DEVICE.search(done.stdout)
    return found[1].strip() if found else ""


def launches(weights: Path, name: str, window: int) -> list[Launch]:
    """The engines that can run here, the best first; empty if there is none. Blocks."""
    found = []
    if server := llama_server():
        found.append(_llama_launch(server, weights, name, window))
    if unfit() is None:
        arguments = (str(weights), name, str(window), str(cores()))
        found.append(Launch(SHIPPED, tuple(self_command("--engine", *arguments)), TOKEN_NAME))
    return found


def _llama_launch(server: str, weights: Path, name: str, window: int) -> Launch:
    port = _free_port()
    options = {
        "-m": weights,
        "--host": "127.0.0.1",
        "--port": port,
        "-c": window,
        "-n": window // 4,
        "-np": 1,
        "-t": cores(),
        "-b": BATCH,
        "--alias": name,
    }
    flat = [str(part) for option in options.items() for part in option]
    command = self_command("--guard", server, *flat, "--jinja", "--no-webui")
    # By the environment: an old server does not start with an option that it does not know.
    settings = {"LLAMA_ARG_CACHE_RAM": str(CACHE_MB)}
    return Launch(OF_THE_MACHINE, tuple(command), "LLAMA_API_KEY", port, settings)


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
