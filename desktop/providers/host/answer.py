"""Puts a streamed answer together: text, thoughts, tool calls and token counts, from any dialect."""

from collections.abc import Mapping
from typing import Any

from desktop.providers.host.call import ANSWER_LIMIT, Chunk, Failure
from desktop.providers.host.calls import Calls
from desktop.providers.host.ends import CUTS, Ends

_GROWING = ("text", "summary", "data")
"""What of a detail of reasoning comes in pieces."""


class Answer:
    """Collects the chunks of one answer."""

    def __init__(self, *, own: bool = True) -> None:
        """`own`: the chunks are the server's own, with its signs of the end; not a library's, which makes
        some up. Then `ends` is told by who listens to the bytes."""
        self.ends = Ends()
        self._own = own
        self._odd = False
        self._size = 0
        self._calls = Calls()
        self._usage: dict[str, Any] | None = None
        self._thinking: list[dict[str, Any]] = []
        self._text, self._reasoning = _Letters(), _Letters()

    @property
    def ended(self) -> bool:
        """Whether the end has come, and all before it was understood."""
        return self.ends.came and not self._odd

    @property
    def own_ended(self) -> bool:
        """Whether a chunk of the server's own that was taken in told of the end."""
        return self._own and self.ends.came

    def add(self, chunk: Chunk) -> tuple[str, str]:
        """Take in a chunk. Returns the text and the reasoning it brought. Raises Failure."""
        try:
            return self._take(chunk)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            self._odd = True
            raise Failure("broken_off", f"a piece of the answer has no known form: {error}") from error

    def _take(self, chunk: Chunk) -> tuple[str, str]:
        if self._own:
            self.ends.event(chunk)
        if usage := chunk.get("usage"):
            self._usage = usage_of(usage)
        choices = chunk.get("choices")
        if not choices:
            return "", ""
        choice = choices[0]
        delta = choice.get("delta") or choice.get("message")
        if not delta:
            return "", ""
        for position, call in enumerate(delta.get("tool_calls") or ()):
            self._grow(self._calls.add(position, call))
        for block in delta.get("thinking_blocks") or ():
            self._add_thinking(block)
        thought = _text(delta.get("reasoning_content") or delta.get("reasoning"))
        detailed = "".join(self._add_detail(one) for one in delta.get("reasoning_details") or ())
        content = delta.get("content") or delta.get("refusal")
        text = self._text.add(_text(content))
        reasoning = self._reasoning.add(thought or detailed or _thought(content))
        self._grow(len(text) + len(reasoning))
        return text, reasoning

    def result(self) -> dict[str, Any]:
        """The end of the answer as the protocol tells it. Raises Failure if it is no whole answer."""
        kind = self.ends.kind
        if kind in CUTS:
            raise Failure(kind, self.ends.reason, usage=self._usage)
        something = self._size or self._calls or (self._usage and self._usage["output_tokens"])
        if not self.ended or not (something or kind in ("length", "unknown")):
            raise Failure("broken_off")
        if not something and kind == "unknown":
            raise Failure("faulty", self.ends.reason, usage=self._usage)
        calls = [{name: _mended(text) for name, text in call.items()} for call in self._calls.whole()]
        return {
            "finish": "length" if kind == "length" else "tool_calls" if calls else "stop",
            "tool_calls": calls,
            "usage": self._usage,
            "thinking_blocks": self._thinking,
        }

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

    def _add_detail(self, piece: Mapping[str, Any]) -> str:
        """Details come in pieces, too, each with the index of its whole; MiniMax tells with each piece all
        that came before. Returns the text that is new."""
        kept = {key: value for key, value in piece.items() if value is not None}
        last = self._thinking[-1] if self._thinking else {}
        same = all(last.get(key) == kept.get(key) for key in ("type", "index")) and bool(last)
        if not same:
            self._thinking.append(
                last := {key: value for key, value in kept.items() if key not in _GROWING}
            )
        grown = ""
        for key, value in kept.items():
            if key not in _GROWING or not isinstance(value, str):
                last[key] = value
                continue
            so_far = str(last.get(key) or "")
            whole = (
                so_far
                and str(kept.get("format")).lower().startswith("minimax")
                and value.startswith(so_far)
            )
            added = value[len(so_far) :] if whole else value
            last[key] = so_far + added
            grown += "" if key == "data" else added
            self._grow(len(added))
        return grown

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


def _thought(content: Any) -> str:
    """What Mistral's models thought: parts of the content that hold texts of their own."""
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "thinking"]
    return "".join(_text(part.get("thinking")) for part in parts)


def usage_of(usage: Mapping[str, Any]) -> dict[str, Any]:
    """A server's count of tokens as the protocol tells it."""
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
