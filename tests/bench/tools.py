"""What acting costs: twenty pages fetched in one round, fifty sessions side by side, bytes in state.db.

The model is the scripted server, asked through the real model host; for the fifty sessions it is a process
of its own. The pages come through the real guarded client: a resolver and a dialler that only this knows
stand between its public numbers and a local server. The bare peers do the same work on the same engine
without a program around it; nanobot-ai 0.3.5 is kept running, warm, and asked by its own interface.
"""

import asyncio
import json
import random
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from tests.bench import peers
from tests.bench.running import running_core, server_apart
from tests.bench.table import Table, middle
from tests.bench.ticking import Lateness
from tests.servers.scripted import ScriptedServer
from tests.servers.web import PUBLIC, Asked, Site, page, serving

PAGES = 20
PAGE_S = 0.5
SESSIONS = 50
TURNS = 200
LATE = "late:1:Here is an answer of some words, after a second of silence."
_FETCH_MS, _SHARE, _BYTES = 700, 1.3, 150_000
_HISTORY = (0, 10_000)


async def measure(table: Table, runs: int, *, nanobot: bool = True) -> None:
    """All three parts."""
    await _pages(table, runs, nanobot=nanobot)
    await _sessions(table, runs, nanobot=nanobot)
    for count in _HISTORY:
        written = await _written(count)
        table.line(
            f"state.db a turn, {count:,} messages before it",
            f"{written / 1000:.1f} kB",
            f"mean of {TURNS} turns",
            f"<= {_BYTES // 1000} kB",
            written <= _BYTES,
        )


# ---- twenty pages in one round


async def _pages(table: Table, runs: int, *, nanobot: bool) -> None:
    from desktop.net.client import Client
    from desktop.tools.web.fetch import WebFetch
    from desktop.tools.web.reader import Reader

    names = {f"page{number}.example": [[PUBLIC]] for number in range(PAGES)}
    site, late, reader = Site(pages={"/": _slowly}, names=names), Lateness(), Reader()
    fetch = WebFetch(Client(site.resolve, site), reader)
    rounds, turns, bare = [], [], []
    async with serving(site):
        with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
            async with running_core(Path(folder), server.url, "say:hello") as core:
                loop = _loop(core, {fetch.name: fetch})
                await _round(server, core, loop, names)  # the reader is warm from here on
                for _ in range(runs):
                    async with late.watched():
                        took, whole = await _round(server, core, loop, names)
                    rounds.append(took)
                    turns.append(whole)
                    bare.append(await _bare_pages(site, names))
            await reader.stop()
            addresses = [f"http://127.0.0.1:{site.port}/?{number}" for number in range(PAGES)]
            theirs = await _nanobot_pages(server, addresses, runs) if nanobot else []
    ours = middle(rounds) * 1000
    table.line(
        f"{PAGES} pages of {PAGE_S} s in one round",
        f"{ours:.0f} ms",
        f"bare client {middle(bare) * 1000:.0f} ms",
        f"<= {_FETCH_MS} ms",
        ours <= _FETCH_MS,
    )
    table.line(f"the turn with these {PAGES} pages", f"{middle(turns) * 1000:.0f} ms", _told(theirs))
    late.line(table, f"{PAGES} pages")


async def _slowly(_asked: Asked) -> bytes:
    await asyncio.sleep(PAGE_S)
    text = "".join(f"<p>Paragraph {n} of an article, with a few words more in it.</p>" for n in range(60))
    return page(f"<html><head><title>News</title></head><body><article>{text}</article></body></html>")


async def _round(
    server: ScriptedServer, core: Any, loop: Any, names: Collection[str]
) -> tuple[float, float]:
    """A turn of one round of fetches: from the first call's start to the last result, and the whole."""
    from desktop.agent.turn import Inbound
    from desktop.bus.events import ToolFinished, ToolStarted, TurnFailed, TurnFinished

    calls = [["web_fetch", {"url": f"http://{name}/"}] for name in names]
    server.script(f"use:{json.dumps(calls)}", "say:All read.")
    begun, ends, started = 0.0, [], time.perf_counter()
    with core.bus.subscribe() as events:
        await loop.submit(Inbound("pages", "Read " + " ".join(f"http://{name}/" for name in names)))
        async for event in events:
            now = time.perf_counter()
            if isinstance(event, ToolStarted):
                begun = begun or now
            elif isinstance(event, ToolFinished):
                ends.append(now)
                if event.outcome != "ok":
                    raise RuntimeError(f"a page was not read: {event}")
            elif isinstance(event, TurnFailed):
                raise RuntimeError(event.error)
            elif isinstance(event, TurnFinished):
                return ends[PAGES - 1] - begun, now - started
    raise RuntimeError("the turn did not end")


async def _bare_pages(site: Site, names: Collection[str]) -> float:
    """The same pages by the same library, neither guarded nor read nor written down."""
    import httpcore

    started = time.perf_counter()
    async with httpcore.AsyncConnectionPool(network_backend=site, max_connections=PAGES) as pool:
        await asyncio.gather(*(pool.request("GET", f"http://{name}/") for name in names))
    return time.perf_counter() - started


async def _nanobot_pages(server: ScriptedServer, addresses: Sequence[str], runs: int) -> list[float]:
    calls = [["web_fetch", {"url": address}] for address in addresses]
    times = []
    with tempfile.TemporaryDirectory() as folder:
        command = peers.nanobot_turns(server.url, Path(folder), "say:hello")
        async with _asked(command) as ask:
            for _ in range(min(runs, 2)):  # it takes half a minute each
                server.forget()
                server.script(f"use:{json.dumps(calls)}", "say:All read.")
                times += await ask(["Read " + " ".join(addresses)])
    return times


# ---- fifty sessions


async def _sessions(table: Table, runs: int, *, nanobot: bool) -> None:
    late: Lateness = Lateness()
    ours, bare = [], []
    with server_apart() as url, tempfile.TemporaryDirectory() as folder:
        async with running_core(Path(folder), url, LATE) as core:
            await _together(core, "warm")
            for number in range(runs):
                async with late.watched():
                    ours.append(await _together(core, f"run{number}"))
                bare.append(await _bare_streams(url, core))
        theirs = await _nanobot_sessions(url, runs) if nanobot else []
    share = middle(ours) / middle(bare)
    table.line(
        f"{SESSIONS} sessions, 1 s of model",
        f"{middle(ours):.2f} s",
        f"bare streams {middle(bare):.2f} s",
        f"<= {_SHARE} x ({share:.2f} x)",
        share <= _SHARE,
    )
    table.line(f"{SESSIONS} sessions, the ancestor", "", _told(theirs))
    late.line(table, f"{SESSIONS} sessions")


async def _together(core: Any, name: str) -> float:
    """One turn in each of fifty sessions, all at once."""
    from desktop.agent.turn import Inbound
    from desktop.bus.events import TurnFailed, TurnFinished

    left, started = SESSIONS, time.perf_counter()
    with core.bus.subscribe() as events:
        inbounds = [Inbound(f"{name}:{number}", "hi there") for number in range(SESSIONS)]
        asking = asyncio.gather(*(core.loop.submit(inbound) for inbound in inbounds))
        async for event in events:
            if isinstance(event, TurnFailed):
                raise RuntimeError(event.error)
            left -= isinstance(event, TurnFinished)
            if not left:
                break
        await asking
    return time.perf_counter() - started


async def _bare_streams(url: str, core: Any) -> float:
    """Fifty streams of the same question by the same engine, gathered; its second time, as ours is warm."""
    from openai import AsyncOpenAI, AsyncStream

    prompt = await core.context.system_prompt()
    toolset = await core.toolbox.toolset(small_model=False)
    messages = [{"role": "system", "content": prompt}, {"role": "user", "content": "hi there"}]
    body = {"model": LATE, "stream": True, "max_tokens": 64, "messages": messages, "tools": toolset.schemas}
    body["stream_options"] = {"include_usage": True}

    async def one(client: AsyncOpenAI) -> None:
        stream = await client.post(
            "/chat/completions", body=body, cast_to=object, stream=True, stream_cls=AsyncStream[object]
        )
        async for _chunk in stream:
            pass

    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        await asyncio.gather(*(one(client) for _ in range(SESSIONS)))
        started = time.perf_counter()
        await asyncio.gather(*(one(client) for _ in range(SESSIONS)))
        return time.perf_counter() - started


async def _nanobot_sessions(url: str, runs: int) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        async with _asked(peers.nanobot_turns(url, Path(folder), LATE)) as ask:
            await ask(["hi there"])
            return [seconds for _ in range(runs) for seconds in await ask(["hi there"] * SESSIONS)]


# ---- bytes in state.db


async def _written(count: int) -> float:
    """Bytes a turn that go into state.db and its write-ahead log, with the index of the search."""
    chance = random.Random(1)
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "workspace" / "sessions" / "bench.jsonl"
        log.parent.mkdir(parents=True)
        log.write_text(_history(chance, count))
        database = Path(folder) / "state.db"
        async with running_core(Path(folder), server.url, "echo", contextWindowTokens=10_000_000) as core:
            await _turn(core, _words(chance))
            await _indexed(core)
            with _kept(database) as size:
                before = size()
                for _ in range(TURNS):
                    await _turn(core, _words(chance))
                await _indexed(core)
                return (size() - before) / TURNS


@contextmanager
def _kept(database: Path) -> Iterator[Callable[[], int]]:
    """The size of state.db and its log. One who reads keeps the log from being begun anew meanwhile, so
    that it holds all that was written."""
    reader = sqlite3.connect(database)
    try:
        reader.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM usage").fetchall()
        files = (database, database.with_name(f"{database.name}-wal"))
        yield lambda: sum(file.stat().st_size for file in files if file.exists())
    finally:
        reader.close()


async def _indexed(core: Any) -> None:
    """Wait until all that was said can be found."""
    await core.search.find("nothing at all", wait=True)


async def _turn(core: Any, text: str) -> None:
    from desktop.agent.turn import Inbound
    from desktop.bus.events import TurnFailed, TurnFinished

    with core.bus.subscribe() as events:
        await core.loop.submit(Inbound("bench", text))
        async for event in events:
            if isinstance(event, TurnFailed):
                raise RuntimeError(event.error)
            if isinstance(event, TurnFinished):
                return


def _history(chance: random.Random, count: int) -> str:
    lines: list[dict[str, Any]] = [{"_type": "metadata", "key": "bench", "metadata": {}}]
    for number in range(count):
        role = "assistant" if number % 2 else "user"
        moment = f"2026-11-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00+00:00"
        lines.append({"role": role, "content": _words(chance), "timestamp": moment})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _words(chance: random.Random) -> str:
    """Some thirty words, hardly two alike."""
    syllables = [c + v for c in "bdfgklmnprst" for v in ("a", "e", "i", "o", "un", "er")]
    return " ".join("".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(30))


# ---- what they share


class _Bag:
    """A Toolbox of given tools."""

    def __init__(self, tools: dict[str, Any]) -> None:
        self._tools = tools

    async def toolset(self, *, small_model: bool) -> Any:
        from desktop.tools.toolset import Toolset

        return Toolset(self._tools, small_model)


def _loop(core: Any, tools: dict[str, Any]) -> Any:
    """The agent's loop as the core builds it, with other tools."""
    from desktop.agent.asking import Asking
    from desktop.agent.executor import ToolExecutor
    from desktop.agent.loop import Loop
    from desktop.agent.provenance import Provenance
    from desktop.agent.runner import Runner
    from desktop.agent.scope import Scope

    scope = Scope(lambda: core.store.config, core.workspace, core.home.root)
    executor = ToolExecutor(
        scope, core.approvals, core.audit, core.bus, _nowhere, Provenance(scope, core.marks)
    )
    runner = Runner(Asking(core.usage, core.bus), executor, core.context, core.bus)
    return Loop(core.sessions, core.context, core.models, _Bag(tools), runner, core.bus)


async def _nowhere(_saying: Any, _source: str, _mark: Any) -> None:
    """No other conversation is written to here."""


@asynccontextmanager
async def _asked(command: tuple[list[str], dict[str, str]] | None) -> AsyncIterator[Any]:
    """A way to have the ancestor answer messages: the seconds it took, or nothing where it cannot."""
    if command is None:
        yield _no_answer
        return
    argv, environment = command
    pipes: dict[str, Any] = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    pipes["stderr"] = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*argv, env=environment, **pipes)

    async def ask(texts: list[str]) -> list[float]:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(texts).encode() + b"\n")
        line = await process.stdout.readline()
        return [float(line)] if line else []

    try:
        assert process.stdout
        await process.stdout.readline()
        yield ask
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _no_answer(_texts: list[str]) -> list[float]:
    return []


def _told(times: list[float]) -> str:
    return f"nanobot {middle(times):.1f} s" if times else "nanobot not measured"
