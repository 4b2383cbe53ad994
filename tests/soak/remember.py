"""A conversation far longer than the model's window: every request fits, and nothing that was said is lost.

The server counts the tokens of each request with a real tokenizer and refuses what is too long. A fact that
is told at the beginning must be within the agent's reach at the end.
"""

import asyncio
import json
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.servers.scripted import ScriptedServer, Seen
from tests.stories.program import Program

WINDOW = 16_384
FACT = "The spare key hangs behind the blue door"
_FACT_AT = 10
_KEY = "long"
_WORDS = "Some more words follow so that the message has the length of one that a person writes. " * 2


def run(messages: int) -> list[str]:
    """So many messages, half of them the person's; what went wrong."""
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(window=WINDOW) as server:
        program = Program(Path(folder) / "home")
        program.use_server(server.url, "say:Noted, and thank you for telling me. " + _WORDS)
        config = json.loads((program.home / "config.json").read_text("utf-8"))
        config["agents"]["defaults"] |= {"contextWindowTokens": WINDOW, "maxTokens": 1024}
        program.configure(**config)
        return asyncio.run(_talk(program, server, messages))


async def _talk(program: Program, server: ScriptedServer, messages: int) -> list[str]:
    from desktop.bus.bus import Bus
    from desktop.core.core import Core
    from desktop.paths import Home
    from desktop.providers.host_process import ModelHost

    bus, begun = Bus(), time.monotonic()
    core = await Core.start(Home(program.home, program.home / "models"), ModelHost(bus), bus)
    server.when("You keep the memory", summary)
    try:
        for number in range(0, messages, 2):
            await _turn(core, number)
        entries = await core.memory.history.all()
        records = await (await core.sessions.open(_KEY)).everything()
    finally:
        await core.stop()
    print(
        f"{messages} messages in {time.monotonic() - begun:.0f} s, {len(server.requests)} requests, "
        f"the largest {max(server.counted):,} of {WINDOW:,} tokens, {len(entries)} entries",
        flush=True,
    )
    return _lost(server, records, entries, messages)


async def _turn(core: Any, number: int) -> None:
    from desktop.agent.turn import Inbound
    from desktop.bus.events import TurnFailed, TurnFinished

    fact = f"{FACT}. " if number == _FACT_AT else ""
    with core.bus.subscribe() as events:
        await core.loop.submit(Inbound(_KEY, f"Message {number}. {fact}{_WORDS}"))
        async for event in events:
            if isinstance(event, TurnFailed):
                raise RuntimeError(event.error)
            if isinstance(event, TurnFinished):
                return


def summary(seen: Seen) -> str:
    """What a model that sums up well would say of a request: the facts in it."""
    text = str(seen.body["messages"][-1]["content"])
    numbers = re.findall(r"PERSON: Message (\d+)\.", text)
    fact = f"\n- {FACT}." if FACT in text else ""
    return f"say:Messages {numbers[0]} to {numbers[-1]}{fact}" if numbers else "say:Nothing."


def _lost(server: ScriptedServer, records: list[Any], entries: list[Any], messages: int) -> list[str]:
    lost = []
    if server.refused:
        lost.append(f"{server.refused} requests were too long")
    if len(records) != messages:
        lost.append(f"the transcript has {len(records)} of {messages} messages")
    ends = [entry.end for entry in entries]
    if [entry.start for entry in entries] != [0, *ends[:-1]]:
        lost.append("the entries do not cover the messages one after the other")
    if not any(FACT in entry.content for entry in entries):
        lost.append("the fact of the beginning is in no entry")
    return lost
