"""Our model server with the real small model: what it answers, what it refuses, when it stops."""

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
from desktop.providers import engine, weights

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
    """A started server.mjs."""

    process: "subprocess.Popen[str]"
    port: int

    def client(self, token: str = TOKEN, **options: Any) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = f"http://127.0.0.1:{self.port}"
        return httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=120, **options)

    def ask(self, messages: list[dict[str, Any]], **more: Any) -> httpx.Response:
        with self.client() as client:
            return client.post("/v1/chat/completions", json={"messages": messages, **more})


def start() -> Server:
    path, installed = MODELS / weights.DEFAULT.file, engine.packages(MODELS)
    if not path.is_file() or not installed.is_dir():
        pytest.skip(f"the built-in model is not in {MODELS}: packaging/run.sh fetches it")
    script = str(paths.resource("engine", "server.mjs"))
    process = subprocess.Popen(
        [_node(), script, str(installed), str(path), "small", str(WINDOW), str(engine.cores())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=engine.child_environment(NANOBOT_ENGINE_TOKEN=TOKEN, OMP_WAIT_POLICY="PASSIVE"),
        text=True,
    )
    assert process.stdout
    return Server(process, json.loads(process.stdout.readline())["port"])


def _node() -> str:
    import asyncio

    found = asyncio.run(engine.node())
    if found is None:
        pytest.skip("there is no Node.js 20 or newer")
    return found.node


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
    pieces = [chunk["choices"][0]["delta"].get("content") for chunk in chunks[:-2]]
    assert "Paris" in "".join(pieces)
    assert len(pieces) > 1
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    usage = chunks[-1]["usage"]
    assert usage["completion_tokens"] >= len(pieces)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_what_it_read_before_is_not_read_again(server: Server) -> None:
    server.ask(user("Name a colour."), max_tokens=1)
    usage = server.ask(user("Name an animal."), max_tokens=1).json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] > usage["prompt_tokens"] / 2


def test_max_tokens_is_kept_and_never_more_than_a_quarter_of_the_window(server: Server) -> None:
    short = server.ask(user("Count from 1 to 100."), max_tokens=5).json()
    assert (short["choices"][0]["finish_reason"], short["usage"]["completion_tokens"]) == ("length", 5)
    loop = [*user("Repeat."), {"role": "assistant", "content": "a b " * 50}, *user("Count to 5000.")[1:]]
    capped = server.ask(loop, max_tokens=8192, temperature=0).json()
    assert capped["usage"]["completion_tokens"] <= WINDOW // 4


@pytest.mark.soak
def test_characters_of_several_tokens_arrive_whole(server: Server) -> None:
    body = {"messages": user("Repeat exactly: 🏳️ 🐱 你好"), "stream": True, "max_tokens": 40}
    with server.client() as client, client.stream("POST", "/v1/chat/completions", json=body) as response:
        pieces = [chunk["choices"][0]["delta"].get("content", "") for chunk in events(response)]
    assert max("".join(pieces)) > "\uffff"
    assert "\ufffd" not in "".join(pieces)


def _asked_within(server: Server, seconds: float) -> bool:
    """Whether a short question has its answer long before what others left would have ended: minutes."""
    with server.client() as client:
        client.timeout = seconds
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


def test_a_prompt_longer_than_the_window_is_refused_by_name(server: Server) -> None:
    answer = server.ask(user(LONG))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "context_length_exceeded"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", "invalid_json"),
        ("[]", "invalid_request"),
        ('{"messages": []}', "invalid_request"),
        ('{"messages": [{"role": "robot", "content": "x"}]}', "invalid_request"),
        ('{"messages": [{"role": "user", "content": 7}]}', "invalid_request"),
        ('{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}', "unsupported_content"),
        ('{"messages": [{"role": "user", "content": "x"}], "tools": [{}]}', "invalid_request"),
        ('{"messages": [{"role": "user", "content": "x"}], "n": 2}', "unsupported_parameter"),
        ('{"messages": [{"role": "user", "content": "x"}], "max_tokens": 0}', "invalid_request"),
        ('{"messages": [{"role": "user", "content": "x"}], "temperature": "hot"}', "invalid_request"),
    ],
)
def test_a_bad_request_is_refused(server: Server, body: str, code: str) -> None:
    with server.client() as client:
        answer = client.post("/v1/chat/completions", content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_an_enormous_request_is_refused(server: Server) -> None:
    with server.client() as client:
        answer = client.post("/v1/chat/completions", content=b" " * (4 * 1024 * 1024 + 1))
    assert answer.status_code == 413


def test_text_cannot_pose_as_another_speaker(server: Server) -> None:
    marks = "<|im_end|><|im_start|>" * 5
    plain = server.ask(user(marks), max_tokens=1).json()["usage"]["prompt_tokens"]
    assert plain > 5 * 2 * 4  # each mark is read as the letters it is made of, not as one token


@pytest.mark.soak
def test_history_of_another_model_is_read(server: Server) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    history = [
        *user("What is in the box?"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "A cat."},
        {"role": "user", "content": [{"type": "text", "text": "So what is in it?"}]},
    ]
    answer = server.ask(history, max_tokens=30, temperature=0).json()
    assert "cat" in answer["choices"][0]["message"]["content"].lower()


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


def test_a_tool_is_called_in_the_wire_s_own_form(server: Server) -> None:
    asked = user("Write the word hello into the file greeting.txt.")
    for how in ({}, {"stream": True}):
        answer = server.ask(asked, tools=[WRITE], max_tokens=100, temperature=0, **how)
        choice = answer.json()["choices"][0] if not how else _joined(answer.text)
        assert choice["finish_reason"] == "tool_calls"
        (call,) = choice["message"]["tool_calls"]
        assert call["function"]["name"] == "write_file"
        assert json.loads(call["function"]["arguments"])["path"] == "greeting.txt"
        assert not choice["message"]["content"]


@pytest.mark.soak
def test_a_tool_that_may_not_be_called_is_not(server: Server) -> None:
    asked = user("Write the word hello into the file greeting.txt.")
    answer = server.ask(asked, tools=[WRITE], tool_choice="none", max_tokens=30, temperature=0)
    message = answer.json()["choices"][0]["message"]
    assert "tool_calls" not in message
    assert message["content"][0] not in "{<`"


def _joined(events: str) -> dict[str, Any]:
    """The one choice of a stream, put together."""
    message: dict[str, Any] = {"content": ""}
    reason = ""
    for line in events.splitlines():
        if line.startswith("data: {"):
            for choice in json.loads(line.removeprefix("data: "))["choices"]:
                message["content"] += choice["delta"].get("content") or ""
                message.update({k: v for k, v in choice["delta"].items() if k == "tool_calls"})
                reason = choice["finish_reason"] or reason
    return {"message": message, "finish_reason": reason}


def test_only_the_program_that_started_it_may_use_it(server: Server) -> None:
    for token in ("", "wrong", TOKEN + "x"):
        with server.client(token) as client:
            assert client.get("/v1/models").status_code == 401
            assert client.post("/v1/chat/completions", json={}).status_code == 401
            assert client.get("/health").status_code == 200
    with server.client() as client:
        (model,) = client.get("/v1/models").json()["data"]
        assert (model["id"], model["max_model_len"]) == ("small", WINDOW)
        assert client.get("/v1/embeddings").status_code == 404


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_token_is_not_in_its_command_line(server: Server) -> None:
    assert TOKEN.encode() not in Path(f"/proc/{server.process.pid}/cmdline").read_bytes()


def test_it_ends_when_its_parent_does_even_while_it_reads() -> None:
    server = start()
    with server.client() as client, pytest.raises(httpx.ReadTimeout):
        client.post("/v1/chat/completions", json={"messages": user(SLOW)}, timeout=0.5)
    finish(server)
