"""What a conversation shows, apart from how: entries in order, and a signal for each change.

The session log is the truth; this is the open conversation's copy of it, kept up to date by events.
"""

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, Signal


class Author(enum.Enum):
    """Who says an entry."""

    YOU = "user"
    NANOBOT = "assistant"


class State(enum.Enum):
    """How far an entry is."""

    DONE = "done"
    WAITING = "waiting"
    """No word yet: the model is starting or being asked."""
    STREAMING = "streaming"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(slots=True)
class Entry:
    """One message, or the answer that is on its way, or why there is none."""

    id: str
    """Unique in its conversation; of an answer: its turn's id and "/answer"."""
    author: Author
    text: str = ""
    """Markdown of an answer; of a person's message, the text as it was typed."""
    state: State = State.DONE
    reasoning: str = ""
    """What the model thought aloud; shown folded."""
    detail: str = ""
    """While waiting: what for. When failed or stopped: the sentence that says so."""
    remedy: str = ""
    action: str = ""
    """The words of the remedy's button; empty for none. Pressing it emits the view's `acted`."""
    to_settings: bool = False
    """Whether the remedy is in the settings; else it is to ask once more."""
    when: datetime | None = None

    @property
    def moving(self) -> bool:
        return self.state in (State.WAITING, State.STREAMING)


class Transcript(QObject):
    """The entries of one conversation."""

    reset = Signal()
    added = Signal(int)
    """Index of the new entry."""
    changed = Signal(int)
    """Index of an entry whose text, state or anything else is new."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[Entry] = []
        self.assistant = "Nanobot"
        """What the agent calls itself."""
        self._index: dict[str, int] = {}

    def fill(self, entries: Iterable[Entry]) -> None:
        """Show another conversation, or this one read anew."""
        self.entries = list(entries)
        self._index = {entry.id: index for index, entry in enumerate(self.entries)}
        self.reset.emit()

    def add(self, entry: Entry) -> None:
        """Put an entry at the end; one with this id that is there already is replaced."""
        if entry.id in self._index:
            self.entries[self._index[entry.id]] = entry
            self.changed.emit(self._index[entry.id])
            return
        self._index[entry.id] = len(self.entries)
        self.entries.append(entry)
        self.added.emit(len(self.entries) - 1)

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        index = self._index.get(entry_id)
        return None if index is None else self.entries[index]

    def touch(self, entry_id: str) -> None:
        """Tell that an entry has been changed."""
        if entry_id in self._index:
            self.changed.emit(self._index[entry_id])
