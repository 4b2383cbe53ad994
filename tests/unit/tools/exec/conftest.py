"""A workspace, and a way to run a command as the agent does."""

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from desktop.config.tools import ExecTool
from desktop.tools.base import ToolContext
from desktop.tools.exec.environment import Environment
from desktop.tools.exec.sandbox import Sandbox
from desktop.tools.exec.tool import Exec
from desktop.tools.exec.view import Walls

SOURCE = {"PATH": "/usr/bin:/bin", "SHELL": "/bin/false", "OPENAI_API_KEY": "sk-1", "LC_TIME": "C"}


class Desk:
    """exec in a workspace, without the sandbox unless a test wants it."""

    def __init__(self, root: Path) -> None:
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        self.sleep = f"sleep {secrets.randbelow(10**9) + 10**9}"
        """A command that does not end, and that no other test has."""
        self.settings: dict[str, Any] = {"sandbox": "off"}
        self.context: dict[str, Any] = {}
        self.walls: Callable[[ExecTool], Walls] = lambda _settings: Walls()
        self.environment = Environment(SOURCE)
        self.values: dict[tuple[str, str], str] = {}
        """What skills need, by skill and variable."""

    async def secret(self, skill: str, name: str) -> str:
        return self.values.get((skill, name), "")

    async def run(self, command: str, **arguments: Any) -> str:
        settings = ExecTool.model_validate(self.settings)
        sandbox = Sandbox(lambda: self.walls(settings))
        tool = Exec(lambda: settings, sandbox, self.environment, self.secret)
        args = tool.arguments.model_validate({"command": command, **arguments})
        context = ToolContext("here", "turn", "call", self.workspace, self.workspace, **self.context)
        assert tool.claim(args, context).command == command
        return (await tool.run(args, context)).text


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    left = [line for p in psutil.process_iter() if desk.sleep in (line := command_line(p))]
    assert not left, f"still running: {left}"


def command_line(process: psutil.Process) -> str:
    try:
        return "" if process.status() == psutil.STATUS_ZOMBIE else " ".join(process.cmdline())
    except psutil.Error:
        return ""
