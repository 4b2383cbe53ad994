"""The page of the memory: what the agent knows, what waits, summaries, versions."""

from functools import partial

from desktop.api.memory import Known
from desktop.bus.events import MemoryChanged, TurnFinished
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.memory.knows import Knows
from desktop.ui.panels.memory.summaries import Summaries
from desktop.ui.panels.memory.versions import Versions
from desktop.ui.panels.memory.waiting import Waiting
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.latest import Latest
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.tabs import Tabs
from desktop.ui.widgets.toast import Toast
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

KNOWS, WAITING, SUMMARIES, VERSIONS = range(4)


class MemoryPanel(Part):
    """Reads what there is whenever it is seen, and when the memory changes."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._found: Known | None = None
        self._latest = Latest(self._read, partial(self._work.start, name="memory:read"))
        self._toast: Toast | None = None
        self._about, self.tabs, self.outcome = label("muted", wrap=True), Tabs(4), Outcome()
        self.knows = Knows(actions)
        self.waiting: Waiting | None = None
        self.summaries: Summaries | None = None
        self.versions: Versions | None = None
        self.column.addWidget(self._about)
        self.column.addSpacing(Space.XS)
        for part in (self.tabs, self.outcome, self.knows):
            self.column.addWidget(part)
        self.hear(actions.bus, MemoryChanged)
        self.hear(actions.bus, TurnFinished)
        self.tabs.chosen.connect(self._turn_to)
        self.knows.forget_wanted.connect(self._forget)
        self.knows.changed.connect(self.refresh)
        spoken(self._words)

    def _words(self) -> None:
        self._about.setText(
            _("Everything the agent knows is in plain files. You can read, edit and undo all of it.")
        )
        self._say_tabs()

    def _say_tabs(self) -> None:
        names = (_("Knowledge"), _("Pending"), _("Summaries"), _("Versions"))
        found = self._found
        count = found.waiting + found.staged if found is not None else 0
        for number, made in enumerate(self.tabs.buttons):
            told = f"{names[number]} · {count}" if number == WAITING and count else names[number]
            made.setText(told)
            made.setAccessibleName(told)

    # ---- what there is

    def _turn_to(self, number: int) -> None:
        page = self._page(number)
        for other in (self.knows, self.waiting, self.summaries, self.versions):
            if other is not None:
                other.setVisible(other is page)
        if self.isVisible():
            self._refresh_page()

    def _page(self, number: int) -> Knows | Waiting | Summaries | Versions:
        """The page of a tab, made when it is first looked at."""
        if number == WAITING:
            if self.waiting is None:
                self.waiting = Waiting(self._actions)
                self.waiting.changed.connect(self.refresh)
                self.waiting.show_found(self._found)
                self.column.addWidget(self.waiting)
            return self.waiting
        if number == SUMMARIES:
            if self.summaries is None:
                self.summaries = Summaries(self._actions)
                self.column.addWidget(self.summaries)
            return self.summaries
        if number == VERSIONS:
            if self.versions is None:
                self.versions = Versions(self._actions)
                self.versions.changed.connect(self.refresh)
                self.column.addWidget(self.versions)
            return self.versions
        return self.knows

    def _refresh_page(self) -> None:
        page = self._page(self.tabs.current)
        if not isinstance(page, Knows):
            page.refresh()

    def refresh(self) -> None:
        """Read what there is."""
        self._latest.want()

    async def _read(self) -> None:
        try:
            self._found = await self._actions.api.memory.known()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self.outcome.clear()
        self.knows.show_files(self._found.files)
        if self.waiting is not None:
            self.waiting.show_found(self._found)
        self._say_tabs()
        self._refresh_page()

    # ---- forgetting

    def _forget(self, name: str, fact: str) -> None:
        self._work.tell(self._forgetting(name, fact), self.outcome, name="memory:forget")

    async def _forgetting(self, name: str, fact: str) -> None:
        commit = await self._actions.api.memory.forget(name, fact)
        if self._toast is None:
            self._toast = Toast(self.window())
        self._toast.say(_("Forgotten."), _("Undo"), lambda: self._undo(commit))
        self.refresh()

    def _undo(self, commit: str) -> None:
        self._work.start(self._undoing(commit), name="memory:undo")

    async def _undoing(self, commit: str) -> None:
        """Take the forgetting back, and nothing that was changed since."""
        try:
            newest = await self._actions.api.memory.log(1)
            if commit and newest and newest[0].id != commit:
                self.outcome.failed(
                    _("Memory has changed since then."),
                    _("Restore the older text under Versions."),
                    tone="warning",
                )
                return
            await self._actions.api.memory.undo()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self.refresh()
