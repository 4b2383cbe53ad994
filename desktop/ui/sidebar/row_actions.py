"""What becomes of a conversation as a whole: pinned, put aside, deleted; and how that is taken back."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.library import Library, short
from desktop.ui.sidebar.rows import Conversation, Rows

_NAMED = 40
"""Characters of a title in a sentence."""

type Json = dict[str, Any]


class RowActions(QObject):
    """Does it in the list at once, and has it stored behind. An empty key is the open conversation."""

    def __init__(
        self, actions: Actions, reporter: ErrorReporter, window: MainWindow, rows: Rows, library: Library
    ) -> None:
        super().__init__(window)
        self._actions, self._reporter, self._window = actions, reporter, window
        self._rows, self._library = rows, library
        self._undoable: list[tuple[Callable[[str], object], str]] = []
        """What brings back which conversation, the last one at the end."""
        window.sidebar.delete_wanted.connect(self.delete)
        window.sidebar.undo_wanted.connect(self.undo)
        window.sidebar.pin_wanted.connect(self.pin)
        window.sidebar.archive_wanted.connect(self.archive)

    def pin(self, key: str = "") -> None:
        """Keep a conversation on top; no longer, where it is pinned."""
        if found := self._rows.get(key or self._library.key):
            found.pinned = not found.pinned
            self._show()
            work = self._actions.api.conversations.pin(found.key, found.pinned)
            self._reporter.run(self._library.store(work, shown=True), name="library:pin")

    def archive(self, key: str = "") -> None:
        """Put a conversation aside and offer to bring it back; bring it back where it is put aside."""
        found = self._rows.get(key or self._library.key)
        if found is None:
            return
        if found.archived:
            self._set_archived(found, archived=False)
            return
        row = self._row
        self._set_archived(found, archived=True)
        self._offer(_("“{title}” archived"), found, self._take_out)
        if found.key == self._library.key:
            self._library.open_near(row)

    def delete(self, key: str) -> None:
        """Put a conversation away, and offer to bring it back."""
        found = self._rows.get(key)
        if found is None:
            return
        row = self._row
        self._rows.fill(c for c in self._rows.conversations if c.key != key)
        self._offer(_("“{title}” deleted"), found, self._bring_back)
        if key == self._library.key:
            self._library.open_near(row)
        self._library.remember()
        work = self._actions.api.conversations.delete(key)
        self._reporter.run(self._library.store(work), name="library:delete")

    def undo(self) -> None:
        """Bring the conversation back that was deleted or put aside last."""
        if self._undoable:
            self._window.toast.hide()
            bring_back, key = self._undoable.pop()
            bring_back(key)

    # ---- how

    @property
    def _row(self) -> int:
        return self._window.sidebar.list.currentIndex().row()

    def _offer(self, words: str, found: Conversation, undo: Callable[[str], object]) -> None:
        self._undoable.append((undo, found.key))
        told = words.format(title=short(found.shown, _NAMED))
        self._window.toast.say(told, _("Undo"), self.undo)

    def _set_archived(self, found: Conversation, *, archived: bool) -> None:
        found.archived = archived
        self._show()
        work = self._actions.api.conversations.archive(found.key, archived)
        self._reporter.run(self._library.store(work, shown=True), name="library:archive")

    def _take_out(self, key: str) -> None:
        if found := self._rows.get(key):
            self._set_archived(found, archived=False)
            self._library.open(key)

    def _bring_back(self, key: str) -> None:
        self._reporter.run(self._restore(key), name="library:restore")

    async def _restore(self, key: str) -> None:
        if await self._library.store(self._actions.api.conversations.restore(key)):
            self._library.open(key)

    def _show(self) -> None:
        self._rows.refresh()
        self._library.remember()
