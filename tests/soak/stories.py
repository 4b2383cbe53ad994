"""The stories that stand beside the others in tests/stories and are too many for every run."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run() -> list[str]:
    """Run them all, each in the session it needs; a line where one failed."""
    done = subprocess.run(["bash", ROOT / "tests/run.sh", "-m", "soak", "tests/stories"], check=False)
    return [] if done.returncode == 0 else ["a story of those above failed"]
