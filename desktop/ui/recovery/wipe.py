"""Deleting everything: asked for in earnest, by typing a word."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

WIPED = "wiped"
"""What `saved` tells when all is deleted as soon as the program ends."""


class Wipe(Part):
    """A button, and then a question."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._about, self._open = label("muted", wrap=True), button("danger", "trash-2")
        self._card, self._ask, self._how = Card(), label("title", wrap=True), label("muted", wrap=True)
        self.field, self._yes, self._no = QLineEdit(), button("danger"), button()
        self.outcome = Outcome()
        self._lay_out()
        self._open.clicked.connect(self._begin)
        self._no.clicked.connect(self._put_away)
        self.field.textChanged.connect(self._typed)
        self._yes.clicked.connect(self._delete)
        spoken(self._words)

    def _lay_out(self) -> None:
        inner, acts = QWidget(), across(self._yes, self._no, None)
        down(self._ask, self._how, self.field, acts, edges=(0, Space.M, 0, Space.M), of=inner)
        self._card.add(inner)
        self._card.hide()
        self.column.setSpacing(Space.M)
        self.column.addWidget(self._about)
        self.column.addWidget(self._open, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(self._card)
        self.column.addWidget(self.outcome)

    def _words(self) -> None:
        self._about.setText(
            _(
                "Deletes all settings, conversations, memory, skills, tasks, files, backups, models and "
                "logs of this program, and its keys in the keychain. Then it quits."
            )
        )
        self._open.say(_("Delete everything…"))
        self._ask.setText(_("Delete everything permanently?"))
        self._how.setText(
            _(
                "This can’t be undone, and backups in the home folder are deleted too. Save one elsewhere "
                "first if you may need any of it. Type {word} to confirm."
            ).format(word=self._word())
        )
        self.field.setAccessibleName(_("Type {word} to confirm").format(word=self._word()))
        self.field.setPlaceholderText(self._word())
        self._yes.setText(_("Delete everything"))
        self._no.setText(_("Cancel"))
        self._typed()

    def _word(self) -> str:
        return _("delete")

    def _typed(self) -> None:
        self._yes.setEnabled(self.field.text().strip().casefold() == self._word().casefold())

    def _begin(self) -> None:
        self._open.hide()
        self._card.show()
        self.field.setFocus()

    def _put_away(self) -> None:
        self._card.hide()
        self.field.clear()
        self.outcome.clear()
        self._open.show()
        self._open.setFocus()

    def leave(self) -> None:
        if not self._card.isHidden():
            self._put_away()

    def _delete(self) -> None:
        self._work.tell(self._deleting(), self.outcome, name="privacy:wipe", busy=(self._yes,))

    async def _deleting(self) -> None:
        self.outcome.busy(_("Deleting…"))
        await self._actions.api.privacy.wipe(sure=True)
        self.saved.emit(WIPED)
