"""A long turn costs about as little as caching allows, by the prices that Anthropic has for prompts."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from desktop.api.usage import Usage
from desktop.bus.bus import Bus
from desktop.core.core import Core
from desktop.paths import Home
from desktop.providers.base import Message
from desktop.providers.behaviour import WireRules
from desktop.providers.normalise import WireCache
from desktop.usage import MODEL
from tests import warm
from tests.servers.families import TOOL, marks, rounds_so_far
from tests.servers.prefixes import Cache, Paid, only_system_marked
from tests.servers.scripted import ScriptedServer, Seen
from tests.stories.program import Program
from tests.unit.core.test_families import turn

CALLS = 20
PLACES = (".", "memory", "sessions")


@pytest.fixture
async def core(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Core]:
    Program(tmp_path).use_server(server.url)
    bus = Bus()
    core = await Core.start(Home(tmp_path, tmp_path / "models"), warm.host(bus), bus)
    await core.change(
        {f"providers.{name}.api_base": server.url for name in ("anthropic", "openrouter", "openai")}
    )
    for name in ("anthropic", "openrouter", "openai"):
        core.keychain.remember(name, "sk-cached")
    yield core
    await core.stop()


def looking(form: str, cache: Cache) -> Any:
    """A model that looks into a folder twenty times, and then is done."""

    def answer(seen: Seen) -> str:
        number, paid = rounds_so_far(seen.body), cache.pay(seen.body)
        call = {"name": TOOL, "arguments": {"path": PLACES[number % 3]}, "id": f"call_{number}"}
        usage = {
            "input_tokens": paid.fresh,
            "cache_read_input_tokens": paid.read,
            "cache_creation_input_tokens": paid.written,
        }
        told = {"form": form, "thought": "", "call": call if number < CALLS else None, "text": "Seen."}
        return "family:" + json.dumps(told | {"usage": usage})

    return answer


def costs(server: ScriptedServer) -> dict[str, float]:
    """Tokens of the usual price for the whole turn: as it was, with one mark, and at best."""
    now, one, best = Cache(), Cache(), Cache()

    def together(paid: list[Paid]) -> float:
        return sum(each.tokens for each in paid)

    bodies = [seen.body for seen in server.requests]
    return {
        "as sent": together([now.pay(body) for body in bodies]),
        "one mark": together([one.pay(only_system_marked(body)) for body in bodies]),
        "ideal": together([best.ideal(body) for body in bodies]),
    }


@pytest.mark.parametrize(
    ("provider", "model", "form"),
    [("anthropic", "claude-sonnet-4-5", "anthropic"), ("openrouter", "anthropic/claude-sonnet-4.5", "")],
)
async def test_a_turn_of_twenty_calls_costs_about_the_ideal(
    core: Core, server: ScriptedServer, provider: str, model: str, form: str
) -> None:
    server.when("", looking(form, Cache()))
    session = await core.sessions.open("test:cache")
    await session.set_metadata(provider=provider, model=model)
    assert (await turn(core, "test:cache"))[0] == "Seen."
    assert len(server.requests) == CALLS + 1
    assert all(marks(seen.body) <= 4 for seen in server.requests)
    found = costs(server)
    print(f"\n{provider:12}" + "".join(f"{name}: {tokens:10,.0f}   " for name, tokens in found.items()))
    assert found["as sent"] <= 1.5 * found["ideal"]
    assert found["one mark"] > 1.5 * found["ideal"], "and not by chance"


def test_rounds_of_many_calls_are_found_again() -> None:
    wire, now, best = WireCache(), Cache(), Cache()
    rules = WireRules(cache_marks="parts")
    talk: list[Message] = [{"role": "system", "content": "S" * 4000}, {"role": "user", "content": "go"}]
    sent = ideal = 0.0
    for number in range(8):
        body = {"messages": json.loads(wire.json(talk, rules, "c"))}
        sent, ideal = sent + now.pay(body).tokens, ideal + best.ideal(body).tokens
        ids = [f"c{number}_{call}" for call in range(30)]  # more than a mark looks back
        calls = [{"id": id_, "function": {"name": "look", "arguments": "{}"}} for id_ in ids]
        talk.append({"role": "assistant", "content": None, "tool_calls": calls})
        talk += [{"role": "tool", "tool_call_id": id_, "content": "x" * 400} for id_ in ids]
    assert sent <= 1.1 * ideal


@pytest.mark.soak
async def test_what_the_cache_saved_is_in_the_ledger_and_told(core: Core, server: ScriptedServer) -> None:
    server.when("", looking("anthropic", Cache()))
    session = await core.sessions.open("test:cache")
    await session.set_metadata(provider="anthropic", model="claude-sonnet-4-5")
    await turn(core, "test:cache")
    found = await Usage(core.usage, lambda: core.store.config, core.sessions.folder).report("7", MODEL)
    total, paid = found.total, Cache()
    each = [paid.pay(seen.body) for seen in server.requests]
    assert total.cached_tokens == sum(one.read for one in each)
    assert total.cache_write_tokens == sum(one.written for one in each)
    asked = 3e-6  # US dollars for a token of this model's questions
    assert total.saved == pytest.approx(
        asked * sum(0.9 * one.read - 0.25 * one.written for one in each), rel=1e-3
    )
    spoken = 15e-6 * total.output_tokens
    assert total.usd == pytest.approx(asked * sum(one.tokens for one in each) + spoken, rel=1e-3)


async def test_one_conversation_has_one_key_at_openai_and_another_has_another(
    core: Core, server: ScriptedServer
) -> None:
    keys: list[str] = []
    for name in ("a", "a", "b"):
        session = await core.sessions.open(f"telegram:{name}")
        await session.set_metadata(provider="openai", model="gpt-4.1")
        await turn(core, f"telegram:{name}")
        keys.append(server.requests[-1].body["prompt_cache_key"])
    assert keys[0] == keys[1] != keys[2]
    assert "telegram" not in keys[0], "it tells nobody where the person talks"
