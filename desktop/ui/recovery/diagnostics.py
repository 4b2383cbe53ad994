"""A bundle for who helps: every file of it is shown before it is saved."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QFrame, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.diagnostics import File

_HEIGHT = 280


class Diagnostics(Part):
    """Nothing is gathered before the person asks."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._files: Sequence[File] = ()
        self._about, self._look = label("muted", wrap=True), button()
        self.choice, self.text, self._save = CalmBox(), QPlainTextEdit(), button("primary", "download")
        self.outcome = Outcome()
        self._lay_out()
        self._look.clicked.connect(self.look)
        self._save.clicked.connect(self._choose)
        self.choice.currentIndexChanged.connect(self._turn_to)
        spoken(self._words)

    def _lay_out(self) -> None:
        self.text.setReadOnly(True)
        self.text.setFont(code_font())
        self.text.setFixedHeight(_HEIGHT)
        self.text.setTabChangesFocus(True)
        buttons = QWidget()
        acts = Flow(buttons)
        for made in (self._look, self.choice, self._save):
            acts.addWidget(made)
        self.column.setSpacing(Space.M)
        self.column.addWidget(self._about)
        self.column.addWidget(buttons)
        frame = QFrame()
        frame.setProperty("kind", "card")
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(1, Space.XS, 1, Space.XS)
        inner.addWidget(self.text)
        frame.hide()
        self._frame = frame
        self.column.addWidget(frame)
        self.column.addWidget(self.outcome)
        for widget in (self.choice, self._save):
            widget.hide()

    def _words(self) -> None:
        self._about.setText(
            _(
                "Versions, states, settings without secrets and the end of the log, for whoever helps you "
                "with a problem. It contains nothing from your conversations and is not sent anywhere. "
                "You see every file first."
            )
        )
        self._look.setText(_("Check again") if self._files else _("Preview"))
        self.choice.setAccessibleName(_("File in the bundle"))
        self.text.setAccessibleName(_("File content"))
        self._save.say(_("Save…"), _("Save diagnostics"))

    def look(self) -> None:
        """Gather it and show it."""
        self._work.tell(self._looking(), self.outcome, name="diagnostics:look", busy=(self._look,))

    async def _looking(self) -> None:
        self.outcome.busy(_("Looking…"))
        self._files = (await self._actions.api.diagnostics.look()).files
        self.outcome.clear()
        self.choice.clear()
        self.choice.addItems([file.name for file in self._files])
        for widget in (self.choice, self._frame, self._save):
            widget.show()
        self._words()

    def _turn_to(self, number: int) -> None:
        if 0 <= number < len(self._files):
            self.text.setPlainText(self._files[number].text)

    def _choose(self) -> None:
        dialog = QFileDialog(self, _("Save diagnostics"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.selectFile("nanobot-diagnostics.zip")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.save)
        dialog.open()

    def save(self, path: str) -> None:
        """Put the bundle there."""
        self._work.tell(self._saving(path), self.outcome, name="diagnostics:save", busy=(self._save,))

    async def _saving(self, path: str) -> None:
        made = await self._actions.api.diagnostics.make(path, replace=True)
        self.outcome.done(_("Saved as {path}.").format(path=made.path))
