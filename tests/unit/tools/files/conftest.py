"""A workspace, and a way to call a tool as the agent does: judged arguments, then run."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop.tools.base import Tool, ToolContext, ToolFailure, ToolResult
from desktop.tools.files.kept import Kept
from desktop.tools.files.toolbox import file_tools


class Bench:
    """The tools in a workspace."""

    def __init__(self, root: Path) -> None:
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        self.secret = self.workspace / "secret"
        self.kept = Kept(root / "undo")
        self.tools: dict[str, Tool[Any]] = {t.name: t for t in file_tools(self.kept, (self.secret,))}
        self.context = ToolContext("here", "turn", "call", self.workspace, self.workspace)

    async def result(self, name: str, **arguments: Any) -> str | ToolResult:
        tool = self.tools[name]
        args = tool.arguments.model_validate(arguments)
        claim = tool.claim(args, self.context)
        judged = {path: Path(os.path.realpath(path)) for path in (*claim.reads, *claim.writes)}
        return await tool.run(args, replace(self.context, judged=judged))

    async def call(self, name: str, **arguments: Any) -> str:
        result = await self.result(name, **arguments)
        return result if isinstance(result, str) else result.text

    async def failure(self, name: str, **arguments: Any) -> str:
        with pytest.raises(ToolFailure) as caught:
            await self.result(name, **arguments)
        return caught.value.text

    def put(self, name: str, content: str | bytes = "") -> Path:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def seconds_of(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
