"""Markdown by chance, damaged: the same samples each time. The long form is in tests/soak (fuzz)."""

import pytest

from tests.soak.fuzz_kit import Watch
from tests.soak.fuzz_markdown import reader


@pytest.mark.usefixtures("qapp")
def test_whatever_is_read_no_word_is_lost_and_nothing_raises_or_hangs() -> None:
    assert Watch("Markdown", 10).over(reader(), "1", 60) == []
