"""A message that is being written otherwise: in the message field, with a strip over it that says so."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from desktop.text import _
from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.conversation.composer.drafts import Drafts
from desktop.ui.conversation.controller import Controller
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.words import spoken


class Editing(QObject):
    """One for a pane. While a message is edited, what is sent takes its place."""

    def __init__(
        self,
        composer: Composer,
        drafts: Drafts,
        talk: Controller,
        place: Callable[[QWidget], QWidget],
    ) -> None:
        """`place` puts a strip over the message field; what is to be hidden when it is."""
        super().__init__(composer)
        self._composer, self._drafts, self._talk = composer, drafts, talk
        self._turn = ""
        self._words, self._cancel = label(wrap=True), button("quiet")
        self._strip = QFrame()
        self._strip.setProperty("kind", "notice")
        self._strip.setProperty("tone", "info")
        row = QHBoxLayout(self._strip)
        row.setContentsMargins(Space.M, Space.XS, Space.XS, Space.XS)
        row.addWidget(self._words, 1)
        row.addWidget(self._cancel)
        self._around = place(self._strip)
        self._around.hide()
        self._cancel.clicked.connect(self.cancel)
        talk.revisions.edit_wanted.connect(self._begin)
        talk.opened.connect(self._opened)
        composer.earlier_wanted.connect(talk.revisions.last)
        composer.field.stop_wanted.connect(self.cancel)
        spoken(self._say)

    @property
    def active(self) -> bool:
        """Whether a message is being written otherwise."""
        return bool(self._turn)

    def _say(self) -> None:
        self._words.setText(_("Editing. Messages after this one will be removed."))
        self._cancel.setText(_("Cancel"))

    def _begin(self, turn: str, text: str, files: Sequence[str]) -> None:
        self._turn = turn
        self._drafts.set_aside(text, files)
        self._around.show()
        self._composer.setFocus()

    def send(self, text: str) -> None:
        """Say what is in the field: in place of a message, or as a new one."""
        if not self._turn:
            self._drafts.send(text)
            return
        turn, files = self._turn, [file.path for file in self._composer.files]
        self._end()
        self._talk.revisions.edit(turn, text, files)

    def cancel(self) -> None:
        """Leave the message as it is."""
        if self._turn:
            self._end()
            self._composer.setFocus()

    def _end(self) -> None:
        self._turn = ""
        self._around.hide()
        self._drafts.take_up()

    def _opened(self) -> None:
        """In another conversation nothing of this one is edited any more."""
        if not self._drafts.aside:
            self._turn = ""
            self._around.hide()
