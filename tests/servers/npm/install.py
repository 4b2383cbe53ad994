"""Installs npm packages that tests talk to: `python -m tests.servers.npm.install FOLDER LOCKED`. Which they
are, the lock in the folder LOCKED says."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.servers.node import node


def main(folder: Path, locked: Path) -> None:
    """Put them there, whole or not at all."""
    runtime = node()
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(locked / name, fresh / name)
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        subprocess.run([*runtime.npm, "ci", *options], cwd=fresh, check=True, stdout=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


main(Path(sys.argv[1]), Path(sys.argv[2]))
