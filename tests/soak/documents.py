"""Thousands of documents by chance, streamed in pieces by chance: each must end as it reads as a whole."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(count: int) -> list[str]:
    """Read so many documents; what went wrong."""
    session = [str(ROOT / "tests" / "desktop-session.sh"), "--tray", "none", "--notify", "none", "--"]
    tests = [sys.executable, "-m", "pytest", "tests/ui/conversation/test_stream.py"]
    environment = {**os.environ, "NANOBOT_TEST_DOCUMENTS": str(count)}
    done = subprocess.run([*session, *tests], cwd=ROOT, env=environment, check=False)
    return [] if done.returncode == 0 else ["a document was not shown as it reads; the test says which"]
