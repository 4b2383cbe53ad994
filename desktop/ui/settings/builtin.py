"""The built-in models: what each is and takes, fetching one with its progress, using it."""

import asyncio
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from desktop.errors import AppError
from desktop.text import _, titled
from desktop.ui.actions import Actions
from desktop.ui.settings.rows import Card, Row
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken


class Fetching(QWidget):
    """How far a download is, and a way to end it."""

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.bar, self._text, self._cancel = QProgressBar(), label("small"), button("quiet")
        self.bar.setTextVisible(False)
        self._cancel.clicked.connect(self.cancelled)
        row = QHBoxLayout()
        row.addWidget(self._text, 1)
        row.addWidget(self._cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, Space.S)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addLayout(row)
        spoken(self._words)

    def _words(self) -> None:
        self._cancel.setText(_("Cancel"))
        self.bar.setAccessibleName(_("Download"))

    def tell(self, done: int, total: int) -> None:
        """Bytes; a total of 0 where nobody knows."""
        self.bar.setRange(0, total // 1024)  # a QProgressBar counts in 32 bits
        self.bar.setValue(done // 1024)
        if total:
            text = _("{done} of {total} MB").format(done=done // 10**6, total=round(total / 10**6))
        else:
            text = _("Installing what runs it…")
        self._text.setText(text)
        self.bar.setAccessibleDescription(text)


class ModelRow(QWidget):
    """One built-in model."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        super().__init__()
        self.model = model
        self.act, self.used = button(), label("success")
        side = QWidget()
        buttons = QHBoxLayout(side)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.addStretch()
        buttons.addWidget(self.used)
        buttons.addWidget(self.act)
        self._row, self.fetching, self.outcome = Row(side, width=0), Fetching(), Outcome()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self._row, self.fetching, self.outcome):
            column.addWidget(widget)
        self.fetching.hide()
        self._in_use = self._failed = False
        spoken(self._words)

    def show_model(self, model: Mapping[str, Any], *, in_use: bool) -> None:
        """Show an entry of the verb `local_models`."""
        self.model, self._in_use, self._failed = model, in_use, False
        self._words()

    def begin(self) -> None:
        """It is being brought, or put to use."""
        self._failed = False
        self._words()
        self.outcome.clear()
        self.fetching.tell(0, 0 if self.model["installed"] else self.model["size"])
        self.fetching.show()

    def fail(self, error: AppError) -> None:
        """It could not be brought or used: say so. The button tries again."""
        self._failed = True
        self.outcome.failed(error.text, error.remedy)
        self._words()

    def rest(self) -> None:
        """Nothing is under way any more; the keyboard goes back to the button that began it."""
        focus = QApplication.focusWidget()
        if focus is not None and self.fetching.isAncestorOf(focus):
            self.act.setFocus()
        self.fetching.hide()

    def _words(self) -> None:
        size = _("{size} MB").format(size=round(self.model["size"] / 10**6))
        self._row.say(self.model["title"], f"{size} · {self.model['licence']}")
        self.used.setText(_("In use"))
        self.used.setVisible(self._in_use)
        words = _("Use it") if self.model["installed"] else _("Download")
        if self._failed:
            words = _("Try again")
        self.act.setText(words)
        self.act.setAccessibleName(titled(words, str(self.model["title"])))
        self.act.setVisible(not self._in_use)


class BuiltinModels(QWidget):
    """The built-in models as rows; `ready` tells that one was put to use."""

    ready = Signal()

    def __init__(self, actions: Actions, *, first_run: bool = False) -> None:
        super().__init__()
        self._actions, self._work, self._first = actions, Work(self), first_run
        self._rows: dict[str, ModelRow] = {}
        self._used = ""
        self._task: asyncio.Task[None] | None = None
        self._card = Card(framed=not first_run)
        self._note = label("small", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.S)
        column.addWidget(self._card)
        column.addWidget(self._note)
        self._note.setVisible(not first_run)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Look at what is here."""
        self._work.start(self._refresh(), name="settings:builtin")

    async def _refresh(self) -> None:
        try:
            found = await self._actions.call("local_models")
            answers = (await self._actions.call("providers"))["answers"]
        except AppError as error:
            self._note.setText(str(error))
            return
        self._note.setText(found["note"])
        for model in found["models"]:
            if self._first and not model["selected"]:
                continue
            if model["id"] not in self._rows:
                self._add(model)
            in_use = answers["name"] == "builtin" and model["selected"] and model["installed"]
            self._rows[model["id"]].show_model(model, in_use=in_use and not self._first)

    def _add(self, model: Mapping[str, Any]) -> None:
        row = self._rows[model["id"]] = ModelRow(model)
        row.act.clicked.connect(lambda: self.begin(row))
        row.fetching.cancelled.connect(self.cancel)
        self._card.add(row, parted=not self._first)

    def begin(self, row: ModelRow) -> None:
        """Fetch what is missing of a model and use it."""
        if self._task is None or self._task.done():
            busy = [each.act for each in self._rows.values()]
            self._task = self._work.start(self._bring(row), name="settings:local-setup", busy=busy)

    def cancel(self) -> None:
        """End the download; what came is kept."""
        if self._task is not None:
            self._task.cancel()

    async def _bring(self, row: ModelRow) -> None:
        row.begin()
        try:
            async for line in self._actions.stream("local_setup", model=row.model["id"], use=True):
                if line.get("event") == "progress":
                    row.fetching.tell(line["done"], line["total"])
        except AppError as error:
            row.fail(error)
        else:
            self.ready.emit()
            self.refresh()
        finally:
            row.rest()
