"""Model servers in the manner of each family: strict, so that what the family refuses is refused here, too.

Each answers a question with two rounds of a tool, thinking where it is asked to, and then with words. What
they refuse is written from the vendors' pages, not from the program's table of behaviour.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tests.servers.responses import SEAL

type Body = dict[str, Any]
type Refusal = tuple[str, str]
"""A parameter, and what is said of it."""

ROUNDS = 2
TOOL, ARGUMENTS = "list_dir", {"path": "."}
THOUGHT, DONE = "Let me look. ", "Two looks, done."
COMMON = frozenset({"model", "messages", "stream", "stream_options", "tools", "tool_choice"})
COMMON_RESPONSES = frozenset(
    {"model", "input", "stream", "tools", "tool_choice", "store", "max_output_tokens"}
)
EFFORTS = ("low", "medium", "high")


def none(_body: Body) -> Refusal | None:
    """Refuses nothing beside unknown parameters."""
    return None


@dataclass(frozen=True)
class Family:
    """One family of models at one provider."""

    provider: str
    model: str
    takes: frozenset[str] = frozenset({"max_tokens", "temperature"})
    """Parameters beside COMMON; all others are refused."""
    refuses: Callable[[Body], Refusal | None] = none
    form: str = "reasoning_content"
    """How thoughts come: reasoning_content, details, minimax, chunks, anthropic, gemini; "" for none. Over
    Responses they come in the one way that it has."""
    thinks: Callable[[Body], bool] = lambda _body: False
    on: str = "high"
    """A level that switches its thinking on, and one that switches it off ("" where neither can be)."""
    off: str = "off"
    config: Mapping[str, Any] = field(default_factory=dict)
    responses: bool = False
    """It is asked over Responses; the others are there over Chat Completions only."""

    @property
    def id(self) -> str:
        return f"{self.provider}-{self.model.replace('/', '-')}"


def since_question(body: Body) -> list[Body]:
    """The messages of the running tool rounds."""
    messages = body["messages"]
    asked = max(n for n, message in enumerate(messages) if message["role"] == "user")
    return list(messages[asked + 1 :])


def responses(reasons: Callable[[Body], bool]) -> Callable[[Body], Refusal | None]:
    """OpenAI's Responses, as strict as its types, and as its errors say of reasoning."""

    def look(body: Body) -> Refusal | None:
        if body.get("store") is not False:
            return "store", "zero data retention: store must be false"
        for tool in body.get("tools") or ():
            if set(tool) != {"type", "name", "description", "parameters", "strict"}:
                return "tools", f"Missing required parameter: 'tools[0].name' in {sorted(tool)}"
            if tool["strict"] and (fault := strict_fault(tool["parameters"])):
                return "tools", f"Invalid schema for function '{tool['name']}': {fault}"
        if reasons(body) and body.get("include") != ["reasoning.encrypted_content"]:
            return "include", "the seal of the reasoning was not asked for"
        return _in_order(body["input"], reasons(body))

    return look


def strict_fault(schema: Any) -> str:
    """What keeps a schema from strict mode (OpenAI's page on structured outputs, "Supported schemas")."""
    if isinstance(schema, list):
        return next((fault for inner in schema if (fault := strict_fault(inner))), "")
    if not isinstance(schema, dict):
        return ""
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return "'additionalProperties' is required to be supplied and to be false."
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            return "'required' is required to be an array including every key in properties."
    for word in ("allOf", "not", "oneOf", "default", "patternProperties", "minLength", "maxLength"):
        if word in schema:
            return f"'{word}' is not permitted."
    inner = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("anyOf")]
    return strict_fault([one for one in inner if one is not None])


def _in_order(items: list[Body], reasons: bool) -> Refusal | None:
    open_, asked = set[str](), max(n for n, item in enumerate(items) if item.get("role") == "user")
    for place, item in enumerate(items):
        after = items[place + 1] if place + 1 < len(items) else {}
        match item.get("type", "message"):
            case "message" if item["role"] not in ("system", "user", "assistant"):
                return "input", f"Invalid value: '{item['role']}'."
            case "reasoning":
                if item.get("encrypted_content") != SEAL or not isinstance(item.get("summary"), list):
                    return "input", "The encrypted content could not be verified."
                if set(item) - {"type", "id", "summary", "encrypted_content"}:
                    return "input", f"Unknown parameter: 'input[{place}].{min(item)}'."
                if after.get("type", after.get("role")) not in ("function_call", "assistant"):
                    return (
                        "input",
                        "Item of type 'reasoning' was provided without its required following item.",
                    )
            case "function_call":
                open_.add(item["call_id"])
                before = items[place - 1].get("type")
                if reasons and place > asked and before not in ("reasoning", "function_call"):
                    return (
                        "input",
                        "Item of type 'function_call' was provided without its 'reasoning' item.",
                    )
            case "function_call_output":
                if item["call_id"] not in open_:
                    return "input", f"No tool call found for function call output {item['call_id']}."
    return None


def responses_effort(default: str) -> Callable[[Body], bool]:
    return lambda body: (body.get("reasoning") or {}).get("effort", default) != "none"


def effort(*allowed: str) -> Callable[[Body], Refusal | None]:
    def look(body: Body) -> Refusal | None:
        given = body.get("reasoning_effort", allowed[0])
        words = f"Unsupported value: 'reasoning_effort' does not support '{given}' with this model."
        return None if given in allowed else ("reasoning_effort", words)

    return look


def cold_only_without_thinking(thinks: Callable[[Body], bool]) -> Callable[[Body], Refusal | None]:
    def look(body: Body) -> Refusal | None:
        if "temperature" in body and thinks(body):
            return "temperature", "Unsupported value: 'temperature' is not supported while reasoning."
        return None

    return look


def both(*looks: Callable[[Body], Refusal | None]) -> Callable[[Body], Refusal | None]:
    return lambda body: next((found for look in looks if (found := look(body))), None)


def switched(name: str = "thinking", *, default: bool) -> Callable[[Body], bool]:
    def thinks(body: Body) -> bool:
        given = body.get(name)
        if given is None:
            return default
        return given["type"] != "disabled" if isinstance(given, Mapping) else bool(given)

    return thinks


def thoughts_back(thinks: Callable[[Body], bool]) -> Callable[[Body], Refusal | None]:
    """DeepSeek, Kimi, MiMo, GLM: each answer of the running rounds brings its thoughts back, if empty."""

    def look(body: Body) -> Refusal | None:
        rounds = [m for m in since_question(body) if m["role"] == "assistant"]
        if thinks(body) and not all(isinstance(m.get("reasoning_content"), str) for m in rounds):
            return "messages", "The reasoning_content in the thinking mode must be passed back to the API."
        return None

    return look


def kimi(body: Body) -> Refusal | None:
    only = 1.0 if switched(default=True)(body) else 0.6
    if body.get("temperature", only) != only:
        return "temperature", f"invalid temperature: only {only} is allowed for this model"
    return thoughts_back(switched(default=True))(body)


def minimax(body: Body) -> Refusal | None:
    if not body.get("reasoning_split"):
        return "reasoning_split", "thoughts and words must come apart"
    rounds = [m for m in since_question(body) if m["role"] == "assistant"]
    if not all(m.get("reasoning_details") for m in rounds):
        return "messages", "the chain of reasoning is broken: reasoning_details are missing"
    return None


def mistral(body: Body) -> Refusal | None:
    roles = [message["role"] for message in body["messages"]]
    if ("tool", "user") in pairwise(roles):
        return "messages", "Unexpected role 'user' after role 'tool'"
    for message in body["messages"]:
        if {"reasoning_content", "reasoning_details", "thinking_blocks"} & set(message):
            return "messages", "extra fields not permitted: reasoning_content"
        for call in message.get("tool_calls") or ():
            if not re.fullmatch("[A-Za-z0-9]{9}", call["id"]):
                return (
                    "messages",
                    f"Tool call id was {call['id']} but must be a-z, A-Z, 0-9, with 9 letters",
                )
    return None


def openrouter(body: Body) -> Refusal | None:
    given = body.get("reasoning")
    if given is not None and not ({"effort", "enabled"} & set(given)):
        return "reasoning", "reasoning needs an effort"
    if marks(body) > 4:
        return "cache_control", "A maximum of 4 blocks with cache_control may be provided."
    rounds = [m for m in since_question(body) if m["role"] == "assistant"]
    if routed(body) and not all(m.get("reasoning_details") for m in rounds):
        return "messages", "Expected `thinking`, but found `tool_use`: reasoning_details are missing"
    return None


def routed(body: Body) -> bool:
    return bool((body.get("reasoning") or {}).get("effort", "none") != "none")


def marks(value: Any) -> int:
    """How many marks for the cache there are in a value."""
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(marks(inner) for inner in value.values())
    return sum(map(marks, value)) if isinstance(value, list) else 0


def claude(kind: str) -> Callable[[Body], Refusal | None]:
    """`kind`: budget, adaptive or always."""

    def look(body: Body) -> Refusal | None:
        given = body.get("thinking") or {}
        how = given.get("type", "disabled")
        if how not in {"budget": ("enabled", "disabled"), "adaptive": ("adaptive", "disabled")}.get(
            kind, ("adaptive",) if given else ("disabled",)
        ):
            return "thinking", f'"thinking.type.{how}" is not supported for this model.'
        if kind == "always" and "temperature" in body:
            return "temperature", "`temperature` is deprecated for this model."
        if how != "disabled" and body.get("temperature", 1) != 1:
            return "temperature", "`temperature` may only be set to 1 when thinking is enabled."
        if how == "enabled" and not 1024 <= given["budget_tokens"] < body["max_tokens"]:
            return "thinking", "`max_tokens` must be greater than `thinking.budget_tokens`."
        if marks(body) > 4:
            return "cache_control", "A maximum of 4 blocks with cache_control may be provided."
        return _signed(body) if how != "disabled" or kind == "always" else None

    return look


def _signed(body: Body) -> Refusal | None:
    """Each answer of the running rounds begins with the thought as it was signed."""
    contents = [m["content"] if isinstance(m["content"], list) else [] for m in body["messages"]]
    kinds_of = [[block["type"] for block in blocks] for blocks in contents]
    asked = max(n for n, m in enumerate(body["messages"]) if m["role"] == "user" and "text" in kinds_of[n])
    for place, (blocks, kinds) in enumerate(zip(contents, kinds_of, strict=True)):
        for block in blocks:
            if block["type"] == "thinking" and (block.get("signature"), block.get("thinking")) != (
                "c2lnbmVk",
                THOUGHT,
            ):
                return "messages", "messages.1.content.0: Invalid `signature` in `thinking` block"
        if place > asked and "tool_use" in kinds and kinds[0] != "thinking":
            return "messages", "Expected `thinking` or `redacted_thinking`, but found `tool_use`."
    return None


def claude_thinks(body: Body) -> bool:
    return bool((body.get("thinking") or {}).get("type", "disabled") != "disabled")


def gemini(body: Body) -> Refusal | None:
    for content in body["contents"]:
        for part in content["parts"]:
            if {"functionCall", "function_call"} & set(part) and part.get("thoughtSignature") != "c2lnbmVk":
                return "contents", "Function call is missing a thought_signature in functionCall parts."
    return None


def gemini_thinks(body: Body) -> bool:
    config = (body.get("generationConfig") or {}).get("thinkingConfig") or {}
    return bool(config.get("thinkingBudget", 1) != 0)


def _takes(*names: str) -> frozenset[str]:
    return frozenset(names)


_OPENAI = _takes("max_completion_tokens", "reasoning_effort", "prompt_cache_key", "temperature")
_RESPONSES = _takes("reasoning", "include", "prompt_cache_key")
_SWITCH = _takes("max_tokens", "temperature", "thinking")
_MESSAGES = _takes("max_tokens", "temperature", "thinking", "output_config", "system", "cache_control")


def by_effort(default: str) -> Callable[[Body], bool]:
    return lambda body: body.get("reasoning_effort", default) != "none"


FAMILIES = (
    Family("openai", "gpt-4.1", _OPENAI - {"reasoning_effort"}, on="", off=""),
    Family("openai", "gpt-5", _OPENAI - {"temperature"}, effort("minimal", *EFFORTS), "", off=""),
    Family(
        "openai",
        "gpt-5.2",
        _OPENAI,
        both(effort("none", *EFFORTS), cold_only_without_thinking(by_effort("none"))),
        "",
    ),
    Family(
        "openai",
        "gpt-5.6-luna",
        _RESPONSES,
        responses(responses_effort("medium")),
        thinks=responses_effort("medium"),
        responses=True,
    ),
    Family(
        "openai",
        "gpt-5.1-codex",
        _RESPONSES,
        responses(lambda _body: True),
        thinks=lambda _body: True,
        off="",
        responses=True,
    ),
    Family(
        "custom",
        "gpt-5.6-terra",
        _takes("max_tokens", "reasoning_effort"),
        effort("none"),
        "",
        on="",
        off="",
    ),
    Family("openai", "o3", _OPENAI - {"temperature"}, effort(*EFFORTS), "", off=""),
    Family(
        "custom",
        "gpt-5-mini",
        _takes("max_tokens", "reasoning_effort"),
        effort("minimal", *EFFORTS),
        off="",
    ),
    Family(
        "deepseek",
        "deepseek-v4-pro",
        _SWITCH,
        thoughts_back(switched(default=True)),
        thinks=switched(default=True),
    ),
    Family(
        "deepseek",
        "deepseek-chat",
        _SWITCH,
        thoughts_back(switched(default=False)),
        thinks=switched(default=False),
    ),
    Family("moonshot", "kimi-k2.6", _SWITCH, kimi, thinks=switched(default=True)),
    Family(
        "moonshot",
        "kimi-k3",
        _SWITCH - {"temperature"},
        thoughts_back(switched(default=True)),
        thinks=switched(default=True),
    ),
    Family(
        "zhipu", "glm-4.7", _SWITCH, thoughts_back(switched(default=True)), thinks=switched(default=True)
    ),
    Family(
        "custom",
        "mimo-v2-pro",
        _SWITCH,
        thoughts_back(switched(default=True)),
        thinks=switched(default=True),
    ),
    Family(
        "volcengine",
        "doubao-seed-1-8",
        _takes("max_completion_tokens", "temperature", "thinking"),
        thinks=switched(default=True),
    ),
    Family("byteplus", "seed-1-6-250915", _SWITCH, thinks=switched(default=True)),
    Family(
        "dashscope",
        "qwen3-max",
        _takes("max_tokens", "temperature", "enable_thinking", "parallel_tool_calls"),
        thinks=switched("enable_thinking", default=False),
    ),
    Family(
        "siliconflow",
        "Qwen/Qwen3-32B",
        _takes("max_tokens", "temperature", "enable_thinking"),
        thinks=switched("enable_thinking", default=False),
    ),
    Family(
        "minimax",
        "MiniMax-M2.5",
        _takes("max_completion_tokens", "temperature", "reasoning_split"),
        minimax,
        "minimax",
        lambda _body: True,
        on="",
        off="",
    ),
    Family(
        "mistral",
        "magistral-medium-latest",
        refuses=mistral,
        form="chunks",
        thinks=lambda _body: True,
        on="",
        off="",
    ),
    Family(
        "mistral",
        "mistral-small-latest",
        _takes("max_tokens", "temperature", "reasoning_effort"),
        both(mistral, effort("none", "high")),
        "chunks",
        by_effort("none"),
    ),
    Family(
        "openrouter",
        "anthropic/claude-sonnet-4.5",
        _takes("max_tokens", "temperature", "reasoning"),
        openrouter,
        "details",
        routed,
    ),
    Family(
        "groq",
        "openai/gpt-oss-120b",
        _takes("max_tokens", "temperature", "reasoning_effort"),
        effort(*EFFORTS),
        "reasoning",
        lambda _body: True,
        off="",
    ),
    Family(
        "groq",
        "qwen/qwen3-32b",
        _takes("max_tokens", "temperature", "reasoning_effort", "reasoning_format"),
        effort("default", "none"),
        "reasoning",
        by_effort("default"),
    ),
    Family("xai", "grok-4-0709", on="", off=""),
    Family("vllm", "Qwen/Qwen3-8B", _takes("max_tokens", "temperature", "chat_template_kwargs"), form=""),
    Family("anthropic", "claude-sonnet-4-5", _MESSAGES, claude("budget"), "anthropic", claude_thinks),
    Family("anthropic", "claude-opus-4-6", _MESSAGES, claude("adaptive"), "anthropic", claude_thinks),
    Family(
        "anthropic", "claude-opus-5-5", _MESSAGES, claude("always"), "anthropic", lambda _body: True, off=""
    ),
    Family(
        "gemini",
        "gemini-2.5-flash",
        _takes("contents", "generationConfig", "toolConfig", "system_instruction", "safetySettings"),
        gemini,
        "gemini",
        gemini_thinks,
    ),
)


def fault(family: Family, body: Body) -> Refusal | None:
    """What a family refuses of a request."""
    if family.responses != ("input" in body):
        words = "This model is only supported in v1/responses and not in v1/chat/completions."
        return "model", words if family.responses else "Unknown url"
    if "input" not in body and (found := _strict(family, body)):
        return found
    known = COMMON_RESPONSES if family.responses else COMMON
    for name in body:
        if name not in known | family.takes:
            return name, f"Unsupported parameter: '{name}' is not supported with this model."
    return family.refuses(body)


def _strict(family: Family, body: Body) -> Refusal | None:
    """OpenAI takes tools in strict mode, where their schemas fit; others have no such word."""
    for tool in body.get("tools") or ():
        function = tool.get("function") or {}
        if function.get("strict") and family.provider != "openai":
            return "tools", "tools[0].function.strict: Extra inputs are not permitted"
        if function.get("strict") and (fault := strict_fault(function["parameters"])):
            return "tools", f"Invalid schema for function '{function['name']}': {fault}"
    return None


def rounds_so_far(body: Body) -> int:
    """How often the tool was used since the question."""
    if "contents" in body:
        parts = [part for content in body["contents"] for part in content["parts"]]
        last = max(n for n, part in enumerate(parts) if "text" in part)
        return sum("function_response" in part for part in parts[last:])
    if "input" in body:
        asked = max(n for n, item in enumerate(body["input"]) if item.get("role") == "user")
        return sum(item.get("type") == "function_call_output" for item in body["input"][asked:])
    found = 0
    for message in body["messages"]:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        results = sum(block.get("type") == "tool_result" for block in blocks if isinstance(block, dict))
        if message["role"] == "user" and not results:
            found = 0
        found += results or message["role"] == "tool"
    return found


def refusal(found: Refusal) -> Body:
    """As OpenAI's wire tells it."""
    name, words = found
    return {"error": {"message": words, "type": "invalid_request_error", "param": name, "code": None}}


def plan(family: Family, body: Body) -> str:
    """The scripted answer to a request: see answers.family."""
    found = fault(family, body)
    if found:
        return "refuse:" + json.dumps(refusal(found))
    number = rounds_so_far(body)
    asks = {"name": TOOL, "arguments": ARGUMENTS, "id": f"call_{number}"} if number < ROUNDS else None
    form = (
        family.form
        if family.thinks(body)
        else {"anthropic": "anthropic", "gemini": "gemini"}.get(family.form, "")
    )
    thought = THOUGHT if family.thinks(body) else ""
    return "family:" + json.dumps({"form": form, "thought": thought, "call": asks, "text": DONE})
