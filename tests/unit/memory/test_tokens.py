"""Counting tokens: exact where the model's own tokenizer is here, learned where it is not, never online."""

from pathlib import Path

import pytest

from desktop.agent.turn import Inbound
from desktop.bus.bus import Bus
from desktop.bus.events import TurnFinished
from desktop.memory.tokens import Meter, estimate, family
from desktop.providers.base import Completion, Usage
from desktop.providers.windows import window_of
from tests.unit.agent.scripted import ScriptedModel, agent_at, answer


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("openai/gpt-5.1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("claude-sonnet-4-5", ""),
        ("deepseek-chat", ""),
        ("", ""),
    ],
)
def test_the_family_of_a_model(model: str, expected: str) -> None:
    assert family(model) == expected


@pytest.mark.parametrize(
    ("model", "text", "tokens"),
    [
        # Figures of OpenAI's own cookbook for these two sentences and encodings.
        ("gpt-4", "antidisestablishmentarianism", 6),
        ("gpt-4o", "antidisestablishmentarianism", 6),
        ("gpt-4", "2 + 2 = 4", 7),
        ("gpt-4o", "2 + 2 = 4", 7),
        ("gpt-4", "お誕生日おめでとう", 9),
        ("gpt-4o", "お誕生日おめでとう", 8),
    ],
)
def test_the_count_is_the_models_own(model: str, text: str, tokens: int) -> None:
    alone = Meter().exact(model, [{"role": "user", "content": ""}])
    assert Meter().exact(model, [{"role": "user", "content": text}]) - alone == tokens


def test_a_model_of_no_family_has_no_exact_count() -> None:
    assert Meter().exact("claude-sonnet-4-5", [{"role": "user", "content": "hello"}]) == 0


def test_what_a_provider_says_corrects_the_next_estimate() -> None:
    meter = Meter()
    assert meter.factor("m") == 1.0
    guess = estimate([{"role": "user", "content": "word " * 100}])
    meter.learn("m", guess, guess * 2)
    assert meter.factor("m") == 2.0
    assert meter.factor("other") == 1.0
    meter.learn("m", 10, 1_000_000)
    assert meter.factor("m") <= 4.0, "one absurd figure does not shut the window"
    meter.learn("m", 0, 5)
    meter.learn("m", 5, 0)


async def test_a_model_with_longer_tokens_is_shown_less(tmp_path: Path) -> None:
    model = ScriptedModel()
    model.window = 4096
    bus = Bus()
    with bus.subscribe() as events:
        agent = await agent_at(tmp_path, model, bus, events)
        session = await agent.sessions.open("s")
        roles = ("user", "assistant") * 20
        await session.append_all(
            {"role": role, "content": f"{n} " + "word " * 50} for n, role in enumerate(roles)
        )
        told = Usage(input_tokens=12_000, output_tokens=1)
        model.scripts = [[Completion("a", usage=told)], answer("b")]
        for text in ("one", "two"):
            end = await agent.end_of(await agent.loop.submit(Inbound("s", text)))
            assert isinstance(end, TurnFinished)
        first, second = (len(request.messages) for request in model.requests)
        assert second < first * 0.6
        await agent.loop.close()
        await agent.database.close()


@pytest.mark.parametrize(
    ("model", "prefix", "window"),
    [
        ("gpt-4o", "", 128_000),
        ("deepseek-chat", "deepseek", 131_072),
        ("no-such-model", "acme", 0),
        ("", "", 0),
    ],
)
def test_the_window_of_a_model_comes_from_the_table(model: str, prefix: str, window: int) -> None:
    assert window_of(model, prefix) == window
