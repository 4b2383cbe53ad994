"""The list of the skills: those of the person, and those that came with the program."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from desktop.text import _
from desktop.ui.panels.skills.row import SkillRow, about
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.list_page import ListPage
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.skills import SkillLine


class SkillList(ListPage[SkillRow, "SkillLine"]):
    """Each of the two in a card of its own."""

    def __init__(self) -> None:
        super().__init__("graduation-cap", "")
        self._where = label("small", wrap=True)
        self._where.setContentsMargins(Space.XS, Space.S, 0, 0)
        self.column.addWidget(self._where)
        self._folder = ""
        self._drafts: Collection[str] = ()
        spoken(self._words)

    def _words(self) -> None:
        about_all = _(
            "A skill teaches the agent how to do one kind of work. The agent reads it when a task fits, "
            "or when you type $ and its name in a message."
        )
        new = (_("New skill"), _("New skill"))
        self.say(about_all, new, _("Search skills"), _("No results"))
        own, shipped = self.sections
        own.call(_("Yours"))
        assert own.empty is not None
        own.empty.say("", _("None yet. Write one here, or ask the agent to."))
        shipped.call(_("Built-in"))
        self._say_where()

    def _say_where(self) -> None:
        self._where.setText(
            _("Your skills are in {folder}.").format(folder=self._folder) if self._folder else ""
        )

    def show_skills(self, skills: Sequence["SkillLine"], folder: str, drafts: Collection[str]) -> None:
        """Show these. `drafts`: names of those with text that was not saved."""
        self._folder, self._drafts = folder, drafts
        own = [skill for skill in skills if skill.source == "workspace"]
        self.show_items(own, [skill for skill in skills if skill.source != "workspace"])
        self._say_where()

    def make_row(self) -> SkillRow:
        return SkillRow()

    def show_row(self, row: SkillRow, item: "SkillLine") -> None:
        row.show_skill(item, draft=item.name in self._drafts)

    def found_by(self, item: "SkillLine") -> str:
        return f"{item.name}\n{item.description}\n{about(item)}"
