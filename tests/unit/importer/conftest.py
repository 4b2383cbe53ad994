"""A home to import into, without a running program."""

from pathlib import Path

import pytest

from tests.unit.importer.bed import Bed


@pytest.fixture
def bed(tmp_path: Path) -> Bed:
    return Bed(tmp_path / "home")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Where the old home is; nothing is there yet."""
    return tmp_path / "old/.nanobot"
