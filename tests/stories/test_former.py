"""A home in which the built-in model once ran on Node.js: its packages are told of, and go."""

from pathlib import Path

import pytest

from tests.servers.gguf import gguf
from tests.stories.program import Program
from tests.unit.importer.homes import write
from tests.unit.providers.test_former import left


@pytest.fixture
def old(program: Program) -> Path:
    """The folder of the old packages."""
    return left(program.home / "models")


def test_doctor_tells_of_them_and_removes_them(program: Program, old: Path) -> None:
    lines = [line for line in program.events("doctor") if "previous engine" in str(line["state"])]
    assert [(line["ok"], line["state"]) for line in lines] == [
        (True, "Packages of the previous engine use 4 MB and are no longer needed.")
    ]
    assert old.exists(), "doctor only looks"
    assert "previous engine (4 MB) were removed" in program.run("doctor", "--fix").stdout
    assert not old.exists()
    assert "previous engine" not in program.run("doctor", "--fix").stdout


def test_setting_a_model_up_removes_them(program: Program, old: Path, tmp_path: Path) -> None:
    own = write(tmp_path / "tiny.gguf", gguf())
    done = program.run("local", "setup", str(own))
    assert done.returncode == 0, done.stderr
    assert not old.exists()
