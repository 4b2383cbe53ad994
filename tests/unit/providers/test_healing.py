"""A refusal that names something of ours is healed by leaving it out; all others are told as they came."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop.database.database import Database
from desktop.providers.base import BadRequest, Completion, Endpoint, ProviderError, Request
from desktop.providers.behaviour import Behaviour, WireRules
from desktop.providers.client import HostedProvider
from desktop.providers.healing import FOR_NOW, THOUGHTLESS, HealingProvider, refused, sentence, taught
from desktop.providers.host_process import ModelHost
from desktop.providers.learned import Lessons
from desktop.providers.normalise import WireCache
from desktop.providers.options import options_of
from tests import warm
from tests.servers.scripted import ScriptedServer, Seen

FULL = Behaviour(
    levels=("off", "low", "high"),
    switch={
        "off": {"reasoning_effort": "none"},
        "low": {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        "high": {"reasoning_effort": "high"},
    },
    always={"reasoning_split": True},
    parallel_calls=True,
    strict=True,
    cache_key=True,
    rules=WireRules(cache_marks="parts", author="acme/m"),
)
TOOL = {"type": "function", "function": {"name": "look"}}


def request(level: str = "high", behaviour: Behaviour = FULL, **rest: Any) -> Request:
    endpoint = Endpoint("acme", "m", behaviour=behaviour, entry="1", **rest)
    return Request(
        endpoint,
        [{"role": "system", "content": "Be good."}, {"role": "user", "content": "Hello"}],
        max_tokens=8192,
        temperature=0.1,
        tools=[TOOL],
        callable=False,
        reasoning=level,
        conversation="c",
    )


NAMED: list[tuple[str, list[str]]] = [
    # as vendors say it
    ("Unsupported value: 'temperature' does not support 0.1 with this model.", ["temperature"]),
    ("不支持参数 temperature", ["temperature"]),
    (
        "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
        ["max_tokens=max_completion_tokens"],
    ),
    ("max_tokens is too large: 8192. This model supports at most 4096 tokens.", ["most_tokens=4096"]),
    ("max_tokens: 8192 > 4096, which is the maximum for claude-3-haiku-20240307", ["most_tokens=4096"]),
    ("Unrecognized request argument supplied: reasoning_effort", ["reasoning=reasoning_effort"]),
    ("Unsupported value: 'reasoning_effort' does not support 'high'", ["reasoning=high"]),
    ("Unsupported parameter: 'parallel_tool_calls' is not supported.", ["parallel_tool_calls"]),
    ("tool_choice is not supported", ["tool_choice"]),
    ("[{'loc': ('body', 'stream_options', 'include_usage'), 'type': 'extra'}]", ["stream_options"]),
    ("Unknown parameter: 'prompt_cache_key'.", ["prompt_cache_key"]),
    ("tools.0.cache_control: Extra inputs are not permitted", ["cache_control"]),
    ("Unknown parameter: 'reasoning_split'.", ["always=reasoning_split"]),
    ("'messages[0].role' does not support 'system' with this model.", ["system_role"]),
    ("Developer instruction is not enabled for models/gemma-3-27b-it", ["system_role"]),
    ("The `reasoning_content` in the thinking mode must be passed back.", ["back=content"]),
    ("`temperature` may only be set to 1 when reasoning_effort is given.", ["temperature"]),
    (
        "Unsupported parameters: temperature, reasoning_effort, parallel_tool_calls",
        ["temperature", "parallel_tool_calls", "reasoning=reasoning_effort"],
    ),
    ("Unknown parameter: 'tools[0].function.strict'.", ["strict"]),
    ("Invalid schema for function 'look': 'additionalProperties' is required.", ["strict"]),
    # that name nothing of ours
    ("Bad request", []),
    ("", []),
    ("The model `m` does not exist", []),
    ("top_p and presence_penalty are not supported", []),
    ("The temperatures outside are too low; see max_tokens_per_minute.", []),
    ("Invalid value for field thinking.", []),
    ("I can't help with that: it breaks our policy on weapons.", []),
]


@pytest.mark.parametrize(("said", "lessons"), NAMED)
def test_what_a_server_names_is_found(said: str, lessons: list[str]) -> None:
    asked = request()
    found = refused(said, asked)
    assert found == lessons
    after = taught(asked, found)
    assert (after == asked) == (not lessons)
    assert set(options_of(after)) <= {*options_of(asked), "max_completion_tokens", "thinking"}
    assert all(sentence(lesson).endswith(".") for lesson in lessons)


@pytest.mark.parametrize(
    "said",
    [
        '"thinking.type.enabled" is not supported for this model.',
        "thinking: Input tag 'enabled' found",
        "thinking.enabled.budget_tokens: Input should be greater than 1024",
    ],
)
def test_a_switch_of_thinking_is_named_in_many_ways(said: str) -> None:
    assert refused(said, request("low")) == ["reasoning=low"]
    assert "thinking" not in options_of(taught(request("low"), ["reasoning=low"]))
    assert options_of(taught(request("high"), ["reasoning=low"]))["reasoning_effort"] == "high", (
        "only that level"
    )


@pytest.mark.parametrize("mode", ["blocks", "details"])
def test_blocks_that_are_not_taken_back_are_left_out_for_now(mode: Any) -> None:
    asked = request("", Behaviour(rules=WireRules(reasoning=mode)))
    assert refused("messages.1.content.0: Invalid `signature` in `thinking` block", asked) == [FOR_NOW]
    assert refused("Invalid `signature`", asked, [FOR_NOW]) == [THOUGHTLESS]
    assert refused("Invalid `signature`", asked, [FOR_NOW, THOUGHTLESS]) == []
    assert taught(asked, [FOR_NOW, THOUGHTLESS]).endpoint.behaviour.levels == ()


def test_what_the_person_wrote_is_not_left_out() -> None:
    asked = request(extra={"temperature": 0.3, "max_tokens": 9})
    assert refused("temperature, max_tokens and tool_choice are not supported", asked) == ["tool_choice"]
    assert options_of(taught(asked, ["temperature"]))["temperature"] == 0.3


def test_a_lesson_of_a_later_version_does_no_harm() -> None:
    assert taught(request(), ["a lesson of the future=1"]) == request()
    assert sentence("a lesson of the future=1")


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


def strict(*refused: str, at_once: bool = True) -> Any:
    """A server's rule: it refuses these parameters, all in one answer or one after the other."""

    def answer(seen: Seen) -> str:
        found = [name for name in refused if name in seen.body]
        if not found:
            return "say:Good."
        names = ", ".join(found if at_once else found[:1])
        return 'refuse:{"error": {"message": "Unsupported parameters: ' + names + '"}}'

    return answer


async def ask(healing: HealingProvider, asked: Request) -> Completion:
    done = [item async for item in healing.stream(asked)][-1]
    assert isinstance(done, Completion)
    return done


SIMPLE = ("temperature", "parallel_tool_calls", "stream_options", "tool_choice")
ALL = (*SIMPLE, "reasoning_effort", "max_tokens")


async def test_a_server_teaches_once_and_the_next_run_knows(
    server: ScriptedServer, host: ModelHost, database: Database
) -> None:
    def healing() -> HealingProvider:
        return HealingProvider(HostedProvider(host, WireCache().json), Lessons(database))

    asked = request(base_url=server.url)
    server.when("", strict(*ALL))
    first = healing()
    done = await ask(first, asked)
    assert done.text == "Good."
    assert set(done.learned) == {
        *SIMPLE,
        "reasoning=reasoning_effort",
        "max_tokens=max_completion_tokens",
    }
    assert len(server.requests) == 2, "all that it named at once"
    assert (await ask(first, asked)).learned == ()
    assert (await ask(healing(), asked)).text == "Good."
    assert len(server.requests) == 4, "nothing was refused again, in the next run neither"
    (one, *_rest) = await Lessons(database).dated(asked.endpoint)
    assert one.at > 0
    server.forget()
    server.when("", strict(*ALL, "max_completion_tokens", at_once=False))
    other = replace(asked, endpoint=replace(asked.endpoint, entry="2"))
    done = await ask(healing(), other)
    assert done.text == "Good.", "refused in turn, the limit by both of its names"
    assert "max_tokens=" in done.learned
    assert await Lessons(database).of(asked.endpoint) == (), "of another entry nothing is known"


@pytest.mark.parametrize(
    "answer",
    [
        'refuse:{"error": {"message": "Bad request"}}',
        'refuse:401:{"error": {"message": "temperature"}}',
        'refuse:403:{"error": {"message": "temperature is not allowed for this key"}}',
        'refuse:413:{"error": {"message": "max_tokens and temperature"}}',
        'refuse:404:{"error": {"message": "temperature"}}',
        "overflow",
        "status:400",
        "html",
    ],
)
async def test_what_names_nothing_or_is_about_something_else_heals_nothing(
    server: ScriptedServer, host: ModelHost, database: Database, answer: str
) -> None:
    healing = HealingProvider(HostedProvider(host, WireCache().json), Lessons(database))
    server.script(answer)
    with pytest.raises(ProviderError):
        await ask(healing, request(base_url=server.url))
    assert len(server.requests) == 1
    assert await database.read("SELECT * FROM lessons") == []


async def test_what_did_not_help_is_not_remembered(
    server: ScriptedServer, host: ModelHost, database: Database
) -> None:
    healing = HealingProvider(HostedProvider(host, WireCache().json), Lessons(database))
    server.when("", lambda _seen: 'refuse:{"error": {"message": "I do not like the temperature today"}}')
    with pytest.raises(BadRequest, match="today"):
        await ask(healing, request(base_url=server.url))
    assert len(server.requests) == 2
    assert await database.read("SELECT * FROM lessons") == []


async def test_a_refusal_that_is_long_is_read_to_its_end(
    server: ScriptedServer, host: ModelHost, database: Database
) -> None:
    healing = HealingProvider(HostedProvider(host, WireCache().json), Lessons(database))
    long = 'refuse:422:{"detail": "' + "not so good. " * 100 + 'temperature is not taken"}'
    server.script(long, "say:Good.")
    done = await ask(healing, request(base_url=server.url))
    assert (done.text, done.learned) == ("Good.", ("temperature",))
