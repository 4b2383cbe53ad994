"""Puts a streamed answer together: text, thoughts, tool calls and token counts, from any dialect."""

from collections.abc import Mapping
from typing import Any

from desktop.providers.host.call import ANSWER_LIMIT, Chunk, Failure

_FINISH = {"function_call": "tool_calls", "max_tokens": "length", "end_turn": "stop", "eos": "stop"}


class Answer:
    """Collects the chunks of one answer."""

    def __init__(self) -> None:
        self._finish: str | None = None
        self._size = 0
        self._calls: dict[int, dict[str, str]] = {}
        self._usage: dict[str, Any] | None = None
        self._thinking: list[dict[str, Any]] = []

    def add(self, chunk: Chunk) -> tuple[str, str]:
        """Take in a chunk. Returns the text and the reasoning it brought."""
        if usage := chunk.get("usage"):
            self._usage = _usage(usage)
        choices = chunk.get("choices")
        if not choices:
            return "", ""
        choice = choices[0]
        if reason := choice.get("finish_reason"):
            self._finish = _FINISH.get(reason, reason)
        delta = choice.get("delta") or choice.get("message")
        if not delta:
            return "", ""
        for position, call in enumerate(delta.get("tool_calls") or ()):
            self._add_call(position, call)
        for block in delta.get("thinking_blocks") or ():
            self._add_thinking(block)
        text = _text(delta.get("content"))
        reasoning = _text(delta.get("reasoning_content") or delta.get("reasoning"))
        self._grow(len(text) + len(reasoning))
        return text, reasoning

    def result(self) -> dict[str, Any]:
        """The end of the answer as the protocol tells it. Raises Failure if it is no whole answer."""
        something = self._size or self._calls or (self._usage and self._usage["output_tokens"])
        if self._finish is None or not something:
            raise Failure("broken_off")
        calls = [
            {**call, "id": call["id"] or f"call_{index}"}
            for index, call in sorted(self._calls.items())
            if call["name"]
        ]
        finish = "tool_calls" if calls and self._finish == "stop" else self._finish
        return {
            "finish": finish,
            "tool_calls": calls,
            "usage": self._usage,
            "thinking_blocks": self._thinking,
        }

    def _add_call(self, position: int, piece: Mapping[str, Any]) -> None:
        index = piece.get("index")
        call = self._calls.setdefault(
            index if isinstance(index, int) else position, {"id": "", "name": "", "arguments": ""}
        )
        function = piece.get("function") or {}
        call["id"] = call["id"] or piece.get("id") or ""
        call["name"] = call["name"] or function.get("name") or ""
        arguments = function.get("arguments") or ""
        call["arguments"] += arguments
        self._grow(len(arguments))

    def _add_thinking(self, piece: Mapping[str, Any]) -> None:
        """Blocks come in pieces: text after text, then the signature that closes the block."""
        last = self._thinking[-1] if self._thinking else None
        if piece.get("type") != "thinking" or last is None or last.get("signature") or "data" in last:
            kept = {key: value for key, value in piece.items() if key != "index" and value is not None}
            self._thinking.append(kept)
        else:
            last["thinking"] = (last.get("thinking") or "") + (piece.get("thinking") or "")
            last["signature"] = piece.get("signature") or last.get("signature")
        self._grow(len(piece.get("thinking") or "") + len(piece.get("data") or ""))

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > ANSWER_LIMIT:
            raise Failure("answer_too_long")


def _text(content: Any) -> str:
    """Content is a string, or a list of parts that hold one."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return ""


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    prompt = usage.get("prompt_tokens_details") or {}
    completion = usage.get("completion_tokens_details") or {}
    cached = (
        prompt.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or usage.get("cached_tokens")
    )
    cost = usage.get("cost")
    return {
        "input_tokens": usage.get("prompt_tokens") or 0,
        "output_tokens": usage.get("completion_tokens") or 0,
        "cached_tokens": cached or 0,
        "cache_write_tokens": prompt.get("cache_creation_tokens")
        or usage.get("cache_creation_input_tokens")
        or 0,
        "reasoning_tokens": completion.get("reasoning_tokens") or 0,
        "cost": cost if isinstance(cost, int | float) else None,
    }
