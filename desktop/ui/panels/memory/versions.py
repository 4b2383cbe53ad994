"""Every version of the memory: what each changed, any two compared, one brought back."""

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.memory import timeline, words
from desktop.ui.panels.memory.timeline import Timeline
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.diff import DiffView
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.stock import Stock
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.memory import Difference, VersionLine

_LIMIT = 100
_BEFORE, _NOW = "", "now"


class FileDiff(QWidget):
    """What changed in one file."""

    restore_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._file: Difference | None = None
        self._title, self._short, self.diff = label("title"), label("muted", wrap=True), DiffView()
        self.restore = button("link")
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.restore)
        down(head, self._short, self.diff, gap=Space.XS, edges=(0, Space.S, 0, 0), of=self)
        self.restore.clicked.connect(lambda: self._file and self.restore_wanted.emit(self._file.name))

    def show_file(self, file: "Difference", *, beside: bool) -> None:
        """Show this one."""
        self._file = file
        self.diff.show_diff(file.diff, beside=beside)
        self.diff.setVisible(bool(file.diff))
        self._short.setVisible(not file.diff)
        self.say()

    def say(self) -> None:
        """Set the words."""
        if self._file is None:
            return
        title = words.file_title(self._file.name)
        self._title.setText(title)
        self._short.setText(_("The text is too long to compare here."))
        self.diff.setAccessibleName(_("Changes to {file}").format(file=title))
        self.restore.say(_("Restore file"), _("Restore {file} to this version").format(file=title))


class Versions(QWidget):
    """Reads them when it is told to."""

    changed = Signal()
    """The memory is another one."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._versions: Sequence[VersionLine] = ()
        self._about, self._nothing = label("muted", wrap=True), label("muted", wrap=True)
        self.undo, self.outcome, self.list = button("", "undo-2"), Outcome(), Timeline()
        self._with, self.other = label("small"), QComboBox()
        self._beside_words, self.beside = label("small"), Switch()
        self.restore, self._same = button(), label("muted")
        self._detail, self._files_column = QWidget(), QVBoxLayout()
        self.files = Stock[FileDiff, "Difference"](self._files_column, self._made, self._show_file)
        self._lay_out()
        self.list.chosen.connect(self._turn_to)
        self.other.activated.connect(lambda _at: self._compare())
        self.beside.toggled.connect(lambda _on: self._compare())
        self.undo.clicked.connect(lambda: self._do(self._actions.api.memory.undo(), self.undo))
        self.restore.clicked.connect(lambda: self._restore(""))
        spoken(self._words)

    def _lay_out(self) -> None:
        card = QFrame()
        card.setProperty("kind", "card")
        inner = QVBoxLayout(card)
        inner.setContentsMargins(Space.XS, Space.XS, Space.XS, Space.XS)
        inner.addWidget(self.list)
        inner.addWidget(self._nothing)
        head = across((self._about, 1), self.undo, gap=Space.L)
        bar = across(self._with, (self.other, 1))
        bar.addSpacing(Space.S)
        bar.addWidget(self._beside_words)
        bar.addWidget(self.beside)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.restore)
        detail = QVBoxLayout(self._detail)
        detail.setContentsMargins(0, Space.XS, 0, 0)
        detail.addLayout(bar)
        detail.addWidget(self._same)
        detail.addLayout(self._files_column)
        detail.addSpacing(Space.XS)
        detail.addLayout(foot)
        down(head, self.outcome, card, self._detail, of=self)
        self.list.setMinimumWidth(80)
        self.other.setMinimumWidth(80)
        for part in (self._nothing, self._detail, self._same):
            part.hide()

    def _words(self) -> None:
        self._about.setText(_("Every change to memory is kept and can be undone."))
        self._nothing.setText(_("No versions yet. Nothing has changed."))
        self.undo.say(_("Undo last change"))
        self._with.setText(_("Compare with"))
        self.other.setAccessibleName(_("Compare with"))
        self._beside_words.setText(_("Side by side"))
        self.beside.setAccessibleName(_("Side by side"))
        self.restore.setText(_("Restore all to this version"))
        self._same.setText(_("No differences."))
        self._fill_others()
        for row in self.files.rows:
            row.say()

    # ---- what there is

    def refresh(self) -> None:
        """Read the versions."""
        self._work.start(self._read(), name="memory:log")

    async def _read(self) -> None:
        try:
            found = await self._actions.api.memory.log(_LIMIT)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        if found != self._versions:
            self._versions = found
            self._fill_others()
            self.list.show_versions(found)
        self.list.setVisible(bool(found))
        self._nothing.setVisible(not found)
        self._detail.setVisible(bool(found))
        self.undo.setEnabled(len(found) > 1)

    def _fill_others(self) -> None:
        chosen = self.other.currentData()
        self.other.clear()
        self.other.addItem(_("the previous version"), _BEFORE)
        self.other.addItem(_("the current files"), _NOW)
        for version in self._versions:
            self.other.addItem(timeline.name(version), version.id)
        self.other.setCurrentIndex(max(0, self.other.findData(chosen)))

    def _turn_to(self, _row: int) -> None:
        self._compare()

    @property
    def _chosen(self) -> "VersionLine | None":
        return self._versions[self.list.row] if 0 <= self.list.row < len(self._versions) else None

    def _compare(self) -> None:
        self._work.tell(self._comparing(), self.outcome, name="memory:diff")

    async def _comparing(self) -> None:
        version, other = self._chosen, self.other.currentData()
        if version is None:
            return
        found = await self._actions.api.memory.diff(*self._pair(version, other))
        if version is self._chosen and other == self.other.currentData():
            self.files.show_items(found)
            self._same.setVisible(not found)

    def _pair(self, version: "VersionLine", other: str) -> tuple[str, str]:
        """The older one first: what is green came later."""
        if other == _BEFORE:
            return version.id, ""
        if other == _NOW:
            return version.id, _NOW
        ids = [one.id for one in self._versions]
        older, newer = sorted((version.id, other), key=ids.index, reverse=True)
        return older, newer

    def _made(self) -> FileDiff:
        row = FileDiff()
        row.restore_wanted.connect(self._restore)
        return row

    def _show_file(self, row: FileDiff, file: "Difference") -> None:
        row.show_file(file, beside=self.beside.isChecked())

    # ---- what is done

    def _restore(self, file: str) -> None:
        if self._chosen is not None:
            self._do(self._actions.api.memory.restore(self._chosen.id, file), self.restore)

    def _do(self, work: Awaitable[str], pressed: Button) -> None:
        self._work.tell(self._doing(work), self.outcome, name="memory:bring-back", busy=(pressed,))

    async def _doing(self, work: Awaitable[str]) -> None:
        commit = await work
        if commit:
            self.outcome.done(_("Restored. This is a new version, so you can undo it too."))
        else:
            self.outcome.done(_("Nothing to restore: the files are the same."))
        await self._read()
        self.changed.emit()
