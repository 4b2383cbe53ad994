"""What the program adds to a turn, beside the engine's own cost for the very same request.

The peer calls the engine in this process with the request that the program sent, against the same
server. Ours includes the session log, the pipe to the model host and the ledger.
"""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.table import Table, middle
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program

TURNS = 15
_SKILL = "---\nname: skill-{number}\ndescription: Does one thing, which is number {number}.\n---\nDo it.\n"


def _history(count: int, size: int) -> str:
    text = "The quick brown fox jumps over the lazy dog. " * (size // 45 + 1)
    lines: list[dict[str, Any]] = [{"_type": "metadata", "key": "bench", "metadata": {}}]
    for number in range(count):
        role = "assistant" if number % 2 else "user"
        lines.append(
            {"role": role, "content": f"{number} {text}"[:size], "timestamp": "2026-11-01T10:00:00+00:00"}
        )
    return "".join(json.dumps(line) + "\n" for line in lines)


async def measure(table: Table) -> None:
    """Overhead and bytes at no history and at 10,000 messages."""
    written: dict[int, float] = {}
    for count, skills, allowed in ((0, 0, 10), (0, 100, 10), (10_000, 0, 20)):
        ours, bare, bytes_ = await _turns(count, skills)
        written.setdefault(count, bytes_)
        more = (middle(ours) - middle(bare)) * 1000
        table.line(
            f"turn with {count:,} messages before it" + (f", {skills} skills" if skills else ""),
            f"{middle(ours) * 1000:.1f} ms",
            f"engine {middle(bare) * 1000:.1f} ms",
            f"<= engine + {allowed} ms ({more:+.1f})",
            more <= allowed,
        )
    ratio = written[10_000] / written[0]
    table.line(
        "session log a turn, 10,000 against 0 messages",
        f"{written[10_000]:.0f} B",
        f"{written[0]:.0f} B",
        f"within 5 % ({ratio - 1:+.1%})",
        abs(ratio - 1) <= 0.05,
    )


async def _turns(count: int, skills: int) -> tuple[list[float], list[float], float]:
    from desktop.bus.bus import Bus
    from desktop.core.core import Core
    from desktop.paths import Home
    from desktop.providers.host_process import ModelHost

    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder))
        program.use_server(server.url, "say:hello")
        config = json.loads((program.home / "config.json").read_text())
        config["agents"]["defaults"] |= {"contextWindowTokens": 10_000_000, "maxTokens": 64}
        program.configure(**config)
        log = program.home / "workspace" / "sessions" / "bench.jsonl"
        log.parent.mkdir(parents=True)
        if count:
            log.write_text(_history(count, 200))
        for number in range(skills):
            folder_of = program.home / "workspace" / "skills" / f"skill-{number}"
            folder_of.mkdir(parents=True)
            (folder_of / "SKILL.md").write_text(_SKILL.format(number=number))
        bus = Bus()
        core = await Core.start(Home(program.home, program.home / "models"), ModelHost(bus), bus)
        try:
            await _turn(core)
            await _turn(core)
            size = log.stat().st_size
            parsed = core.skills.parsed
            ours = [await _turn(core) for _ in range(TURNS)]
            if core.skills.parsed != parsed:
                raise RuntimeError("a skill that did not change was parsed again")
            written = (log.stat().st_size - size) / TURNS
        finally:
            await core.stop()
        bare = await _bare(server, server.requests[-1].body)
    return ours, bare, written


async def _turn(core: Any) -> float:
    from desktop.agent.turn import Inbound
    from desktop.bus.events import TurnFailed, TurnFinished

    with core.bus.subscribe() as events:
        started = time.perf_counter()
        await core.loop.submit(Inbound("bench", "hi there"))
        async for event in events:
            if isinstance(event, TurnFailed):
                raise RuntimeError(event.error)
            if isinstance(event, TurnFinished):
                break
        return time.perf_counter() - started


async def _bare(server: ScriptedServer, body: dict[str, Any]) -> list[float]:
    from openai import AsyncOpenAI, AsyncStream

    times = []
    async with AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        for _ in range(TURNS + 2):
            started = time.perf_counter()
            stream = await client.post(
                "/chat/completions", body=body, cast_to=object, stream=True, stream_cls=AsyncStream[object]
            )
            async for _chunk in stream:
                pass
            times.append(time.perf_counter() - started)
    return times[2:]
