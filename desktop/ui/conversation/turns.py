"""Which turns are under way, and the ends of some that nobody knew yet."""

from collections.abc import Callable, Iterable

from desktop.bus.events import TurnFailed, TurnFinished

type End = TurnFinished | TurnFailed


class Turns:
    """Turns that are not at their end, by conversation."""

    def __init__(self) -> None:
        self._turns: dict[str, list[str]] = {}
        self.changes = 0
        """How often one began, ended or came further: what was read before that is old."""

    def __getitem__(self, key: str) -> list[str]:
        return self._turns.get(key, [])

    def __len__(self) -> int:
        return len(self._turns)

    def put(self, key: str, turns: Iterable[object]) -> None:
        """The log says that these are under way."""
        self._turns[key] = [str(turn) for turn in turns]

    def begin(self, key: str, turn: str) -> None:
        """One is under way from now on."""
        self.changes += 1
        turns = self._turns.setdefault(key, [])
        if turn not in turns:
            turns.append(turn)

    def end(self, key: str, turn: str) -> None:
        """One is at its end, if it was ever under way."""
        self.changes += 1
        turns = self._turns.get(key, [])
        if turn in turns:
            turns.remove(turn)
        if not turns:
            self._turns.pop(key, None)


class Early:
    """Ends that come while a message is being sent: the reply that names its turn may still be on its way,
    or the message is not shown yet. A command has its answer that soon."""

    def __init__(self, take: Callable[[End], None]) -> None:
        """`take` is given each end once it can be told whose it is."""
        self._take = take
        self._sending: list[str] = []
        self._unwanted: set[str] = set()
        self._named: set[str] = set()
        self._ends: dict[str, End] = {}

    def begin(self, key: str) -> None:
        """A message is being sent in this conversation."""
        self._sending.append(key)

    def sending(self, key: str) -> bool:
        """Whether a message is being sent in this conversation."""
        return key in self._sending

    def stop(self, key: str) -> None:
        """The answer to what is being sent is not wanted any more."""
        self._unwanted.add(key)

    def unwanted(self, key: str) -> bool:
        """Whether stop() was called since the message was sent."""
        return key in self._unwanted

    def name(self, turn: str) -> None:
        """The turn of a message that is being sent is known now; it is about to be shown."""
        self._named.add(turn)

    def keeps(self, event: End, *, known: bool) -> bool:
        """Whether an end is to wait for `take`. `known`: it is of a turn that is on its way."""
        waits = bool(self._sending) and (not known or event.turn in self._named)
        if waits:
            self._ends[event.turn] = event
        return waits

    def sent(self, key: str, turn: str = "") -> None:
        """A message of this conversation was shown as that of this turn, or could not be sent."""
        self._sending.remove(key)
        if key not in self._sending:
            self._unwanted.discard(key)
        self._named.discard(turn)
        ends = self._ends
        if self._sending:
            ends = {turn: ends[turn]} if turn in ends else {}
        for event in list(ends.values()):
            del self._ends[event.turn]
            self._take(event)
