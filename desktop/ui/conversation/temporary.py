"""The temporary conversation: begun by a key, marked over the message field, kept or discarded by a button.

There is one at a time. It waits in memory while another one is open, and is gone when it is discarded or
the program ends.
"""

import uuid
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from desktop.paths import temporary
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.library import Library
from desktop.ui.state import StateFile
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.words import spoken

KEYS = "Ctrl+Shift+T"

type Json = dict[str, Any]


class Temporary(QObject):
    """One for the window."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        window: MainWindow,
        library: Library,
        talk: Controller,
        file: StateFile,
    ) -> None:
        super().__init__(window)
        self._actions, self._reporter, self._window = actions, reporter, window
        self._library, self._talk, self._file = library, talk, file
        self._key = ""
        """Of the one there is."""
        self._said = self._here = False
        self._words, self._sign = label(wrap=True), QLabel()
        self._keep, self._discard = button("quiet"), button("quiet")
        self._around = window.pane.place_strip(self._strip())
        self._around.hide()
        self._keep.clicked.connect(self.keep)
        self._discard.clicked.connect(self.discard)
        window.temporary_wanted.connect(self.begin)
        talk.opened.connect(self._opened)
        talk.spoken_in.connect(self._spoken_in)
        theme().changed.connect(self._draw)
        self._draw()
        spoken(self._say)

    def _strip(self) -> QFrame:
        strip = QFrame()
        strip.setProperty("kind", "notice")
        strip.setProperty("tone", "info")
        row = QHBoxLayout(strip)
        row.setContentsMargins(Space.M, Space.XS, Space.XS, Space.XS)
        row.addWidget(self._sign)
        row.addWidget(self._words, 1)
        row.addWidget(self._keep)
        row.addWidget(self._discard)
        return strip

    def _draw(self) -> None:
        self._sign.setPixmap(icon("ghost").pixmap(Size.ICON, Size.ICON))

    def _say(self) -> None:
        self._words.setText(_("Temporary: nothing is saved."))
        self._keep.setText(_("Keep"))
        self._discard.setText(_("Discard"))

    # ---- what the person does

    def begin(self) -> None:
        """Show the temporary conversation; a new one where there is none."""
        self._key = self._key or f"temporary:{uuid.uuid4().hex[:12]}"
        if self._talk.key != self._key:
            self._library.open(self._key)
        self._window.composer.setFocus()

    def discard(self) -> None:
        """Forget it, and stop what is under way in it."""
        key, self._here = self._key, False
        self._forget()
        if key and self._talk.key == key:
            self._library.new()

    def keep(self) -> None:
        """Make an ordinary conversation of it."""
        if self._key:
            self._reporter.run(self._make_ordinary(self._key), name="temporary:keep")

    async def _make_ordinary(self, key: str) -> None:
        made = await self._actions.api.conversations.keep(key)
        draft = self._file.state.drafts.pop(key, "")
        files = self._file.state.attached.pop(key, [])
        if self._key == key:
            self._key, self._said, self._here = "", False, False
        if files:
            self._file.state.attached[made] = files
        if self._talk.key == key:
            self._library.go_on(made, draft)

    # ---- what happens

    def _opened(self) -> None:
        left, self._here = self._here, temporary(self._talk.key)
        self._around.setVisible(self._here)
        self._keep.setEnabled(self._said)
        if left and not self._here and self._key:
            if self._said:
                told = _("The temporary conversation stays until you quit: {keys}").format(keys=KEYS)
                self._window.toast.say(told, _("Discard"), self.discard)
            else:
                self._forget()

    def _spoken_in(self, key: str, _at_rest: bool) -> None:
        if key and key == self._key:
            self._said = True
            self._keep.setEnabled(True)

    def _forget(self) -> None:
        key, self._key, self._said = self._key, "", False
        if key:
            self._file.state.drafts.pop(key, None)
            self._file.state.attached.pop(key, None)
            self._reporter.run(self._actions.api.conversations.delete(key), name="temporary:discard")
