"""The whole red-team set: as the account that runs this, and as an ordinary one where that is root."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(only: str) -> list[str]:
    """Try them all; a line for each that happened, or whose harmless twin did not work."""
    bad = _as("this account", only)
    return bad + (_as("an ordinary account", only, "--ordinary") if os.getuid() == 0 else [])


def _as(who: str, only: str, *more: str) -> list[str]:
    bad, kinds = [], Counter[str]()
    argv = [sys.executable, "-m", "tests.redteam", "--only", only, *more]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        for line in process.stdout:
            row = json.loads(line)
            kinds[row["kind"]] += 1
            if row["effect"]:
                bad.append(f"{who}: {row['kind']}: {row['id']} HAPPENED {row['note']} {row['failure']}")
            elif not row["twin"]:
                bad.append(f"{who}: {row['kind']}: {row['id']}: the twin did not work {row['note']}")
    for kind, count in kinds.items():
        print(f"{who}: {count:4d} {kind}", flush=True)
    print(f"{who}: {sum(kinds.values())} attempts, {len(bad)} bad", flush=True)
    return bad if kinds else [f"{who}: nothing was tried"]
