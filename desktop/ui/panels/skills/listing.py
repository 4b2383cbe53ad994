"""The list of the skills: those of the person, and those that came with the program."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.panels.skills.row import SkillRow
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.lens import Lens
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.skills import SkillLine

_FEW = 8
_AT_ONCE = 3
"""Rows made in one go: more would be felt."""


class _Section(QWidget):
    """A heading and a card of rows."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[SkillRow] = []
        self.title, self.empty, self._card = label("section"), label("muted", wrap=True), QFrame()
        self._card.setProperty("kind", "card")
        self._inner = QVBoxLayout(self._card)
        self._inner.setContentsMargins(1, Space.XS, 1, Space.XS)
        self._inner.setSpacing(0)
        self.empty.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        self._inner.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, Space.M, 0, 0)
        column.setSpacing(Space.S)
        column.addWidget(self.title)
        column.addWidget(self._card)

    def add(self, row: SkillRow) -> None:
        row.first = not self.rows
        self.empty.hide()
        self._inner.addWidget(row)
        self.rows.append(row)

    def clear(self) -> None:
        for row in self.rows:
            row.hide()
            row.deleteLater()
        self.rows = []

    def sift(self, wanted: str, *, waiting: bool) -> None:
        """Show the rows with this text. `waiting`: more of them are still to be made."""
        hits = [row for row in self.rows if row.matches(wanted)]
        for row in self.rows:
            row.first = bool(hits) and row is hits[0]
            row.setVisible(row in hits)
        nothing = not (self.rows or wanted or waiting) and bool(self.empty.text())
        self.empty.setVisible(nothing)
        self.setVisible(bool(hits) or nothing)


class SkillList(QWidget):
    """Rows are made a few at a time, and kept while the skills are the same ones."""

    opened = Signal(str)
    switched = Signal(str, bool)
    new_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._about, self._where = label("muted", wrap=True), label("small", wrap=True)
        self._nothing = label("muted", wrap=True)
        self.new, self.search = button("", "plus"), QLineEdit()
        self.own, self.shipped = _Section(), _Section()
        self._skills: Sequence[SkillLine] = ()
        self._folder = ""
        self._drafts: Collection[str] = ()
        self._waiting: list[SkillLine] = []
        self._focus = ""
        Lens(self.search)
        self.search.setClearButtonEnabled(True)
        self._lay_out()
        self.new.clicked.connect(self.new_wanted)
        self.search.textChanged.connect(self._sift)
        spoken(self._words)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(Space.L)
        head.addWidget(self._about, 1)
        head.addWidget(self.new, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.S)
        column.addLayout(head)
        column.addSpacing(Space.S)
        column.addWidget(self.search)
        column.addWidget(self.own)
        column.addWidget(self.shipped)
        column.addWidget(self._nothing)
        column.addWidget(self._where)
        self.search.hide()
        self._nothing.hide()
        for words in (self._where, self._nothing):
            words.setContentsMargins(Space.XS, Space.S, 0, 0)

    def _words(self) -> None:
        self._about.setText(
            _(
                "A skill teaches the agent one kind of work. It reads one when a task fits, or when you "
                "write $ and its name in a message."
            )
        )
        self.new.setText(_("New skill"))
        self.new.setAccessibleName(_("New skill"))
        self.search.setPlaceholderText(_("Search skills"))
        self.search.setAccessibleName(_("Search skills"))
        self.own.title.setText(_("Yours"))
        self.own.empty.setText(_("None yet. Write one here, or tell the agent to."))
        self.shipped.title.setText(_("Built in"))
        self._nothing.setText(_("No skill has this text."))
        self._where.setText(_("Yours are in {folder}.").format(folder=self._folder) if self._folder else "")
        for row in self._rows:
            row.say()

    @property
    def _rows(self) -> list[SkillRow]:
        return [*self.own.rows, *self.shipped.rows]

    def show_skills(self, skills: Sequence["SkillLine"], folder: str, drafts: Collection[str]) -> None:
        """Show these; `drafts` are the names of those with unsaved text."""
        places = [(skill.name, skill.source) for skill in self._skills]
        before, self._skills, self._folder, self._drafts = places, skills, folder, drafts
        if before != [(skill.name, skill.source) for skill in skills]:
            self._remember()
            for section in (self.own, self.shipped):
                section.clear()
            waited, self._waiting = bool(self._waiting), list(skills)
            if not waited:
                QTimer.singleShot(0, self, self._make)
        now = {skill.name: skill for skill in skills}
        self._waiting = [now[skill.name] for skill in self._waiting]
        for row in self._rows:
            name = row.skill.name
            row.show_skill(now[name], draft=name in drafts)
        self.search.setVisible(len(skills) > _FEW)
        self._words()
        self._sift()

    def _remember(self) -> None:
        """Which row has the keyboard, for the new one to have it."""
        had = next((row for row in self._rows if row.hasFocus() or row.switch.hasFocus()), None)
        self._focus = had.skill.name if had is not None else ""

    def _make(self) -> None:
        for skill in self._waiting[:_AT_ONCE]:
            row = SkillRow()
            row.show_skill(skill, draft=skill.name in self._drafts)
            row.clicked.connect(lambda _checked=False, name=skill.name: self.opened.emit(name))
            row.switched.connect(self.switched)
            (self.own if skill.source == "workspace" else self.shipped).add(row)
            if skill.name == self._focus:
                row.setFocus()
        self._waiting = self._waiting[_AT_ONCE:]
        if self._waiting:
            QTimer.singleShot(0, self, self._make)
        else:
            self._sift()

    def _sift(self) -> None:
        wanted = self.search.text().strip().casefold() if not self.search.isHidden() else ""
        for section in (self.own, self.shipped):
            section.sift(wanted, waiting=bool(self._waiting))
        self._nothing.setVisible(bool(wanted) and self.own.isHidden() and self.shipped.isHidden())

    def focus_on(self, name: str) -> None:
        """Give the keyboard to a row, or to the button where it is gone."""
        row = next((row for row in self._rows if row.skill.name == name), None)
        if row is None and any(skill.name == name for skill in self._waiting):
            self._focus = name
        else:
            (row or self.new).setFocus()
