"""The card of the files that a turn changed: open them, see what changed, take it all back."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from desktop.text import _, ngettext
from desktop.ui.conversation.cells.choice import Shown
from desktop.ui.conversation.cells.slot import EDGE, Slot, place_layout
from desktop.ui.conversation.changed_files import AGAIN, DIFF, TAKE_BACK, FileWork
from desktop.ui.conversation.transcript import Entry
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import Button, IconButton, button
from desktop.ui.widgets.diff import DiffView
from desktop.ui.widgets.folders import can_open, open_file, show_in_folder
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.sign import Sign

if TYPE_CHECKING:
    from desktop.api.changes import ChangedFile


class FilesCell(Slot):
    """Small until it is read; then a card with a row a file."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._card = QFrame(self)
        self._card.setProperty("kind", "card")
        self.rows: list[FileRow] = []
        self._sign, self._title = Sign("file-text", "muted", Size.ICON), label("title")
        self.undo, self.redo = button(), button()
        self._told, self._commands = label("small", wrap=True), label("small", wrap=True)
        head = across(self._sign, (self._title, 1), self.undo, self.redo)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        self._column = down(
            head,
            self._rows,
            self._told,
            self._commands,
            gap=Space.XS,
            edges=(Space.L, Space.S, Space.M, Space.M),
            of=self._card,
        )
        self.undo.clicked.connect(lambda: self.work_wanted.emit(self.entry.id, TAKE_BACK, ""))
        self.redo.clicked.connect(lambda: self.work_wanted.emit(self.entry.id, AGAIN, ""))

    def keyboard_parts(self) -> list[QWidget]:
        parts: list[QWidget] = [self.undo, self.redo]
        for row in self.rows:
            parts += row.keyboard_parts()
        return parts

    def show_entry(self, entry: Entry, choice: Shown, name: str, *, again: bool = False) -> None:
        super().show_entry(entry, choice, name, again=again)
        work = entry.work
        assert work
        if not work.read:
            self.wanted.emit(entry.id)
        self._card.setVisible(bool(work.files))
        self._say(work)
        while len(self.rows) < len(work.files):
            row = FileRow(self._card)
            row.compared.connect(self._compare)
            row.diff.grown.connect(lambda: self.resized.emit(self))
            self.rows.append(row)
            self._rows.addWidget(row)
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(work.files))
            if number < len(work.files):
                row.show_file(work.files[number], work)

    def _say(self, work: FileWork) -> None:
        count = len(work.files)
        self._title.setText(
            ngettext("{count} file changed", "{count} files changed", count).format(count=count)
        )
        self._card.setAccessibleName(self._title.text())
        self.undo.setText(_("Undo"))
        self.undo.setToolTip(_("Restore these files to how they were before this answer"))
        self.redo.setText(_("Redo"))
        self.undo.setVisible(work.could("done"))
        self.redo.setVisible(work.could("undone") and not work.could("done"))
        self._told.setText(shown(work.left))
        self._told.setVisible(bool(work.left))
        listed = "\n".join(" ".join(shown(command).split()) for command in work.commands[:5])
        self._commands.setText(
            _("Commands ran as well. What they changed can’t be undone here:\n{commands}").format(
                commands=listed
            )
        )
        self._commands.setVisible(bool(work.commands))

    def _compare(self, path: str) -> None:
        self.work_wanted.emit(self.entry.id, DIFF, path)

    def arrange(self, width: int) -> int:
        if self._card.isHidden():
            return Space.XS
        column = width - 2 * EDGE
        for row in self.rows:
            row.fit()
        self._column.invalidate()
        self._column.activate()
        return place_layout(self._card, Space.XS, EDGE, column) + Space.L


class FileRow(QFrame):
    """One file: its name opens it, or shows where it is, for it may be a program."""

    compared = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._path = ""
        self.name: Button = button("link")
        self._where, self._state = label("small"), label("small")
        self._where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.compare: Button = button("quiet")
        self.folder = IconButton("folder")
        self.diff = DiffView()
        self._no_diff = label("small", wrap=True)
        row = across(self.name, (self._where, 1), self._state, self.compare, self.folder)
        down(row, self.diff, self._no_diff, gap=Space.XS, of=self)
        self.name.clicked.connect(lambda: open_file(self._path))
        self.folder.clicked.connect(lambda: show_in_folder(self._path))
        self.compare.clicked.connect(lambda: self.compared.emit(self._path))

    def keyboard_parts(self) -> list[QWidget]:
        """From left to right."""
        return [self.name, self.compare, self.folder, self.diff]

    def fit(self) -> None:
        """Have the height that is needed now: of what a layout holds the outer one hears later only."""
        if layout := self.layout():
            layout.invalidate()
            layout.activate()
        self.updateGeometry()

    def show_file(self, file: "ChangedFile", work: FileWork) -> None:
        """Show this one."""
        path, standing = file.path, file.standing
        self._path = path
        name = " ".join(shown(file.name).split())
        self.name.setText(name)
        opens = _("Open {name}") if can_open(path) else _("Show {name} in its folder")
        self.name.setAccessibleName(opens.format(name=name))
        self.name.setToolTip(tip(path))
        self._where.setText(" ".join(shown(file.where).split()))
        self._where.setToolTip(tip(path))
        self._state.setText(_state(standing, new=file.new))
        opened = path in work.open
        self.compare.setText(_("Hide") if opened else _("View diff"))
        self.compare.setAccessibleName(_("Diff of {name}").format(name=name))
        self.folder.say(_("Show {name} in its folder").format(name=name))
        diff = work.diffs.get(path)
        self.diff.setVisible(opened and bool(diff))
        self.diff.setAccessibleName(_("Diff of {name}").format(name=name))
        if diff and opened:
            self.diff.show_diff(diff)
        self._no_diff.setVisible(opened and diff == "")
        self._no_diff.setText(_("This is not a text file, so there is no diff."))


def _state(standing: str, *, new: bool) -> str:
    words = {
        "undone": _("undone"),
        "changed": _("changed since"),
        "lost": _("old version not kept"),
    }
    return words.get(standing) or (_("new") if new else "")
