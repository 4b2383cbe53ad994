"""The page of the skills: a list, a skill in its place, a form for a new one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from desktop.bus.events import TurnFinished
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.skills.editor import SkillEditor
from desktop.ui.panels.skills.listing import SkillList
from desktop.ui.panels.skills.new import NewSkill
from desktop.ui.settings.part import ListPart
from desktop.ui.widgets.list_row import ON, OPEN
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.toast import Toast
from desktop.ui.widgets.work import Work

if TYPE_CHECKING:
    from desktop.api.skills import SkillLine


class SkillsPanel(ListPart):
    """Reads the skills whenever it is seen. What was written and not saved is kept."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self.list, self.editor, self.form, self.outcome = SkillList(), SkillEditor(), NewSkill(), Outcome()
        self._drafts: dict[str, tuple[str, str]] = {}
        """By the skill's name: the text that it had, and the one that was not saved."""
        self._found: Sequence[SkillLine] = ()
        self._folder = ""
        self._toast: Toast | None = None
        self.column.addWidget(self.outcome)
        for place in (self.list, self.editor, self.form):
            self.add_place(place)
        self.hear(actions.bus, TurnFinished)  # it may have written one
        self.list.acted.connect(self._act)
        self.list.new_wanted.connect(self._begin_new)
        self.editor.left.connect(self.go_back)
        self.editor.drafted.connect(self._drafted)
        self.editor.save_wanted.connect(self._save)
        self.editor.delete_wanted.connect(self._delete)
        self.editor.keys.entered.connect(self._key)
        self.form.left.connect(self.go_back)
        self.form.save_wanted.connect(self._create)

    # ---- what is shown

    def open(self, name: str) -> None:
        """Show one skill in the place of the list."""
        self._work.tell(self._opening(name), self.outcome, name="skills:open")

    def go_back(self) -> None:
        name = self.editor.skill.name if not self.editor.isHidden() else ""
        self.show_place(self.list)
        self._show_list()
        self.list.focus_on(name)
        self.refresh()

    def _show_list(self) -> None:
        self.list.show_skills(self._found, self._folder, self._drafts.keys())
        self.form.taken = [skill.name for skill in self._found]

    def _begin_new(self) -> None:
        self.outcome.clear()
        self.show_place(self.form)
        self.form.name.setFocus()

    def _drafted(self, name: str, text: str | None) -> None:
        if text is None:
            self._drafts.pop(name, None)
        else:
            before = self._drafts.get(name)
            self._drafts[name] = (before[0] if before else self.editor.skill.text, text)

    # ---- what is done

    def refresh(self) -> None:
        self._work.start(self._read(), name="skills:read")

    async def _read(self) -> None:
        try:
            found = await self._actions.api.skills.all()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self._found, self._folder = found.skills, found.folder
        self._show_list()

    async def _opening(self, name: str) -> None:
        self.outcome.clear()
        skill = await self._actions.api.skills.one(name)
        self.editor.show_skill(skill, self._drafts.get(name))
        self.show_place(self.editor)
        self.editor.take_keyboard()

    def _act(self, what: str, name: str) -> None:
        if what == OPEN:
            self.open(name)
        else:
            self._work.start(self._switching(name, on=what == ON), name="skills:switch")

    async def _switching(self, name: str, *, on: bool) -> None:
        self.outcome.clear()
        try:
            await self._actions.api.skills.switch(name, on=on)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        await self._read()

    def _save(self, name: str, text: str) -> None:
        self._work.tell(
            self._saving(name, text), self.editor.outcome, name="skills:save", busy=(self.editor.save,)
        )

    async def _saving(self, name: str, text: str) -> None:
        await self._actions.api.skills.save(name, text)
        self._drafts.pop(name, None)
        self.go_back()
        self.outcome.done(_("{name} is saved. It applies from the next message.").format(name=name))

    def _key(self, variable: str, key: str) -> None:
        self._work.tell(
            self._keeping(self.editor.skill.name, variable, key), self.editor.outcome, name="skills:key"
        )

    async def _keeping(self, name: str, variable: str, key: str) -> None:
        await self._actions.api.skills.set_key(name, variable, key)
        skill = await self._actions.api.skills.one(name)
        self.editor.show_skill(skill, self._drafts.get(name))
        self.editor.outcome.done(_("Saved to the keychain.") if key else _("Value removed."))

    def _create(self, name: str, text: str) -> None:
        self._work.tell(
            self._creating(name, text), self.form.outcome, name="skills:new", busy=(self.form.save,)
        )

    async def _creating(self, name: str, text: str) -> None:
        await self._actions.api.skills.save(name, text, new=True)
        self.form.clear()
        await self._read()
        self.show_place(self.list)
        self.list.focus_on(name)
        self.outcome.done(
            _("{name} is ready. The agent uses it when a task fits, or when you type ${name}.").format(
                name=name
            )
        )

    def _delete(self, name: str) -> None:
        self._work.tell(
            self._deleting(name), self.editor.outcome, name="skills:delete", busy=(self.editor.delete,)
        )

    async def _deleting(self, name: str) -> None:
        undo = await self._actions.api.skills.delete(name)
        self._drafts.pop(name, None)
        await self._read()
        self.go_back()
        if self._toast is None:
            self._toast = Toast(self.window())
        self._toast.say(_("“{title}” deleted").format(title=name), _("Undo"), lambda: self._undo(undo))

    def _undo(self, token: str) -> None:
        self._work.tell(self._undoing(token), self.outcome, name="skills:undo")

    async def _undoing(self, token: str) -> None:
        back = await self._actions.api.skills.restore(token)
        await self._read()
        self.list.focus_on(back)
