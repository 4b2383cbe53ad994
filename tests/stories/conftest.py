"""Stories drive the real program against one scripted server for the session, and the real model."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.warm import warm, warm_mcp
from tests.warm.program import warm_program

__all__ = ["warm", "warm_mcp", "warm_program"]


@pytest.fixture(scope="session")
def _one_server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def server(_one_server: ScriptedServer) -> ScriptedServer:
    _one_server.forget()
    return _one_server


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program in an empty home, without the real model."""
    return Program(tmp_path / "home")


@pytest.fixture
def with_model(program: Program) -> Program:
    """The program in an empty home beside the real model's files."""
    models = Path(os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models").expanduser()
    if not models.is_dir():
        pytest.fail("the built-in model is not here: bash tests/run.sh brings it")
    program.home.mkdir(parents=True)
    (program.home / "models").symlink_to(models)
    return program
