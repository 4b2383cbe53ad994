"""Keeps the cards of changed files in the open conversation, and does what is wanted of them."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.bus.events import TurnEvent
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.changed_files import AGAIN, DIFF, FileWork
from desktop.ui.conversation.file_entries import card, writes
from desktop.ui.conversation.transcript import Entry, Transcript
from desktop.ui.error_reporter import ErrorReporter


class FileCards(QObject):
    """One for a conversation."""

    def __init__(
        self, actions: Actions, reporter: ErrorReporter, transcript: Transcript, key: Callable[[], str]
    ) -> None:
        super().__init__(transcript)
        self._actions, self._reporter, self._transcript, self._key = actions, reporter, transcript, key

    def ended(self, event: TurnEvent) -> None:
        """A turn of the open conversation has ended: its card comes after its last entry."""
        own = [entry for entry in self._transcript.entries if entry.id.partition("/")[0] == event.turn]
        made = card(event.turn)
        if any(map(writes, own)) and made.id not in self._transcript:
            self._transcript.put(made, self._transcript.place(own[-1].id) + 1)

    def look_into(self, entry_id: str) -> None:
        """A card is in sight: read what it shows."""
        entry = self._transcript.get(entry_id)
        if entry is not None and entry.work is not None and not entry.work.read:
            entry.work.read = True
            self._reporter.run(self._read(entry, entry.work), name="conversation:files")

    def act(self, entry_id: str, what: str, path: str) -> None:
        """Do something with a card: DIFF (of a path), TAKE_BACK, AGAIN."""
        entry = self._transcript.get(entry_id)
        if entry is None or entry.work is None:
            return
        if what == DIFF:
            entry.work.open ^= {path}
            self._reporter.run(self._diff(entry, entry.work, path), name="conversation:files")
        else:
            again = what == AGAIN
            self._reporter.run(self._take_back(entry, entry.work, again), name="conversation:files")

    async def _read(self, entry: Entry, work: FileWork) -> None:
        found = await self._actions.api.changes.of(work.turn, self._key())
        work.files, work.commands = found.files, found.commands
        self._transcript.touch(entry.id)

    async def _diff(self, entry: Entry, work: FileWork, path: str) -> None:
        if path not in work.diffs:
            work.diffs[path] = await self._actions.api.changes.diff(work.turn, path) or ""
        self._transcript.touch(entry.id)

    async def _take_back(self, entry: Entry, work: FileWork, again: bool) -> None:
        try:
            done = await self._actions.api.changes.take_back(work.turn, again=again)
            work.left = "\n".join(
                _("{name} was not changed: {why}").format(name=file.path, why=file.why)
                for file in done.left
            )
        finally:
            await self._read(entry, work)
