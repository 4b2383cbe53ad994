"""The part of a conversation that a model is shown: the newest messages within a token budget.

The start stays where it is until the budget is passed, then jumps forward to 60 % of it: between
jumps the prompt only grows at its end, which is what prompt caches need. Messages handed out are
always the same objects; nothing here looks at the whole history in one turn.
"""

from bisect import bisect_left

from desktop.session.model import WITHDRAWS, Message, asks, message_tokens, place_in, replayable

_AFTER_CUT = 0.6
_TOKEN_BYTES, _MESSAGE_BYTES = 4, 800
"""What a message takes in memory: its text, and the objects around it."""


class Window:
    """Messages a model may see, with running token sums."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._messages: list[Message] = []
        self._sums = [0]
        self._users: list[int] = []
        self._start = 0
        self._budget = 0

    @property
    def tokens(self) -> int:
        """Tokens of all messages held, about."""
        return self._sums[-1] - self._sums[0]

    @property
    def held(self) -> int:
        """Bytes of all messages held, about."""
        return _TOKEN_BYTES * self.tokens + _MESSAGE_BYTES * len(self._messages)

    @property
    def shown(self) -> int:
        """Tokens of what history() gave last, and of what came since."""
        return self._cost(self._start)

    @property
    def last(self) -> Message | None:
        """The newest message."""
        return self._messages[-1] if self._messages else None

    @property
    def last_asked(self) -> Message | None:
        """The newest message of the person."""
        return self._messages[self._users[-1]] if self._users else None

    def of_turn(self, turn: str) -> list[Message]:
        """The newest messages of this turn, in order: back to where another turn's are."""
        found: list[Message] = []
        for message in reversed(self._messages):
            if message.get("_turn") == turn:
                found.append(message)
            elif found:
                break
        return found[::-1]

    def add(self, message: Message) -> None:
        """Take the next message of the conversation, beside the others of its turn."""
        if turn := message.get(WITHDRAWS):
            self._take_out(turn)
        if turn := message.get("_replaces"):
            self._give_way(turn)
        if not replayable(message):
            return
        at = place_in(self._messages, message)
        behind = bisect_left(self._users, at)
        self._users[behind:] = [n + 1 for n in self._users[behind:]]
        if message.get("role") == "user":
            self._users.insert(behind, at)
        self._messages.insert(at, message)
        if 0 < at <= self._start:
            self._start += 1  # the question it answers is no longer shown, nor is the answer
        del self._sums[at + 1 :]
        for later in self._messages[at:]:
            self._sums.append(self._sums[-1] + message_tokens(later))
        if self.tokens > 2 * self._limit:
            self._forget()

    def _take_out(self, turn: object) -> None:
        """Take one message of the person away, and nothing that came after it."""
        at = next((n for n, message in enumerate(self._messages) if asks(message, turn)), -1)
        if at < 0:
            return
        del self._messages[at], self._sums[at + 1 :]
        for later in self._messages[at:]:
            self._sums.append(self._sums[-1] + message_tokens(later))
        self._users = [n - (n > at) for n in self._users if n != at]
        self._start = min(self._start - (self._start > at), len(self._messages))

    def _give_way(self, turn: object) -> None:
        """Take away a turn and what came after it, but for what was brought in from elsewhere. A turn that
        is not held is older than all that is."""
        first = next((n for n, message in enumerate(self._messages) if asks(message, turn)), 0)
        kept = [m for m in self._messages[first:] if m.get("_channel_delivery")]
        del self._messages[first:], self._sums[first + 1 :]
        self._users = [n for n in self._users if n < first]
        self._start = min(self._start, first)
        for message in kept:
            self._messages.append(message)
            self._sums.append(self._sums[-1] + message_tokens(message))

    def history(self, tokens: int) -> list[Message]:
        """The newest messages that fit, from a user message on; the last question always."""
        if not self._users:
            return []
        if tokens != self._budget or self._cost(self._start) > tokens:
            self._budget = tokens
            self._start = self._first_within(tokens)
        return self._messages[self._start :]

    def _cost(self, start: int) -> int:
        return self._sums[-1] - self._sums[start]

    def _first_within(self, tokens: int) -> int:
        """The index to start at: the first that fits, with room to grow if not all does."""
        room = tokens if self._cost(0) <= tokens else int(tokens * _AFTER_CUT)
        index = bisect_left(self._sums, self._sums[-1] - room)
        place = bisect_left(self._users, index)
        return self._begin(self._users[min(place, len(self._users) - 1)])

    def _begin(self, user: int) -> int:
        """The user message, or the reminder just before it that it may be an answer to."""
        if user and self._messages[user - 1].get("_channel_delivery"):
            return user - 1
        return user

    def _forget(self) -> None:
        """Let go of the oldest half in memory; on disk they stay."""
        cut = max(self._start, bisect_left(self._sums, self._sums[-1] - self._limit))
        place = bisect_left(self._users, cut)
        if place == len(self._users):
            return
        cut = self._begin(self._users[place])
        del self._messages[:cut], self._sums[:cut]
        self._users = [index - cut for index in self._users[place:]]
        self._start = max(0, self._start - cut)
