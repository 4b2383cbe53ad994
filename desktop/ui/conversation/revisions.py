"""Going back in the open conversation: ask otherwise, answer anew, go on from there in another one."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QMenu

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.cells.revise import EDIT, MORE, REGENERATE, turn_of
from desktop.ui.conversation.transcript import Author, Entry, Transcript
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.theme.icons import icon
from desktop.ui.widgets.plain import shown

type Json = dict[str, Any]

_SHORT = 40


class Revisions(QObject):
    """One for a conversation."""

    edit_wanted = Signal(str, str, object)
    """Turn, text and paths of a message that is to be written otherwise."""
    forked = Signal(str)
    """Key of the conversation that goes on from there."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        transcript: Transcript,
        key: Callable[[], str],
        read_again: Callable[[str], object],
    ) -> None:
        """`read_again` is given the key of a conversation that has another course now."""
        super().__init__(transcript)
        self._actions, self._reporter, self._transcript = actions, reporter, transcript
        self._key, self._read_again, self._api = key, read_again, actions.api.revisions

    def act(self, entry_id: str, what: str, extra: str) -> None:
        """Do what is wanted of a message."""
        entry = self._transcript.get(entry_id)
        turn = turn_of(entry) if entry is not None else ""
        if entry is None or not turn:
            return
        if what == EDIT:
            self.edit_wanted.emit(turn, entry.text, list(entry.files))
        elif what == REGENERATE:
            self.regenerate(turn)
        elif what == MORE:
            x, y = map(int, extra.split())
            self._run(self._menu(entry, turn, QPoint(x, y)))

    def last(self) -> None:
        """What the person said last is to be written otherwise."""
        for entry in reversed(self._transcript.entries):
            if entry.author is Author.YOU and turn_of(entry):
                self.act(entry.id, EDIT, "")
                return

    def edit(self, turn: str, text: str, files: Sequence[str]) -> None:
        """Say this instead of what was said, from there on."""
        key = self._key()
        self._run(self._revise(key, self._api.edit(key, turn, text, list(files))))

    def regenerate(self, turn: str, model: str = "", provider: str = "") -> None:
        """Have a turn answered anew, by another model where named."""
        key = self._key()
        self._run(self._revise(key, self._api.regenerate(key, turn, model=model, provider=provider)))

    def fork(self, turn: str = "") -> None:
        """Go on from there in a conversation of its own."""
        self._run(self._fork(turn))

    def _run(self, work: Any) -> None:
        self._reporter.run(work, name="conversation:revise")

    async def _revise(self, key: str, change: Awaitable[str]) -> None:
        await change
        self._read_again(key)

    async def _fork(self, turn: str) -> None:
        self.forked.emit(await self._api.fork(self._key(), turn))

    async def _menu(self, entry: Entry, turn: str, at: QPoint) -> None:
        key = self._key()
        models = (await self._actions.api.models.choices()).models
        versions = await self._api.versions(key, turn)
        menu = QMenu(QApplication.activeWindow())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if entry.author is Author.YOU:
            menu.addAction(icon("pencil"), _("Edit and resend"), partial(self.act, entry.id, EDIT, ""))
        menu.addAction(icon("refresh-cw"), _("Regenerate"), partial(self.regenerate, turn))
        by = menu.addMenu(icon("sparkles"), _("Regenerate with another model"))
        for line in models:
            words = f"{line.title}   {line.provider_title}"
            by.addAction(words, partial(self.regenerate, turn, line.model, line.provider))
        menu.addAction(icon("git-branch"), _("Branch from here"), partial(self.fork, turn))
        if versions:
            earlier = menu.addMenu(icon("history"), _("Earlier versions"))
            for version in versions:
                text = " ".join(shown(version.text).split())
                words = text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"
                earlier.addAction(words or _("Files"), partial(self.fork, version.turn))
        menu.popup(at)
