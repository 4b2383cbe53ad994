"""Who turns speech into text: the models of this computer, and a test of whoever is asked now."""

from collections.abc import Awaitable

from desktop.api.local import LocalModel
from desktop.bus.events import ModelFetching
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.builtin import ModelRow
from desktop.ui.settings.part import PageData, Part
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.rows import Card
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken


class SpeechTest(Part):
    """Has a sentence that came with the program written down by whoever is asked now."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self.test, self._keys, self.outcome = button(), button("link"), Outcome()
        self._who = label("muted", wrap=True)
        self.column.addWidget(self._who)
        self.column.addLayout(across(self.test, self._keys, None))
        self.column.addWidget(self.outcome)
        self.test.clicked.connect(self._begin)
        self._keys.clicked.connect(lambda: self.page_wanted.emit("model"))
        spoken(self._words)

    def _words(self) -> None:
        self.test.say(_("Test"), _("Test speech"))
        self._keys.say(_("Keys of providers"))
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        self._work.start(self._read(), name="settings:speech")

    async def _read(self) -> None:
        found = await self._actions.api.speech.state()
        if found.title:
            self._who.setText(_("Now: {name}").format(name=found.title))
        else:
            self._who.setText(found.text)
        self.test.setEnabled(bool(found.title))

    def _begin(self) -> None:
        self._work.tell(self._run(), self.outcome, name="settings:speech:test", busy=(self.test,))

    async def _run(self) -> None:
        self.outcome.busy(_("Turning a test sentence into text…"))
        heard = await self._actions.api.speech.test()
        told = _("{name} heard: “{words}”")
        self.outcome.done(told.format(name=heard.title, words=shown(heard.words)))


class SpeechModels(Part):
    """The models of this computer as rows; hidden where none can run."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._rows: dict[str, ModelRow] = {}
        self._following: set[str] = set()
        self._card, self.outcome, self._none = Card(), Outcome(), label("muted", wrap=True)
        for part in (self._card, self.outcome, self._none):
            self.column.addWidget(part)
        spoken(self._words)

    def _words(self) -> None:
        self._none.setText(_("Speech models can’t run on this kind of computer."))
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        self._work.tell(self._read(), self.outcome, name="settings:speech:models")

    def show_all(self, data: PageData) -> None:
        if self.isVisible():
            self.refresh()

    async def _read(self) -> None:
        found = await self._actions.api.speech.models()
        self._none.setVisible(not found)
        self._card.setVisible(bool(found))
        for model in found:
            if model.id not in self._rows:
                self._add(model)
            row = self._rows[model.id]
            row.show_model(model, in_use=model.selected and model.installed)
            if model.fetching.state in ("fetching", "waiting"):
                self._work.start(self._follow(row), name="settings:speech:follow")

    def _add(self, model: LocalModel) -> None:
        row = self._rows[model.id] = ModelRow(model)
        row.act.clicked.connect(lambda: self.begin(row))
        row.fetching.paused.connect(lambda: self._do(row, self._actions.api.speech.pause(row.model.id)))
        self._card.add(row, parted=len(self._rows) > 1)

    def begin(self, row: ModelRow) -> None:
        """Use a model, and download it before where it is not here."""
        row.begin()
        self._work.start(self._bring(row), name="settings:speech:bring", busy=[row.act])

    async def _bring(self, row: ModelRow) -> None:
        try:
            if row.model.installed:
                await self._actions.api.speech.use(row.model.id)
                self.saved.emit("transcription.model")
                self.refresh()
                return
            await self._actions.api.speech.fetch(row.model.id)
        except AppError as error:
            row.fail(error.text, error.remedy)
        else:
            await self._follow(row)

    async def _follow(self, row: ModelRow) -> None:
        """Show how far a download is, to its end; then it is used."""
        name, last = row.model.id, ModelFetching(row.model.id, "")
        if name in self._following:
            return
        self._following.add(name)
        try:
            async for last in self._actions.api.speech.follow(name):
                row.tell(last)
        finally:
            self._following.discard(name)
        row.rest()
        if last.state == "failed":
            row.fail(last.text, last.remedy)
            return
        if last.state == "done":
            await self._actions.api.speech.use(name)
            self.saved.emit("transcription.model")
        self.refresh()

    def _do(self, row: ModelRow, act: Awaitable[None]) -> None:
        self._work.start(self._done(row, act), name="settings:speech:act")

    async def _done(self, row: ModelRow, act: Awaitable[None]) -> None:
        try:
            await act
        except AppError as error:
            row.fail(error.text, error.remedy)
        else:
            self.refresh()
