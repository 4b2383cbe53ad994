"""The fast attempts of the red team, in every run; all of them are tests/soak redteam."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.redteam.strangers import ELSEWHERE
from tests.redteam.table import ATTEMPTS

type Row = dict[str, Any]
FAST = [one.id for one in ATTEMPTS if one.fast]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("bwrap"),
    reason="the private network is made of Linux's namespaces, the sandbox of bubblewrap",
)


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    """What came of each attempt, tried in one go in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.redteam", "--fast"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        env={name: value for name, value in os.environ.items() if not name.startswith("NANOBOT_")},
        timeout=280,
        check=False,
    )
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert found, done.stderr
    return {row["id"]: row for row in found}


@pytest.mark.parametrize("attempt", FAST)
def test_nothing_happened_and_the_harmless_twin_did(attempt: str, rows: dict[str, Row]) -> None:
    row = rows[attempt]
    assert not row["failure"], row["failure"]
    assert not row["effect"], row["note"]
    assert row["twin"], f"the harmless twin did not work: {row['note']}"


def test_a_row_for_each_report_that_is_known() -> None:
    """Each public report has an attempt, here or where it has the server that it needs."""
    stands = " ".join([*(one.advisory for one in ATTEMPTS), *ELSEWHERE])
    for number in (
        *("49138", "92576", "137463", "4514", "4825", "979", "4796", "41399", "43566", "xww8", "mqpw"),
        *("32978", "32058", "32065", "27183", "32898", "LayerX", "21852", "npx"),
        *("2026-2577", "35589", "33654", "25253", "28466", "28454", "26316", "62217"),
    ):
        assert number in stands, number
