"""What the one opener costs: files read and written by the tools, and a prompt whose files did not change.

The bare peer does the same work in the same run by name, as it was before: the same text is made of the
same file, the same bytes are kept for an undo, synced and renamed. It alone could be led astray by a link.
"""

import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.bench.table import Table, middle

SIZE, USUAL = 100_000, 2_000
ROUNDS = 60
CALLS = 10
_TIMES, _TURN_MS = 1.3, 5.0


async def measure(table: Table, runs: int) -> None:
    """Reading, writing, ten calls of each kind, the prompt."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # not in memory: fsync shall cost
        ground, small = _Ground(Path(folder) / "large", SIZE), _Ground(Path(folder) / "small", USUAL)
        read = await _both(ground.read, ground.read_bare, runs)
        written = await _both(ground.write, ground.write_bare, runs)
        for what, (ours, bare) in (("read_file", read), ("write_file", written)):
            times = ours / bare
            table.line(
                f"{what} of {SIZE // 1000} kB",
                f"{ours:.2f} ms",
                f"by name {bare:.2f} ms",
                f"<= {_TIMES} x ({times:.2f})",
                times <= _TIMES,
            )
        read = await _both(small.read, small.read_bare, runs)
        written = await _both(small.write, small.write_bare, runs)
        more = CALLS / 2 * (sum(pair[0] - pair[1] for pair in (read, written)))
        table.line(
            f"{CALLS} file calls of a turn, {USUAL // 1000} kB each",
            f"{more:+.2f} ms",
            "",
            f"<= +{_TURN_MS} ms",
            more <= _TURN_MS,
        )
        prompt, stats = await _both(ground.prompt, ground.stats, runs)
        table.line("a prompt whose files did not change", f"{prompt:.3f} ms", f"bare stats {stats:.3f} ms")


async def _both(
    ours: Callable[[int], Awaitable[object]], bare: Callable[[int], Awaitable[object]], runs: int
) -> tuple[float, float]:
    """Medians of both in ms, by turns: what else the disk does then hits both."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS * runs):
        for work, kept in zip((ours, bare), times, strict=True):
            started = time.perf_counter()
            await work(number)
            kept.append((time.perf_counter() - started) * 1000)
    return middle(times[0]), middle(times[1])


class _Ground:
    """A workspace with the real tools, and the same work by name."""

    def __init__(self, root: Path, size: int) -> None:
        from desktop.agent.context import FILES, MEMORY, Context
        from desktop.tools.base import ToolContext
        from desktop.tools.files.kept import Kept
        from desktop.tools.files.toolbox import file_tools

        self.workspace, self._size = root / "workspace", size
        (self.workspace / "memory").mkdir(parents=True)
        self._tools = {tool.name: tool for tool in file_tools(Kept(root / "undo"))}
        self._context = ToolContext("bench", "turn", "call", self.workspace, self.workspace)
        line = "A line of some words, as a text usually has them, with some more at its end.\n"
        self._text = line * (size // len(line) + ROUNDS)
        (self.workspace / "a.txt").write_text(self._text[:size])
        self._names = (*FILES, MEMORY)
        for name in self._names:
            (self.workspace / name).write_text(line * 20)
        self._prompt, self._undo = Context(self.workspace, "Nano"), root / "bare"
        self._undo.mkdir()

    async def read(self, _number: int) -> object:
        return await self._call("read_file", path="a.txt", limit=5000)

    async def read_bare(self, _number: int) -> object:
        from desktop.tools.files.common import apart

        return await apart(self.workspace, _read_by_name, self.workspace / "a.txt")

    async def write(self, number: int) -> object:
        return await self._call(
            "write_file", path="b.txt", content=self._text[number : self._size + number]
        )

    async def write_bare(self, number: int) -> object:
        from desktop.tools.files.common import apart

        data = self._text[number : self._size + number].encode()
        return await apart(
            self.workspace, _write_by_name, self.workspace / "c.txt", data, self._undo, number
        )

    async def prompt(self, _number: int) -> object:
        return self._prompt.sections()

    async def stats(self, _number: int) -> object:
        return [(self.workspace / name).stat() for name in self._names]

    async def _call(self, name: str, **given: Any) -> object:
        tool = self._tools[name]
        args = tool.arguments.model_validate(given)
        claim = tool.claim(args, self._context)
        judged = {path: Path(os.path.realpath(path)) for path in (*claim.reads, *claim.writes)}
        return await tool.run(args, replace(self._context, judged=judged))


def _read_by_name(path: Path) -> str:
    from desktop.tools.files.encoding import SAMPLE, sniff
    from desktop.tools.files.lines import lines, numbered

    with path.resolve().open("rb") as stream:
        encoding = sniff(stream.read(SAMPLE))
        assert encoding
        return numbered(lines(stream, encoding), 1, 5000)[0]


def _write_by_name(path: Path, data: bytes, undo: Path, number: int) -> None:
    path = path.resolve()
    if path.exists():
        old = path.read_bytes()
        kept = undo / hashlib.sha256(old).hexdigest()
        if not kept.exists():
            part = undo / "part"
            part.write_bytes(old)
            part.replace(kept)
    with (undo / "index").open("a") as index:
        index.write(f"{number} {hashlib.sha256(data).hexdigest()}\n")
    part = path.with_name("part")
    with part.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


if __name__ == "__main__":
    asyncio.run(measure(Table(), 3))
