"""The conversations of the window: which one is open, what the list shows, what is unread or deleted."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QObject, QTimer

from desktop.bus.events import ConversationChanged
from desktop.paths import temporary
from desktop.session.title import first_words
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.rows import KEY, Conversation, Rows
from desktop.ui.state import Remembered, StateFile
from desktop.ui.words import spoken

type Json = dict[str, Any]


class Library(QObject):
    """Keeps list, header and field in step with the open conversation."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        window: MainWindow,
        rows: Rows,
        file: StateFile,
        talk: Controller,
    ) -> None:
        super().__init__(window)
        self._actions, self._reporter, self._window = actions, reporter, window
        self._rows, self._file, self._talk = rows, file, talk
        self._in_order = asyncio.Lock()
        self.elsewhere: Callable[[], str] = str
        """The conversation that is before the person's eyes in another window; empty for none."""
        talk.key = file.state.session
        window.sidebar.chosen.connect(lambda key: self.open(key, rows.found_turn(key)))
        window.sidebar.new_wanted.connect(self.new)
        rows.renamed.connect(self._renamed)
        talk.created.connect(self._created)
        talk.spoken_in.connect(self._spoken_in_later)
        actions.bus.on(ConversationChanged, self._changed)
        spoken(self._say_title)

    def begin(self) -> None:
        """The core is up: read the true list, and the conversation that was open."""
        self._reporter.run(self._begin(), name="library:begin")

    def open(self, key: str, turn: str = "") -> None:
        """Show a conversation, at a turn of it or at its end; the empty key is a new one."""
        self._file.state.session = key
        self._talk.open(key, turn)
        self._say_title()
        if (found := self._rows.get(key)) and found.archived:
            self._rows.fold(opened=True)
        self._window.sidebar.open(key)
        self.seen()
        self._file.save()

    @property
    def key(self) -> str:
        """The open conversation; empty for a new one."""
        return self._talk.key

    def recent(self, most: int) -> list[tuple[str, str]]:
        """Key and title of the conversations that were used last."""
        here = (one for one in self._rows.conversations if not one.archived)
        found = sorted(here, key=lambda one: one.updated, reverse=True)
        return [(one.key, one.shown) for one in found[:most]]

    def go_on(self, key: str, draft: str) -> None:
        """Show a conversation that was begun elsewhere, with what was being written there."""
        if draft.strip():
            self._file.state.give_back(key, draft)
        self.open(key)
        self._window.composer.setFocus()
        if self._rows.get(key) is None:
            self._reporter.run(self._refresh(), name="library:refresh")

    def kept(self) -> Conversation | None:
        """The open conversation as the list has it; None for one that has not begun."""
        return self._rows.get(self._talk.key)

    def title(self, key: str) -> str:
        """What a conversation is called in the list."""
        found = self._rows.get(key)
        if found is not None:
            return found.shown
        if temporary(key):
            return _("Temporary conversation")
        return _("New conversation") if key in ("", self._talk.key) else key

    def _say_title(self) -> None:
        self._window.header.title.say(self.title(self._talk.key))

    def new(self) -> None:
        """Begin a conversation; it is stored with its first message."""
        self.open("")
        self._window.composer.setFocus()

    def _changed(self, event: ConversationChanged) -> None:
        """A conversation was named, pinned or archived somewhere, or somebody else writes in it."""
        found = self._rows.get(event.session)
        if found is None and event.sender:
            return  # it comes with its first message
        if found is None or event.title == "":
            self._reporter.run(self._refresh(), name="library:refresh")
            return
        for name in ("title", "pinned", "archived", "sender"):
            if (value := getattr(event, name)) is not None:
                setattr(found, name, value)
        self._rows.refresh()
        self.remember()
        self._say_title()

    def seen(self) -> None:
        """The open conversation may be in front of the person, or one in another window."""
        for key in (self._talk.key, self.elsewhere()):
            found = self._rows.get(key)
            if found is not None and found.unread and self._before_eyes(key):
                found.unread = False
                self._rows.refresh()
                self.remember()
                self._reporter.run(self._actions.api.inbox.seen(key), name="library:seen")

    def _before_eyes(self, key: str) -> bool:
        return key == self.elsewhere() or (key == self._talk.key and self._window.isActiveWindow())

    def settings_changed(self) -> None:
        """What the agent is called, which model answers or where conversations lie may be new."""
        self._talk.settings_changed()
        self._reporter.run(self._refresh(), name="library:refresh")

    # ---- how

    async def _begin(self) -> None:
        await self._refresh()
        key = self._talk.key
        if key and not self._rows.get(key) and not self._talk.busy and not temporary(key):
            if draft := self._file.state.drafts.pop(key, ""):
                self._file.state.give_back("", draft)
            key = ""
        self.open(key)

    async def _refresh(self) -> None:
        async with self._in_order:
            await self._read()

    async def store[T](self, work: Awaitable[T], *, shown: bool = False) -> T:
        """Have a change stored, and show the list as it is then; where the change is `shown` already, only
        if it failed. Changes and reading do not overtake one another."""
        async with self._in_order:
            try:
                done = await work
            except BaseException:
                await self._read()
                raise
            if not shown:
                await self._read()
            return done

    async def _read(self) -> None:
        assistant = await self._actions.api.program.assistant()
        found = await self._actions.api.conversations.list()
        unread = set(self._file.state.unread)
        self._rows.fill(
            Conversation(
                one.key,
                one.title,
                datetime.fromisoformat(one.updated),
                one.key in unread,
                pinned=one.pinned,
                archived=one.archived,
                sender=one.sender,
            )
            for one in found
        )
        self._talk.transcript.assistant = assistant
        self._window.composer.call(assistant)
        self._say_title()
        self.remember()

    def open_near(self, row: int) -> None:
        """Show the conversation next to where one has gone from the list, else a new one."""
        for near in (row, row - 1, row + 1):
            if 0 <= near < self._rows.rowCount():
                key = self._rows.index(near).data(KEY)
                if key:
                    self.open(key)
                    return
        self.new()

    def _created(self, key: str, text: str) -> None:
        """A new conversation has its first message."""
        title = first_words(text)
        self._rows.fill([*self._rows.conversations, Conversation(key, title, datetime.now(UTC))])
        self._file.state.session = key
        self._window.sidebar.open(key)
        self._window.header.title.say(title)
        self._reporter.run(self._refresh(), name="library:refresh")

    def _spoken_in_later(self, key: str, at_rest: bool) -> None:
        """The list is drawn in a turn of its own, after the message: both in one would be felt."""
        unread = at_rest and not self._before_eyes(key)
        QTimer.singleShot(0, self, lambda: self._spoken_in(key, unread=unread))

    def _spoken_in(self, key: str, *, unread: bool) -> None:
        found = self._rows.get(key)
        if temporary(key):
            return
        if found is None:
            self._reporter.run(self._refresh(), name="library:refresh")
            return
        found.updated, found.archived = datetime.now(UTC), False
        if unread and not self._before_eyes(key):  # it may have been opened since
            found.unread = True
        self._rows.fill(self._rows.conversations)
        self.remember()

    def _renamed(self, key: str, title: str) -> None:
        if key == self._talk.key:
            self._window.header.title.say(title)
        self.remember()
        self._reporter.run(self._actions.api.conversations.rename(key, title), name="library:rename")

    def remember(self) -> None:
        """Note the list for the next start."""
        state = self._file.state
        state.conversations = [
            Remembered(
                c.key, c.title, c.updated.isoformat(timespec="seconds"), c.pinned, c.archived, c.sender
            )
            for c in sorted(self._rows.conversations, key=lambda c: (c.archived, not c.pinned))
        ]
        state.unread = [c.key for c in self._rows.conversations if c.unread]
        self._file.save()


def short(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"
