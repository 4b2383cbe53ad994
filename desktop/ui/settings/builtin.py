"""The models of this computer: what each is and does, fetching one with its progress, using it."""

from collections.abc import Awaitable

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QHBoxLayout, QProgressBar, QWidget

from desktop.api.local import LocalModel
from desktop.bus.events import ModelFetching
from desktop.errors import AppError
from desktop.text import _, sentences, titled
from desktop.ui.actions import Actions
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken


class Fetching(QWidget):
    """How far a download is, and a way to stop it for now."""

    paused = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.bar, self._text, self._pause = QProgressBar(), label("small", wrap=True), button("quiet")
        self.bar.setTextVisible(False)
        self._pause.clicked.connect(self.paused)
        row = QHBoxLayout()
        row.addWidget(self._text, 1)
        row.addWidget(self._pause)
        down(self.bar, row, gap=0, edges=(0, 0, 0, Space.S), of=self)
        spoken(self._words)

    def _words(self) -> None:
        self._pause.setText(_("Pause"))
        self.bar.setAccessibleName(_("Download"))

    def take_keyboard(self) -> None:
        """Give it to the button."""
        self._pause.setFocus()

    def tell(self, done: int, total: int, why: str = "") -> None:
        """Bytes; `why` it does not go on just now."""
        self.bar.setRange(0, total // 1024)  # a QProgressBar counts in 32 bits
        self.bar.setValue(done // 1024)
        text = _("{done} of {total} MB").format(done=done // 10**6, total=round(total / 10**6))
        self._text.setText(sentences(f"{text}.", why, _("Retrying.")) if why else text)
        self.bar.setAccessibleDescription(self._text.text())


class ModelRow(QWidget):
    """One model of this computer."""

    def __init__(self, model: LocalModel) -> None:
        super().__init__()
        self.model = model
        self.act, self.forget, self.used = button(), IconButton("x"), label("success")
        side = QWidget()
        buttons = QHBoxLayout(side)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.addStretch()
        for part in (self.used, self.act, self.forget):
            buttons.addWidget(part)
        self._row, self.fetching, self.outcome = Row(side, width=0), Fetching(), Outcome()
        self._better = label("success")
        self._row.beside.addSpacing(Space.S)
        self._row.beside.addWidget(self._better)
        self._row.beside.addStretch(1)
        down(self._row, self.fetching, self.outcome, gap=0, of=self)
        self.fetching.hide()
        self._in_use = self._failed = False
        spoken(self._words)

    def show_model(self, model: LocalModel, *, in_use: bool) -> None:
        """Show how it stands."""
        self.model, self._in_use, self._failed = model, in_use, False
        self._words()

    def begin(self) -> None:
        """It is being brought, or put to use."""
        self._failed = False
        self._words()
        self.outcome.clear()

    def tell(self, told: ModelFetching) -> None:
        """Show how far it is."""
        self.fetching.tell(told.done, told.total, told.text)
        self.fetching.show()
        if self.act.hasFocus():
            self.fetching.take_keyboard()
        self.act.hide()

    def fail(self, text: str, remedy: str) -> None:
        """It could not be brought or used: say so. The button tries again."""
        self._failed = True
        self.outcome.failed(text, remedy)
        self._words()

    def rest(self) -> None:
        """Nothing is under way any more; the keyboard goes back to the button that began it."""
        focus = QApplication.focusWidget()
        self._words()
        if focus is not None and self.fetching.isAncestorOf(focus):
            self.act.setFocus()
        self.fetching.hide()

    def _words(self) -> None:
        model = self.model
        size = _("{size} MB").format(size=round(model.size / 10**6))
        self._row.say(model.title, " · ".join(filter(None, (size, model.licence, model.does))))
        self._row.complain(model.why)
        self._better.setText(_("Better for this computer"))
        self._better.setVisible(model.better)
        self.used.setText(_("In use"))
        self.used.setVisible(self._in_use)
        words = _("Use") if model.installed else _("Download")
        if model.fetching.state == "paused" and not model.installed:
            words = _("Resume")
        if self._failed:
            words = _("Try again")
        self.act.setText(words)
        self.act.setAccessibleName(titled(words, model.title))
        self.act.setVisible(not self._in_use and not model.why)
        self.forget.say(_("Remove from list"))
        self.forget.setVisible(model.own)


class BuiltinModels(QWidget):
    """The models of this computer as rows; `ready` tells that one was put to use."""

    ready = Signal()

    def __init__(self, actions: Actions, *, first_run: bool = False) -> None:
        super().__init__()
        self._actions, self._work, self._first = actions, Work(self), first_run
        self._rows: dict[str, ModelRow] = {}
        self._following: set[str] = set()
        self._card = Card(framed=not first_run)
        self._note, self._own = label("small", wrap=True), button("link")
        self.outcome = Outcome()
        self._own.clicked.connect(self._choose)
        down(self._card, self.outcome, self._own, self._note, of=self)
        self._note.setVisible(not first_run)
        self.setAcceptDrops(True)
        spoken(self._words)

    def _words(self) -> None:
        self._own.setText(_("Use your own model file (GGUF)…"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Look at what is here."""
        self._work.tell(self._refresh(), self.outcome, name="settings:builtin")

    async def _refresh(self) -> None:
        found = await self._actions.api.local.models()
        answers = (await self._actions.api.providers.all()).answers
        self._note.setText(found.note)
        if found.fault:
            self.outcome.failed(found.fault, found.remedy)
        for gone in self._rows.keys() - {model.id for model in found.models}:
            self._rows.pop(gone).deleteLater()
        for model in found.models:
            if self._first and not (model.selected or model.better):
                continue
            if model.id not in self._rows:
                self._add(model)
            in_use = answers.name == "builtin" and model.selected and model.installed
            row = self._rows[model.id]
            row.show_model(model, in_use=in_use and not self._first)
            if model.fetching.state in ("fetching", "waiting"):
                self._work.start(self._follow(row), name="settings:local-follow")

    def _add(self, model: LocalModel) -> None:
        row = self._rows[model.id] = ModelRow(model)
        row.act.clicked.connect(lambda: self.begin(row))
        row.fetching.paused.connect(lambda: self._do(row, self._actions.api.local.pause(row.model.id)))
        row.forget.clicked.connect(lambda: self._do(row, self._actions.api.local.forget(row.model.id)))
        self._card.add(row, parted=not self._first or len(self._rows) > 1)

    def begin(self, row: ModelRow) -> None:
        """Use a model, and fetch it before where it is not here."""
        row.begin()
        self._work.start(self._bring(row), name="settings:local-setup", busy=[row.act])

    async def _bring(self, row: ModelRow) -> None:
        if row.model.installed:
            await self._used(row.outcome, self._actions.api.local.use(row.model.id))
            return
        try:
            await self._actions.api.local.fetch(row.model.id)
        except AppError as error:
            row.fail(error.text, error.remedy)
        else:
            await self._follow(row)

    async def _follow(self, row: ModelRow) -> None:
        """Show how far a download is, to its end; it goes on where nobody looks."""
        name = row.model.id
        if name in self._following:
            return
        self._following.add(name)
        last: ModelFetching | None = None
        try:
            async for last in self._actions.api.local.follow(name):
                row.tell(last)
        finally:
            self._following.discard(name)
        row.rest()
        if last and last.state == "failed":
            row.fail(last.text, last.remedy)
        elif last and last.state == "done":
            self.ready.emit()
            self.refresh()
        else:
            self.refresh()

    def _do(self, row: ModelRow, act: Awaitable[None]) -> None:
        self._work.start(self._done(row, act), name="settings:local")

    async def _done(self, row: ModelRow, act: Awaitable[None]) -> None:
        try:
            await act
        except AppError as error:
            row.fail(error.text, error.remedy)
        else:
            self.refresh()

    async def _used(self, outcome: Outcome, act: Awaitable[object]) -> None:
        """Put a model to use, or say why not."""
        try:
            await act
        except AppError as error:
            outcome.failed(error.text, error.remedy)
        else:
            outcome.clear()
            self.ready.emit()
            self.refresh()

    # ---- a file of the person's own

    def _choose(self) -> None:
        dialog = QFileDialog(self, self._own.text(), "", f"{_('Models')} (*.gguf)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.take)
        dialog.open()

    def take(self, path: str) -> None:
        """Use a model file of the person's own, where it lies."""
        work = self._used(self.outcome, self._actions.api.local.add(path, use=True))
        self._work.start(work, name="settings:local-file", busy=[self._own])

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if path := _dropped(event.mimeData()):
            event.acceptProposedAction()
            self.take(path)


def _dropped(data: QMimeData) -> str:
    """The file that is dropped; "" where that is no single one."""
    files = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return files[0] if len(files) == 1 else ""
