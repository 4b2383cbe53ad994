"""Model servers by chance: streams that are cut into pieces anyhow, and streams that are damaged.

Through the real model host, with both engines. What is only cut otherwise must come whole; what is damaged
must end soon, as an answer or an error, and what came before the damage must have been shown.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import psutil

from desktop.providers.base import (
    Completion,
    Delta,
    Endpoint,
    HostDied,
    Message,
    ProviderError,
    Request,
)
from desktop.providers.behaviour import WireRules
from desktop.providers.client import HostedProvider
from desktop.providers.host_process import ModelHost
from tests.unit.providers.streams import DONE, call, data, piece, told

_SECONDS = 1.0
_MEGABYTES = 100
_WORDS = ("word ", "中文，", "🙂", "a\nb ", '"{', "<tool_call>", "\\u0000", "é", " ")
_NOISE = (
    *(b"\x00", b"\xff\xfe", b"}", b"\n\n", b"data: ", b"null", b'"', b"[", b"\r", b"9" * 400),
    b"data: [DONE]\n\n",
)


@dataclass(frozen=True)
class Stream:
    """A stream and what it says. `before`: the text that comes before the damage, where there is some."""

    pieces: tuple[bytes, ...]
    text: str
    calls: list[tuple[str, dict[str, Any]]]
    damaged: bool = False
    before: str = ""


def made(chance: Random) -> Stream:
    """A stream by chance."""
    words = [chance.choice(_WORDS) for _ in range(chance.randrange(1, 12))]
    calls = [("read_file", {"path": f"{chance.choice(_WORDS)}{n}"}) for n in range(chance.randrange(3))]
    events = [data(piece(content=word)) for word in words]
    numbered = chance.random() < 0.5
    for number, (name, given) in enumerate(calls):
        text = json.dumps(given)
        middle, index = chance.randrange(len(text)), number if numbered else 0
        events.append(
            data(call(index, name, text[:middle], id=f"c{number}"), call(index, "", text[middle:]))
        )
    events.append(chance.choice((data(piece("stop")) + DONE, data(piece("stop"), told()) + DONE, DONE)))
    if chance.random() < 0.3:
        events.insert(chance.randrange(len(events)), ": still here\n\n")
    if chance.random() < 0.2:
        events = [event.replace("\n", "\r\n") for event in events]
    rows = [event.encode() for event in events]
    damage, before = chance.random() < 0.6, ""
    if damage:
        at = chance.randrange(len(rows))
        before = "".join(_content(row) for row in rows[:at])
        rows[at] = _damaged(chance, rows[at])
    return Stream(tuple(_cut(chance, b"".join(rows))), "".join(words), calls, damage, before)


def _content(row: bytes) -> str:
    for line in row.decode().splitlines():
        with contextlib.suppress(ValueError, KeyError, IndexError):
            return str(json.loads(line.removeprefix("data: "))["choices"][0]["delta"].get("content") or "")
    return ""


def _damaged(chance: Random, row: bytes) -> bytes:
    at = chance.randrange(len(row))
    match chance.choice(("flip", "noise", "drop", "twice", "cut", "type")):
        case "flip":
            return row[:at] + bytes([row[at] ^ (1 << chance.randrange(8))]) + row[at + 1 :]
        case "noise":
            return row[:at] + chance.choice(_NOISE) + row[at:]
        case "drop":
            return row[:at] + row[at + chance.randrange(1, 30) :]
        case "twice":
            return row + row
        case "cut":
            return row[:at]
    other = chance.choice(("null", "7", "[]", "{}", '"x"', "[null]", "-1e999"))
    return row.replace(chance.choice((b"null", b"0", b'"m"', b"[{", b'"delta"')), other.encode(), 1)


def _cut(chance: Random, whole: bytes) -> list[bytes]:
    pieces = []
    while whole:
        size = chance.choice((1, 3, 17, 100, 4096))
        pieces.append(whole[:size])
        whole = whole[size:]
    return pieces


def _serialise(messages: Sequence[Message], rules: WireRules, conversation: str) -> bytes:
    return json.dumps(list(messages)).encode()


class _Server:
    """Answers each request with the next stream."""

    def __init__(self) -> None:
        self.next: Stream | None = None
        self.url = ""

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            await reader.readexactly(size)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
            for part in self.next.pieces if self.next else ():
                writer.write(part)
                await writer.drain()
        writer.close()


async def rounds(host: ModelHost, chance: Random, count: int) -> list[str]:
    """So many streams by each engine; what was lost, too slow, too large or a fault of the host."""
    server = _Server()
    listening = await asyncio.start_server(server.connected, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    wrong: list[str] = []
    try:
        for number in range(count):
            server.next = made(chance)
            for engine, model in (("openai", "m"), ("litellm", "openai/m")):
                found = await _one(host, server.next, Endpoint("acme", model, engine, url, "sk-key"))
                wrong += [f"round {number}, {engine}: {line}" for line in found]
    finally:
        listening.close()
    return wrong


async def _one(host: ModelHost, stream: Stream, endpoint: Endpoint) -> list[str]:
    request = Request(endpoint, [{"role": "user", "content": "q"}], max_tokens=50)
    shown, end, failure = "", None, None
    begun = time.monotonic()
    try:
        async for item in HostedProvider(host, _serialise).stream(request):
            if isinstance(item, Delta):
                shown += item.text
            elif isinstance(item, Completion):
                end = item
    except HostDied as error:
        return [f"a fault of the host: {error.detail} {stream.pieces!r}"]
    except ProviderError as error:
        failure = error
    wrong = []
    if (seconds := time.monotonic() - begun) > _SECONDS:
        wrong.append(f"took {seconds:.1f} s: {stream.pieces!r}")
    if stream.damaged:
        wrong += (
            [] if shown.startswith(stream.before) else [f"shown {shown!r}, before was {stream.before!r}"]
        )
        return wrong
    calls = [(one.name, json.loads(one.arguments)) for one in end.tool_calls] if end else []
    if end is None or (end.text, calls) != (stream.text, stream.calls) or shown != stream.text:
        wrong.append(f"{failure or end!r} for {stream.pieces!r}")
    return wrong


def run(chance: Random, count: int) -> list[str]:
    """The soak: with a host of its own, whose memory is looked at."""

    async def all_of_it() -> list[str]:
        host = ModelHost()
        await host.start()
        try:
            for engine in ("openai", "litellm"):
                await host.prepare(engine)
            wrong = await rounds(host, chance, 20)
            begun, before = time.monotonic(), psutil.Process(host.pid).memory_info().rss
            wrong += await rounds(host, chance, count)
            grown = (psutil.Process(host.pid).memory_info().rss - before) / 2**20
            seconds = time.monotonic() - begun
        finally:
            await host.stop()
        print(f"{count} model streams by both engines in {seconds:.0f} s, the host grew by {grown:.0f} MB")
        return wrong if grown < _MEGABYTES else [*wrong, f"the model host grew by {grown:.0f} MB"]

    return asyncio.run(all_of_it())
