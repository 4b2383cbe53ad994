"""The tests that stand beside the others and for which not every run has time."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run() -> list[str]:
    """Run them all, each in the session it needs; a line where one failed."""
    command = ["bash", str(ROOT / "tests/run.sh"), "-m", "soak", "tests"]
    return [] if subprocess.run(command, check=False).returncode == 0 else ["a test of those above failed"]
