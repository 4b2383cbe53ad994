"""What holds for good: the sandbox, answers given for all calls of a kind, folders."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout

from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.permissions import Permitted


class Entry(Row):
    """One line of a list, with a button that takes it away."""

    def __init__(self, name: str, about: str, remove: Callable[[], object]) -> None:
        self.remove = button()
        super().__init__(self.remove, width=0)
        self.say(name, about)
        self.remove.say(_("Remove"), _("Remove: {name}").format(name=name))
        self.remove.clicked.connect(remove)


class PermissionsPart(Part):
    """Reads what there is whenever it is seen."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._permissions, self._work = actions.api.permissions, Work(self)
        self._found: Permitted | None = None
        self._sandbox, self._sign = label("small", wrap=True), Sign("info", "muted")
        self._rules_title, self._folders_title = label("section"), label("section")
        self._rules, self._folders, self._mine = Card(), Card(), Card()
        self._mine_title, self._mine_about = label("section"), label("muted", wrap=True)
        self._read, self._write = button("link", "plus"), button("link", "plus")
        self._vouch = button("link", "plus")
        self.outcome = Outcome()
        self._lay_out()
        self._read.clicked.connect(partial(self._choose, write=False))
        self._write.clicked.connect(partial(self._choose, write=True))
        self._vouch.clicked.connect(self._choose_mine)
        spoken(self._words)

    def _lay_out(self) -> None:
        about = QHBoxLayout()
        about.setContentsMargins(Space.XS, Space.XS, 0, 0)
        about.addWidget(self._sign)
        about.addWidget(self._sandbox, 1)
        adding = QVBoxLayout()
        adding.setContentsMargins(Space.XS, Space.XS, 0, 0)
        for made in (self._read, self._write):
            adding.addWidget(made, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addLayout(about)
        self.column.addSpacing(Space.L)
        self.column.addWidget(self._rules_title)
        self.column.addWidget(self._rules)
        self.column.addSpacing(Space.L)
        self.column.addWidget(self._folders_title)
        self.column.addWidget(self._folders)
        self.column.addLayout(adding)
        self.column.addSpacing(Space.L)
        self.column.addWidget(self._mine_title)
        self.column.addWidget(self._mine_about)
        self.column.addWidget(self._mine)
        self.column.addWidget(self._vouch, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(self.outcome)

    def _words(self) -> None:
        self._rules_title.setText(_("Always allowed"))
        self._folders_title.setText(_("Folders outside the workspace"))
        self._mine_title.setText(_("Your own files"))
        self._mine_about.setText(
            _(
                "The agent trusts files in these folders like your own messages, except what it or a "
                "command wrote there while the conversation contained untrusted content."
            )
        )
        for made, words in (
            (self._read, _("Add a folder to read…")),
            (self._write, _("Add a folder to read and write…")),
            (self._vouch, _("Add a folder of your own files…")),
        ):
            made.say(words)
        self._show()

    def refresh(self) -> None:
        self._work.start(self._reading(), name="settings:permissions")

    async def _reading(self) -> None:
        try:
            found = await self._permissions.read()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        if found != self._found:
            self._found = found
            self._show()

    def _show(self) -> None:
        if (found := self._found) is None:
            return
        self._sandbox.setText(found.sandbox.text)
        self._sign.show_icon(*(("shield-check", "success") if found.sandbox.works else ("info", "warning")))
        do = self._permissions
        answers = [
            Entry(answer.sentence, "", partial(self._do, do.forget, answer.rule)) for answer in found.rules
        ]
        folders = [
            Entry(
                folder.path,
                _("Read and write") if folder.write else _("Read only"),
                partial(self._do, do.revoke, folder.path),
            )
            for folder in found.folders
        ]
        nothing = _("None. Choose “Always allow” when the agent asks to add one.")
        self._fill(self._rules, answers, nothing)
        self._fill(self._folders, folders, _("None. The agent asks before using any other folder."))
        mine = [Entry(path, "", partial(self._do, do.unvouch, path)) for path in found.vouched]
        self._fill(self._mine, mine, _("None. All files count as unknown."))

    def _fill(self, card: Card, entries: list[Entry], nothing: str) -> None:
        had = any(made.hasFocus() for made in card.findChildren(Button))
        card.fill(entries, nothing)
        if had:
            (entries[0].remove if entries else self._read).setFocus()

    def _choose(self, *, write: bool) -> None:
        dialog = QFileDialog(self, (self._write if write else self._read).accessibleName())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(
            lambda path: self._do(partial(self._permissions.grant, write=write), path)
        )
        dialog.open()

    def _choose_mine(self) -> None:
        dialog = QFileDialog(self, self._vouch.accessibleName())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(
            lambda path: self._do(lambda mine: self._permissions.vouch(path=mine), path)
        )
        dialog.open()

    def _do[T](self, change: Callable[[T], Awaitable[None]], what: T, _on: bool = False) -> None:
        self._work.tell(self._doing(change(what)), self.outcome, name="settings:permissions")

    async def _doing(self, change: Awaitable[None]) -> None:
        self.outcome.clear()
        await change
        await self._reading()
        self.saved.emit("permissions")
