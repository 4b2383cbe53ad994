"""What the program adds to the built-in model's first words, and what a look at the table of models costs.

The peer of the first words is the very engine that our turn has just used: asked over its own HTTP with the
request that the program sent, a word of the question changed, so that both read as little anew. Ours and
theirs take turns. The looks are beside one search of a regular expression, the least that any table needs.
"""

import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.table import Table, middle
from tests.stories.program import Program

_TIMES, _LOOK_MS = 1.2, 0.1
_QUESTION = "Name a town whose name begins with {letter}."
_LETTERS = "ABCDEFGHJKLMNOPRSTUVW"
_LOOKS = 2_000
_NAMES = (
    *(("openai", "", "gpt-5.2"), ("anthropic", "", "claude-opus-4-5"), ("deepseek", "", "deepseek-chat")),
    *(
        ("openrouter", "gateway", "qwen/qwen3-32b"),
        ("ollama", "local", "qwen3.5:4b"),
        ("custom", "", "mine"),
    ),
)


async def measure(table: Table, runs: int) -> None:
    """Both."""
    _looks(table)
    await _first_words(table, max(runs, 5))


# ---- the table


def _looks(table: Table) -> None:
    from desktop.config.schema import Config
    from desktop.providers.behaviour_table import behaviour_of
    from desktop.providers.registry import behaviour_for, choose

    config, pattern = Config(), re.compile(r"deepseek(?!.*(vl|ocr|vision))|gpt-oss|codestral")
    choices = {name: choose(config, frozenset(), model=name[2], provider=name[0]) for name in _NAMES}
    looks: dict[str, Callable[[tuple[str, str, str]], object]] = {
        "first look": lambda name: behaviour_of.__wrapped__(*name),
        "again": lambda name: behaviour_of(*name),
        "for a turn": lambda name: behaviour_for(choices[name], config),
    }
    for what, look in looks.items():
        ours, bare = [], []
        for number in range(_LOOKS):
            name = _NAMES[number % len(_NAMES)]
            ours.append(_ms(partial(look, name)))
            bare.append(_ms(partial(pattern.search, name[2])))
        table.line(
            f"how a model behaves, {what}",
            f"{middle(ours):.4f} ms",
            f"one search {middle(bare):.4f} ms",
            f"<= {_LOOK_MS} ms",
            middle(ours) <= _LOOK_MS,
        )


def _ms(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


# ---- the first words


async def _first_words(table: Table, runs: int) -> None:
    from desktop.bus.bus import Bus
    from desktop.core.core import Core
    from desktop.paths import Home
    from desktop.providers.host_process import ModelHost

    files = Path(os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models").expanduser()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(Path(folder) / "home")
        program.configure(agents={"defaults": {"provider": "builtin"}})
        (program.home / "models").symlink_to(files)
        bus = Bus()
        core = await Core.start(Home(program.home, program.home / "models"), ModelHost(bus), bus)
        try:
            await _ours(core, "warm", "Z")
            body = await _recorded(core)
            ours, bare = [], []
            for number in range(runs):
                mine, theirs = (
                    _LETTERS[2 * number % len(_LETTERS)],
                    _LETTERS[(2 * number + 1) % len(_LETTERS)],
                )
                ours.append(await _ours(core, f"run{number}", mine))
                bare.append(await _bare(core, body.replace("with Y.", f"with {theirs}.")))
        finally:
            await core.stop()
    share = middle(ours) / middle(bare)
    table.line(
        "first words of the built-in model, warm",
        f"{middle(ours) * 1000:.0f} ms",
        f"its engine {middle(bare) * 1000:.0f} ms",
        f"<= {_TIMES} x ({share:.2f} x)",
        share <= _TIMES,
    )


async def _ours(core: Any, session: str, letter: str) -> float:
    """Seconds to the first words in a conversation of its own; the answer is waited for."""
    from desktop.agent.turn import Inbound
    from desktop.bus.events import TextDelta, TurnFailed, TurnFinished

    first, started = 0.0, time.perf_counter()
    with core.bus.subscribe() as events:
        await core.loop.submit(Inbound(session, _QUESTION.format(letter=letter)))
        async for event in events:
            if isinstance(event, TextDelta):
                first = first or time.perf_counter() - started
            elif isinstance(event, TurnFailed):
                raise RuntimeError(event.error)
            elif isinstance(event, TurnFinished):
                return first or time.perf_counter() - started
    raise RuntimeError("the turn did not end")


async def _recorded(core: Any) -> str:
    """The body of the request that the program sends to its engine, seen by somebody in between."""
    heads: list[bytes] = []
    running = core.builtin._running
    host, port = running.base_url.split("//")[1].split("/")[0].split(":")

    async def between(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(host, int(port))

        async def pass_on(
            source: asyncio.StreamReader, to: asyncio.StreamWriter, kept: list[bytes]
        ) -> None:
            while data := await source.read(1 << 16):
                kept.append(data)
                to.write(data)
                await to.drain()
            to.close()

        await asyncio.gather(pass_on(reader, back, heads), pass_on(there, writer, []))

    server = await asyncio.start_server(between, "127.0.0.1", 0)
    other = server.sockets[0].getsockname()[1]
    core.builtin._running = replace(running, base_url=running.base_url.replace(f":{port}", f":{other}"))
    try:
        await _ours(core, "recorded", "Y")
    finally:
        core.builtin._running = running
        server.close()
    sent = b"".join(heads).decode()
    body = sent[sent.index("\r\n\r\n") + 4 :]
    if not json.loads(body)["stream"] or "with Y." not in body:
        raise RuntimeError("that was not the request of the turn")
    return body


async def _bare(core: Any, body: str) -> float:
    """Seconds to the first words of the engine itself; the answer is waited for."""
    from openai import AsyncOpenAI, AsyncStream

    running, first = core.builtin._running, 0.0
    async with AsyncOpenAI(base_url=running.base_url, api_key=running.token, max_retries=0) as client:
        started = time.perf_counter()
        stream = await client.post(
            "/chat/completions",
            body=json.loads(body),
            cast_to=object,
            stream=True,
            stream_cls=AsyncStream[object],
        )
        async for chunk in stream:
            choices: Any = chunk["choices"]  # type: ignore[index]
            if any(choice["delta"].get("content") for choice in choices):
                first = first or time.perf_counter() - started
    return first or time.perf_counter() - started
