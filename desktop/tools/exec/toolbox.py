"""The exec tool with its parts, made together."""

from collections.abc import Callable
from pathlib import Path

from desktop.config.tools import ExecTool
from desktop.tools.exec.environment import Environment
from desktop.tools.exec.sandbox import Sandbox
from desktop.tools.exec.tool import Exec, Secret
from desktop.tools.exec.walls import walls


def exec_tools(settings: Callable[[], ExecTool], home: Path, workspace: Path, secret: Secret) -> list[Exec]:
    """The tool that runs commands, for a home of the program and its workspace. `secret`: the value of a
    variable that a skill needs."""
    sandbox = Sandbox(lambda: walls(home, workspace, settings()))
    return [Exec(settings, sandbox, Environment(), secret)]
