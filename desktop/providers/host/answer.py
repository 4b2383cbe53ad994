"""Puts a streamed answer together: text, thoughts, tool calls and token counts, from any dialect."""

import json
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
        self._text, self._reasoning = _Letters(), _Letters()

    def add(self, chunk: Chunk) -> tuple[str, str]:
        """Take in a chunk. Returns the text and the reasoning it brought. Raises Failure."""
        try:
            return self._take(chunk)
        except (AttributeError, KeyError, TypeError) as error:
            raise Failure("broken_off", f"a piece of the answer has no known form: {error}") from error

    def _take(self, chunk: Chunk) -> tuple[str, str]:
        if usage := chunk.get("usage"):
            self._usage = _usage(usage)
        choices = chunk.get("choices")
        if not choices:
            return "", ""
        choice = choices[0]
        if reason := choice.get("finish_reason"):
            self._finish = _FINISH.get(reason, str(reason))
        delta = choice.get("delta") or choice.get("message")
        if not delta:
            return "", ""
        for position, call in enumerate(delta.get("tool_calls") or ()):
            self._add_call(position, call)
        for block in delta.get("thinking_blocks") or ():
            self._add_thinking(block)
        text = self._text.add(_text(delta.get("content") or delta.get("refusal")))
        reasoning = self._reasoning.add(_text(delta.get("reasoning_content") or delta.get("reasoning")))
        self._grow(len(text) + len(reasoning))
        return text, reasoning

    def result(self) -> dict[str, Any]:
        """The end of the answer as the protocol tells it. Raises Failure if it is no whole answer."""
        something = self._size or self._calls or (self._usage and self._usage["output_tokens"])
        if self._finish is None or not something:
            raise Failure("broken_off")
        calls = [
            {**call, "id": call["id"] or f"call_{index}", "arguments": _mended(call["arguments"])}
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
        call["id"] = call["id"] or str(piece.get("id") or "")
        call["name"] = call["name"] or str(function.get("name") or "")
        arguments = function.get("arguments") or ""
        if not isinstance(arguments, str):  # some servers give the object itself
            arguments = json.dumps(arguments)
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


class _Letters:
    """Joins letters beyond the first 65,536 that a server escaped in halves and sent in two pieces."""

    def __init__(self) -> None:
        self._half = ""

    def add(self, text: str) -> str:
        """The text without a half at its end, which comes with the next piece."""
        if not self._half and text.isascii():
            return text
        text = self._half + text
        self._half = text[-1] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return _mended(text.removesuffix(self._half))


def _mended(text: str) -> str:
    """Halves that stand together made one letter; one that stands alone could not be stored or shown."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _text(content: Any) -> str:
    """Content is a string, or a list of parts that hold one."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
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
