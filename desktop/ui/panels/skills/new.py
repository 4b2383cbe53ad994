"""A form for a new skill: its name, what it is for, and what to do."""

import re
from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.skills.frontmatter import compose
from desktop.text import _
from desktop.ui.panels.skills.text import SkillText
from desktop.ui.settings.rows import Card, Row
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.words import spoken

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_LONGEST_NAME, _LONGEST_ABOUT = 64, 500
_LINES = 10


class NewSkill(QWidget):
    """What is wrong is said while it is typed; what was typed stays until it is saved or cancelled."""

    left = Signal()
    save_wanted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.taken: Collection[str] = ()
        """Names that are in use."""
        self.back, self._title = IconButton("chevron-left"), label("title")
        self.name, self.about, self.text = QLineEdit(), QLineEdit(), SkillText(_LINES)
        self.about.setMaxLength(_LONGEST_ABOUT)
        self._name_row, self._about_row = Row(self.name), Row(self.about, wide=True)
        self._text_row = Row(self.text, wide=True)
        self.outcome, self.cancel, self.save = Outcome(), button(), button("primary")
        self._lay_out()
        self.back.clicked.connect(self.left)
        self.cancel.clicked.connect(self._cancelled)
        self.save.clicked.connect(self._save)
        self.name.textEdited.connect(self._typed)
        for edit in (self.name, self.about):
            edit.returnPressed.connect(self._save)
        self.about.textEdited.connect(lambda: self._about_row.complain(""))
        self.text.textChanged.connect(lambda: self._text_row.complain(""))
        self.text.save_wanted.connect(self._save)
        spoken(self._words)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(Space.M)
        head.addWidget(self.back)
        head.addWidget(self._title, 1)
        card = Card()
        for row in (self._name_row, self._about_row, self._text_row):
            card.add(row)
        buttons = QHBoxLayout()
        buttons.setSpacing(Space.S)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.M)
        column.addLayout(head)
        column.addWidget(card)
        column.addWidget(self.outcome)
        column.addLayout(buttons)

    def _words(self) -> None:
        self.back.say(_("Back to the skills"), "Esc")
        self._title.setText(_("New skill"))
        self._name_row.say(_("Name"), _("Small letters, digits and hyphens."))
        self._about_row.say(
            _("When to use it"), _("One line: what it does, and when. The agent decides by it.")
        )
        self._text_row.say(_("Instructions"), _("The steps, as you would tell them to somebody new."))
        self.name.setPlaceholderText(_("water-bill"))
        self.about.setPlaceholderText(
            _("Check the water bill against the meter readings, when one arrives.")
        )
        for field, row in (
            (self.name, self._name_row),
            (self.about, self._about_row),
            (self.text, self._text_row),
        ):
            field.setAccessibleName(row.title.text())
        self.cancel.setText(_("Cancel"))
        self.save.setText(_("Create skill"))

    def clear(self) -> None:
        """Begin anew."""
        self.name.clear()
        self.about.clear()
        self.text.clear()
        for row in (self._name_row, self._about_row, self._text_row):
            row.complain("")
        self.outcome.clear()

    def _typed(self, text: str) -> None:
        proper = text.lower().replace(" ", "-").replace("_", "-")
        if proper != text:
            place = self.name.cursorPosition()
            self.name.setText(proper)
            self.name.setCursorPosition(place)
        self._name_row.complain(self._wrong_name() if proper and not proper.endswith("-") else "")

    def _wrong_name(self) -> str:
        name = self.name.text()
        if not name:
            return _("It needs a name.")
        if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
            return _("Use small letters, digits and single hyphens, 64 at the most.")
        if name in {taken.casefold() for taken in self.taken}:
            return _("There is already a skill called {name}.").format(name=name)
        return ""

    def _save(self) -> None:
        if self.save.busy:
            return
        about, text = self.about.text().strip(), self.text.toPlainText().strip()
        wrong = (
            (self._name_row, self.name, self._wrong_name()),
            (self._about_row, self.about, "" if about else _("Say when the agent should use it.")),
            (self._text_row, self.text, "" if text else _("Write what the agent should do.")),
        )
        for row, _field, problem in wrong:
            row.complain(problem)
        for _row, field, problem in wrong:
            if problem:
                field.setFocus()
                return
        self.save_wanted.emit(self.name.text(), compose(self.name.text(), about, text))

    def _cancelled(self) -> None:
        self.clear()
        self.left.emit()
