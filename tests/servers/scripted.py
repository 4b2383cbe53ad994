"""A model server on a real socket that answers as told, and remembers what it was asked.

In a test: `with ScriptedServer() as server: server.script("say:hi", "status:429:1")`. With an empty
script the model's name is looked up among the answers (after a prefix such as "openai/"), and the
default is an echo. As a program of its own: `python -m tests.servers.scripted --port 0`.
"""

import argparse
import asyncio
import json
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desktop.memory.tokens import Meter
from tests.servers.answers import ANSWERS
from tests.servers.responses import said


@dataclass
class Seen:
    """One request as it came. `left` is set when the caller closed the connection before the end."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    connection: int
    at: float = field(default_factory=time.time)
    left: threading.Event = field(default_factory=threading.Event)

    @property
    def body(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.raw or b"{}")
        return value


class _Exchange:
    """Writes one answer to one socket."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._chunked = False
        self.reusable = False

    async def head(self, status: int, headers: dict[str, str], *, chunked: bool = False) -> None:
        self._chunked = chunked
        self.reusable = "Content-Length" in headers
        coding = {"Transfer-Encoding": "chunked"} if chunked else {}
        lines = [f"HTTP/1.1 {status} Scripted", *(f"{k}: {v}" for k, v in {**headers, **coding}.items())]
        self._writer.write("\r\n".join([*lines, "", ""]).encode())

    async def data(self, payload: bytes) -> None:
        frame = b"%x\r\n%s\r\n" % (len(payload), payload) if self._chunked else payload
        self._writer.write(frame)
        await self._writer.drain()

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        self.reusable = True
        await self._writer.drain()

    def cut(self) -> None:
        self._writer.close()


class ScriptedServer:
    """The server, in a thread with a loop of its own, so that a blocked test does not block it."""

    def __init__(self, port: int = 0, window: int = 0) -> None:
        """`window`: count the tokens of each request as a model of OpenAI would, tell them as its usage,
        and refuse what does not fit; 0 for no counting."""
        self.requests: list[Seen] = []
        self.counted: list[int] = []
        self.refused = 0
        self._window, self._meter = window, Meter()
        self.url = ""
        self.pages: dict[str, tuple[int, str, bytes]] = {}
        """What is looked at (GET) by the end of its path: status, kind of content, content."""
        self.looks: list[Seen] = []
        self._port = port
        self._script: deque[str] = deque()
        self._told: list[tuple[str, str | Callable[[Seen], str]]] = []
        self._held: dict[str, threading.Event] = {}
        self._connections = 0
        self._up = threading.Event()
        self._arrived = threading.Condition()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()), name="scripted", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        self._up.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        for held in self._held.values():
            held.set()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def script(self, *answers: str) -> None:
        """Queue answers for the requests to come, whatever model they name."""
        self._script.extend(answers)

    def when(self, words: str, answer: str | Callable[[Seen], str]) -> None:
        """Give this answer, or the one made of the request, to every request whose first or last message
        has these words; the first such rule counts, before the queue."""
        self._told.append((words, answer))

    def hold(self, words: str) -> threading.Event:
        """Let requests whose last message has these words wait until the event is set."""
        return self._held.setdefault(words, threading.Event())

    def wait_for_request(self, number: int = 1, seconds: float = 60.0) -> Seen:
        """Block until so many chat requests have come; the last of them."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= number, seconds):
                raise TimeoutError(f"{len(self.requests)} of {number} requests came")
        return self.requests[number - 1]

    def forget(self) -> None:
        """Empty the script, the rules and the list of requests."""
        self._script.clear()
        self._told.clear()
        self.requests.clear()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self._port)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._up.set()
        await self._stop.wait()
        server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        number, first = self._connections, b""
        try:
            reusable = True
            while reusable:
                seen = await _read_request(reader, first, number)
                first, reusable = await self._answer(seen, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the caller left, or the server stops
        finally:
            writer.close()

    async def _answer(
        self, seen: Seen, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> tuple[bytes, bool]:
        """Answer while watching for the caller to leave. Returns what was read of the next request."""
        exchange = _Exchange(writer)
        loop = asyncio.get_running_loop()
        watch = loop.create_task(reader.read(1))
        work = loop.create_task(self._act(seen, exchange))
        try:
            await asyncio.wait((watch, work), return_when=asyncio.FIRST_COMPLETED)
            if not work.done() and watch.exception() is None and watch.result():
                await asyncio.wait((work,))
            if not work.done() or isinstance(work.exception(), ConnectionError):
                seen.left.set()
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            read = watch.result() if watch.done() and not watch.exception() else b""
            return read, exchange.reusable and not seen.left.is_set()
        finally:
            watch.cancel()
            work.cancel()
            await asyncio.gather(watch, work, return_exceptions=True)

    async def _act(self, seen: Seen, exchange: _Exchange) -> None:
        if seen.method == "GET":
            self.looks.append(seen)
            for path, (status, kind, content) in self.pages.items():
                if seen.path.partition("?")[0].endswith(path):
                    await exchange.head(status, {"Content-Type": kind, "Content-Length": str(len(content))})
                    return await exchange.data(content)
            models = json.dumps({"object": "list", "data": [{"id": "echo", "object": "model"}]}).encode()
            size = str(len(models))
            await exchange.head(200, {"Content-Type": "application/json", "Content-Length": size})
            return await exchange.data(models)
        messages = seen.body.get("messages") or seen.body.get("input") or [{}]
        messages = [{"content": messages}] if isinstance(messages, str) else messages
        first, last = (said(messages[place]) for place in (0, -1))
        with self._arrived:
            self.requests.append(seen)
            rule = next((answer for words, answer in self._told if words in last or words in first), "")
            name = rule(seen) if callable(rule) else rule
            if not name and self._script:
                name = self._script.popleft()
            name = name or str(seen.body.get("model", "")).split("/")[-1]
            self._arrived.notify_all()
        for words, held in self._held.items():
            if words in last:
                await asyncio.to_thread(held.wait, 60)
        body = seen.body
        if self._window:
            tokens = await asyncio.to_thread(
                self._meter.exact, "gpt-4o", body["messages"], body.get("tools") or []
            )
            self.counted.append(tokens)
            body["_counted"] = tokens
            if tokens + int(body.get("max_tokens") or 0) > self._window:
                self.refused += 1
                name = "overflow"
        word, *rest = name.split(":")
        answer = ANSWERS.get(word, ANSWERS["echo"])
        await answer(exchange, body, rest)
        return None


async def _read_request(reader: asyncio.StreamReader, first: bytes, connection: int) -> Seen:
    head = first + await reader.readuntil(b"\r\n\r\n")
    start, *lines = head.decode("latin-1").rstrip().split("\r\n")
    method, path, _ = start.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Seen(method, path, headers, raw, connection)


def main(arguments: Sequence[str]) -> None:
    """Serve until stdin ends or the program is killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    with ScriptedServer(parser.parse_args(arguments).port) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
