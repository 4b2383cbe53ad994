"""The form of a reminder or a task, new or to be changed."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.cron.wanted import Wanted
from desktop.cron.wanted import When as Moment
from desktop.text import _, mark
from desktop.ui.actions import Actions
from desktop.ui.panels.tasks.when import When
from desktop.ui.settings.rows import Card, Row
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine

_LINES, _LINE = 4, 20
_NAME = 60
_SHEET = """
QPlainTextEdit {
  background: $raised; border: 1px solid $border_strong; border-radius: 8px; padding: 6px 10px;
}
QPlainTextEdit:focus { border-color: $accent; }
QPlainTextEdit[wrong="true"] { border-color: $danger; }
"""
_KINDS = {True: mark("Reminder, word for word"), False: mark("Task for the agent")}
_MISSED = {"late": mark("Do it late, once"), "skip": mark("Leave it out"), "ask": mark("Ask me then")}
_MODES = {
    "": mark("As in the settings"),
    "ask": mark("Ask always"),
    "risky": mark("Ask when risky"),
    "autonomous": mark("Autonomous"),
}


class _Text(QPlainTextEdit):
    """Tab leaves it; Ctrl+S saves."""

    save_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        styled(self, _SHEET)
        self.document().setDocumentMargin(0)
        self.setFixedHeight(_LINES * _LINE + Space.L)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus() and self.verticalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()  # the page around it is scrolled

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Save):
            self.save_wanted.emit()
        else:
            super().keyPressEvent(event)


class TaskForm(QWidget):
    """What was typed stays until it is saved or cancelled."""

    left = Signal()
    save_wanted = Signal(str, object)
    """The id, empty for a new one, and what is wanted."""
    remove_wanted = Signal(str)

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.job: JobLine | None = None
        self.back, self._title = IconButton("chevron-left"), label("title")
        self.kind, self.text, self.name, self.when = CalmBox(), _Text(), QLineEdit(), When(actions)
        self.missed, self.mode = CalmBox(), CalmBox()
        self._kind_row, self._text_row = Row(self.kind), Row(self.text, wide=True)
        self._name_row, self._missed_row, self._mode_row = Row(self.name), Row(self.missed), Row(self.mode)
        self.outcome, self.remove = Outcome(), button("danger", "trash-2")
        self.cancel, self.save = button(), button("primary")
        self._lay_out()
        self._connect()
        spoken(self._words)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(Space.M)
        head.addWidget(self.back)
        head.addWidget(self._title, 1)
        card = Card()
        for part in (
            self._kind_row,
            self._text_row,
            self._name_row,
            self.when,
            self._missed_row,
            self._mode_row,
        ):
            card.add(part)
        buttons = QHBoxLayout()
        buttons.setSpacing(Space.S)
        buttons.addWidget(self.remove)
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

    def _connect(self) -> None:
        self.back.clicked.connect(self.left)
        self.cancel.clicked.connect(self.left)
        self.save.clicked.connect(self._save)
        self.text.save_wanted.connect(self._save)
        self.name.returnPressed.connect(self._save)
        self.when.expression.returnPressed.connect(self._save)
        self.when.zone.returnPressed.connect(self._save)
        self.text.textChanged.connect(lambda: self._text_row.complain(""))
        self.kind.currentIndexChanged.connect(self._arrange)
        self.remove.clicked.connect(self._remove)

    def _words(self) -> None:
        for box, choices in ((self.kind, _KINDS), (self.missed, _MISSED), (self.mode, _MODES)):
            chosen = max(0, box.currentIndex())
            box.clear()
            for key, title in choices.items():
                box.addItem(_(title), key)
            box.setCurrentIndex(chosen)
        self.back.say(_("Back to the tasks"), "Esc")
        self._kind_row.say(_("Kind"))
        self._name_row.say(_("Name"), _("Its first words, if you leave it empty."))
        self._missed_row.say(
            _("If its time was missed"), _("Because the computer was off or asleep, or the program closed.")
        )
        self._mode_row.say(_("Permissions"), _("A question of the agent waits for you in the inbox."))
        self.remove.setText(_("Remove"))
        self.cancel.setText(_("Cancel"))
        self.save.setText(_("Save"))
        self._arrange()
        for field, row in (
            (self.kind, self._kind_row),
            (self.name, self._name_row),
            (self.missed, self._missed_row),
            (self.mode, self._mode_row),
        ):
            field.setAccessibleName(row.title.text())

    def _arrange(self) -> None:
        plain = bool(self.kind.currentData())
        if self.job is None:
            self._title.setText(_("New reminder") if plain else _("New task"))
        else:
            self._title.setText(_("Change the reminder") if plain else _("Change the task"))
        if plain:
            self._text_row.say(_("Text"), _("You get it as you write it. No model is asked."))
            self.text.setPlaceholderText(_("Call Anna"))
        else:
            self._text_row.say(_("What to do"), _("As you would say it in a conversation."))
            self.text.setPlaceholderText(_("Look what is new about our competitors, and tell me."))
        self.text.setAccessibleName(self._text_row.title.text())
        self._mode_row.setVisible(not plain)
        self.remove.setVisible(self.job is not None)

    def show_job(self, job: "JobLine | None", zone: str) -> None:
        """Open it for a job, or for a new one (None). `zone`: the person's."""
        self.job = job
        self.kind.setCurrentIndex(self.kind.findData(job.plain if job is not None else True))
        self.text.setPlainText(job.message if job is not None else "")
        self.name.setText(job.name if job is not None else "")
        for box, value in (
            (self.missed, job.missed if job is not None else "late"),
            (self.mode, job.mode if job is not None else ""),
        ):
            box.setCurrentIndex(max(0, box.findData(value)))
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

    def _save(self) -> None:
        text = self.text.toPlainText().strip()
        if self.save.busy:
            return
        if not text:
            self._text_row.complain(_("Say what it is about."))
            self.text.setFocus()
            return
        if not self.when.complete():
            return
        plain = bool(self.kind.currentData())
        when = self.when.given if self.when.changed else Moment()
        given = Wanted(
            at=when.at,
            every=when.every,
            cron=when.cron,
            tz=when.tz,
            name=" ".join(self.name.text().split()) or _short(text),
            message=text,
            plain=plain,
            missed=str(self.missed.currentData()),
            mode="" if plain else str(self.mode.currentData()),
        )
        self.save_wanted.emit("" if self.job is None else self.job.id, given)


def _short(text: str) -> str:
    """The first words of a text, as a name."""
    line = " ".join(text.split())
    return line if len(line) <= _NAME else f"{line[: _NAME - 1].rsplit(' ', 1)[0]}…"
