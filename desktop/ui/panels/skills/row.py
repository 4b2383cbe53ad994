"""One skill of the list: what it is, whether it can be used and why not, a switch."""

from typing import TYPE_CHECKING

from desktop.skills import words
from desktop.text import _, sentences
from desktop.ui.widgets.labels import Elided, tip
from desktop.ui.widgets.list_row import ListRow, SignLine
from desktop.ui.widgets.plain import shown

if TYPE_CHECKING:
    from desktop.api.skills import SkillLine


class SkillRow(ListRow):
    """It opens to be read and changed."""

    def __init__(self) -> None:
        super().__init__("graduation-cap")
        self.skill: SkillLine
        """Once it shows one."""
        self._shown: object = None
        self._draft = False
        self._about, self._wrong = Elided("small"), SignLine("triangle-alert", "warning")
        self.add_line(self._about)
        self.add_line(self._wrong)

    def show_skill(self, skill: "SkillLine", *, draft: bool) -> None:
        """Show it as it is now; `draft`: there is text of it that was not saved."""
        self.switch.setChecked(skill.enabled)
        if self._shown == (skill, draft):
            return
        self.skill, self.key, self._draft, self._shown = skill, skill.name, draft, (skill, draft)
        self.tile.show_letters(skill.emoji)
        self.say()

    def say(self) -> None:
        skill, why = self.skill, sentences(*trouble(self.skill))
        self.say_title(shown(skill.name), on=skill.enabled)
        self._about.setText(shown(about(skill)))
        self._about.setVisible(skill.description != skill.name)
        tags = [
            _("replaces the built-in") if skill.shadows else "",
            _("in every conversation") if skill.always else "",
            _("not saved") if self._draft else "",
        ]
        self.say_tag(" · ".join(filter(None, tags)))
        self._wrong.say(shown(why), "triangle-alert", "warning" if skill.enabled else "muted")
        self.setToolTip(tip(shown(about(skill))))
        source = _("built-in") if skill.source == "builtin" else _("yours")
        parts = [skill.name, source, *filter(None, tags), about(skill), why]
        self.setAccessibleName(shown(", ".join(filter(None, parts))))
        self.switch.setAccessibleName(_("Use {name}").format(name=shown(skill.name)))


def about(skill: "SkillLine") -> str:
    """What a skill is for, in the person's language where that is known."""
    return words.about(skill.name, skill.source, skill.description)


def trouble(skill: "SkillLine") -> tuple[str, str]:
    """What is wrong with a skill, and what to do about it; "" for nothing."""
    why = sentences(skill.problem, *skill.missing)
    if why and not skill.available:
        why = _("Unavailable: {why}").format(why=why)
    return why, skill.remedy
