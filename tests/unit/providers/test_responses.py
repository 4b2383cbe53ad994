"""OpenAI's Responses: what is sent there, what comes back, and what happens where a server has none."""

import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.config.schema import Config
from desktop.database.database import Database
from desktop.providers.base import (
    BadRequest,
    Completion,
    ContextTooLong,
    Delta,
    Endpoint,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Request,
    ToolCall,
    Unreachable,
    Usage,
)
from desktop.providers.behaviour import Behaviour, WireRules
from desktop.providers.client import HostedProvider
from desktop.providers.healing import FOR_NOW, HealingProvider, refused, sentence
from desktop.providers.host.answer import Answer
from desktop.providers.host.call import Failure
from desktop.providers.host.responses import Reader, request_of
from desktop.providers.host_process import ModelHost
from desktop.providers.learned import Lessons
from desktop.providers.normalise import Normaliser, WireCache
from desktop.providers.registry import choose, described
from tests import warm
from tests.servers.responses import SEAL
from tests.servers.scripted import ScriptedServer, Seen
from tests.unit.providers.test_normalise import HISTORY, slow

PLACE = {"type": "object", "properties": {"at": {"type": "string"}}}
LOOK = {"name": "look", "description": "Looks.", "parameters": PLACE}
TOOL = {"type": "function", "function": LOOK}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
async def host() -> AsyncIterator[ModelHost]:
    host = warm.host()
    yield host
    await host.stop()


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database(tmp_path / "state.db")
    await database.open()
    yield database
    await database.close()


def endpoint(url: str, model: str = "gpt-5.6-luna", provider: str = "openai", **settings: Any) -> Endpoint:
    config = Config.model_validate({"providers": {provider: {"apiBase": url, **settings}}})
    found = described(choose(config, (provider,), model, provider), config)
    return replace(found, api_key="sk-key", idle_seconds=30)


def request(there: Endpoint, *messages: dict[str, Any], **rest: Any) -> Request:
    system = {"role": "system", "content": "Be good."}
    asked = messages or ({"role": "user", "content": "Hello"},)
    options: dict[str, Any] = {"max_tokens": 500, "temperature": 0.1, "tools": [TOOL], "conversation": "c"}
    return Request(there, [system, *asked], **(options | rest))


async def answer(provider: HostedProvider | HealingProvider, asked: Request) -> Completion:
    *_, last = [item async for item in provider.stream(asked)]
    assert isinstance(last, Completion)
    return last


def hosted(host: ModelHost) -> HostedProvider:
    return HostedProvider(host, WireCache().json)


async def test_a_request_has_the_form_of_responses(server: ScriptedServer, host: ModelHost) -> None:
    there = endpoint(server.url, extraBody={"service_tier": "flex", "input": "no"}, extraQuery={"v": "2"})
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    asked = request(there, {"role": "user", "content": "Hello"}, reasoning="low", must_call=("look",))
    server.script("say:Good.")
    done = await answer(hosted(host), asked)
    assert (done.text, done.finish) == ("Good.", "stop")
    assert done.usage == Usage(100, 5, cached_tokens=40, reasoning_tokens=7)
    [seen] = server.requests
    assert seen.path == "/v1/responses?v=2"
    assert seen.headers["authorization"] == "Bearer sk-key"
    body = seen.body
    assert len(body.pop("prompt_cache_key")) == 32
    assert body == {
        "model": "gpt-5.6-luna",
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "low", "summary": "auto"},
        "max_output_tokens": 500,
        "service_tier": "flex",
        "tools": [{"type": "function", **LOOK, "strict": False}],
        "tool_choice": {"type": "function", "name": "look"},
        "input": [
            {"role": "system", "content": "Be good."},
            {"role": "user", "content": "Hello"},
        ],
    }
    parts = json.dumps(
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "A"}, picture]}]}
    )
    [message] = json.loads(request_of(parts.encode()))["input"]
    assert message["content"] == [
        {"type": "input_text", "text": "A"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
    ]


async def test_thinking_comes_first_and_calls_keep_their_ids(
    server: ScriptedServer, host: ModelHost
) -> None:
    told = {"form": "reasoning_content", "thought": "Let me look. ", "text": ""}
    call = {"name": "look", "arguments": {"at": "é"}, "id": "call_x"}
    server.script("family:" + json.dumps(told | {"call": call}))
    items = [item async for item in hosted(host).stream(request(endpoint(server.url)))]
    assert items[0] == Delta(reasoning="Let me look. ")
    done = items[-1]
    assert isinstance(done, Completion)
    assert done.tool_calls == (ToolCall("call_x", "look", '{"at": "\\u00e9"}'),)
    assert done.finish == "tool_calls"
    assert done.author == "openai/gpt-5.6-luna"
    [block] = done.thinking_blocks
    assert (block["type"], block["encrypted_content"]) == ("reasoning", SEAL)


def sealed(name: str, after: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "type": "reasoning",
        "id": name,
        "summary": [],
        "encrypted_content": name,
        "after": after,
        **more,
    }


def call(id_: str) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": "look", "arguments": "{}"}}


def test_what_was_thought_goes_back_where_it_was_and_to_its_author_only() -> None:
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [call("a"), call("b")],
            "thinking_blocks": [
                sealed("rs_1"),
                sealed("rs_2", 1),
                sealed("rs_3", 2),  # nothing came of it
                {"type": "reasoning", "id": "rs_4", "summary": []},  # neither sealed nor told
            ],
            "_by": "openai/m",
        },
        {"role": "tool", "tool_call_id": "a", "content": "one"},
        {"role": "tool", "tool_call_id": "b", "content": "two"},
        {"role": "assistant", "content": "Two.", "thinking_blocks": [sealed("rs_5")], "_by": "other/m"},
        {"role": "user", "content": "Thanks."},
    ]
    normaliser = Normaliser(WireRules(reasoning="items", author="openai/m"))
    for message in history:
        normaliser.feed(message)
    items = json.loads(request_of(json.dumps({"messages": normaliser.messages()}).encode()))["input"]
    short = [item.get("id") or item.get("call_id") or item.get("content") for item in items]
    assert short == ["Look.", "rs_1", "Looking.", "a", "rs_2", "b", "a", "b", "Two.", "Thanks."]
    assert items[1] == {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "rs_1"}
    assert items[6] == {"type": "function_call_output", "call_id": "a", "output": "one"}


@slow
@given(HISTORY)
def test_any_history_is_a_valid_input(history: list[dict[str, Any]]) -> None:
    normaliser = Normaliser(WireRules(reasoning="items", pictures=True))
    for message in history:
        normaliser.feed(message)
    body = b'{"model":"m","messages":' + normaliser.json() + b"}"
    items = json.loads(request_of(body))["input"]
    open_: set[str] = set()
    for place, item in enumerate(items):
        after = items[place + 1] if place + 1 < len(items) else {}
        match item.get("type", "message"):
            case "message":
                assert set(item) == {"role", "content"}
                assert item["content"]
            case "reasoning":
                assert after.get("type", after.get("role")) in ("function_call", "reasoning", "assistant")
                assert item.get("encrypted_content") or item.get("content")
                assert set(item) <= {"type", "id", "summary", "content", "encrypted_content"}
                assert all(isinstance(part["text"], str) for part in item["summary"])
            case "function_call":
                assert item["call_id"] not in open_
                open_.add(item["call_id"])
                assert isinstance(json.loads(item["arguments"]), dict)
            case "function_call_output":
                open_.remove(item["call_id"])
                assert item["output"]
    assert not open_


TYPES = (
    *("output_text.delta", "output_text.done", "refusal.delta", "reasoning_summary_text.delta", "created"),
    *("reasoning_text.done", "function_call_arguments.delta", "function_call_arguments.done", "completed"),
    *("output_item.added", "output_item.done", "incomplete", "failed", "web_search_call.completed", "odd"),
)
KEYS = (
    *(
        "delta",
        "text",
        "arguments",
        "item",
        "item_id",
        "output_index",
        "summary_index",
        "response",
        "output",
    ),
    *("id", "call_id", "name", "content", "summary", "usage", "status", "incomplete_details", "error"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
        | st.fixed_dictionaries(
            {"type": st.sampled_from(["message", "function_call", "reasoning"]) | inner},
            optional=dict.fromkeys(("id", "call_id", "name", "arguments", "content", "summary"), inner),
        )
    ),
    max_leaves=8,
)
EVENTS = st.lists(
    st.tuples(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5)),
    max_size=5,
)


@slow
@given(EVENTS)
def test_whatever_a_server_sends_is_an_answer_or_a_failure(
    events: list[tuple[str, dict[str, Any]]],
) -> None:
    reader, answer = Reader(), Answer()
    with contextlib.suppress(Failure):
        for name, event in events:
            answer.add(reader.chunk({**event, "type": f"response.{name}"}))
        json.dumps(answer.result())


async def test_a_server_that_does_not_stream_is_read(server: ScriptedServer, host: ModelHost) -> None:
    item = {"type": "message", "content": [{"type": "output_text", "text": "At once."}]}
    whole = {"object": "response", "status": "completed", "error": None, "output": [item]}
    server.script("refuse:200:" + json.dumps(whole))
    assert (await answer(hosted(host), request(endpoint(server.url)))).text == "At once."


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("rate_limit_exceeded", RateLimited),
        ("insufficient_quota", QuotaExceeded),
        ("context_length_exceeded", ContextTooLong),
        ("invalid_image", BadRequest),
        ("server_error", Unreachable),
        ("of_another_time", Unreachable),
    ],
)
async def test_a_failure_is_told_by_its_code_with_what_it_cost(
    server: ScriptedServer, host: ModelHost, code: str, error: type[ProviderError]
) -> None:
    tokens = {"input_tokens": 9, "output_tokens": 5, "total_tokens": 14}
    whole = {"object": "response", "status": "failed", "output": [], "usage": tokens}
    server.script("refuse:200:" + json.dumps(whole | {"output": [], "error": None}))
    with pytest.raises(ProviderError):
        await answer(hosted(host), request(endpoint(server.url)))
    event = {"type": "response.failed", "response": whole | {"error": {"code": code, "message": "No."}}}
    server.script("events:" + json.dumps([event]))
    with pytest.raises(error) as caught:
        await answer(hosted(host), request(endpoint(server.url)))
    assert type(caught.value) is error
    assert caught.value.usage == Usage(9, 5)
    assert caught.value.detail == f"No. ({code})"


@pytest.mark.parametrize(
    ("provider", "model", "settings", "api", "other"),
    [
        ("openai", "gpt-4.1", {}, "chat_completions", "responses"),
        ("openai", "gpt-5.2", {}, "chat_completions", "responses"),
        ("openai", "gpt-5.4-mini", {}, "responses", "chat_completions"),
        ("openai", "gpt-5.6-luna", {}, "responses", "chat_completions"),
        ("openai", "gpt-6", {}, "responses", "chat_completions"),
        ("openai", "gpt-5.1-codex", {}, "responses", "chat_completions"),
        ("openai", "gpt-5-pro", {}, "responses", "chat_completions"),
        ("openai", "o3", {}, "chat_completions", "responses"),
        ("openai", "o3-pro", {}, "responses", "chat_completions"),
        ("openai", "gpt-5.6-luna", {"apiType": "chat_completions"}, "chat_completions", ""),
        ("openai", "gpt-4.1", {"apiType": "responses"}, "responses", "chat_completions"),
        ("deepseek", "deepseek-v4-pro", {}, "chat_completions", "responses"),
        ("opencode", "gpt-5.5", {}, "responses", "chat_completions"),
        ("opencode", "glm-4.6", {}, "chat_completions", "responses"),
        ("custom", "any", {"apiType": "responses"}, "responses", "chat_completions"),
        ("anthropic", "claude-x", {"apiType": "responses"}, "chat_completions", ""),
        ("openai", "gpt-5.6-luna", {"engine": "litellm"}, "chat_completions", ""),
    ],
)
def test_which_api_is_asked(
    provider: str, model: str, settings: dict[str, Any], api: str, other: str
) -> None:
    found = endpoint("http://127.0.0.1:1/v1", model, provider, **settings)
    assert found.behaviour.api == api
    assert (found.otherwise.api if found.otherwise else "") == other


def test_the_builtin_model_has_one_api() -> None:
    config = Config.model_validate({"providers": {"builtin": {"apiType": "responses"}}})
    assert described(choose(config, (), "", "builtin"), config).behaviour.api == "chat_completions"


async def taught(
    server: ScriptedServer, host: ModelHost, database: Database, there: Endpoint
) -> tuple[Completion, list[str]]:
    """An answer, and the paths that were asked for it."""
    server.requests.clear()
    provider = HealingProvider(hosted(host), Lessons(database))
    done = await answer(provider, request(there))
    return done, [seen.path.removeprefix("/v1/") for seen in server.requests]


@pytest.mark.parametrize(
    "gone",
    [
        "status:404",
        "status:405",
        'refuse:404:{"detail": "Not Found"}',
        'refuse:400:{"error": {"message": "Unknown request URL: POST /v1/responses."}}',
    ],
)
async def test_a_server_without_responses_is_asked_over_chat_once_and_for_all(
    server: ScriptedServer, host: ModelHost, database: Database, gone: str
) -> None:
    there = endpoint(server.url, "some-model", "custom", apiType="responses")
    server.when("", lambda seen: gone if seen.path.endswith("/responses") else "say:Good.")
    done, paths = await taught(server, host, database, there)
    assert (done.text, done.learned) == ("Good.", ("api=chat_completions",))
    assert paths == ["responses", "chat/completions"]
    assert server.requests[-1].body["max_tokens"] == 500
    assert not {"input", "store", "include", "max_output_tokens"} & set(server.requests[-1].body)
    done, paths = await taught(server, host, database, there)
    assert (done.learned, paths) == ((), ["chat/completions"])
    assert "no Responses API" in sentence("api=chat_completions")
    other = endpoint(server.url, "another-model", "custom", apiType="responses")
    assert (await taught(server, host, database, other))[1] == ["responses", "chat/completions"]


async def test_a_model_that_nobody_has_is_no_reason_to_ask_elsewhere(
    server: ScriptedServer, host: ModelHost, database: Database
) -> None:
    words = "The model `gpt-9` does not exist or you do not have access to it."
    server.when("", lambda _seen: 'refuse:404:{"error": {"message": "' + words + '"}}')
    with pytest.raises(BadRequest, match="gpt-9"):
        await taught(server, host, database, endpoint(server.url, "gpt-9"))
    assert [seen.path for seen in server.requests] == ["/v1/responses"]
    server.requests.clear()
    server.forget()
    server.when("", lambda _seen: "status:404")
    with pytest.raises(BadRequest):
        await taught(server, host, database, endpoint(server.url))
    assert len(server.requests) == 2
    assert await database.read("SELECT * FROM lessons") == []


ONLY_THERE = (
    "Function tools with reasoning_effort are not supported for m in /v1/chat/completions. To use function "
    "tools, use /v1/responses or set reasoning_effort to 'none'."
)


async def test_a_server_that_sends_to_responses_is_followed(
    server: ScriptedServer, host: ModelHost, database: Database
) -> None:
    sends = 'refuse:{"error": {"message": "' + ONLY_THERE + '"}}'
    server.when("", lambda seen: "say:Good." if seen.path.endswith("/responses") else sends)
    there = endpoint(server.url, "some-model", "custom")
    done, paths = await taught(server, host, database, there)
    assert (done.text, paths) == ("Good.", ["chat/completions", "responses"])
    assert (await taught(server, host, database, there))[1] == ["responses"]
    told = endpoint(server.url, "some-model", "custom", apiType="chat_completions")
    with pytest.raises(BadRequest):
        await taught(server, host, database, told)


async def test_a_server_that_sends_to_what_it_has_not_is_asked_without_reasoning(
    server: ScriptedServer, host: ModelHost, database: Database
) -> None:
    def answered(seen: Seen) -> str:
        if seen.path.endswith("/responses"):
            return "status:404"
        thinks = "reasoning_effort" in seen.body
        return 'refuse:{"error": {"message": "' + ONLY_THERE + '"}}' if thinks else "say:Good."

    server.when("", answered)
    there = endpoint(server.url, "some-model", "custom")
    provider = HealingProvider(hosted(host), Lessons(database))
    assert (await answer(provider, request(there, reasoning="high"))).text == "Good."
    assert len(server.requests) == 4
    assert list(await Lessons(database).of(there)) == ["reasoning=reasoning_effort"]


NAMED = [
    ("Encrypted content is not supported with this model.", ["always=include"]),
    ("Unknown parameter: 'include'.", ["always=include"]),
    ("Unknown parameter: 'store'.", ["always=store"]),
    ("Please store your key and include it.", []),
    ("Your organization must be verified to generate reasoning summaries.", ["summary"]),
    ("Unsupported parameter: 'reasoning.summary'.", ["summary"]),
    ("Unsupported value: 'reasoning.effort' does not support 'high' with this model.", ["reasoning=high"]),
    ("Unsupported parameter: 'reasoning.effort' is not supported.", ["reasoning=reasoning"]),
    ("Unsupported parameter: 'temperature' is not supported with this model.", ["temperature"]),
    (
        "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 400, but got 500.",
        ["most_tokens=400"],
    ),
    ("Unsupported parameter: max_output_tokens", ["max_tokens="]),
    ("The encrypted content gAAA could not be verified.", [FOR_NOW]),
    ("Item 'rs_1' of type 'reasoning' was provided without its required following item.", [FOR_NOW]),
]


@pytest.mark.parametrize(("said", "lessons"), NAMED)
def test_what_a_server_names_of_responses_is_found(said: str, lessons: list[str]) -> None:
    there = endpoint("http://127.0.0.1:1/v1", "who-knows", "custom", apiType="responses")
    behaviour = replace(
        there.behaviour, always={**there.behaviour.always, "reasoning": {"summary": "auto"}}
    )
    asked = request(replace(there, behaviour=behaviour), reasoning="high")
    assert refused(said, asked) == lessons
    assert all(sentence(lesson).endswith(".") for lesson in lessons)


async def test_without_summaries_it_still_reasons(
    server: ScriptedServer, host: ModelHost, database: Database
) -> None:
    words = "Your organization must be verified to generate reasoning summaries."

    def answered(seen: Seen) -> str:
        summed = "summary" in seen.body.get("reasoning", {})
        return 'refuse:{"error": {"message": "' + words + '"}}' if summed else "say:Good."

    server.when("", answered)
    provider = HealingProvider(hosted(host), Lessons(database))
    done = await answer(provider, request(endpoint(server.url), reasoning="high"))
    assert done.learned == ("summary",)
    assert server.requests[-1].body["reasoning"] == {"effort": "high"}


def test_a_model_that_does_not_reason_is_not_asked_for_seals() -> None:
    there = endpoint("http://127.0.0.1:1/v1", "gpt-4.1", apiType="responses")
    assert there.behaviour.always == {"store": False}
    assert Behaviour().api == "chat_completions"
