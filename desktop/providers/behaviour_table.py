"""How each family of models behaves, and each provider: one table, read from top to bottom.

Sources: the vendors' own pages as of November 2026 (DeepSeek's thinking mode, Anthropic's migration
guides up to Claude 5.5, OpenAI's and Azure's pages on reasoning, Moonshot's K2.5, MiniMax's OpenAI API,
Mistral's and Groq's pages on reasoning, OpenRouter's on reasoning and caching) and the threads that say
where these are wrong. What is still wrong here, healing.py finds out from the server.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from desktop.providers.behaviour import Api, Behaviour

_EFFORT = {
    "off": {"reasoning_effort": "none"},
    **{name: {"reasoning_effort": name} for name in ("minimal", "low", "medium", "high")},
}
_THINKING = {"off": {"thinking": {"type": "disabled"}}, "on": {"thinking": {"type": "enabled"}}}
_ENABLE = {"off": {"enable_thinking": False}, "on": {"enable_thinking": True}}
_TEMPLATE = {
    level: {"chat_template_kwargs": {"enable_thinking": on}} for level, on in (("off", False), ("on", True))
}
_OPENROUTER = {
    "off": {"reasoning": {"effort": "none"}},
    "on": {"reasoning": {"enabled": True}},
    **{name: {"reasoning": {"effort": name}} for name in ("minimal", "low", "medium", "high")},
}
_BUDGET = {
    "off": {},
    **{
        level: {"thinking": {"type": "enabled", "budget_tokens": tokens}}
        for level, tokens in (("low", 2048), ("medium", 8192), ("high", 16384))
    },
}
_ADAPTIVE = {
    "off": {},
    **{
        level: {"thinking": {"type": "adaptive"}, "output_config": {"effort": level}}
        for level in ("low", "medium", "high")
    },
}
_GROQ_QWEN = {"off": {"reasoning_effort": "none"}, "on": {"reasoning_effort": "default"}}

_OFF_TO_HIGH = ("off", "low", "medium", "high")
_LOW_TO_HIGH = ("low", "medium", "high")
_ON_OFF = ("off", "on")


@dataclass(frozen=True, slots=True)
class Row:
    """What holds for some models. `provider` names or kinds of providers, all where it is empty;
    `family` is looked for in the model's name in small letters."""

    provider: str = ""
    family: str = ""
    api: Api | None = None
    """Over which API it holds; None for both."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """By field of Behaviour."""
    rules: Mapping[str, Any] = field(default_factory=dict)
    """By field of WireRules."""


def _row(
    provider: str = "",
    family: str = "",
    rules: Mapping[str, Any] | None = None,
    api: Api | None = None,
    **facts: Any,
) -> Row:
    return Row(provider, family, api, facts, rules or {})


_CHAT: Api = "chat_completions"
_LATER_GPT = r"\bgpt-(5[.-]([6-9]|\d\d)(?!\d)|[6-9])"
_BLIND = (
    r"deepseek(?!.*(vl|ocr|vision))|gpt-oss|codestral|minimax-m2|glm-[45](?!.*v)|kimi-k2(?![.-][5-9])|"
    r"qwen3?-coder"
)
_SEES, _TEXT = {"pictures": True}, {"text_only": True}
_NO_TEMPERATURE: Mapping[str, Any] = {"temperature": None, "thinking_temperature": None}
_ALL_LEVELS: Mapping[str, Any] = {"levels": _OFF_TO_HIGH, "switch": _EFFORT}

ROWS: tuple[Row, ...] = (
    # What a provider's models have in common, where their family does not say otherwise.
    _row("direct", rules=_SEES, **_ALL_LEVELS),
    _row("builtin ollama", rules=_TEXT),
    _row("vllm lm_studio", rules=_SEES),
    _row("local", levels=_ON_OFF, switch=_TEMPLATE),
    _row("ollama", levels=_OFF_TO_HIGH),
    _row("builtin", levels=(), switch={}),
    _row("openrouter", rules=_SEES, **_ALL_LEVELS),
    _row("aihubmix orcarouter edenai opencode opencode_go huggingface novita modelscope", rules=_SEES),
    _row("volcengine", rules=_SEES),
    _row("volcengine volcengine_coding_plan", max_tokens="max_completion_tokens"),
    _row("anthropic bedrock", rules=_SEES),
    _row("openai", rules=_SEES, max_tokens="max_completion_tokens", cache_key=True, strict=True),
    _row("azure_openai openai_codex github_copilot", rules=_SEES),
    _row("gemini", rules={**_SEES, "tool_id_pattern": r"[^\s]{1,100000}"}),
    _row("dashscope", rules=_SEES, parallel_calls=True),
    _row("xai", rules=_SEES),
    _row("deepseek moonshot", rules=_TEXT),
    _row(
        "mistral",
        rules={**_TEXT, "tool_id_pattern": "[A-Za-z0-9]{9}", "user_after_tool": False},
        temperatures=(0.0, 1.5),
    ),
    # Families, whoever runs them.
    _row(family=r"gpt-4|gpt-3|chatgpt-4|llama|gemma|phi-|nemotron|command-|nova|claude-(2|3)", levels=()),
    _row(family=r"\bgpt-5", **_NO_TEMPERATURE, switch=_EFFORT, thinks=True, levels=_LOW_TO_HIGH),
    _row(family=r"\bgpt-5(-mini|-nano|-20|$)", levels=("minimal", *_LOW_TO_HIGH)),
    _row(family=r"\bgpt-5[.-][1-5](?!\d)", temperature="any", levels=_OFF_TO_HIGH),
    _row(family=r"\bgpt-5.*(chat|pro)", levels=()),
    _row(family=_LATER_GPT, **_NO_TEMPERATURE, switch=_EFFORT, thinks=True, levels=_OFF_TO_HIGH),
    # Beside tools these think over Responses only: Chat Completions refuses every effort but none
    # (openai-openapi #541, pipecat #4043).
    _row("openai direct github_copilot", _LATER_GPT, api=_CHAT, levels=(), always=_EFFORT["off"]),
    _row("openai", r"\bgpt-5[.-][45](?!\d)", api=_CHAT, levels=(), always=_EFFORT["off"]),
    _row(family=r"\bo[134](-|$)", **_NO_TEMPERATURE, switch=_EFFORT, thinks=True, levels=_LOW_TO_HIGH),
    _row(family=r"\bo1-(mini|preview)", rules={"system_role": "user"}, levels=()),
    _row(family=r"gpt-oss", switch=_EFFORT, thinks=True, levels=_LOW_TO_HIGH),
    _row(family=r"claude", rules={"picture_side": 1568}),
    _row(family=r"claude.*(4[.-][7-9]|-5)", rules={"picture_side": 2576}),
    _row(family=r"gemini", rules={"picture_side": 3072}),
    _row(family=r"claude", temperatures=(0.0, 1.0), switch=_BUDGET, thinking_temperature=None),
    _row(family=r"claude.*(3[.-]7|-4|4[.-]\d)", levels=_OFF_TO_HIGH),
    _row(family=r"claude.*4[.-][6-9](?!\d)", switch=_ADAPTIVE),
    _row(family=r"claude.*4[.-][7-9](?!\d)", temperature=None),
    _row(
        family=r"claude-(opus|sonnet|haiku)-5(?!\d)",
        **_NO_TEMPERATURE,
        thinks=True,
        switch={**_ADAPTIVE, **_THINKING},
        levels=_OFF_TO_HIGH,
    ),
    _row(
        family=r"claude-((opus|sonnet|haiku)-(5[.-][1-9]|[6-9])|fable|mythos)(?!\d)",
        **_NO_TEMPERATURE,
        thinks=True,
        switch=_ADAPTIVE,
        levels=_LOW_TO_HIGH,
    ),
    _row(family=r"gemini-2\.5", switch=_EFFORT, thinks=True, levels=_OFF_TO_HIGH),
    _row(family=r"gemini-2\.5-pro|gemini-[3-9]", switch=_EFFORT, thinks=True, levels=_LOW_TO_HIGH),
    _row(family=r"gemini-(1|2\.0)", levels=()),
    _row(
        family=r"deepseek",
        rules={"reasoning": "content"},
        switch=_THINKING,
        thinks=True,
        levels=_ON_OFF,
    ),
    _row(family=r"deepseek-chat", thinks=False),
    _row(family=r"glm-(4\.[5-9]|4-[5-9]|[5-9])|glm-z", rules={"reasoning": "content"}, thinks=True),
    _row(family=r"glm", switch=_THINKING, levels=_ON_OFF, temperatures=(0.0, 1.0)),
    _row(family=r"glm-4(-(air|flash|plus|long|0520)|$)", levels=()),
    _row(family=r"mimo", rules={"reasoning": "content"}, switch=_THINKING, thinks=True, levels=_ON_OFF),
    _row(family=r"doubao|seed-1|seed-[2-9]|ark-code", switch=_THINKING, thinks=True, levels=_ON_OFF),
    _row(family=r"kimi|moonshot", temperatures=(0.0, 1.0), levels=()),
    _row(
        family=r"kimi-k2[.-][5-9]|kimi-k[3-9]|kimi-(latest|for-coding)",
        rules={"reasoning": "content", "text_only": False, **_SEES},
        switch=_THINKING,
        thinks=True,
        levels=_ON_OFF,
        temperature=0.6,
        thinking_temperature=1.0,
    ),
    _row(family=r"kimi-k[3-9]", **_NO_TEMPERATURE),
    _row(family=r"kimi.*think", rules={"reasoning": "content"}, thinks=True, thinking_temperature=1.0),
    _row(family=r"qwen-?3|qwen-(plus|turbo|flash|max)|qwq", switch=_ENABLE, levels=_ON_OFF),
    _row(family=r"qwen3.*(instruct|coder)|qwen-?2|qwen2|qwq", levels=()),
    _row(
        family=r"minimax",
        rules={"reasoning": "details"},
        always={"reasoning_split": True},
        max_tokens="max_completion_tokens",
        temperatures=(0.01, 1.0),
        thinks=True,
        levels=(),
    ),
    _row(
        family=r"minimax-m[3-9]",
        switch={**_THINKING, "on": {"thinking": {"type": "adaptive"}}},
        levels=_ON_OFF,
    ),
    _row(family=r"mistral|ministral|codestral|devstral|mixtral|pixtral", levels=()),
    _row(
        family=r"mistral-small-(latest|2603|4)|mistral-medium-(3[.-][5-9]|latest)|mistral-large-4",
        switch=_EFFORT,
        levels=("off", "high"),
    ),
    _row(family=r"magistral", thinks=True, levels=()),
    _row(family=r"grok", levels=()),
    _row(family=r"grok-3-mini", switch=_EFFORT, thinks=True, levels=("low", "high")),
    _row(family=r"grok-(4\.[3-9]|[5-9])", switch=_EFFORT, thinks=True, levels=_LOW_TO_HIGH),
    _row(family=r"\bstep-", speaks_in_thoughts=True, thinks=True),
    _row("stepfun stepfun_plan", speaks_in_thoughts=True, rules=_SEES),
    _row(family=_BLIND, rules={"pictures": False}),
    # How a provider wants the models of others.
    _row(
        "minimax_anthropic kimi_coding",
        switch={},
        levels=(),
        always={},
        max_tokens="max_tokens",
        thinks=False,
    ),
    _row(
        "anthropic minimax_anthropic kimi_coding",
        rules={"reasoning": "blocks", "cache_marks": "messages"},
    ),
    _row(
        "openrouter",
        rules={"reasoning": "details"},
        switch=_OPENROUTER,
        always={},
        max_tokens="max_tokens",
    ),
    _row("bedrock", r"claude", rules={"reasoning": "blocks", "cache_marks": "parts"}),
    _row("openrouter", r"claude", rules={"cache_marks": "parts"}),
    # Both have Anthropic's wire, and litellm's translation of it.
    _row(
        "minimax_anthropic kimi_coding", rules={"reasoning": "blocks"}, switch=_BUDGET, always={}, levels=()
    ),
    _row("kimi_coding", **_NO_TEMPERATURE),
    _row("siliconflow dashscope modelscope", switch=_ENABLE),
    _row(
        "volcengine volcengine_coding_plan byteplus byteplus_coding_plan zhipu xiaomi_mimo",
        switch=_THINKING,
    ),
    _row("groq", r"qwen", switch=_GROQ_QWEN, levels=_ON_OFF, always={"reasoning_format": "parsed"}),
    _row("groq", r"deepseek-r1", switch={}, levels=(), always={"reasoning_format": "parsed"}),
    _row("groq", rules={"reasoning": ""}),
    _row(
        "local",
        r"deepseek|glm|mimo|kimi|qwen|minimax",
        switch=_TEMPLATE,
        always={},
        max_tokens="max_tokens",
    ),
    _row("local", r"qwen-?2|coder|instruct", levels=()),
    _row("ollama", switch=_EFFORT | {"on": {"reasoning_effort": "high"}}),
)


UNKNOWN = Behaviour(**_ALL_LEVELS)
"""What is tried with a model that nobody knows and of which the person says that it can think."""


@lru_cache(maxsize=256)
def behaviour_of(provider: str, kind: str, model: str, api: Api = _CHAT) -> Behaviour:
    """How a model of a provider behaves over an API, in the words of Chat Completions; `kind` of its
    ProviderSpec, `model` by any of its names."""
    found, name = Behaviour(), model.lower().rpartition("/")[2] or model.lower()
    for row in ROWS:
        if row.provider and not {provider, kind} & set(row.provider.split()):
            continue
        if (row.family and not re.search(row.family, name)) or row.api not in (None, api):
            continue
        found = replace(found, **row.facts, rules=replace(found.rules, **row.rules))
    if found.levels:  # of those, the ones that this provider can be asked for
        can = tuple(level for level in found.levels if level in found.switch)
        found = replace(found, levels=can or tuple(found.switch))
    return found
