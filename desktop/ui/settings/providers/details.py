"""What a provider's card opens to: key, address, model, a test, and the rarer settings."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.api.providers import AllProviders, Draft, ProviderLine
from desktop.api.settings import AllSettings
from desktop.config.describe import setting
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.key import KeychainNotice
from desktop.ui.settings.pages import PROVIDER_DETAILS
from desktop.ui.settings.part import PageData
from desktop.ui.settings.providers.facts import ModelFacts
from desktop.ui.settings.providers.login import Login
from desktop.ui.settings.providers.models import ModelPicker
from desktop.ui.settings.providers.stored_key import StoredKey
from desktop.ui.settings.rows import SettingRow
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_SHOWN_ANSWER = 60


class Details(QWidget):
    """Made when a card is opened for the first time. `changed` tells that something was stored."""

    changed = Signal(str)

    def __init__(self, actions: Actions, provider: ProviderLine, notice: KeychainNotice) -> None:
        super().__init__()
        self._actions, self._work, self.provider = actions, Work(self), provider
        self._edited = False
        self._below = QWidget()
        self._rarer = QVBoxLayout(self._below)
        self._rarer.setContentsMargins(0, 0, 0, 0)
        self._rarer.setSpacing(0)
        self._login = provider.kind == "oauth"
        self.key: StoredKey | Login = (Login if self._login else StoredKey)(actions, notice)
        self.picker, self.outcome = ModelPicker(actions), Outcome()
        self._model_row = Row(self.picker, wide=True)
        self._more, self._test, self._use = button("link", "chevron-right"), button(), button("primary")
        name = provider.name
        address = replace(setting(f"providers.{name}.api_base"), empty=provider.base)
        self._base = SettingRow(address, actions.api.settings.change)
        self._rare: dict[str, SettingRow] = {}
        self.facts: ModelFacts | None = None
        self._data = PageData(AllSettings(), AllProviders(provider=""))
        self._fault = ("", "")
        self._lay_out()
        self.picker.edit.editingFinished.connect(self._show_facts)
        self._base.saved.connect(self.changed)
        self.key.stored.connect(lambda: self.changed.emit(f"providers.{name}"))
        self.key.edited.connect(self._typed)
        self.picker.edited.connect(self._typed)
        self.picker.edit.textEdited.connect(self._own_model)
        self.picker.view.chosen.connect(self._own_model)
        self.picker.edit.returnPressed.connect(lambda: self._begin(self._try()))
        self._more.clicked.connect(self._unfold)
        self._test.clicked.connect(lambda: self._begin(self._try()))
        self._use.clicked.connect(lambda: self._begin(self._choose()))
        spoken(self._words)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        direct = self.provider.kind in ("direct", "local")
        first = (self._base, self.key) if direct else (self.key, self._base)
        for part in (*first, self._model_row, self.outcome):
            column.addWidget(part)
        buttons = across(self._more, None, self._test, self._use, edges=(0, Space.M, 0, 0))
        column.addLayout(buttons)
        self._base.setVisible(not self._login)
        column.addWidget(self._below)
        self._below.hide()

    def _words(self) -> None:
        title = self.provider.title
        self._model_row.say(_("Model"), _("Enter a name, or choose from the models available now."))
        self._more.setText(" " + _("More settings"))
        self._more.setAccessibleName(_("More settings for {name}").format(name=title))
        self._test.say(_("Test"), _("Test {name}").format(name=title))
        self._use.say(_("Use"), _("Use {name} for answers").format(name=title))

    # ---- what is shown

    def show_provider(self, provider: ProviderLine, data: PageData) -> None:
        """Show a provider, and what the settings are; what is typed stays."""
        self.provider, self._data = provider, data
        self.key.show_provider(provider)
        for row in (self._base, *self._rare.values()):
            self._show_value(row)
        if not self._edited:
            used = data.providers.provider == provider.name
            self.picker.put(data.providers.model if used else "", provider.suggestion)
        self.picker.ask(Draft(provider.name))
        self._words()

    def leave(self) -> None:
        """Drop what was typed and not saved, and what is under way."""
        self._work.cancel()
        self._edited = False
        self.key.clear()
        self.picker.forget()
        self.outcome.clear()
        self._complain("")

    def _show_value(self, row: SettingRow) -> None:
        name, usual = row.setting.name, row.setting.default
        settings = self._data.settings
        row.show_value(settings.values.get(name, usual), settings.fixed.get(name, ""))

    def _unfold(self) -> None:
        folded = self._below.isHidden()
        self._below.setVisible(folded)
        self._more.setIcon(icon("chevron-down" if folded else "chevron-right", "muted"))
        if folded and self.facts is None:
            self._work.start(self._make_rarer(), name="settings:rarer")
        else:
            self._show_facts()

    async def _make_rarer(self) -> None:
        """Row after row: all at once would be felt."""
        for field in PROVIDER_DETAILS:
            if field not in self._rare:
                name = f"providers.{self.provider.name}.{field}"
                row = self._rare[field] = SettingRow(setting(name), self._actions.api.settings.change)
                row.saved.connect(self.changed)
                self._rarer.addWidget(row)
                self._show_value(row)
                await asyncio.sleep(0)
        self.facts = facts = ModelFacts(self._actions)
        facts.hide()
        facts.saved.connect(self.changed)
        self._rarer.addWidget(facts)
        await facts.make()
        self._show_facts()
        self._complain(*self._fault)

    def _show_facts(self) -> None:
        """The model's own settings are among the rarer ones."""
        if self.facts is not None and not self._below.isHidden():
            model = self.picker.text() or self.provider.suggestion
            self.facts.show_model(self.provider.name, model)

    def _typed(self) -> None:
        self._complain("")
        self.picker.ask(Draft(self.provider.name, key=self.key.typed()))

    def _own_model(self) -> None:
        self._edited = True
        if not self.picker.edit.isModified():  # chosen from the list
            self._show_facts()

    # ---- what is done

    def _begin(self, coro: Coroutine[Any, Any, object]) -> None:
        if self._test.busy:
            coro.close()
            return
        self._work.start(coro, name="settings:provider", busy=(self._test, self._use))

    def _draft(self) -> Draft | None:
        """What is asked for; None where something is missing, which is marked."""
        provider, model, key = self.provider, self.picker.text(), self.key.typed()
        self._complain("")
        if provider.needs_key and not (key or provider.keyed):
            self._complain("key", _("Sign in first.") if self._login else _("Enter a key."))
            return None
        if provider.kind == "direct" and not (provider.address or provider.base):
            self._complain("address", _("No address is set."))
            return None
        if not (model or provider.suggestion) and provider.kind != "local":
            self._complain("model", _("No model is set."))
            return None
        return Draft(provider.name, model or provider.suggestion, key)

    async def _try(self) -> None:
        if (draft := self._draft()) is None:
            return
        self.outcome.busy(_("Sending a short test question…"), self._work.cancel)
        try:
            done = await self._actions.api.providers.test(draft)
        except AppError as error:
            self._failed(error)
            return
        answer = done.answer or "…"
        short = answer if len(answer) <= _SHOWN_ANSWER else f"{answer[:_SHOWN_ANSWER]}…"
        words = _("Works: “{answer}” in {seconds} s").format(answer=short, seconds=done.seconds)
        self.outcome.done("\n".join((words, *done.learned)))
        if self.facts is not None:
            self.facts.refresh()

    async def _choose(self) -> None:
        if (draft := self._draft()) is None:
            return
        once = self.key.session_only
        self.outcome.busy(_("Waiting for the keychain…") if draft.key and not once else _("Saving…"))
        try:
            await self._actions.api.providers.use(draft, session_only=once)
        except AppError as error:
            self._failed(error)
            return
        self._edited = False
        self.key.conceal()
        self.outcome.done(_("Saved. Applies from the next answer."))
        self.changed.emit("agents.defaults.provider")

    def _failed(self, error: AppError) -> None:
        """Tell it where it happened, with the remedy that there is in this window."""
        field = str(getattr(error, "field", ""))
        said = {
            "key": _("Not accepted."),
            "model": _("Unknown model."),
            "address": _("No model responds at this address."),
            "proxy": _("It can’t be reached through this proxy."),
        }
        self._complain(field, said.get(field, ""))
        remedy = error.remedy
        if field == "key" and not self._login:
            remedy = _("Check the key: paste the whole key, or get a new one from the provider.")
        self.key.tell(error)
        self.outcome.failed(error.text, remedy)

    def _complain(self, field: str, text: str = "") -> None:
        """Mark the field that is at fault, and no other."""
        self._fault = (field, text)
        rows: dict[str, Row | StoredKey | Login] = {
            "key": self.key,
            "model": self._model_row,
            "address": self._base,
            **({"proxy": self._rare["proxy"]} if "proxy" in self._rare else {}),
        }
        for name, row in rows.items():
            row.complain(text if name == field else "")
        if field == "proxy" and self._below.isHidden():
            self._unfold()
