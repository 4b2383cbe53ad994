"""Each reader of what others wrote, over the same samples by chance each time.

The long form is in tests/soak (fuzz), and so is the fuzz of Markdown, whose short form needs a screen.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.soak import fuzz_arguments, fuzz_files
from tests.soak.fuzz_kit import Round, Watch


@pytest.mark.expected_log("were kept as")
@pytest.mark.parametrize(
    ("kind", "name", "rounds"),
    [
        (fuzz_files.rounds, "SKILL.md", 100),
        (fuzz_files.rounds, "config.json", 25),
        (fuzz_files.rounds, "jobs.json", 40),
        (fuzz_arguments.rounds, "arguments", 300),
        (fuzz_arguments.rounds, "written calls", 150),
    ],
)
def test_whatever_is_read_nothing_raises_hangs_or_is_lost(
    kind: Callable[[Path], dict[str, Round]], name: str, rounds: int, tmp_path: Path
) -> None:
    watch = Watch(name)
    assert watch.over(kind(tmp_path)[name], "1", rounds) == []
