"""What of a conversation goes into a request when not all of it fits.

The session's window gives the newest messages from a user message on. A single turn of many tools may
outgrow even that: then its oldest results are shortened, in jumps, so that the prompt keeps its beginning.
"""

from desktop.agent.turn import Turn
from desktop.session.model import Message, message_tokens

_AFTER_CUT = 0.6
_LEFT_CHARS = 300


def fitted(turn: Turn, room: int) -> list[Message]:
    """The messages for the next step of a turn, about so many tokens; the last is of this turn."""
    history = turn.session.history(room)
    end = len(history)
    while end and not _open(history[end - 1], turn.id):
        end -= 1  # a question that came later has a turn of its own; so has an answer that failed
    history = history[:end]
    start = next((at for at, message in enumerate(history) if message.get("_turn") == turn.id), 0)
    own = history[start:]
    cost = sum(message_tokens(message) for message in own)
    return history if cost <= room else [*history[:start], *_shortened(own, cost, room)]


def _open(message: Message, turn: str) -> bool:
    """Whether a turn goes on from this record."""
    if message.get("_turn") != turn:
        return False
    return message.get("role") != "assistant" or bool(message.get("tool_calls") or message.get("_said"))


def _shortened(own: list[Message], cost: int, room: int) -> list[Message]:
    """The turn with its oldest results cut down until the rest fits with room to grow; the newest result
    is cut only where even that is too long."""
    shorter = list(own)
    results = [at for at, message in enumerate(own) if message.get("role") == "tool"]
    for at in results:
        if cost <= (room if at == results[-1] else int(room * _AFTER_CUT)):
            break
        shorter[at] = _cut(own[at])
        cost += message_tokens(shorter[at]) - message_tokens(own[at])
    return shorter


def _cut(message: Message) -> Message:
    content = message.get("content")
    if not isinstance(content, str) or len(content) <= 2 * _LEFT_CHARS:
        return message
    left = f"{content[:_LEFT_CHARS]}\n[{len(content) - _LEFT_CHARS:,} characters were left out for room]"
    return {**message, "content": left}
