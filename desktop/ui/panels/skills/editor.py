"""One skill, opened in the place of the list: read it, change it, make a built-in one one's own."""

from PySide6.QtCore import Qt, Signal

from desktop.api.skills import SkillFile
from desktop.text import _
from desktop.ui.panels.skills.keys import SkillKeys
from desktop.ui.panels.skills.row import about, trouble
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.form import FormPage
from desktop.ui.widgets.labels import Elided, label, tag
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.text_field import TextField
from desktop.ui.widgets.tile import Tile
from desktop.ui.words import spoken

_LINES = 20


class SkillEditor(FormPage):
    """What was typed and not saved is told by `drafted`, and kept by who listens."""

    save_wanted = Signal(str, str)
    delete_wanted = Signal(str)
    drafted = Signal(str, object)
    """A name, and the text that is not saved; None where there is none any more."""

    def __init__(self) -> None:
        self.skill = SkillFile()
        self._own_copy = False
        self._tile, self._tag, self._name = Tile("graduation-cap"), tag(), Elided("title")
        self._about, self._path = label("small", wrap=True), label("small", wrap=True)
        self._path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text, self._wrong, self.keys = TextField(_LINES, code=True), Outcome(), SkillKeys()
        self.customise = button()
        words = down(across(self._name, self._tag, None), self._about, gap=2)
        title = across((self._tile, Qt.AlignmentFlag.AlignTop), (words, 1), gap=Space.M)
        super().__init__(self._wrong, self.keys, self.text, title=title, act=self.customise)
        self.column.addWidget(self._path)
        self.customise.clicked.connect(self._make_own)
        self.delete.clicked.connect(lambda: self.delete_wanted.emit(self.skill.name))
        self.text.save_wanted.connect(self.save.click)
        self.text.textChanged.connect(self._typed)
        spoken(self._words)

    def _words(self) -> None:
        skill = self.skill
        self.back.say(_("Back to skills"), "Esc")
        self.text.setAccessibleName(_("Text of {name}").format(name=shown(skill.name)))
        self.cancel.setText(_("Cancel"))
        self.save.setText(_("Save"))
        self.customise.setText(_("Customize"))
        self.customise.setToolTip(_("Make your own copy to use instead"))
        self.delete.setText(_("Restore built-in") if skill.shadows else _("Delete"))
        if skill.source == "builtin":
            self._tag.setText(_("your copy") if self._own_copy else _("built-in"))
        else:
            self._tag.setText(_("replaces the built-in") if skill.shadows else _("yours"))
        why, remedy = trouble(skill) if skill.name else ("", "")
        if why:
            self._wrong.failed(shown(why), shown(remedy), tone="warning")
        else:
            self._wrong.clear()

    def show_skill(self, skill: SkillFile, draft: tuple[str, str] | None) -> None:
        """Open one. `draft`: the text it had when it was changed here, and the text that was not saved."""
        self.skill = skill
        self._own_copy = draft is not None and skill.source == "builtin"
        self._tile.show_letters(skill.emoji)
        self._name.setText(shown(skill.name))
        self._about.setText(shown(about(skill)))
        self._path.setText(shown(skill.path))
        self.keys.show_skill(skill)
        self.outcome.clear()
        self.text.blockSignals(True)
        self.text.show_text(skill.text if draft is None else draft[1])
        self.text.blockSignals(False)
        self.text.setVisible(bool(skill.text) or skill.editable)
        if draft is not None and draft[0] != skill.text:
            self.outcome.failed(
                _("The file changed while you were editing."),
                _("Save replaces it with your text. Cancel keeps the file."),
                tone="warning",
            )
        self._words()
        self._arrange()

    def take_keyboard(self) -> None:
        """Give it to the text, or to the way back where that is only read."""
        (self.back if self.text.isReadOnly() else self.text).setFocus()

    @property
    def _editable(self) -> bool:
        return self._own_copy or self.skill.editable

    @property
    def _changed(self) -> bool:
        return self._own_copy or self.text.toPlainText() != self.skill.text

    def _arrange(self) -> None:
        changed = self._changed
        self.text.setReadOnly(not self._editable)
        self.delete.setVisible(self.skill.source == "workspace")
        self.customise.setVisible(self.skill.source == "builtin" and not self._own_copy)
        self.save.setVisible(self._editable)
        self.save.setEnabled(changed)
        self.cancel.setVisible(self._editable and changed)

    def _typed(self) -> None:
        self._arrange()
        self.drafted.emit(self.skill.name, self.text.toPlainText() if self._changed else None)

    def _make_own(self) -> None:
        self._own_copy = True
        self._words()
        self._arrange()
        self.text.setFocus()
        self.drafted.emit(self.skill.name, self.text.toPlainText())

    def give_up(self) -> None:
        self.drafted.emit(self.skill.name, None)
        self.left.emit()

    def submit(self) -> None:
        if self._editable and self._changed:
            self.save_wanted.emit(self.skill.name, self.text.toPlainText())
