"""A form for a new skill: its name, what it is for, and what to do."""

import re
from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from desktop.skills.frontmatter import compose
from desktop.text import _
from desktop.ui.widgets.form import FormPage, complain
from desktop.ui.widgets.text_field import TextField
from desktop.ui.words import spoken

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_LONGEST_NAME, _LONGEST_ABOUT = 64, 500
_LINES = 10


class NewSkill(FormPage):
    """What is wrong is said while it is typed; what was typed stays until it is saved or cancelled."""

    save_wanted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.taken: Collection[str] = ()
        """Names that are in use."""
        self.name, self.about, self.text = QLineEdit(), QLineEdit(), TextField(_LINES, code=True)
        self.about.setMaxLength(_LONGEST_ABOUT)
        self._name_row, self._about_row = self.field(self.name), self.field(self.about, wide=True)
        self._text_row = self.field(self.text, wide=True)
        self.name.textEdited.connect(self._typed)
        spoken(self._words)

    def _words(self) -> None:
        self.back.say(_("Back to skills"), "Esc")
        self.title.setText(_("New skill"))
        self._name_row.call(_("Name"), _("Lowercase letters, digits and hyphens."))
        self._about_row.call(
            _("When to use it"), _("One line: what it does and when to use it. The agent relies on this.")
        )
        self._text_row.call(_("Instructions"), _("The steps, as you would explain them to someone new."))
        self.name.setPlaceholderText(_("water-bill"))
        self.about.setPlaceholderText(_("When a water bill arrives, check it against the meter readings."))
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
            return _("Enter a name.")
        if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
            return _("Use lowercase letters, digits and single hyphens, at most 64 characters.")
        if name in {taken.casefold() for taken in self.taken}:
            return _("There is already a skill named {name}.").format(name=name)
        return ""

    def give_up(self) -> None:
        self.clear()
        super().give_up()

    def submit(self) -> None:
        about, text = self.about.text().strip(), self.text.toPlainText().strip()
        wrong = complain(
            (self._name_row, self._wrong_name()),
            (self._about_row, "" if about else _("Say when the agent should use it.")),
            (self._text_row, "" if text else _("Write what the agent should do.")),
        )
        if not wrong:
            self.save_wanted.emit(self.name.text(), compose(self.name.text(), about, text))
