"""The form of a reminder or a task, new or to be changed."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from desktop.cron.wanted import Wanted
from desktop.cron.wanted import When as Moment
from desktop.text import _, mark
from desktop.ui.actions import Actions
from desktop.ui.panels.tasks.when import When
from desktop.ui.widgets.choice_box import ChoiceBox
from desktop.ui.widgets.form import FormPage, complain
from desktop.ui.widgets.text_field import TextField
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine

_LINES = 4
_NAME = 60
_KINDS = {True: mark("Reminder, word for word"), False: mark("Task for the agent")}
_MISSED = {"late": mark("Run once, late"), "skip": mark("Skip it"), "ask": mark("Ask me")}
_MODES = {
    "": mark("Same as in Settings"),
    "ask": mark("Always ask"),
    "risky": mark("Ask when risky"),
    "autonomous": mark("Autonomous"),
}


class TaskForm(FormPage):
    """What was typed stays until it is saved or cancelled."""

    save_wanted = Signal(str, object)
    """The id, empty for a new one, and what is wanted."""
    remove_wanted = Signal(str)

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.job: JobLine | None = None
        self.kind, self.text, self.name = ChoiceBox(_KINDS), TextField(_LINES), QLineEdit()
        self.missed, self.mode, self.when = ChoiceBox(_MISSED), ChoiceBox(_MODES), When(actions)
        self._kind_row, self._text_row = self.field(self.kind), self.field(self.text, wide=True)
        self._name_row = self.field(self.name)
        self.card.add(self.when)
        self._missed_row, self._mode_row = self.field(self.missed), self.field(self.mode)
        for field in (self.when.expression, self.when.zone):
            field.returnPressed.connect(self.save.click)
        self.kind.currentIndexChanged.connect(self._arrange)
        self.delete.clicked.connect(self._remove)
        spoken(self._words)

    def _words(self) -> None:
        self.back.say(_("Back to tasks"), "Esc")
        self._kind_row.call(_("Type"))
        self._name_row.call(_("Name"), _("Leave empty to use the first words."))
        self._missed_row.call(
            _("If it is missed"), _("Because the computer was off or asleep, or Nanobot wasn’t running.")
        )
        self._mode_row.call(
            _("Permissions"), _("If the agent needs to ask, the question waits in your inbox.")
        )
        self.delete.setText(_("Remove"))
        self.cancel.setText(_("Cancel"))
        self.save.setText(_("Save"))
        self._arrange()

    def _arrange(self) -> None:
        plain = bool(self.kind.value)
        if self.job is None:
            self.title.setText(_("New reminder") if plain else _("New task"))
        else:
            self.title.setText(_("Edit reminder") if plain else _("Edit task"))
        if plain:
            self._text_row.call(_("Text"), _("You get exactly what you write. No model is involved."))
            self.text.setPlaceholderText(_("Call Anna"))
        else:
            self._text_row.call(_("What to do"), _("As you would say it in a conversation."))
            self.text.setPlaceholderText(_("Check what our competitors have announced, and tell me."))
        self._mode_row.setVisible(not plain)
        self.delete.setVisible(self.job is not None)

    def show_job(self, job: "JobLine | None", zone: str) -> None:
        """Open it for a job, or for a new one (None). `zone`: the person's."""
        self.job = job
        self.kind.choose(job.plain if job is not None else True)
        self.text.setPlainText(job.message if job is not None else "")
        self.name.setText(job.name if job is not None else "")
        self.missed.choose(job.missed if job is not None else "late")
        self.mode.choose(job.mode if job is not None else "")
        self.when.show_job(job, zone)
        self._text_row.complain("")
        self.outcome.clear()
        self._arrange()

    def take_keyboard(self) -> None:
        """Give it to the text, which is what matters."""
        self.text.setFocus()
        self.text.moveCursor(self.text.textCursor().MoveOperation.End)

    def _remove(self) -> None:
        if self.job is not None:
            self.remove_wanted.emit(self.job.id)

    def submit(self) -> None:
        text = self.text.toPlainText().strip()
        if (
            complain((self._text_row, "" if text else _("Say what it is about.")))
            or not self.when.complete()
        ):
            return
        plain = bool(self.kind.value)
        when = self.when.given if self.when.changed else Moment()
        given = Wanted(
            at=when.at,
            every=when.every,
            cron=when.cron,
            tz=when.tz,
            name=" ".join(self.name.text().split()) or _short(text),
            message=text,
            plain=plain,
            missed=str(self.missed.value),
            mode="" if plain else str(self.mode.value),
        )
        self.save_wanted.emit("" if self.job is None else self.job.id, given)


def _short(text: str) -> str:
    """The first words of a text, as a name."""
    line = " ".join(text.split())
    return line if len(line) <= _NAME else f"{line[: _NAME - 1].rsplit(' ', 1)[0]}…"
