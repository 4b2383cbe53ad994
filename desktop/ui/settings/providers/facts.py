"""What the person knows better of one model than the program: its window, price and abilities."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

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


class _Overriding:
    """Actions for rows of settings: what they set is set for one model."""

    def __init__(self, actions: Actions) -> None:
        self._actions, self.api, self.bus = actions, actions.api, actions.bus
        self.name = self.model = ""

    async def call(self, verb: str, /, **arguments: Any) -> dict[str, Any]:
        assert verb == "set"
        values = {
            name.rpartition(".")[2]: _BOOLS.get(str(value), value)
            for name, value in dict(arguments["values"]).items()
        }
        return await self._actions.call("model_override", name=self.name, model=self.model, values=values)

    def stream(self, verb: str, /, **arguments: Any) -> AsyncIterator[dict[str, Any]]:
        return self._actions.stream(verb, **arguments)


class ModelFacts(QWidget):
    """Rows for one model of a provider."""

    saved = Signal(str)

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work, self._for = actions, Work(self), _Overriding(actions)
        self._title, self._notes = label("section"), label("small", wrap=True)
        """What it takes, by the table and by what its server said."""
        self._notes.setContentsMargins(0, Space.XS, 0, Space.XS)
        self._forget = button("link")
        self._facts: Mapping[str, Any] = {"notes": [], "learned": []}
        self.rows: dict[str, SettingRow] = {}
        self._column = down(
            self._title, self._notes, (self._forget, Qt.AlignmentFlag.AlignLeft), gap=0, of=self
        )
        self._forget.clicked.connect(self._forgotten)
        spoken(self._words)

    async def make(self) -> None:
        """Make the rows, one after another: all at once would be felt."""
        for setting in settings_of(_PLACE):
            row = SettingRow(setting, self._for)
            row.saved.connect(self._again)
            self.rows[setting.name.rpartition(".")[2]] = row
            self._column.addWidget(row)
            await asyncio.sleep(0)

    def _words(self) -> None:
        self._title.setText(_("What you know better of {model}").format(model=self._for.model))
        told = [*self._facts["notes"], *map(_dated, self._facts["learned"])]
        self._notes.setText("\n".join(told))
        self._notes.setAccessibleName(_("What {model} takes").format(model=self._for.model))
        self._notes.setVisible(bool(told))
        self._forget.setText(_("Forget what its server said"))
        self._forget.setVisible(bool(self._facts["learned"]))

    def refresh(self) -> None:
        """Something may have been learned."""
        self.show_model(self._for.name, self._for.model)

    def _forgotten(self) -> None:
        self._work.start(self._forget_all(), name="settings:model", busy=(self._forget,))

    async def _forget_all(self) -> None:
        with suppress(AppError):  # it stays shown
            await self._actions.call("model_forget", name=self._for.name, model=self._for.model)
        await self._read()

    def show_model(self, name: str, model: str) -> None:
        """Show what is known of this provider's model."""
        self._for.name, self._for.model = name, model
        self._words()
        self.setVisible(bool(model))
        if model:
            self._work.start(self._read(), name="settings:model")

    def _again(self, name: str) -> None:
        self._work.start(self._read(), name="settings:model")
        self.saved.emit(name)

    async def _read(self) -> None:
        try:
            facts = await self._actions.call("model_facts", name=self._for.name, model=self._for.model)
        except AppError:
            self.hide()  # its provider says what is wrong
            return
        self._facts = facts
        self._words()
        for field, row in self.rows.items():
            _tell_known(row, field, facts["known"])
            row.show_value(facts["set"][field])


def _dated(lesson: Mapping[str, Any]) -> str:
    day = time.strftime("%Y-%m-%d", time.localtime(lesson["at"]))
    return _("{text} Its server said so on {day}.").format(text=lesson["text"], day=day)


def _tell_known(row: SettingRow, field: str, known: Mapping[str, Any]) -> None:
    """Say in an empty field what counts then."""
    value = known.get(field)
    if row.setting.kind != "choice" and value is not None:
        row.editor.setting = replace(row.editor.setting, empty=f"{value:,}")
        row.editor.say()
