"""What waits: for Dream to work it through, and for the person to say whether it may be kept."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.api.memory import Dreamed, DreamPhase, Known
from desktop.errors import AppError
from desktop.text import _, listed, ngettext, sentences
from desktop.ui.actions import Actions
from desktop.ui.panels.memory import words
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.diff import DiffView
from desktop.ui.widgets.form import FormCard
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.stock import Stock
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.memory import StagedChange

_WHY = 300
"""Characters of the summary that a change comes from."""


class StagedCard(FormCard):
    """One change that is not made before the person agrees."""

    answered = Signal(str, bool)

    def __init__(self) -> None:
        self._why, self.diff = label("small", wrap=True), DiffView()
        self.accept, self.drop = button("primary"), button()
        super().__init__(self._why, self.diff, acts=(None, self.drop, self.accept))
        self.staged: StagedChange | None = None
        self.accept.clicked.connect(partial(self._answer, True))
        self.drop.clicked.connect(partial(self._answer, False))

    def _answer(self, yes: bool) -> None:
        if self.staged is not None:
            self.answered.emit(self.staged.id, yes)

    def show_staged(self, staged: "StagedChange") -> None:
        """Show this one."""
        self.staged = staged
        self.diff.show_diff(staged.diff)
        self.say()

    def say(self) -> None:
        """Set the words."""
        staged = self.staged
        if staged is None:
            return
        file = words.file_title(staged.file)
        self.title.setText(file)
        told = [words.when(staged.at), shown(staged.why[:_WHY])]
        self._why.setText(" · ".join(filter(None, told)))
        self.diff.setAccessibleName(_("Changes to {file}").format(file=file))
        self.accept.say(_("Accept"), _("Accept the change to {file}").format(file=file))
        self.drop.say(_("Discard"), _("Discard the change to {file}").format(file=file))


class Waiting(QWidget):
    """Shows how far Dream is, and runs it."""

    changed = Signal()
    """The memory is another one."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._found: Known | None = None
        self._about, self._state, self._next = (
            label("muted", wrap=True),
            label("title", wrap=True),
            label("small", wrap=True),
        )
        self.run, self.outcome = button("primary", "moon"), Outcome()
        self._staged_title, self._staged_about = label("section"), label("small", wrap=True)
        self._list = QVBoxLayout()
        self._list.setSpacing(Space.S)
        self.staged = Stock[StagedCard, "StagedChange"](
            self._list, self._made, lambda card, it: card.show_staged(it)
        )
        self._lay_out()
        self.run.clicked.connect(self._run)
        spoken(self._words)

    def _lay_out(self) -> None:
        card = QFrame()
        card.setProperty("kind", "card")
        row = across((down(self._state, self._next, gap=2), 1), self.run, gap=Space.L)
        down(row, self.outcome, edges=(Space.L, Space.M, Space.L, Space.M), of=card)
        self._staged_title.setContentsMargins(0, Space.M, 0, 0)
        down(self._about, card, self._staged_title, self._staged_about, self._list, of=self)
        for part in (self._staged_title, self._staged_about):
            part.hide()

    def _words(self) -> None:
        self._about.setText(
            _(
                "From time to time, Dream reads the summaries of your conversations and saves what is "
                "worth remembering about you and your work."
            )
        )
        self.run.say(_("Run now"), _("Run Dream now"))
        self._staged_title.setText(_("Your decision"))
        self._staged_about.setText(
            _("These changes come from conversations with untrusted content, such as web pages.")
        )
        for card in self.staged.rows:
            card.say()
        self._say_state()

    def _say_state(self) -> None:
        found = self._found or Known()
        waiting, dream = found.waiting, found.dream
        if waiting:
            count = ngettext("{count} summary pending", "{count} summaries pending", waiting)
            self._state.setText(count.format(count=waiting))
        else:
            self._state.setText(_("Nothing pending") if self._found is not None else "")
        last, then = words.when(dream.last), words.when(dream.next)
        told = [
            _("Last run: {time}").format(time=last) if last else "",
            _("Next: {time}").format(time=then) if then else "",
            "" if dream.enabled else _("It doesn’t run automatically."),
            shown(dream.detail),
        ]
        self._next.setText(" · ".join(filter(None, told)))
        self._next.setVisible(bool(self._next.text()))

    def show_found(self, found: Known | None) -> None:
        """Show how far Dream is."""
        self._found = found
        self._say_state()

    def refresh(self) -> None:
        """Read what is staged."""
        self._work.start(self._read(), name="memory:staged")

    async def _read(self) -> None:
        try:
            found = await self._actions.api.memory.staged()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self.staged.show_items(found)
        for part in (self._staged_title, self._staged_about):
            part.setVisible(bool(found))

    def _made(self) -> StagedCard:
        card = StagedCard()
        card.answered.connect(self._answer)
        return card

    def _answer(self, id_: str, yes: bool) -> None:
        self._work.tell(self._answering(id_, yes), self.outcome, name="memory:answer")

    async def _answering(self, id_: str, yes: bool) -> None:
        await self._actions.api.memory.answer(id_, yes=yes)
        self.outcome.done(_("Saved to memory.") if yes else _("Discarded."))
        await self._read()
        self.run.setFocus()
        self.changed.emit()

    def _run(self) -> None:
        self._work.start(self._running(), name="memory:dream", busy=(self.run,))

    async def _running(self) -> None:
        self.outcome.busy(words.phase(""))
        try:
            async for event in self._actions.api.memory.dream():
                if isinstance(event, DreamPhase):
                    self.outcome.busy(words.phase(event.phase))
                elif event.told:
                    self.outcome.failed(shown(event.told), _came_of_it(event), tone="warning")
                else:
                    self.outcome.done(_came_of_it(event))
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        await self._read()
        self.changed.emit()


def _came_of_it(done: Dreamed) -> str:
    """What a run of Dream has brought, in a sentence."""
    files, staged = [words.file_title(file) for file in done.changed], done.staged
    if files:
        said = _("Changed: {files}.").format(files=listed(files))
    elif done.skipped:
        said = _("Nothing new to process.")
    else:
        said = "" if staged else _("Nothing new worth remembering.")
    if staged:
        told = ngettext(
            "{count} change needs your decision.", "{count} changes need your decision.", staged
        )
        said = sentences(said, told.format(count=staged))
    return said
