"""The body of a request, as the model behind it takes it: limits, temperature, thinking, tools, caching."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from desktop.providers.base import Request
from desktop.providers.behaviour import Behaviour, level_of, temperature_of
from desktop.providers.strict import stricter

_LEAST_ANSWER = 4096
"""Tokens that are left for the answer beside those for thinking."""
_OURS = frozenset({"stream", "model", "messages", "input", "tools"})
"""What no setting takes the place of."""
_MARK = {"type": "ephemeral"}


def request_body(request: Request, messages: bytes) -> bytes:
    """The request's JSON around the messages, which may be megabytes and are serialised once."""
    options = options_of(request)
    head = json.dumps(options, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    return b"".join((head[:-1], b',"messages":', messages, b"}"))


def options_of(request: Request) -> dict[str, Any]:
    """All of the body but the messages."""
    endpoint, behaviour = request.endpoint, request.endpoint.behaviour
    level = level_of(behaviour, request.reasoning)
    options: dict[str, Any] = {"stream": True, "model": endpoint.model}
    if behaviour.stream_options:
        options["stream_options"] = {"include_usage": True}
    options |= behaviour.always
    options |= behaviour.switch.get(level, {})
    temperature = temperature_of(behaviour, level, request.temperature)
    if temperature is not None:
        options["temperature"] = temperature
    if behaviour.max_tokens:
        options[behaviour.max_tokens] = _limit(behaviour, request.max_tokens, options)
    if request.tools and endpoint.tools:
        tools = [stricter(tool) for tool in request.tools] if behaviour.strict else list(request.tools)
        options["tools"] = _marked(tools) if behaviour.rules.cache_marks else tools
        if behaviour.parallel_calls:
            options["parallel_tool_calls"] = True
        if behaviour.tool_choice and (choice := _tool_choice(request)):
            options["tool_choice"] = choice
    if behaviour.cache_key and request.conversation:
        options["prompt_cache_key"] = name_of(request.conversation)
    own = {name: value for name, value in endpoint.extra.items() if name not in _OURS}
    return options | own


def name_of(conversation: str) -> str:
    """What a server is told that a conversation is called: always the same, and nothing of its key."""
    return hashlib.sha256(conversation.encode()).hexdigest()[:32]


def _tool_choice(request: Request) -> Any:
    """What of the tools may or must be called, in the words of the wire; None where that is free."""
    if not request.callable or len(request.must_call) != 1:
        return "none" if not request.callable else "required" if request.must_call else None
    return {"type": "function", "function": {"name": request.must_call[0]}}


def _limit(behaviour: Behaviour, wanted: int, options: Mapping[str, Any]) -> int:
    """The limit of an answer: what may be thought counts towards it where a budget is given."""
    budget = (options.get("thinking") or {}).get("budget_tokens", 0)
    limit = max(wanted, budget + _LEAST_ANSWER) if budget else wanted
    return min(limit, behaviour.most_tokens) if behaviour.most_tokens else limit


def _marked(tools: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The tools, the last one marked: what comes before it can be cached."""
    return [*tools[:-1], {**tools[-1], "cache_control": _MARK}]
