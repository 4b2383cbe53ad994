"""Backups in the settings: made now, saved where the person wants, and merged back."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QWidget

from desktop.api import backup_words
from desktop.errors import AppError
from desktop.pace import Advanced
from desktop.text import _, ngettext
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.folders import show_in_folder
from desktop.ui.widgets.form import FormCard
from desktop.ui.widgets.items import ItemList, Words
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.progress import Progress
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.backups import Backup, Known


def _groups(_done: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        (_("Off until you approve it in the inbox"), ("waits",)),
        (_("Not usable"), ("left",)),
        (_("Added"), ("add",)),
        (_("A separate conversation"), ("own",)),
        (_("Newer here: the backup’s version was put beside it"), ("beside",)),
        (_("Newer here: kept"), ("keep",)),
        (_("Already here"), ("same",)),
    )


_WORDS = Words(_groups, backup_words.kinds, backup_words.actions, backup_words.many)


class BackupRow(Row):
    """One backup that the program has."""

    def __init__(self, backup: "Backup") -> None:
        side = QWidget()
        super().__init__(side, width=0)
        self.restore, self.folder = button(), IconButton("folder")
        across(self.folder, self.restore, gap=Space.XS, of=side)
        moment, _dot, about = backup_words.about(backup).partition(" · ")
        self.say(moment, about)
        self.folder.say(_("Show in folder: {what}").format(what=moment))
        self.restore.say(_("Restore…"), _("Restore: {when}").format(when=moment))


class _Question(FormCard):
    """Whether this backup shall be restored, with what that means."""

    def __init__(self, yes: Callable[[], object], no: Callable[[], object]) -> None:
        self._means, self.yes, self._no = (
            label("muted", wrap=True),
            button("primary", "archive-restore"),
            button(),
        )
        super().__init__(self._means, acts=(self.yes, self._no, None))
        self.yes.clicked.connect(yes)
        self._no.clicked.connect(no)
        self._shown: Backup | None = None
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        self._means.setText(
            _(
                "Restoring adds what is missing here. Anything newer here stays, and the backup’s version "
                "is put beside it. Your current data is backed up first."
            )
        )
        self.yes.say(_("Restore"))
        self._no.setText(_("Cancel"))
        if self._shown is not None:
            self.ask(self._shown)

    def ask(self, backup: "Backup") -> None:
        """Show the question for this backup."""
        self._shown = backup
        self.title.setText(_("Restore this backup? {about}").format(about=backup_words.about(backup)))
        self.show()
        self.yes.setFocus()


class Backups(Part):
    """Reads what there is whenever it is seen."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._found: Known | None = None
        self._chosen = ""
        self._about, self.outcome, self.progress = label("muted", wrap=True), Outcome(), Progress()
        self._now, self._save, self._open = button("primary", "archive"), button(), button()
        self._question = _Question(self._restore, self._put_away)
        self._card, self._frame, self._list = Card(), QFrame(), ItemList(_WORDS)
        self._lay_out()
        self._now.clicked.connect(lambda: self.make())
        self._save.clicked.connect(self._choose_target)
        self._open.clicked.connect(self._choose_source)
        self.progress.cancelled.connect(self._work.cancel)
        spoken(self._words)

    def _lay_out(self) -> None:
        buttons = QWidget()
        acts = Flow(buttons)
        for made in (self._now, self._save, self._open):
            acts.addWidget(made)
        self._frame.setProperty("kind", "card")
        down(self._list, edges=(1, Space.XS, 1, Space.XS), of=self._frame)
        self._frame.hide()
        self.column.setSpacing(Space.M)
        self.column.addWidget(self._about)
        self.column.addWidget(buttons)
        for widget in (self.outcome, self.progress, self._question, self._frame):
            self.column.addWidget(widget)
        self.column.addWidget(self._card)

    def _words(self) -> None:
        self._about.setText(
            _(
                "One file with your settings, conversations, memory, skills, tasks and files. Keys are "
                "not included; they stay in the keychain. Nanobot makes a backup before each update, "
                "import, repair and restore, and keeps the last five."
            )
        )
        self._now.say(_("Back up now"))
        self._save.setText(_("Save backup as…"))
        self._open.setText(_("Restore from a file…"))
        self._list.setAccessibleName(_("Restored"))
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._work.start(self._read(), name="backups:read")

    async def _read(self) -> None:
        try:
            found = await self._actions.api.backups.known()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        if found != self._found:
            self._found = found
            self._show()

    def _show(self) -> None:
        backups = self._found.backups if self._found is not None else ()
        rows = [BackupRow(backup) for backup in backups]
        for row, backup in zip(rows, backups, strict=True):
            row.restore.clicked.connect(partial(self.ask, backup.path))
            row.folder.clicked.connect(partial(show_in_folder, backup.path))
        self._card.fill(rows, _("No backups yet."))

    # ---- making

    def _choose_target(self) -> None:
        dialog = QFileDialog(self, _("Save backup as…"), str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.selectFile("nanobot-backup.zip")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.make)
        dialog.open()

    def make(self, path: str = "") -> None:
        """Make a backup at this path, or where the program keeps them."""
        self._work.start(self._make(path), name="backups:make", busy=(self._now, self._save, self._open))

    async def _make(self, path: str) -> None:
        made = await self._follow(_("Backing up"), self._actions.api.backups.make(path, replace=True))
        if made is not None:
            n = made.files
            text = _("{path}: {files}, {size}.").format(
                path=made.path,
                files=ngettext("{n} file", "{n} files", n).format(n=n),
                size=backup_words.size(made.size),
            )
            self.outcome.done(text)
            self.saved.emit("backup")
            await self._read()

    # ---- restoring

    def _choose_source(self) -> None:
        dialog = QFileDialog(self, _("Restore from a file…"), str(Path.home()), "*.zip")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.ask)
        dialog.open()

    def ask(self, path: str) -> None:
        """Look at a backup, and ask whether it shall be restored."""
        self._work.tell(self._ask(path), self.outcome, name="backups:look")

    async def _ask(self, path: str) -> None:
        self.outcome.clear()
        self._question.hide()
        found = await self._actions.api.backups.look(path)
        self._chosen = path
        self._question.ask(found)

    def _put_away(self) -> None:
        self._question.hide()
        self._open.setFocus()

    def _restore(self) -> None:
        self._question.hide()
        busy = (self._now, self._save, self._open)
        self._work.start(self._restoring(self._chosen), name="backups:restore", busy=busy)

    async def _restoring(self, path: str) -> None:
        done = await self._follow(_("Checking the backup"), self._actions.api.backups.restore(path))
        if done is not None:
            self.outcome.done(backup_words.summary(done.counts))
            self._list.show_items(done.items, done=True)
            self._frame.show()
            self.saved.emit("restore")
            await self._read()

    async def _follow[End](self, doing: str, work: AsyncIterator[Advanced | End]) -> End | None:
        """Show how far work is; None where it failed, and why is said."""
        end: End | None = None
        self.outcome.clear()
        self._frame.hide()
        self.progress.begin(doing)
        words = {"pack": _("Backing up"), "check": _("Checking the backup"), "merge": _("Restoring")}
        try:
            async for event in work:
                if isinstance(event, Advanced):
                    self.progress.tell(words.get(event.what, doing), event.done, event.total)
                else:
                    end = event
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        finally:
            self.progress.hide()
        return end
