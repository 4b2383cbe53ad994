"""All providers: those that are set up first, then those that most people look for, found by a filter."""

import asyncio
import time
from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout

from desktop.api.providers import ProviderLine
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.key import KeychainNotice
from desktop.ui.settings.part import PageData, Part
from desktop.ui.settings.providers.card import ProviderCard, matches, set_up
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, laid_out_once
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.order import bring_into_sight
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_STEP_S = 0.006
"""Seconds for making cards in one go, one at least: more would be felt."""


class ProviderList(Part):
    """Shows all of them."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self.cards: dict[str, ProviderCard] = {}
        self._data: PageData | None = None
        self._showing: asyncio.Task[None] | None = None
        self.notice, self.outcome = KeychainNotice(actions), Outcome()
        self.filter, self._answers, self._automatic = QLineEdit(), label("muted", wrap=True), button("link")
        self._nothing, self._rest = label("muted", wrap=True), button("link", "chevron-right")
        self._all = False
        self._opening = False
        """The card of the provider in use is to be opened as soon as it is known and made."""
        self._list = QVBoxLayout()
        self._list.setSpacing(Space.S)
        head = across((self._answers, 1), self._automatic)
        self.column.addWidget(self.notice)
        self.column.addLayout(head)
        self.column.addWidget(self.outcome)
        self.column.addWidget(self.filter)
        self.column.addLayout(self._list)
        self.column.addWidget(self._rest, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(self._nothing)
        self._rest.hide()
        self._nothing.hide()
        self._rest.clicked.connect(self._unfold)
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._again)
        self._automatic.clicked.connect(
            lambda: self._work.tell(self._to_auto(), self.outcome, name="settings:provider")
        )
        spoken(self._words)

    def _words(self) -> None:
        self.filter.setPlaceholderText(_("Find a provider"))
        self.filter.setAccessibleName(_("Find a provider"))
        self._nothing.setText(
            _(
                "No provider has this name. "
                "“Custom server” works with any server that speaks the OpenAI API."
            )
        )
        self._rest.setText(" " + _("All providers"))
        self._rest.setAccessibleName(_("All providers"))
        self._automatic.setText(_("Choose automatically"))
        if self._data is None:
            return
        found = self._data.providers
        named = self._data.settings.fixed.get("agents.defaults.provider", "")
        answers = found.answers
        auto = found.provider == "auto"
        said = _("{title} answers with {model}.") if answers.model else _("{title} answers.")
        if named:
            said += " " + _("Set by the environment variable {name}.").format(name=named)
        elif auto:
            said += " " + _("Chosen automatically, by the model’s name and your keys.")
        said = said.format(title=answers.title, model=answers.model)
        self._answers.setText(said if answers.title else "")
        self._automatic.setVisible(not auto and not named)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.notice.look()

    def show_all(self, data: PageData) -> None:
        self._data = data
        self._words()
        if self._showing is not None:
            self._showing.cancel()
        self._showing = self._work.start(self._show(data), name="settings:providers")

    async def _show(self, data: PageData) -> None:
        found = data.providers
        rows = [row for row in found.providers if row.kind != "builtin"]
        used = found.answers.name
        rows.sort(key=lambda row: (row.name != used, not set_up(row), row.place, row.title.casefold()))
        wanted = self._wanted(rows, used)
        for name in self.cards.keys() - {row.name for row in rows}:
            self._drop(self.cards.pop(name))
        making = self._fill(rows, wanted, data)
        more = True
        while more:
            more = self._go_on(making)
            await asyncio.sleep(0)
        self._rest.setVisible(len(wanted) < len(rows) and not self.filter.text())
        self._nothing.setVisible(not wanted)
        if self._opening:
            self._opening = False
            self._open(used)

    def _fill(self, rows: Sequence[ProviderLine], wanted: set[str], data: PageData) -> Iterator[None]:
        """Show these in their cards; a step for each that has to be made."""
        opened, place = any(card.opened for card in self.cards.values()), 0
        for row in rows:
            card = self.cards.get(row.name)
            if card is None and row.name not in wanted:
                continue
            new = card is None
            if card is None:
                card = self.cards[row.name] = ProviderCard(self._actions, self.notice)
                card.changed.connect(self.saved)
            card.show_provider(row, data)
            if new or (not opened and self._list.indexOf(card) != place):
                self._list.insertWidget(place, card)
            card.setVisible(card.opened or row.name in wanted)
            place += 1
            if new:
                yield

    def _go_on(self, making: Iterator[None]) -> bool:
        """Take some of the steps, one at least; whether there may be more."""
        end = time.perf_counter() + _STEP_S
        with laid_out_once(self):
            return any(time.perf_counter() >= end for _card in making)

    def open_used(self) -> None:
        self._opening = True
        self.filter.clear()

    def _open(self, name: str) -> None:
        if (card := self.cards.get(name)) is not None:
            card.open().key.take_keyboard()
            QTimer.singleShot(0, card, lambda: bring_into_sight(card))

    def _wanted(self, rows: Sequence[ProviderLine], used: str) -> set[str]:
        """Which are shown: by the filter, else those that are set up, and all where none is."""
        if words := self.filter.text():
            return {row.name for row in rows if matches(row, words)}
        stand = {row.name for row in rows if set_up(row) or row.name == used}
        return {row.name for row in rows} if self._all or not stand else stand

    def _again(self) -> None:
        if self._data is not None:
            self.show_all(self._data)

    def _unfold(self) -> None:
        self._all = True
        self._again()
        self.filter.setFocus()

    def _drop(self, card: ProviderCard) -> None:
        self._list.removeWidget(card)
        card.hide()
        card.deleteLater()

    async def _to_auto(self) -> None:
        values = {"agents.defaults.provider": "auto", "agents.defaults.model": ""}
        await self._actions.api.settings.change(values)
        self.filter.setFocus()
        self.saved.emit("agents.defaults.provider")

    def leave(self) -> None:
        self._opening = False
        for card in self.cards.values():
            card.leave()
        self.outcome.clear()
