"""Models that think aloud in their answer: `<think>...</think>` at its start is reasoning, not answer."""

_OPEN, _CLOSE = "<think>", "</think>"


class Thinking:
    """Splits an answer as it streams. feed() and end() give (text, reasoning)."""

    def __init__(self) -> None:
        self._held = ""
        self._state = "before"
        """before the answer's first word, in the thinking, after it."""

    def feed(self, text: str) -> tuple[str, str]:
        """What is certain by now."""
        if self._state == "after":
            return text, ""
        self._held += text
        if self._state == "before":
            start = self._held.lstrip()
            if _OPEN.startswith(start[: len(_OPEN)]):
                if len(start) < len(_OPEN):
                    return "", ""
                self._state, self._held = "in", start[len(_OPEN) :]
            else:
                return self._rest("after"), ""
        thought, found, rest = self._held.partition(_CLOSE)
        if found:
            self._state, self._held = "after", ""
            return rest.lstrip(), thought
        keep = _overlap(thought)
        self._held = thought[len(thought) - keep :]
        return "", thought[: len(thought) - keep]

    def end(self) -> tuple[str, str]:
        """What was held back: an opening that never closed is all thinking."""
        state, rest = self._state, self._rest("after")
        return ("", rest) if state == "in" else (rest, "")

    def _rest(self, state: str) -> str:
        self._state, rest, self._held = state, self._held, ""
        return rest


def split(text: str) -> tuple[str, str]:
    """A whole answer as (text, reasoning)."""
    thinking = Thinking()
    first, second = thinking.feed(text), thinking.end()
    return first[0] + second[0], first[1] + second[1]


def _overlap(text: str) -> int:
    """How many characters at the end may begin the closing mark."""
    for size in range(min(len(_CLOSE) - 1, len(text)), 0, -1):
        if _CLOSE.startswith(text[-size:]):
            return size
    return 0
