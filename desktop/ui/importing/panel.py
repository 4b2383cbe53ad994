"""Taking over a nanobot home: it is found or given, looked at, and brought here if the person wants it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QLineEdit, QVBoxLayout, QWidget

from desktop.api import backup_words, import_words
from desktop.errors import AppError
from desktop.pace import Advanced
from desktop.text import _, ngettext
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.items import ItemList, Words
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.progress import Progress
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.imports import Items, Plan


def _groups(done: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        (_("Not imported"), ("failed",)),
        (_("Imported") if done else _("To be imported"), ("take", "add")),
        (_("Off until you approve it in the inbox"), ("waits",)),
        (_("Changed during import"), ("change",)),
        (_("Kept but not used here"), ("inert",)),
        (_("Left in the old home"), ("left",)),
        (_("Already here"), ("same",)),
    )


_WORDS = Words(_groups, backup_words.kinds, import_words.actions, backup_words.many)


class ImportPanel(Part):
    """Looks for an old home when it is first seen."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._task: asyncio.Task[None] | None = None
        self._plan: Plan | None = None
        self._looked_at = ""
        self._seen = self._done = False
        self._about = label("muted", wrap=True)
        self.folder, self._browse, self._look = QLineEdit(), IconButton("ellipsis"), button()
        self.outcome, self.progress = Outcome(), Progress()
        self._below, self.list, self._more = QWidget(), ItemList(_WORDS), label("small", wrap=True)
        self._sum = label(wrap=True)
        self._switch = Switch()
        self._scrub, self._warning = Row(self._switch, width=0), label("muted", wrap=True)
        self._card, self._begin = Card(), button("primary", "folder-input")
        self._lay_out()
        self.folder.returnPressed.connect(self.look)
        self._browse.clicked.connect(self._choose)
        self._look.clicked.connect(self.look)
        self._begin.clicked.connect(self.begin)
        self._switch.toggled.connect(self._can_begin)
        self.progress.cancelled.connect(self.cancel)
        spoken(self._words)

    def _lay_out(self) -> None:
        place = across(self.folder, self._browse, self._look)
        self._card.add(self._scrub)
        below = QVBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(Space.M)
        frame = QFrame()
        frame.setProperty("kind", "card")
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(1, Space.XS, 1, Space.XS)
        inner.addWidget(self.list)
        for shown in (self._sum, frame, self._more, self._card, self._warning):
            below.addWidget(shown)
        below.addWidget(self._begin, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.setSpacing(Space.M)
        self.column.addWidget(self._about)
        self.column.addLayout(place)
        for part in (self.outcome, self.progress, self._below):
            self.column.addWidget(part)
        self._below.hide()

    def _words(self) -> None:
        self._about.setText(
            _(
                "Imports settings, conversations, memory, skills and reminders from nanobot. You see what "
                "will be imported first. Nothing here is replaced, and importing again adds only what is "
                "new."
            )
        )
        self.folder.setAccessibleName(_("Old home folder"))
        self.folder.setPlaceholderText(_("The .nanobot folder, or the folder that contains it"))
        self._browse.say(_("Choose a folder"))
        self._look.setText(_("Check"))
        self._begin.say(_("Import"))
        self._scrub.say(
            _("Remove keys from the old file"),
            _(
                "Once they are in the keychain. Otherwise the old home is not touched, and the keys stay "
                "there in plain text."
            ),
        )
        self._switch.setAccessibleName(_("Remove keys from the old file"))
        self.list.setAccessibleName(_("Imported") if self._done else _("To be imported"))
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._seen:
            self._seen = True
            self._work.start(self._find(), name="import:find")

    # ---- looking

    async def _find(self) -> None:
        try:
            path = await self._actions.api.imports.found()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        if path and not self.folder.text():
            self.folder.setText(path)
            self.look()

    def _choose(self) -> None:
        dialog = QFileDialog(self, _("Choose a folder"), self.folder.text() or str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._chosen)
        dialog.open()

    def _chosen(self, path: str) -> None:
        self.folder.setText(path)
        self.look()

    def look(self) -> None:
        """Show what would become of each thing in the folder."""
        self._start(self._looking(self._path()))

    def _path(self) -> str:
        text = self.folder.text().strip()
        return str(Path(text).expanduser()) if text else ""

    async def _looking(self, path: str) -> None:
        self._done, self._looked_at = False, path
        if await self._follow(_("Reading the old home"), self._actions.api.imports.plan(path)):
            self._show()
            if self._taken:
                self.outcome.clear()
            else:
                self.outcome.done(_("Everything is already here."))

    # ---- importing

    def begin(self) -> None:
        """Bring it here."""
        scrub = self._switch.isChecked() and not self._card.isHidden()
        self._start(self._importing(self._looked_at, scrub))

    def cancel(self) -> None:
        """End what is under way; what is here already stays."""
        if self._task is not None:
            self._task.cancel()

    async def _importing(self, path: str, scrub: bool) -> None:
        try:
            if await self._follow(_("Importing"), self._actions.api.imports.run(path, scrub=scrub)):
                self._tell_done()
        except asyncio.CancelledError:
            text = _("Stopped. Everything imported so far is kept.")
            again = ((_("Resume"), self.look),)
            self.outcome.failed(text, _("Import again to continue."), tone="info", actions=again)
            raise
        finally:
            self.saved.emit("import")

    def _tell_done(self) -> None:
        self._done = True
        self._show()
        assert self._plan is not None
        counts = self._plan.counts
        if failed := counts.of("failed"):
            again = ((_("Check again"), self.look),)
            self.outcome.failed(*import_words.failures(failed), tone="warning", actions=again)
        else:
            self.outcome.done(import_words.summary(counts, done=True))

    def _start(self, work: Any) -> None:
        if self._task is not None and not self._task.done():
            work.close()
            return
        self._task = self._work.start(work, name="import:work", busy=(self._look, self._begin))

    async def _follow(self, doing: str, work: "AsyncIterator[Items | Advanced | Plan]") -> bool:
        """Show how far work is; it comes to the plan. False where it failed."""
        had_keyboard = self._begin.hasFocus() or self._look.hasFocus()
        self.outcome.clear()
        self._below.hide()
        self.progress.begin(doing)
        if had_keyboard:
            self.progress.cancel.setFocus()
        try:
            async for event in work:
                from desktop.api.imports import Plan  # not before the core has loaded it, in a thread

                if isinstance(event, Advanced):
                    words = {"read": _("Reading the old home"), "take": _("Importing")}
                    self.progress.tell(words.get(event.what, doing), event.done, event.total)
                elif isinstance(event, Plan):
                    self._plan = event
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return False
        finally:
            kept = self.progress.cancel.hasFocus()
            self.progress.hide()
            if kept:
                self.folder.setFocus()
        return True

    # ---- what there is

    def _show(self) -> None:
        plan, done = self._plan, self._done
        if plan is None:
            return
        keys = [item for item in plan.items if item.kind == "key" and item.action in ("change", "same")]
        self.list.setAccessibleName(_("Imported") if done else _("To be imported"))
        self.list.show_items(plan.items, done=done)
        self._sum.setText(import_words.summary(plan.counts, done=False))
        self._sum.setVisible(not done and self._taken > 0)
        left = plan.left_out
        more = ngettext("{count} more not shown.", "{count} more not shown.", left)
        self._more.setText(more.format(count=f"{left:,}"))
        self._more.setVisible(left > 0)
        self._card.setVisible(bool(keys) and not done)
        self._warning.setText("\n".join(plan.warnings))
        self._warning.setVisible(bool(plan.warnings))
        self._begin.setVisible(not done and bool(self._taken or keys))
        self._can_begin()
        self._below.show()

    @property
    def _taken(self) -> int:
        return self._plan.counts.of(*import_words.TAKEN) if self._plan is not None else 0

    def _can_begin(self) -> None:
        self._begin.setEnabled(self._plan is not None and (self._taken > 0 or self._switch.isChecked()))
