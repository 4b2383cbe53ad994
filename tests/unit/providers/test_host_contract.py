"""What every engine must do, asked through the real model host from a real server that misbehaves."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from desktop import __version__
from desktop.config.schema import Config
from desktop.providers.base import (
    AnswerTooLong,
    BadRequest,
    Completion,
    ContextTooLong,
    CutShort,
    Delta,
    Endpoint,
    Message,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    Request,
    SignInNeeded,
    ToolCall,
    Unreachable,
)
from desktop.providers.behaviour import WireRules
from desktop.providers.client import HostedProvider
from desktop.providers.host_process import ModelHost
from desktop.providers.registry import choose, endpoint
from tests.servers.scripted import ScriptedServer

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = "sk-very-secret-key"
ENGINES = ("openai", "litellm")


def serialise(messages: Sequence[Message], rules: WireRules, conversation: str) -> bytes:
    return json.dumps(list(messages), ensure_ascii=False).encode()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Caller:
    """Asks the scripted server through the host."""

    def __init__(self, host: ModelHost, server: ScriptedServer, engine: str) -> None:
        self.provider = HostedProvider(host, serialise)
        self._server, self._engine = server, engine

    def request(self, answer: str, *, idle: float = 30.0, total: float = 60.0, url: str = "") -> Request:
        prefix = "openai/" if self._engine == "litellm" else ""
        endpoint = Endpoint(
            provider="scripted",
            model=prefix + answer,
            engine=self._engine,
            base_url=url or self._server.url,
            api_key=KEY,
            headers={"X-Title": "Nanobot Desktop"},
            idle_seconds=idle,
            total_seconds=total,
        )
        return Request(endpoint, [{"role": "user", "content": "Grüße"}], max_tokens=100, temperature=0.1)

    async def ask(self, answer: str, *, idle: float = 30.0, total: float = 60.0) -> Completion:
        request = self.request(answer, idle=idle, total=total)
        *_, last = [item async for item in self.provider.stream(request)]
        assert isinstance(last, Completion)
        return last

    async def fails(self, answer: str, *, idle: float = 30.0, total: float = 60.0) -> ProviderError:
        with pytest.raises(ProviderError) as caught:
            await self.ask(answer, idle=idle, total=total)
        return caught.value


@pytest.fixture
def caller(host: ModelHost, server: ScriptedServer, engine: str) -> Caller:
    server.forget()
    return Caller(host, server, engine)


async def test_deltas_come_first_and_the_completion_holds_them_all(caller: Caller) -> None:
    items = [item async for item in caller.provider.stream(caller.request("say:one two three"))]
    deltas = [item.text for item in items if isinstance(item, Delta)]
    end = items[-1]
    assert isinstance(end, Completion)
    assert deltas[0] == "one "
    assert "".join(deltas) == end.text == "one two three"
    assert end.finish == "stop"
    assert end.usage is not None
    assert (end.usage.input_tokens, end.usage.cached_tokens, end.usage.reasoning_tokens) == (100, 40, 7)


async def test_the_request_reaches_the_server_as_it_was_asked(
    caller: Caller, server: ScriptedServer
) -> None:
    await caller.ask("say:ok")
    seen = server.requests[0]
    assert seen.path == "/v1/chat/completions"
    assert seen.body["messages"] == [{"role": "user", "content": "Grüße"}]
    assert (seen.body["max_tokens"], seen.body["temperature"]) == (100, 0.1)
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["x-title"] == "Nanobot Desktop"


async def test_what_a_person_wants_in_each_request_is_in_it(caller: Caller, server: ScriptedServer) -> None:
    request = caller.request("say:ok")
    own = {"top_k": 5, "temperature": 0.7, "stream": False, "messages": []}
    endpoint = replace(request.endpoint, extra=own, query={"version": "2"})
    *_, last = [item async for item in caller.provider.stream(replace(request, endpoint=endpoint))]
    assert isinstance(last, Completion)
    seen = server.requests[0]
    assert (seen.body["top_k"], seen.body["temperature"], seen.body["stream"]) == (5, 0.7, True)
    assert seen.body["messages"] == [{"role": "user", "content": "Grüße"}]
    if endpoint.engine == "openai":
        assert seen.path == "/v1/chat/completions?version=2"


async def test_tool_calls_are_put_together_by_index(caller: Caller) -> None:
    end = await caller.ask("tools")
    assert end.text == "Looking. "
    assert end.finish == "tool_calls"
    assert end.tool_calls == (
        ToolCall("call_0", "get_weather", '{"city": "Paris"}'),
        ToolCall("call_1", "get_time", '{"zone": "UTC"}'),
    )


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_thoughts_are_kept_apart_from_the_answer(caller: Caller, name: str) -> None:
    end = await caller.ask(f"reasoning:{name}")
    assert (end.reasoning, end.text) == ("think hard", "42")


@pytest.mark.parametrize(
    ("answer", "error", "status"),
    [
        ("status:401", SignInNeeded, 401),
        ("status:403", SignInNeeded, 403),
        ("status:404", BadRequest, 404),
        ("status:413", BadRequest, 413),
        ("status:429", RateLimited, 429),
        ("status:500", Unreachable, 500),
        ("status:503", Unreachable, 503),
        ("quota", QuotaExceeded, 429),
        ("quota:402", QuotaExceeded, 402),
        ("quota:403", QuotaExceeded, 403),
        ("overflow", ContextTooLong, 400),
        ("error", Unreachable, 500),
        ("error:429", RateLimited, 429),
        ("cut", Unreachable, None),
        ("cut:close", Unreachable, None),
        ("drop", Unreachable, None),
        ("html", Unreachable, None),
        ("notjson", Unreachable, None),
        ("huge:20", AnswerTooLong, None),
        ("longline:20", AnswerTooLong, None),
    ],
)
async def test_a_failure_is_told_by_its_kind_and_once(
    caller: Caller, server: ScriptedServer, answer: str, error: type[ProviderError], status: int | None
) -> None:
    failure = await caller.fails(answer)
    assert type(failure) is error
    assert failure.status == status
    assert failure.text
    assert failure.remedy
    assert len(server.requests) == 1
    assert (await caller.ask("say:again")).text == "again"


async def test_what_the_server_cannot_process_is_a_bad_request(caller: Caller) -> None:
    failure = await caller.fails("status:422")  # litellm asks once more, without the optional parameters
    assert isinstance(failure, BadRequest)
    assert failure.status == 422


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"])
async def test_nobody_there_is_unreachable(caller: Caller, url: str) -> None:
    with pytest.raises(Unreachable, match="can’t be reached"):
        [item async for item in caller.provider.stream(caller.request("say:x", url=url))]


async def test_the_servers_wish_to_wait_is_passed_on(caller: Caller) -> None:
    failure = await caller.fails("status:429:17")
    assert isinstance(failure, RateLimited)
    assert failure.retry_after == 17


async def test_the_servers_words_are_short_and_without_the_key(caller: Caller) -> None:
    failure = await caller.fails(f"leak:{KEY}")
    assert failure.detail.startswith("wrong key [hidden] given")
    assert len(failure.detail) <= 300
    assert KEY not in str(failure)


@pytest.mark.parametrize("answer", ["silence", "stall"])
async def test_silence_ends_a_call(caller: Caller, server: ScriptedServer, answer: str) -> None:
    failure = await caller.fails(answer, idle=0.3)
    assert isinstance(failure, Unreachable)
    assert "in time" in failure.text
    assert await asyncio.to_thread(server.requests[0].left.wait, 10)


async def test_signs_of_life_hold_off_the_idle_limit_but_not_the_total(caller: Caller) -> None:
    assert (await caller.ask("comments", idle=0.5)).text == "patience"
    failure = await caller.fails("drip", idle=0.5, total=1.0)
    assert "in time" in failure.text


async def test_the_same_word_many_times_is_an_answer(caller: Caller) -> None:
    assert (await caller.ask("words:150")).text == "again " * 150


async def test_large_network_chunks_and_broken_letters(caller: Caller) -> None:
    assert (await caller.ask("chunks64k")).text == "é" * 500_000
    assert (await caller.ask("badutf8")).text == "caf\ufffd 中"


@pytest.mark.parametrize("answer", ["silence", "slow"])
async def test_a_cancelled_call_ends_at_the_server(
    caller: Caller, server: ScriptedServer, answer: str
) -> None:
    async def ask() -> None:
        await caller.ask(answer)

    task = asyncio.get_running_loop().create_task(ask())
    seen = await asyncio.to_thread(server.wait_for_request)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(seen.left.wait, 1.0)


async def test_closing_the_stream_ends_the_call_at_the_server(
    caller: Caller, server: ScriptedServer
) -> None:
    async with aclosing(caller.provider.stream(caller.request("slow"))) as stream:
        assert await anext(stream) == Delta("word ")
    assert await asyncio.to_thread(server.requests[0].left.wait, 1.0)


async def test_calls_run_side_by_side(caller: Caller, server: ScriptedServer) -> None:
    names = [f"say:{number} and more" for number in range(20)]
    stuck = caller.provider.stream(caller.request("stall"))
    await anext(stuck)
    answers = await asyncio.gather(*(caller.ask(name) for name in names))
    assert [answer.text for answer in answers] == [name.removeprefix("say:") for name in names]
    await stuck.aclose()


async def test_connections_are_kept_from_turn_to_turn(caller: Caller, server: ScriptedServer) -> None:
    for _ in range(3):
        await caller.ask("say:ok")
    assert len({seen.connection for seen in server.requests}) == 1


async def test_the_key_is_only_in_the_pipe(caller: Caller, host: ModelHost) -> None:
    await caller.ask("say:ok")
    assert host.pid
    process = psutil.Process(host.pid)
    assert KEY not in " ".join(process.cmdline())
    assert KEY.encode() not in Path(f"/proc/{host.pid}/environ").read_bytes()


class TestAnthropic:
    """A wire of another kind, which only litellm speaks."""

    def request(self, server: ScriptedServer) -> Request:
        address = server.url.removesuffix("/v1")
        endpoint = Endpoint("anthropic", "anthropic/claude-opus-4-5", "litellm", address, KEY)
        return Request(endpoint, [{"role": "user", "content": "Hi"}], max_tokens=2000)

    async def test_signed_thoughts_are_kept_whole(self, host: ModelHost, server: ScriptedServer) -> None:
        server.forget()
        server.script("anthropic")
        *_, end = [item async for item in HostedProvider(host, serialise).stream(self.request(server))]
        assert isinstance(end, Completion)
        assert (end.text, end.reasoning, end.finish) == ("Looking.", "let me see", "tool_calls")
        assert end.tool_calls == (ToolCall("toolu_1", "get_time", '{"zone": "UTC"}'),)
        assert end.thinking_blocks == (
            {"type": "thinking", "thinking": "let me see", "signature": "c2lnbmVk"},
        )
        assert server.requests[0].headers["x-api-key"] == KEY

    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            ("overloaded", Unreachable),
            ("status:401", SignInNeeded),
            ("status:403", SignInNeeded),
            ("status:413", BadRequest),
            ("status:429", RateLimited),
            ("drop", Unreachable),
        ],
    )
    async def test_failures(
        self, host: ModelHost, server: ScriptedServer, answer: str, error: type[ProviderError]
    ) -> None:
        server.forget()
        server.script(answer)
        with pytest.raises(error) as caught:
            [item async for item in HostedProvider(host, serialise).stream(self.request(server))]
        assert type(caught.value) is error
        assert "{" not in caught.value.detail
        assert len(server.requests) == 1


class TestBedrock:
    """A wire of frames that are no text."""

    def request(self, server: ScriptedServer) -> Request:
        model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
        address = server.url.removesuffix("/v1")
        config = Config.model_validate({"providers": {"bedrock": {"apiBase": address}}})
        there = endpoint(choose(config, ("bedrock",), model, "bedrock"), config, KEY)
        return Request(there, [{"role": "user", "content": "Hi"}], max_tokens=2000, reasoning="low")

    async def test_an_answer_by_a_key_of_bedrock(self, host: ModelHost, server: ScriptedServer) -> None:
        server.forget()
        server.script("bedrock")
        *_, end = [item async for item in HostedProvider(host, serialise).stream(self.request(server))]
        assert isinstance(end, Completion)
        assert (end.text, end.reasoning, end.finish) == ("Looking.", "let me see", "tool_calls")
        assert end.tool_calls == (ToolCall("tooluse_1", "get_time", '{"zone": "UTC"}'),)
        assert end.thinking_blocks == (
            {"type": "thinking", "thinking": "let me see", "signature": "c2lnbmVk"},
        )
        assert end.usage is not None
        assert (end.usage.input_tokens, end.usage.output_tokens) == (10, 5)
        [seen] = server.requests
        assert seen.path.startswith("/model/us.anthropic.claude-sonnet-4-5")
        assert seen.path.endswith("/converse-stream")
        assert seen.headers["authorization"] == f"Bearer {KEY}"
        assert seen.body["additionalModelRequestFields"]["thinking"]["budget_tokens"] == 2048

    @pytest.mark.parametrize(
        ("answer", "error"),
        [
            ("bedrock:guardrail_intervened", CutShort),
            ("bedrock:content_filtered", CutShort),
            ("status:403", SignInNeeded),
            ("status:429", RateLimited),
            ("drop", Unreachable),
        ],
    )
    async def test_failures(
        self, host: ModelHost, server: ScriptedServer, answer: str, error: type[ProviderError]
    ) -> None:
        server.forget()
        server.script(answer)
        with pytest.raises(error) as caught:
            [item async for item in HostedProvider(host, serialise).stream(self.request(server))]
        assert type(caught.value) is error


async def test_a_server_that_wants_it_is_told_which_conversation_it_is(
    host: ModelHost, server: ScriptedServer
) -> None:
    server.forget()
    for name in ("one", "two"):
        config = Config.model_validate({"providers": {"opencode_go": {"apiBase": server.url}}})
        there = endpoint(choose(config, ("opencode_go",), "glm-5.3", "opencode_go"), config, KEY)
        question = Request(there, [{"role": "user", "content": "Hi"}], max_tokens=50, conversation=name)
        for _time in range(2):
            server.script("say:ok")
            async for _item in HostedProvider(host, serialise).stream(question):
                pass
    named = [seen.headers["x-opencode-session"] for seen in server.requests]
    assert named[0] == named[1] != named[2] == named[3]
    assert "one" not in named[0]
    assert {seen.headers["user-agent"] for seen in server.requests} == {f"NanobotDesktop/{__version__}"}
