"""The report of the last crash: read first, then copied, saved or thrown away. Nothing sends it."""

import time
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QFrame, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets import moments
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.moments import Now
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_HEIGHT = 280


class LastCrash(Part):
    """Read whenever it is seen."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._at = 0.0
        self._about, self.text, self.outcome = label("muted", wrap=True), QPlainTextEdit(), Outcome()
        self._copy, self._save, self._remove = button("primary", "copy"), button("", "download"), button()
        self.text.setReadOnly(True)
        self.text.setFont(code_font())
        self.text.setFixedHeight(_HEIGHT)
        self.text.setTabChangesFocus(True)
        self._frame, self._buttons = QFrame(), QWidget()
        self._frame.setProperty("kind", "card")
        inner = QVBoxLayout(self._frame)
        inner.setContentsMargins(1, Space.XS, 1, Space.XS)
        inner.addWidget(self.text)
        acts = Flow(self._buttons)
        for made in (self._copy, self._save, self._remove):
            acts.addWidget(made)
        self.column.setSpacing(Space.M)
        for widget in (self._about, self._frame, self._buttons, self.outcome):
            self.column.addWidget(widget)
        self._frame.hide()
        self._buttons.hide()
        self._copy.clicked.connect(self._copied)
        self._save.clicked.connect(self._choose)
        self._remove.clicked.connect(self._throw_away)
        spoken(self._words)

    def _words(self) -> None:
        self._copy.say(_("Copy"), _("Copy crash report"))
        self._save.say(_("Save…"), _("Save crash report"))
        self._remove.say(_("Remove"), _("Remove crash report"))
        self.text.setAccessibleName(_("Crash report"))
        self._say()

    def _say(self) -> None:
        if not self._at:
            self._about.setText(_("No crash is known."))
            return
        when = moments.at(self._at, Now(time.time()))
        self._about.setText(
            _(
                "Nanobot crashed {when}. This report says where in the program, with versions and the end "
                "of the log. It contains no keys and nothing from your conversations, and is not sent "
                "anywhere. If someone helps you, you can give it to them."
            ).format(when=when)
        )

    def refresh(self) -> None:
        self._work.start(self._read(), name="crash:read")

    async def _read(self) -> None:
        found = await self._actions.api.crashes.report()
        if found.text != self.text.toPlainText():
            self.text.setPlainText(found.text)
        self._at = found.at
        self._frame.setVisible(bool(found.text))
        self._buttons.setVisible(bool(found.text))
        self._say()

    def _copied(self) -> None:
        QApplication.clipboard().setText(self.text.toPlainText())
        self.outcome.done(_("Copied."))

    def _choose(self) -> None:
        dialog = QFileDialog(self, _("Save crash report"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("txt")
        dialog.selectFile("nanobot-crash.txt")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.save)
        dialog.open()

    def save(self, path: str) -> None:
        """Put the report there."""
        self._work.tell(self._saving(path), self.outcome, name="crash:save", busy=(self._save,))

    async def _saving(self, path: str) -> None:
        saved = await self._actions.api.crashes.save(path, replace=True)
        self.outcome.done(_("Saved as {path}.").format(path=saved))

    def _throw_away(self) -> None:
        self._work.tell(self._removing(), self.outcome, name="crash:remove", busy=(self._remove,))

    async def _removing(self) -> None:
        await self._actions.api.crashes.remove()
        self.outcome.clear()
        await self._read()
