"""What a conversation shows, apart from how: entries in order, and a signal for each change.

The session log is the truth; this is the open conversation's copy of it, kept up to date by events.
"""

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from desktop.text import _
from desktop.ui.conversation.step import Step

if TYPE_CHECKING:
    from desktop.ui.conversation.changed_files import FileWork


AGAIN, TO_SETTINGS, WITHDRAW = "again", "settings", "withdraw"
"""What a button at an answer that is not there can do: ask once more, open the settings, take the message
back."""


class Author(enum.Enum):
    """Who says an entry."""

    YOU = "user"
    NANOBOT = "assistant"
    STEP = "tool"
    """Nobody: a tool was called."""
    NOTE = "note"
    """The program: what the person answered from elsewhere."""
    RESULT = "result"
    """A subagent: what came of its task."""
    BREAK = "break"
    """Nobody: what was said above is no longer known to the agent."""
    FILES = "files"
    """Nobody: what a turn changed in files."""


class State(enum.Enum):
    """How far an entry is."""

    DONE = "done"
    QUEUED = "queued"
    """Its turn has not begun: another answer is on its way."""
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
    """The words of the button that asks once more; empty for none."""
    to_settings: bool = False
    """Whether the remedy is in the settings: there is a button that leads there, too."""
    when: datetime | None = None
    aside: bool = False
    """Said on the way to the answer: tools are called after it."""
    step: Step | None = None
    """Of a tool's call."""
    label: str = ""
    """Of a result: what the subagent is called; of a message: who wrote it, where that was another."""
    files: list[str] = field(default_factory=list)
    """Paths of what the person gave along."""
    work: "FileWork | None" = None
    """Of FILES."""
    guest: bool = False
    """A call that is shown for its question alone; the log of this conversation does not have it."""

    @property
    def moving(self) -> bool:
        return self.state in (State.QUEUED, State.WAITING, State.STREAMING)


def own_words(text: str, files: Sequence[str]) -> str:
    """What the person wrote: nothing where the message only has the names of its files."""
    return "" if files and text == ", ".join(PurePath(path).name for path in files) else text


class Transcript(QObject):
    """The entries of one conversation."""

    reset = Signal()
    added = Signal(int)
    """Index of the new entry: mostly the last one."""
    removed = Signal(int)
    """Index of an entry that is no more."""
    changed = Signal(int)
    """Index of an entry whose text, state or anything else is new."""
    sought = Signal(int)
    """Index of an entry that the person wants to see."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: list[Entry] = []
        self.assistant = "Nanobot"
        """What the agent calls itself."""
        self._index: dict[str, int] = {}

    def name(self, entry: Entry) -> str:
        """Who says it."""
        if entry.author is Author.NANOBOT:
            return self.assistant
        if entry.author is Author.RESULT:
            return _("Result of {label}").format(label=entry.label)
        return entry.label or _("You") if entry.author is Author.YOU else ""

    def fill(self, entries: Iterable[Entry]) -> None:
        """Show another conversation, or this one read anew."""
        self.entries = list(entries)
        self._index = {entry.id: index for index, entry in enumerate(self.entries)}
        self.reset.emit()

    def seek(self, entry_id: str) -> None:
        """Bring an entry into sight, if it is there."""
        if (index := self._index.get(entry_id)) is not None:
            self.sought.emit(index)

    def add(self, entry: Entry) -> None:
        """Put an entry at the end; one with this id that is there already is replaced."""
        if entry.id in self._index:
            self.entries[self._index[entry.id]] = entry
            self.changed.emit(self._index[entry.id])
            return
        self._index[entry.id] = len(self.entries)
        self.entries.append(entry)
        self.added.emit(len(self.entries) - 1)

    def insert(self, entry: Entry, before: str) -> None:
        """Put an entry before the one with that id."""
        self.put(entry, self._index[before])

    def put(self, entry: Entry, index: int) -> None:
        """Put an entry in that place."""
        self.entries.insert(index, entry)
        self._count_from(index)
        self.added.emit(index)

    def remove(self, entry_id: str) -> None:
        """Take an entry away, if it is there."""
        index = self._index.pop(entry_id, None)
        if index is not None:
            del self.entries[index]
            self._count_from(index)
            self.removed.emit(index)

    def rename(self, entry: Entry, entry_id: str) -> None:
        """Give an entry another id."""
        index = self._index.pop(entry.id)
        entry.id = entry_id
        self._index[entry_id] = index

    def _count_from(self, index: int) -> None:
        for place in range(index, len(self.entries)):
            self._index[self.entries[place].id] = place

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id."""
        index = self._index.get(entry_id)
        return None if index is None else self.entries[index]

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._index

    def place(self, entry_id: str) -> int:
        """Where the entry with this id stands."""
        return self._index[entry_id]

    def touch(self, entry_id: str) -> None:
        """Tell that an entry has been changed."""
        if entry_id in self._index:
            self.changed.emit(self._index[entry_id])
