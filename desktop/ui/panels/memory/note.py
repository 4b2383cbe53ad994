"""One note: its facts, each with its origin, or its text to be changed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.errors import AppError
from desktop.text import _, ngettext
from desktop.ui.actions import Actions
from desktop.ui.panels.memory import words
from desktop.ui.panels.memory.editor import NoteEditor
from desktop.ui.panels.memory.fact import FactRow
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.code_field import CodeField
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.stock import Stock
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.memory import Fact, NoteFile

_FACTS = 40
"""Shown at first, and by each press for more."""
_LINES, _LONGEST = 8, 20_000


class NoteCard(QWidget):
    """Shows what it is told; saves by itself, and tells by `changed`."""

    changed = Signal()
    forget_wanted = Signal(str, str)
    """The note and the fact."""

    def __init__(self, actions: Actions, name: str) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self.name = name
        self.file: NoteFile | None = None
        self._wanted, self._most = "", _FACTS
        self._title, self._about, self._saved = label("title"), label("small", wrap=True), label("small")
        self.edit, self.more = button("quiet", "pencil"), button("link")
        self._empty, self.text, self.outcome = label("muted", wrap=True), CodeField(_LINES), Outcome()
        self.editor: NoteEditor | None = None
        self._card, self._list = QFrame(), QVBoxLayout()
        self._card.setProperty("kind", "card")
        self.facts = Stock[FactRow, "Fact"](self._list, self._made, lambda row, fact: row.show_fact(fact))
        self._lay_out()
        self.edit.clicked.connect(self.begin)
        self.more.clicked.connect(self._show_more)
        spoken(self._words)

    def _lay_out(self) -> None:
        words_ = down(self._title, self._about, gap=2)
        head = across((words_, 1), self._saved, self.edit, edges=(Space.L, Space.S, Space.S, Space.XS))
        self._list.setSpacing(0)
        self._inner = down(
            head, self.outcome, self._empty, gap=0, edges=(1, Space.XS, 1, Space.S), of=self._card
        )
        aside = QHBoxLayout()
        aside.setContentsMargins(Space.L, 0, Space.L, 0)
        aside.addWidget(self.text)
        self._inner.addLayout(aside)
        self._inner.addLayout(self._list)
        self._inner.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        for part in (self.outcome, self._empty, self.more):
            part.setContentsMargins(Space.L, Space.XS, Space.L, Space.XS)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, Space.S)
        column.addWidget(self._card)
        for hidden in (self._saved, self.text, self.more):
            hidden.hide()

    def _words(self) -> None:
        title = words.title(self.name)
        self._title.setText(title)
        self._about.setText(words.about(self.name))
        self.edit.say(_("Edit"), _("Edit {name}").format(name=title))
        self._empty.setText(_("Nothing yet."))
        self.text.setAccessibleName(title)
        for row in self.facts.rows:
            row.say()
        self._show()

    # ---- what it shows

    def show_file(self, file: "NoteFile", wanted: str) -> bool:
        """Show this note: the facts with the text `wanted`, in small letters, or all. Returns whether there
        is something with it."""
        if wanted != self._wanted:
            self._most = _FACTS
        self.file, self._wanted = file, wanted
        return self._show()

    def _hits(self) -> "Sequence[Fact]":
        facts = self.file.facts if self.file is not None else ()
        if not self._wanted:
            return facts
        return [fact for fact in facts if self._wanted in f"{fact.text}\n{fact.title}".casefold()]

    def _show(self) -> bool:
        file, hits, editing = self.file, self._hits(), self.editing
        text = file.text.strip() if file is not None else ""
        self.facts.show_items([] if editing else hits[: self._most])
        prose = bool(text) and file is not None and not file.facts
        if prose:
            self.text.show_text(shown(text[:_LONGEST]))
        self.text.setVisible(prose and not editing)
        self._empty.setVisible(file is not None and not text and not editing)
        left = max(0, len(hits) - self._most)
        self.more.setText(ngettext("Show {count} more", "Show {count} more", left).format(count=left))
        self.more.setVisible(left > 0 and not editing)
        self.edit.setVisible((file is None or file.editable) and not editing)
        if file is not None and file.problem:
            self.outcome.failed(shown(file.problem), shown(file.remedy), tone="warning")
        else:
            self.outcome.clear()
        found = bool(hits) or not self._wanted or (prose and self._wanted in text.casefold())
        self.setVisible(found or editing)
        return found

    def _show_more(self) -> None:
        self._most += _FACTS
        self._show()

    def _made(self) -> FactRow:
        row = FactRow()
        row.forget_wanted.connect(lambda fact: self.forget_wanted.emit(self.name, fact))
        return row

    # ---- changing it

    @property
    def editing(self) -> bool:
        """Whether its text is being changed."""
        return self.editor is not None and not self.editor.isHidden()

    def begin(self) -> None:
        """Open the text for changing."""
        if self.editor is None:
            self.editor = NoteEditor(self.name)
            self.editor.save_wanted.connect(self._save)
            self.editor.left.connect(self._leave)
            self._inner.addWidget(self.editor)
        self._saved.hide()
        self.editor.show()
        self._show()
        self.editor.begin(self.file.text if self.file is not None else "")

    def _leave(self) -> None:
        assert self.editor is not None
        self.editor.hide()
        self._show()
        self.edit.setFocus()

    def _save(self, text: str, base: str) -> None:
        assert self.editor is not None
        self._work.start(
            self._saving(self.editor, text, base), name="memory:save", busy=(self.editor.save,)
        )

    async def _saving(self, editor: NoteEditor, text: str, base: str) -> None:
        try:
            commit = await self._actions.api.memory.save(self.name, text, base)
        except AppError as error:
            now = await self._text_now()
            if now is not None and now != base:
                editor.conflict(now)
                self.changed.emit()
            else:
                editor.outcome.failed(error.text, error.remedy)
            return
        if self.file is not None:
            self.file = replace(self.file, text=text)
        self._leave()
        self.told(commit)
        self.changed.emit()

    async def _text_now(self) -> str | None:
        try:
            files = (await self._actions.api.memory.known()).files
        except AppError:
            return None
        return next((file.text for file in files if file.name == self.name), None)

    def told(self, commit: str) -> None:
        """It was saved just now, as this version."""
        self._saved.setText(_("Saved · {time}").format(time=words.now()))
        self._saved.setToolTip(_("Version {id}").format(id=commit[:8]) if commit else "")
        self._saved.show()
