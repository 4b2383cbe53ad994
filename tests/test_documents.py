"""README and CHANGELOG: short, with links that lead somewhere, true about the version."""

import re
from itertools import pairwise
from pathlib import Path

from desktop import __version__

ROOT = Path(__file__).parent.parent
README_LINES = 120
_link = re.compile(r"\]\(([^)]+)\)")


def test_the_readme_can_be_read_at_one_sitting() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= README_LINES


def test_links_of_the_readme_lead_somewhere() -> None:
    for address in _link.findall((ROOT / "README.md").read_text("utf-8")):
        assert address.startswith("https://") or (ROOT / address).exists(), address


def test_the_changelog_begins_with_what_is_not_released_and_then_the_version_of_the_program() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert sections[0] == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d", sections[1])
    kinds = [line for line in text.splitlines() if line.startswith("#")]
    assert not any(a == b for a, b in pairwise(kinds))
