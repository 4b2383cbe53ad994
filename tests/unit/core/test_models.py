"""Which model is asked for what: the usual one, a small one, one that sees, and those instead of it."""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from desktop.agent.turn import Inbound
from desktop.bus.bus import Bus
from desktop.bus.events import TurnFailed, TurnFinished, TurnStarted
from desktop.core.core import Core
from desktop.errors import ConfigError
from desktop.paths import Home
from desktop.providers.chooser import USUAL_WINDOW
from desktop.providers.ready import ModelWanted
from desktop.usage import MODEL
from tests import warm
from tests.inside import api_of
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    bus = Bus()
    core = await Core.start(Home(tmp_path, tmp_path / "models"), warm.host(bus), bus)
    yield core
    await core.stop()


async def test_small_work_has_a_model_of_its_own_or_the_usual_one(core: Core) -> None:
    await core.change({"agents.defaults.provider": "groq", "agents.defaults.model": "big"})
    assert core.models.small_choice() == ("big", "groq")
    await core.change({"agents.defaults.small_model.provider": "builtin"})
    assert core.models.small_choice() == ("", "builtin")
    assert core.models.choice(*core.models.small_choice()).spec.small_model
    await core.change({"agents.defaults.small_model": {"model": "tiny", "provider": "ollama"}})
    assert core.models.small_choice() == ("tiny", "ollama")


async def test_a_model_may_be_its_name_alone(core: Core) -> None:
    defaults = {"smallModel": "tiny", "fallbackModels": ["groq/a", {"model": "b", "provider": "groq"}]}
    core.home.config.write_text(json.dumps({"agents": {"defaults": defaults}}))
    found = (await core.store.refresh()).agents.defaults
    assert not core.store.problems
    assert found.small_model.model == "tiny"
    assert [(ref.model, ref.provider) for ref in found.fallback_models] == [
        ("groq/a", "auto"),
        ("b", "groq"),
    ]


@pytest.fixture
async def served(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Core]:
    """A core whose usual model is one of this server's; "spare" and "third" are other providers there."""
    Program(tmp_path).use_server(server.url, "usual")
    bus = Bus()
    core = await Core.start(Home(tmp_path, tmp_path / "models"), warm.host(bus), bus)
    await core.change({f"providers.{name}.api_base": server.url for name in ("spare", "third")})
    yield core
    await core.stop()


async def answered(served: Core, text: str = "Hello") -> tuple[str, list[TurnStarted]]:
    """What came of a question, and who was said to answer."""
    told: list[TurnStarted] = []
    with served.bus.subscribe() as events:
        turn = await served.loop.submit(Inbound("cli:direct", text))
        async for event in events:
            if isinstance(event, TurnStarted):
                told.append(event)
            if isinstance(event, TurnFinished) and event.turn == turn:
                return event.text, told
            if isinstance(event, TurnFailed) and event.turn == turn:
                return event.error, told
    raise AssertionError


async def spares(served: Core, *names: str) -> None:
    await served.change(
        {"agents.defaults.fallback_models": [{"model": "other", "provider": name} for name in names]}
    )


@pytest.mark.expected_log("a fallback model is unknown: There is no provider named nobody")
@pytest.mark.parametrize("failure", ["quota", "html"])
async def test_another_model_answers_instead_and_says_so(
    served: Core, server: ScriptedServer, failure: str
) -> None:
    await spares(served, "nobody", "spare", "third")
    server.script(failure, "quota", "say:Third here.")
    text, told = await answered(served)
    assert text == "Third here."
    assert [request.body["model"] for request in server.requests] == ["usual", "other", "other"]
    assert [event.provider for event in told] == ["custom", "third"]
    assert "third answers with other instead." in told[-1].note
    spent, _count = await served.usage.by(MODEL, 0, ())
    assert [line.name for line in spent] == [("third", "other")], "it is on the account of who answered"


async def test_what_was_begun_is_not_begun_anew_by_another(served: Core, server: ScriptedServer) -> None:
    await spares(served, "spare")
    server.script("cut")
    _text, told = await answered(served)
    assert len(server.requests) == 1
    assert [event.provider for event in told] == ["custom"]


async def test_the_first_failure_is_told_where_all_fail(served: Core, server: ScriptedServer) -> None:
    await spares(served, "spare")
    server.script("quota", "status:401")
    text, _told = await answered(served)
    assert "out of quota or credit" in text
    server.forget()
    server.script("status:401")
    text, _told = await answered(served)
    assert "did not accept the key" in text
    assert len(server.requests) == 1, "a wrong key is not hidden by another model"


async def test_when_the_month_is_spent_only_models_of_this_computer_are_asked(
    served: Core, server: ScriptedServer
) -> None:
    await spares(served, "spare", "ollama")
    await served.change({"limits.monthly_usd": 0, "providers.ollama.api_base": server.url})
    server.script("say:From this computer.")
    text, told = await answered(served)
    assert text == "From this computer."
    assert told[-1].provider == "ollama"
    assert len(server.requests) == 1


async def test_a_preset_of_nanobot_is_meant_by_its_name(served: Core, server: ScriptedServer) -> None:
    stored = json.loads(served.home.config.read_text())
    stored["modelPresets"] = {"calm": {"model": "preset-model", "provider": "spare"}}
    stored["agents"]["defaults"]["fallbackModels"] = ["calm"]
    served.home.config.write_text(json.dumps(stored))
    await served.store.refresh()
    server.script("quota", "say:calm")
    assert (await answered(served))[0] == "calm"
    assert server.requests[-1].body["model"] == "preset-model"


async def test_pictures_go_to_a_model_that_sees(served: Core) -> None:
    core = served
    await core.change({"providers.ollama.api_base": "http://127.0.0.1:9/v1"})
    blind = await core.models.ready(ModelWanted("m", "ollama", "s", "t", pictures=True))
    assert blind.endpoint.provider == "ollama", "nobody was named who sees"
    await core.change({"agents.defaults.vision_model": {"model": "eyes", "provider": "custom"}})
    ready = await core.models.ready(ModelWanted("m", "ollama", "s", "t", pictures=True))
    assert (ready.endpoint.provider, ready.endpoint.model) == ("custom", "eyes")
    assert "eyes answers because it can see images." in ready.note
    same = await core.models.ready(ModelWanted("sees", "custom", "s", "t", pictures=True))
    assert same.endpoint.model == "sees", "it sees itself"
    same = await core.models.ready(ModelWanted("m", "ollama", "s", "t"))
    assert same.endpoint.model == "m", "there are no pictures"


async def test_what_the_person_knows_better_of_a_model_counts(served: Core, server: ScriptedServer) -> None:
    facts_of = api_of(served).model_facts

    async def override(values: dict[str, Any]) -> None:
        await facts_of.override("custom", "usual-4.1", values)

    values = {"context_window_tokens": 9000, "input_price": 2.0, "output_price": 10}
    await override(values | {"vision": False, "tools": False, "reasoning": False})
    facts = await facts_of.of("custom", "usual-4.1")
    assert (facts.set.context_window_tokens, facts.set.vision) == (9000, False)
    assert facts.known.vision, "by its provider it sees"
    await served.change({"agents.defaults.model": "usual-4.1", "agents.defaults.reasoning_effort": "high"})
    ready = await served.models.ready(ModelWanted("", "", "s", "t"))
    assert ready.window == 9000
    assert not ready.endpoint.rules.pictures
    server.script("say:one two")
    await answered(served)
    body = server.requests[-1].body
    assert "tools" not in body
    assert "reasoning_effort" not in body
    [line], _count = await served.usage.by(MODEL, 0, ())
    used = line.figures
    assert used.usd == pytest.approx(used.input_tokens * 2e-6 + used.output_tokens * 10e-6)
    await override({"context_window_tokens": None})
    assert await served.models.window(served.models.choice()) == USUAL_WINDOW
    await override(dict.fromkeys(asdict(facts.set)))
    assert (
        "models" not in served.home.config.read_text() or not served.store.config.provider("custom").models
    )
    with pytest.raises(ConfigError):
        await override({"input_price": -1})


async def test_a_price_that_nobody_knows_is_none(core: Core) -> None:
    models = core.models
    known = await models.price(models.choice("gpt-4o", "openai"))
    assert known is not None
    assert known.asked > 0
    assert await models.price(models.choice("gpt-4o", "custom")) is None, "another's server, another price"
    assert await models.price(models.choice("no-such-model", "openai")) is None
    assert await models.price(models.choice("ark-code-latest", "volcengine_coding_plan")) is None
