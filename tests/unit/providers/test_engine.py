"""The engine that we ship, run as the program runs it, with the real small model: what it answers, what it
refuses, when it stops."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop import paths
from desktop.agent.arguments import written_call
from desktop.providers import catalogue, engine
from desktop.providers.base import Endpoint, Request
from desktop.providers.host.failures import kind
from desktop.providers.small_model_text import told

pytestmark = pytest.mark.machine

MODELS = Path(os.environ.get("NANOBOT_TEST_MODELS") or paths.home().models)
TOKEN = "a-token-for-this-test"
WINDOW = 1024
SYSTEM = {"role": "system", "content": "You are a helpful assistant. Answer in one short sentence."}
LONG = " ".join(f"Item {number} is a box." for number in range(400))
SLOW = LONG[:1500]  # fits the window, but reading it takes many seconds


def user(text: str) -> list[dict[str, Any]]:
    return [SYSTEM, {"role": "user", "content": text}]


@dataclass
class Server:
    """A started engine."""

    process: "subprocess.Popen[str]"
    port: int

    def client(self, token: str = TOKEN, **options: Any) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = f"http://127.0.0.1:{self.port}"
        return httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=120, **options)

    def ask(self, messages: Any, **more: Any) -> httpx.Response:
        with self.client() as client:
            return client.post("/v1/chat/completions", json={"messages": messages, **more})


def start() -> Server:
    path = MODELS / catalogue.SMALL.file
    if not path.is_file():
        pytest.skip(f"the built-in model is not in {MODELS}: packaging/run.sh fetches it")
    command = paths.self_command("--engine", str(path), "small", str(WINDOW), str(engine.cores()))
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=engine.child_environment(**{engine.TOKEN_NAME: TOKEN}, **engine.WAITING),
        text=True,
    )
    assert process.stdout
    return Server(process, json.loads(process.stdout.readline())["port"])


def finish(server: Server) -> None:
    server.process.communicate(timeout=10)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    server = start()
    yield server
    finish(server)


def events(response: httpx.Response) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in response.iter_lines() if line.startswith("data: ")]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


def test_it_streams_the_capital_of_france(server: Server) -> None:
    body = {
        "messages": user("What is the capital of France?"),
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0,
    }
    with server.client() as client, client.stream("POST", "/v1/chat/completions", json=body) as response:
        chunks = events(response)
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    pieces = [delta["content"] for delta in deltas if delta.get("content")]
    assert "Paris" in "".join(pieces)
    assert len(pieces) > 1
    usage = chunks[-1]["usage"]
    assert usage["completion_tokens"] >= len(pieces)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_what_it_read_before_is_not_read_again(server: Server) -> None:
    server.ask(user("Name a colour."), max_tokens=1)
    usage = server.ask(user("Name an animal."), max_tokens=1).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] > usage["prompt_tokens"] / 2


@pytest.mark.soak
def test_an_answer_without_a_limit_ends_after_a_quarter_of_the_window(server: Server) -> None:
    short = server.ask(user("Count from 1 to 100."), max_tokens=5).json()
    assert (short["choices"][0]["finish_reason"], short["usage"]["completion_tokens"]) == ("length", 5)
    loop = [*user("Repeat."), {"role": "assistant", "content": "a b " * 50}, *user("Count to 5000.")[1:]]
    assert server.ask(loop, temperature=0).json()["usage"]["completion_tokens"] <= WINDOW // 4


def _asked_within(server: Server, seconds: float) -> bool:
    """Whether a short question has its answer long before what others left would have ended: minutes."""
    with server.client() as client:
        client.timeout = httpx.Timeout(seconds)
        body = {"messages": user("Say hi."), "max_tokens": 1}
        return client.post("/v1/chat/completions", json=body).status_code == 200


def test_leaving_in_the_middle_of_an_answer_stops_it(server: Server) -> None:
    body = {"messages": user("Tell a very long story about a sea journey."), "stream": True}
    with server.client() as client, client.stream("POST", "/v1/chat/completions", json=body) as response:
        next(response.iter_lines())
    assert _asked_within(server, 25)


@pytest.mark.soak
def test_leaving_while_waiting_or_reading_costs_the_next_one_nothing(server: Server) -> None:
    """One client reads a long prompt, others wait behind it; all give up; then somebody asks."""
    long = {"messages": user(SLOW), "stream": True}

    def give_up() -> None:
        with server.client() as client, pytest.raises(httpx.ReadTimeout):
            client.post("/v1/chat/completions", json=long, timeout=0.5)

    threads = [threading.Thread(target=give_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _asked_within(server, 25)


def test_a_prompt_longer_than_the_window_is_told_as_such_by_the_engines_own_name(server: Server) -> None:
    answer = server.ask(user(LONG))
    error = answer.json()["error"]
    assert kind(answer.status_code, f"{error['message']} ({error['type']})") == "context_too_long"


WRITE = {
    "type": "function",
    "function": {
        "name": "write_file",
        "description": "Write a file.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
}
COUNT = {
    "type": "function",
    "function": {
        "name": "count",
        "description": "Count things.",
        "parameters": {
            "type": "object",
            "properties": {"kind": {"type": "string", "enum": ["cats", "dogs"]}, "n": {"type": "integer"}},
        },
    },
}


def said(server: Server, text: str, **more: Any) -> str:
    """What the model writes where it is told of tools as the program tells it."""
    endpoint = Endpoint("builtin", "small")
    request = told(Request(endpoint, user(text), 100, tools=[WRITE, COUNT], **more), ())
    answer = server.ask(
        list(request.messages), max_tokens=100, temperature=0, **request.endpoint.behaviour.always
    )
    return str(answer.json()["choices"][0]["message"]["content"])


def test_a_call_comes_as_text_and_is_one_that_can_be_read(server: Server) -> None:
    text = said(server, "Write the word hello into the file greeting.txt.")
    call = written_call(text, ["write_file", "count"])
    assert call
    assert call[0] == "write_file"
    assert json.loads(call[1])["path"] == "greeting.txt"


def test_a_tool_that_must_be_called_is_called_with_what_its_schema_allows(server: Server) -> None:
    call = written_call(said(server, "Hello, how are you?", must_call=("count",)), ["write_file", "count"])
    assert call
    given = json.loads(call[1])
    assert call[0] == "count"
    assert given["kind"] in ("cats", "dogs")
    assert isinstance(given["n"], int | float)


@pytest.mark.soak
def test_a_tool_that_may_not_be_called_is_not(server: Server) -> None:
    text = said(server, "Write the word hello into the file greeting.txt.", callable=False)
    assert text[0] not in "{<`"


def test_only_the_program_that_started_it_may_ask_it(server: Server) -> None:
    for token in ("", "wrong", TOKEN + "x"):
        with server.client(token) as client:
            assert client.post("/v1/chat/completions", json={}).status_code == 401
            assert client.get("/slots").status_code == 401
            assert client.get("/health").status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_token_is_not_in_its_command_line(server: Server) -> None:
    there = Path(f"/proc/{server.process.pid}")
    assert TOKEN.encode() not in (there / "cmdline").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.soak
def test_it_keeps_no_gigabytes_of_prompts(server: Server) -> None:
    for number in range(12):  # each another beginning: none can be kept for the next
        server.ask(
            [{"role": "system", "content": f"{number} {SLOW[:900]}"}, *user("Hi.")[1:]], max_tokens=1
        )
    told = Path(f"/proc/{server.process.pid}/status").read_text()
    line = next(line for line in told.splitlines() if line.startswith("RssAnon"))
    assert int(line.split()[1]) // 1024 < 2 * engine.CACHE_MB + 256


def test_it_ends_when_its_parent_does_even_while_it_reads() -> None:
    server = start()
    with server.client() as client, pytest.raises(httpx.ReadTimeout):
        client.post("/v1/chat/completions", json={"messages": user(SLOW)}, timeout=0.5)
    finish(server)
