"""The exec tool with its parts, made together."""

from collections.abc import Callable, Iterable
from pathlib import Path

from desktop.config.tools import ExecTool
from desktop.tools.exec.environment import Environment
from desktop.tools.exec.sandbox import Sandbox
from desktop.tools.exec.tool import Exec


def exec_tools(
    settings: Callable[[], ExecTool], hidden: Iterable[Path] = (), readonly: Iterable[Path] = ()
) -> list[Exec]:
    """The tool that runs commands. In the sandbox the `hidden` places are empty, and `readonly` ones cannot
    be written to though they are in the workspace."""
    return [Exec(settings, Sandbox(hidden, readonly), Environment())]
