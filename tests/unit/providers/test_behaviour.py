"""Each row of the table of behaviour makes requests that its family takes."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.config.schema import Config
from desktop.providers.base import Endpoint, Request
from desktop.providers.behaviour import LEVELS, Behaviour, WireRules, level_of, temperature_of
from desktop.providers.behaviour_table import ROWS, Row, behaviour_of
from desktop.providers.options import options_of
from desktop.providers.registry import behaviour_for, choose
from desktop.providers.registry_table import BUILTIN, PROVIDERS

NAMES = (
    *(
        "gpt-5",
        "gpt-5-mini",
        "gpt-5-chat-latest",
        "gpt-5.2",
        "gpt-5.4",
        "gpt-5.6-luna",
        "gpt-4.1",
        "o3",
        "o1-mini",
    ),
    *("claude-3-5-haiku-latest", "claude-3-7-sonnet", "claude-sonnet-4-5", "anthropic/claude-opus-4.6"),
    *("claude-opus-4-7", "claude-opus-5", "claude-opus-5-5", "claude-fable-5"),
    *("gemini-2.0-flash", "gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-pro", "gemma-3"),
    *("deepseek-chat", "deepseek-v4-pro", "deepseek-r1", "glm-4.6", "glm-4-air", "mimo-v2", "seed-1-6"),
    *("kimi-k2-0905", "kimi-k2.5", "kimi-k2-thinking", "kimi-k3", "qwen-plus", "qwen3-32b", "qwen2.5-7b"),
    *("qwen3-coder", "minimax-m2", "minimax-m3", "mistral-large-latest", "mistral-small-latest"),
    *("magistral-medium", "grok-4-0709", "grok-3-mini", "grok-4.3", "step-3", "gpt-oss-20b", "llama-3.3"),
    *("who-knows", ""),
)
SPECS = (*PROVIDERS, BUILTIN)
PLACES = [(spec.name, spec.kind) for spec in SPECS]
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def asked(behaviour: Behaviour, level: str, **rest: Any) -> dict[str, Any]:
    """What is sent with tools in an ordinary turn."""
    request = Request(
        Endpoint("p", "m", behaviour=behaviour),
        [],
        max_tokens=rest.pop("max_tokens", 8192),
        temperature=rest.pop("temperature", 0.1),
        tools=[TOOL],
        reasoning=level,
        conversation="cli:direct",
        **rest,
    )
    return options_of(request)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.provider or 'all'}:{row.family or 'all'}")
def test_a_row_names_what_there_is_and_holds_for_something(row: Row) -> None:
    Behaviour(**row.facts, rules=WireRules(**row.rules))
    re.compile(row.family)
    known = {place for pair in PLACES for place in pair}
    assert set(row.provider.split()) <= known
    names = [name.rpartition("/")[2] for name in NAMES]
    assert any(re.search(row.family, name) for name in names), "no name of the test is of this family"


@given(
    st.sampled_from(PLACES),
    st.sampled_from(NAMES),
    st.sampled_from(("", "none", "odd", *LEVELS)),
    st.floats(0, 2),
    st.integers(1, 200_000),
)
def test_whatever_is_chosen_the_request_keeps_to_the_row(
    place: tuple[str, str], name: str, wanted: str, temperature: float, most: int
) -> None:
    behaviour = behaviour_of(*place, name)
    level = level_of(behaviour, wanted)
    assert level == "" or level in behaviour.levels
    assert set(behaviour.levels) <= set(behaviour.switch), "each level can be asked for"
    assert set(behaviour.levels) <= set(LEVELS)
    sent = asked(behaviour, wanted, temperature=temperature, max_tokens=most)
    thinks = level != "off" if level else behaviour.thinks
    rule = behaviour.thinking_temperature if thinks else behaviour.temperature
    if rule is None:
        assert "temperature" not in sent
    elif rule == "any":
        lowest, highest = behaviour.temperatures
        assert lowest <= sent["temperature"] <= highest
        assert sent["temperature"] == temperature or temperature in (
            min(temperature, lowest),
            max(temperature, highest),
        )
    else:
        assert sent["temperature"] == rule
    assert len({"max_tokens", "max_completion_tokens"} & set(sent)) == 1
    limit = sent[behaviour.max_tokens]
    budget = (sent.get("thinking") or {}).get("budget_tokens", 0)
    assert limit >= most
    assert budget == 0 or 1024 <= budget < limit
    others = [params for other, params in behaviour.switch.items() if other != level]
    only = {key for params in others for key in params} - set(behaviour.switch.get(level, {}))
    assert not (only - set(behaviour.always)) & set(sent), "no other level is asked for as well"
    again = asked(behaviour, wanted, temperature=temperature, max_tokens=most)
    assert again == sent


OFTEN_WRONG = [
    # provider, model, level -> sent, never sent
    ("openai", "gpt-5", "", {}, {"temperature", "reasoning_effort", "max_tokens"}),
    ("openai", "gpt-5", "off", {"reasoning_effort": "minimal"}, {"temperature"}),
    ("openai", "gpt-5.2", "off", {"reasoning_effort": "none", "temperature": 0.1}, set()),
    ("openai", "gpt-5.2", "high", {"reasoning_effort": "high"}, {"temperature"}),
    ("openai", "gpt-4.1", "high", {"temperature": 0.1}, {"reasoning_effort"}),
    ("openai", "o3", "medium", {"reasoning_effort": "medium"}, {"temperature"}),
    ("anthropic", "claude-sonnet-4-5", "", {"temperature": 0.1}, {"thinking", "reasoning_effort"}),
    ("anthropic", "claude-opus-4-7", "", {}, {"temperature", "thinking"}),
    ("anthropic", "claude-opus-5-5", "off", {"output_config": {"effort": "low"}}, {"temperature"}),
    ("deepseek", "deepseek-v4-pro", "low", {"thinking": {"type": "enabled"}}, {"reasoning_effort"}),
    (
        "volcengine",
        "doubao-seed-1-6",
        "off",
        {"thinking": {"type": "disabled"}, "max_completion_tokens": 8192},
        set(),
    ),
    ("zhipu", "glm-4.6", "off", {"thinking": {"type": "disabled"}}, {"reasoning_effort"}),
    (
        "dashscope",
        "qwen-plus",
        "high",
        {"enable_thinking": True, "parallel_tool_calls": True},
        {"thinking"},
    ),
    ("siliconflow", "deepseek-ai/DeepSeek-V3.2", "off", {"enable_thinking": False}, {"thinking"}),
    ("moonshot", "kimi-k2.5", "", {"temperature": 1.0}, {"thinking"}),
    ("moonshot", "kimi-k2.5", "off", {"temperature": 0.6, "thinking": {"type": "disabled"}}, set()),
    ("moonshot", "kimi-k3", "", {}, {"temperature"}),
    ("minimax", "MiniMax-M2", "high", {"reasoning_split": True}, {"thinking", "reasoning_effort"}),
    ("mistral", "magistral-medium-latest", "high", {}, {"reasoning_effort"}),
    ("mistral", "mistral-small-latest", "low", {"reasoning_effort": "high"}, set()),
    (
        "openrouter",
        "anthropic/claude-sonnet-4.5",
        "low",
        {"reasoning": {"effort": "low"}},
        {"thinking", "temperature"},
    ),
    ("openrouter", "deepseek/deepseek-v3.2", "off", {"reasoning": {"effort": "none"}}, {"thinking"}),
    ("groq", "qwen/qwen3-32b", "off", {"reasoning_effort": "none", "reasoning_format": "parsed"}, set()),
    ("groq", "openai/gpt-oss-20b", "", {}, {"reasoning_effort", "reasoning_format"}),
    ("xai", "grok-4-0709", "high", {}, {"reasoning_effort"}),
    ("vllm", "Qwen/Qwen3-8B", "", {}, {"chat_template_kwargs", "reasoning_effort", "enable_thinking"}),
    (
        "vllm",
        "Qwen/Qwen3-8B",
        "off",
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"reasoning_effort"},
    ),
    ("ollama", "qwen3:8b", "off", {"reasoning_effort": "none"}, {"chat_template_kwargs"}),
    ("ollama", "qwen3:8b", "", {}, {"reasoning_effort"}),
    ("custom", "who-knows", "", {"temperature": 0.1}, {"reasoning_effort"}),
    ("custom", "who-knows", "high", {"reasoning_effort": "high"}, set()),
    ("builtin", "qwen2.5-coder-0.5b-instruct", "high", {}, {"reasoning_effort", "chat_template_kwargs"}),
]


@pytest.mark.parametrize(("provider", "model", "level", "sent", "never"), OFTEN_WRONG)
def test_what_is_often_got_wrong(
    provider: str, model: str, level: str, sent: dict[str, Any], never: set[str]
) -> None:
    kind = dict(PLACES)[provider]
    found = asked(behaviour_of(provider, kind, model), level)
    assert found | sent == found
    assert not never & set(found)


@pytest.mark.parametrize(
    ("provider", "model", "rules"),
    [
        ("anthropic", "claude-x", {"reasoning": "blocks", "cache_marks": "messages", "pictures": True}),
        (
            "openrouter",
            "anthropic/claude-x",
            {"reasoning": "details", "cache_marks": "parts", "pictures": True},
        ),
        ("openrouter", "x-ai/grok", {"reasoning": "details", "cache_marks": "", "pictures": True}),
        (
            "mistral",
            "m",
            {"text_only": True, "tool_id_pattern": "[A-Za-z0-9]{9}", "user_after_tool": False},
        ),
        ("deepseek", "deepseek-chat", {"text_only": True, "reasoning": "content"}),
        ("moonshot", "kimi-k2.5", {"text_only": False, "pictures": True, "reasoning": "content"}),
        ("openrouter", "deepseek/deepseek-v3.2", {"pictures": False}),
        ("novita", "zai-org/glm-4.5v", {"pictures": True}),
        ("kimi_coding", "kimi-for-coding", {"reasoning": "blocks"}),
        ("custom", "o1-mini", {"system_role": "user"}),
        ("groq", "x", {"reasoning": "", "pictures": False}),
        ("builtin", "qwen", {"text_only": True}),
    ],
)
def test_what_a_family_demands_of_messages(provider: str, model: str, rules: dict[str, Any]) -> None:
    found = behaviour_of(provider, dict(PLACES)[provider], model).rules
    assert {name: getattr(found, name) for name in rules} == rules


def test_the_nearest_level_is_taken_and_thinking_is_not_lost_on_the_way() -> None:
    three = Behaviour(levels=("off", "low", "high"))
    assert [level_of(three, wanted) for wanted in ("medium", "on", "none", "xhigh", "", None)] == [
        *("low", "low", "off", "high", "", "")
    ]
    assert level_of(Behaviour(levels=("off", "on")), "low") == "on"
    assert level_of(Behaviour(levels=("low", "high")), "off") == "low"
    assert level_of(Behaviour(), "high") == ""


def test_the_settings_of_the_person_come_before_the_table() -> None:
    settings = {"providers": {"openai": {"models": {"gpt-4.1": {"vision": False, "reasoning": True}}}}}
    config = Config.model_validate(settings)
    choice = choose(config, ("openai",), "gpt-4.1", "openai")
    found = behaviour_for(choice, config)
    assert not found.rules.pictures
    assert level_of(found, "high") == "high"
    assert asked(found, "high")["reasoning_effort"] == "high"
    assert not behaviour_for(choice, Config()).levels


def test_no_temperature_is_made_up() -> None:
    assert temperature_of(Behaviour(), "", None) is None
    assert "temperature" not in asked(Behaviour(), "", temperature=None)
