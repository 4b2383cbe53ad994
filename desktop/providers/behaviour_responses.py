"""What is different when a model is asked over OpenAI's Responses API instead of Chat Completions.

The table of behaviour is written in the words of Chat Completions. Sources of the other words: OpenAI's
guide to migrating to Responses, and openai-python's types/responses/response_create_params.py.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from desktop.providers.behaviour import Behaviour, Params

_STATELESS = {"store": False}
"""The conversation is ours: nothing of it is kept at the server to be referred to."""
_SEALED = {"include": ["reasoning.encrypted_content"]}
"""Reasoning comes sealed, to be sent back. Refused by models that do not reason ("Encrypted content is not
supported with this model": pydantic-ai #2865)."""
_SUMMARY = {"summary": "auto"}
"""What it thinks is told in short; nothing is where this is not asked for."""


def over_responses(found: Behaviour) -> Behaviour:
    """A behaviour over Chat Completions, over Responses."""
    always: dict[str, Any] = dict(_STATELESS)
    if found.thinks or found.levels:
        always |= _SEALED
    if found.thinks:
        always["reasoning"] = _SUMMARY
    return replace(
        found,
        api="responses",
        switch={level: _switch(asked) for level, asked in found.switch.items()},
        always=always,
        max_tokens="max_output_tokens" if found.max_tokens else "",
        stream_options=False,
        rules=replace(found.rules, reasoning="items", cache_marks=""),
    )


def without_summary(found: Behaviour) -> Behaviour:
    """The same where the server tells nothing of what it thinks."""
    return replace(
        found,
        switch={level: _unsummed(asked) for level, asked in found.switch.items()},
        always=_unsummed(found.always),
    )


def _switch(asked: Params) -> dict[str, Any]:
    """The effort moves to where Responses has it; the switch of a vendor's own stays what it is."""
    moved = {name: value for name, value in asked.items() if name not in ("reasoning_effort", "reasoning")}
    given = asked.get("reasoning")
    wish = dict(given) if isinstance(given, Mapping) else {}
    if effort := asked.get("reasoning_effort"):
        wish["effort"] = effort
    if wish:
        moved["reasoning"] = wish if wish.get("effort") == "none" else {**wish, **_SUMMARY}
    return moved


def _unsummed(asked: Params) -> dict[str, Any]:
    left = dict(asked)
    if isinstance(wish := left.pop("reasoning", None), Mapping):
        rest = {name: value for name, value in wish.items() if name != "summary"}
        left |= {"reasoning": rest} if rest else {}
    return left
