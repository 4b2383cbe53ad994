"""What the person knows better of one model than the program: its window, price and abilities."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop.api.model_facts import Facts, Learned
from desktop.config.describe import settings_of
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.rows import SettingRow
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_PLACE = "providers.some.models.some"
"""Where such fields are described; a model's own name may have dots in it."""
_BOOLS = {"True": True, "False": False}


class ModelFacts(QWidget):
    """Rows for one model of a provider."""

    saved = Signal(str)

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._api, self._work = actions.api.model_facts, Work(self)
        self._provider = self._model = ""
        self._title, self._notes = label("section"), label("small", wrap=True)
        """What it takes, by the table and by what its server said."""
        self._notes.setContentsMargins(0, Space.XS, 0, Space.XS)
        self._forget = button("link")
        self._facts = Facts()
        self.rows: dict[str, SettingRow] = {}
        self._column = down(
            self._title, self._notes, (self._forget, Qt.AlignmentFlag.AlignLeft), gap=0, of=self
        )
        self._forget.clicked.connect(self._forgotten)
        spoken(self._words)

    async def make(self) -> None:
        """Make the rows, one after another: all at once would be felt."""
        for setting in settings_of(_PLACE):
            row = SettingRow(setting, self._override)
            row.saved.connect(self._again)
            self.rows[setting.name.rpartition(".")[2]] = row
            self._column.addWidget(row)
            await asyncio.sleep(0)

    async def _override(self, values: Mapping[str, Any]) -> None:
        """What a row sets is set for this one model. A model's own name may have dots in it."""
        named = {name.rpartition(".")[2]: _BOOLS.get(str(value), value) for name, value in values.items()}
        await self._api.override(self._provider, self._model, named)

    def _words(self) -> None:
        self._title.setText(_("Override {model}").format(model=self._model))
        told = [*self._facts.notes, *map(_dated, self._facts.learned)]
        self._notes.setText("\n".join(told))
        self._notes.setAccessibleName(_("What {model} supports").format(model=self._model))
        self._notes.setVisible(bool(told))
        self._forget.setText(_("Forget what its server reported"))
        self._forget.setVisible(bool(self._facts.learned))

    def refresh(self) -> None:
        """Something may have been learned."""
        self.show_model(self._provider, self._model)

    def _forgotten(self) -> None:
        self._work.start(self._forget_all(), name="settings:model", busy=(self._forget,))

    async def _forget_all(self) -> None:
        with suppress(AppError):  # it stays shown
            await self._api.forget(self._provider, self._model)
        await self._read()

    def show_model(self, name: str, model: str) -> None:
        """Show what is known of this provider's model."""
        self._provider, self._model = name, model
        self._words()
        self.setVisible(bool(model))
        if model:
            self._work.start(self._read(), name="settings:model")

    def _again(self, name: str) -> None:
        self._work.start(self._read(), name="settings:model")
        self.saved.emit(name)

    async def _read(self) -> None:
        try:
            facts = await self._api.of(self._provider, self._model)
        except AppError:
            self.hide()  # its provider says what is wrong
            return
        self._facts = facts
        self._words()
        for field, row in self.rows.items():
            _tell_known(row, getattr(facts.known, field))
            row.show_value(getattr(facts.set, field))


def _dated(lesson: Learned) -> str:
    day = time.strftime("%Y-%m-%d", time.localtime(lesson.at))
    return _("{text} Reported by its server on {day}.").format(text=lesson.text, day=day)


def _tell_known(row: SettingRow, value: float | None) -> None:
    """Say in an empty field what counts then."""
    if row.setting.kind != "choice" and value is not None:
        row.editor.setting = replace(row.editor.setting, empty=f"{value:,}")
        row.editor.say()
