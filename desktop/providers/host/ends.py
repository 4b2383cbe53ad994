"""Every sign that an answer is at its end, and what it means.

Vendors name the reasons differently, add new ones, or name none and only close the stream properly. What
cut an answer off is told to the person in the vendor's own word.
"""

from collections.abc import Mapping
from typing import Any

_WORDS = {
    "stop": """stop end_turn stop_sequence eos eos_token end complete completed done success finished
        stop_token normal exit""",
    "length": """length max_tokens max_output_tokens model_length model_context_window_exceeded token_limit
        max_length pause_turn compaction continuation""",
    "tool_calls": "tool_calls tool_call tool_use function_call function_calls",
    "filtered": """content_filter safety recitation blocklist language spii refusal sensitive escalation
        error_toxic no_image image_other""",
    "aborted": "abort aborted cancel cancelled canceled",
    "faulty": "error other network_error insufficient_system_resource too_many_tool_calls",
    "": "null none unspecified finish_reason_unspecified load unload",
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_PARTS = (
    ("filtered", "filter safety block polic moderat refus sensitiv prohibit guard recitation jailbreak"),
    ("aborted", "abort cancel interrupt preempt shutdown"),
    ("length", "length max_tok max_out token_limit"),
    (
        "faulty",
        """error fail fault timeout timed_out limit resource overload unavailable malform invalid unexpected
        repeti incomplete broken missing crash""",
    ),
)
"""What words that are not in the table are known by."""
CUTS = frozenset({"filtered", "aborted", "faulty"})
"""The kinds of ends after which an answer is not whole."""


def kind_of(reason: object) -> str:
    """What a reason means: stop, length, tool_calls, one of CUTS, unknown, or "" where it is none."""
    if not isinstance(reason, str):
        return ""
    word = reason.strip().lower().partition(" (")[0].rpartition(".")[2]  # "FinishReason.STOP"
    word = word.replace("-", "_").replace(" ", "_")
    if not word or word in _KINDS:
        return _KINDS.get(word, "")
    return next((kind for kind, parts in _PARTS if any(part in word for part in parts.split())), "unknown")


class Ends:
    """What one answer told of its end."""

    def __init__(self) -> None:
        self.done = False
        """The server said that nothing more comes."""
        self.reason = ""
        """Why it ended, in the server's own word; "" where none came."""
        self._counted = False
        """The tokens were told, in a piece that brings nothing else, and nothing came after it."""
        self._running = False
        """The tokens are told along the way, so that their count is no sign."""

    @property
    def kind(self) -> str:
        """What the reason means."""
        return kind_of(self.reason)

    @property
    def came(self) -> bool:
        """Whether the end has come."""
        return bool(self.done or self._counted or self.kind)

    def event(self, event: Mapping[str, Any]) -> None:
        """Take in an event of any vendor's stream."""
        done, reason = _end_in(event)
        self.done |= done
        self.reason = reason or self.reason
        rows = event.get("choices")
        usage = _mapping(event.get("usage"))
        brings = any(_brings(row) for row in rows) if isinstance(rows, list) else False
        self._running |= bool(usage and brings)
        counted = bool(usage.get("completion_tokens")) and not brings
        self._counted = counted and isinstance(rows, list) and not (rows and self._running)


def _end_in(event: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether nothing comes after an event, and the reason of an end that it names."""
    kind = event.get("type")
    if kind == "message_stop":  # Anthropic
        return True, ""
    if kind == "message_delta":
        return False, _word(_mapping(event.get("delta")).get("stop_reason"))
    if kind in ("response.completed", "response.incomplete", "response.failed"):  # OpenAI's Responses
        response = _mapping(event.get("response"))
        cut = _mapping(response.get("incomplete_details")).get("reason")
        return True, _word(cut or response.get("status"))
    if event.get("done") is True:  # Ollama's own wire
        return True, _word(event.get("done_reason"))
    for rows in (event.get("choices"), event.get("candidates")):
        first = _mapping(rows[0]) if isinstance(rows, list) and rows else {}
        if reason := _word(first.get("finish_reason") or first.get("finishReason")):
            more = _mapping(event.get("error")).get("message") or first.get("native_finish_reason")
            add = isinstance(more, str) and more.lower() != reason.lower() and kind_of(reason) in CUTS
            return False, f"{reason} ({str(more)[:200]})" if add else reason
    blocked = _mapping(event.get("promptFeedback")).get("blockReason")  # Gemini refuses the question
    return bool(blocked), f"blocked ({blocked})" if blocked else ""


def _brings(row: Any) -> bool:
    """Whether a choice has something of the answer in it."""
    given = _mapping(row).get("delta") or _mapping(row).get("message")
    return any(value for name, value in _mapping(given).items() if name != "role")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _word(value: Any) -> str:
    return value[:100] if isinstance(value, str) and kind_of(value) else ""
