"""The values that a skill's commands need: entered here, kept in the keychain, never shown again."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.settings.key import KeyEdit
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.skills import SkillLine


class SkillKeys(QWidget):
    """A row for each; nothing where there is none."""

    entered = Signal(str, str)
    """The variable, and its value; empty to remove it."""

    def __init__(self) -> None:
        super().__init__()
        self._skill: SkillLine | None = None
        self._card = Card()
        self.fields: dict[str, KeyEdit] = {}
        self.removes: dict[str, Button] = {}
        self._rows: dict[str, Row] = {}
        down(self._card, of=self)
        spoken(self._words)

    def show_skill(self, skill: "SkillLine") -> None:
        """Show what this one needs, with empty fields."""
        self._skill = skill
        self.fields, self.removes, self._rows = {}, {}, {}
        self._card.fill(self._row(name) for name in skill.variables)
        self.setVisible(bool(self._rows))
        self._words()

    def _row(self, name: str) -> Row:
        field, remove, side = KeyEdit(), button(), QWidget()
        across((field, 1), remove, gap=Space.XS, of=side)
        field.edit.editingFinished.connect(partial(self._entered, name))
        remove.clicked.connect(partial(self.entered.emit, name, ""))
        self.fields[name], self.removes[name], self._rows[name] = field, remove, Row(side)
        return self._rows[name]

    def _entered(self, name: str) -> None:
        field = self.fields.get(name)
        if field is not None and (text := field.text()):
            field.clear()
            self.entered.emit(name, text)

    def _words(self) -> None:
        unset = self._skill.unset if self._skill is not None else ()
        for name, row in self._rows.items():
            about = _("Its commands get this only with your approval. Stored in this computer’s keychain.")
            set_ = _("A value is set. Enter a new one to replace it.")
            row.say(shown(name), about if name in unset else set_)
            self.fields[name].edit.setAccessibleName(_("Value of {name}").format(name=shown(name)))
            self.fields[name].edit.setPlaceholderText("" if name in unset else "••••••••••••")
            self.removes[name].say(_("Remove"), _("Remove the value of {name}").format(name=shown(name)))
            self.removes[name].setVisible(name not in unset)
