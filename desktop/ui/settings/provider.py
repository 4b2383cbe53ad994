"""Who answers: a provider, its key, its model, tried with one real question before or after it is saved."""

from collections.abc import Coroutine, Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.config.describe import setting
from desktop.errors import AppError, ConfigError, KeychainError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.choice import ProviderBox
from desktop.ui.settings.editors import FreeBox
from desktop.ui.settings.key import KeychainNotice, KeyRow
from desktop.ui.settings.rows import Card, Row
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_SHOWN_ANSWER = 60
_NOTHING_FIXED: Mapping[str, str] = {}
_NOTHING: Mapping[str, Any] = {"providers": [], "provider": "auto", "model": "", "answers": {}}


class ProviderForm(QWidget):
    """Chooses and tries a provider. In the first run what works is saved at once; in the settings a test
    and saving are two things."""

    stored = Signal()
    """Another provider, model or key is in use."""

    def __init__(self, actions: Actions, *, first_run: bool = False) -> None:
        super().__init__()
        self._actions, self._work, self._first = actions, Work(self), first_run
        self._reply, self._fixed = _NOTHING, _NOTHING_FIXED
        self._edited = False
        self._looked = False
        self._box, self._model, self._base = ProviderBox(first_run=first_run), FreeBox(), QLineEdit()
        self._provider_row, self._key_row = Row(self._box), KeyRow()
        self._model_row, self._base_row = Row(self._model), Row(self._base)
        self._keychain, self._outcome = KeychainNotice(actions), Outcome()
        self._hint = label("muted", wrap=True)
        self._test, self._save, self._forget = button(), button("primary"), button("quiet")
        self.setFocusProxy(self._box)
        self._lay_out()
        self._connect()
        spoken(self._words)

    def _lay_out(self) -> None:
        card = Card(framed=not self._first)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(card)
        foot = QWidget()
        for row in (self._provider_row, self._key_row, self._model_row, self._base_row):
            card.add(row, parted=not self._first)
        card.add(foot, parted=not self._first)
        inner = QVBoxLayout(foot)
        inner.setContentsMargins(0, Space.M, 0, Space.M)
        inner.setSpacing(Space.M)
        for widget in (self._hint, self._keychain, self._outcome):
            inner.addWidget(widget)
        buttons = QHBoxLayout()
        buttons.setSpacing(Space.S)
        buttons.addWidget(self._forget)
        buttons.addStretch()
        buttons.addWidget(self._test)
        buttons.addWidget(self._save)
        inner.addLayout(buttons)

    def _connect(self) -> None:
        self._box.activated.connect(self._chosen)
        self._model.editTextChanged.connect(self._typed)
        for edit in (self._key_row.key.edit, self._base):
            edit.textEdited.connect(self._typed)
            edit.returnPressed.connect(self._enter)
        self._test.clicked.connect(lambda: self._begin(self._try()))
        self._save.clicked.connect(self._enter)
        self._forget.clicked.connect(lambda: self._begin(self._remove()))

    def _words(self) -> None:
        self._provider_row.say(_("Provider"), _("Who runs the model that answers."))
        self._box.setPlaceholderText(_("Choose one"))
        self._model_row.say(_("Model"), _("Empty: the provider's usual one."))
        self._base_row.say(_("Address"), _("Of the server's API. Empty: the usual one."))
        for name, fixed in (
            ("agents.defaults.provider", self._provider_row),
            ("agents.defaults.model", self._model_row),
            (f"providers.{self._name}.api_base", self._base_row),
        ):
            fixed.fix(self._fixed.get(name, ""))
        for widget, row in ((self._box, self._provider_row), (self._base, self._base_row)):
            widget.setAccessibleName(row.title.text())
        for part in (self._model, self._model.edit):
            part.setAccessibleName(_("Model"))
        self._test.setText(_("Test"))
        self._save.setText(_("Test and save") if self._first else _("Save"))
        self._forget.setText(_("Remove the key"))
        self._arrange()

    # ---- what is shown

    def show_providers(self, reply: Mapping[str, Any], fixed: Mapping[str, str] = _NOTHING_FIXED) -> None:
        """Show the reply of the verb `providers`; what the person is at work on stays. `fixed`: settings
        that the environment fixes, with their variables."""
        self._fixed = fixed
        chosen = self._name if self._edited else reply["provider"]
        self._reply = reply
        self._box.fill(reply["providers"], chosen)
        if not self._edited:
            self._show_chosen()
        self._words()

    def forget_draft(self) -> None:
        """Drop what was typed and not saved, and what is under way."""
        self._work.cancel()
        self._key_row.key.clear()
        self._edited = self._looked = False
        self._outcome.clear()

    @property
    def _name(self) -> str:
        return str(self._box.currentData() or "")

    @property
    def _row(self) -> Mapping[str, Any]:
        """The chosen provider's row of the reply."""
        rows = (row for row in self._reply["providers"] if row["name"] == self._name)
        usual = {"name": self._name, "title": _("Automatic"), "kind": "auto", "suggestion": "", "base": ""}
        return next(rows, usual | {"needs_key": False, "keyed": False, "address": "", "key_page": ""})

    def _chosen(self) -> None:
        self._edited = True
        self._key_row.key.clear()
        self._outcome.clear()
        self._show_chosen()
        self._words()

    def _show_chosen(self) -> None:
        row = self._row
        used = self._name == self._reply["provider"]
        model = self._reply["model"] if used else ""
        self._model.blockSignals(True)
        self._model.clear()
        self._model.addItems(list(dict.fromkeys(name for name in (model, row["suggestion"]) if name)))
        self._model.setEditText(model)
        self._model.edit.setCursorPosition(0)
        self._model.blockSignals(False)
        usual = self._reply["answers"].get("model", "") if row["kind"] == "auto" else row["suggestion"]
        self._model.edit.setPlaceholderText(usual)
        self._base.setText(row["address"])
        self._base.setPlaceholderText(row["base"])
        self._key_row.show_provider(row)
        for shown in (self._model_row, self._base_row):
            shown.complain("")
        if row["kind"] == "local":
            self._work.start(self._suggest(self._name), name="settings:servers")

    async def _suggest(self, name: str) -> None:
        """Offer the models that a server on this machine has."""
        found = (await self._actions.call("servers"))["servers"]
        models = [model for server in found if server["provider"] == name for model in server["models"]]
        if models and name == self._name:
            typed = self._model.currentText()
            self._model.blockSignals(True)
            self._model.clear()
            self._model.addItems(list(dict.fromkeys([*filter(None, [typed]), *models])))
            self._model.setEditText(typed or models[0])
            self._model.blockSignals(False)

    def _arrange(self) -> None:
        row = self._row
        kind = row["kind"]
        asks = bool(self._name) and kind not in ("builtin", "oauth")
        keyed = asks and kind not in ("auto", "local")
        self._key_row.setVisible(keyed)
        self._model_row.setVisible(asks)
        self._base_row.setVisible(asks and kind != "auto" and (kind == "direct" or not self._first))
        self._test.setVisible(asks and not self._first)
        self._save.setVisible(asks)
        self._forget.setVisible(keyed and bool(row["keyed"]) and not row.get("given") and not self._first)
        self._hint.setText(self._hint_text(kind))
        self._hint.setVisible(bool(self._hint.text()))
        if keyed and not self._looked and self.isVisible():
            self._looked = True
            self._keychain.look()
        if not keyed:
            self._keychain.hide()

    def _hint_text(self, kind: str) -> str:
        if kind == "oauth":
            return _("This provider needs a login in the browser, which this version cannot do.")
        if kind == "builtin":
            return _("It runs on this computer without a key. Fetch it and choose it below.")
        answers = self._reply["answers"]
        if kind == "auto" and answers.get("title"):
            return _("Chosen from the model's name and the keys you have. Now: {title}, {model}.").format(
                **answers
            )
        return ""

    def _typed(self) -> None:
        self._edited = True
        for row in (self._model_row, self._base_row):
            row.complain("")

    # ---- what is done

    def _draft(self) -> dict[str, Any]:
        """What is asked for. Raises ConfigError, with the row marked."""
        row, model, base = self._row, self._model.currentText().strip(), self._base.text().strip()
        try:
            setting("providers.custom.api_base").read(base)
        except ConfigError as error:
            self._base_row.complain(error.text)
            raise
        key = self._key_row.key.text()
        if row["needs_key"] and not (key or row["keyed"]):
            self._key_row.complain(_("A key is needed here."))
            raise ConfigError(_("{name} needs a key.").format(name=row["title"]))
        if row["kind"] == "direct" and not model:
            self._model_row.complain(_("This may not be empty."))
            raise ConfigError(_("The model's name is missing."), _("Write it into the field Model."))
        draft: dict[str, Any] = {"name": self._name, "model": model or row["suggestion"]}
        if row["kind"] not in ("auto", "local"):
            draft["key"] = key
        return draft | ({"base": base} if base else {"usual_base": bool(row["address"])})

    def _enter(self) -> None:
        if self._save.isVisible() and not self._save.busy:
            self._begin(self._try_and_store() if self._first else self._store())

    def _begin(self, coro: Coroutine[Any, Any, object]) -> None:
        self._work.start(coro, name="settings:provider", busy=(self._test, self._save, self._forget))

    def _stop(self) -> None:
        self._work.cancel()
        self._outcome.clear()

    async def _try_and_store(self) -> None:
        if tried := await self._try():
            await self._store(tried)

    async def _try(self) -> dict[str, Any] | None:
        """Ask with what is asked for, which is returned if it works."""
        try:
            draft = self._draft()
            asked = {"model": draft["model"]} if draft["name"] == "auto" else draft
            self._outcome.busy(_("Asking it one small question…"), self._stop)
            done = await self._actions.call("provider_test", **asked)
        except AppError as error:
            self._failed(error)
            return None
        answer = done["answer"] or "…"
        short = answer if len(answer) <= _SHOWN_ANSWER else f"{answer[:_SHOWN_ANSWER]}…"
        self._outcome.done(
            _("Works: “{answer}” in {seconds} s").format(answer=short, seconds=done["seconds"])
        )
        return draft

    async def _store(self, tried: Mapping[str, Any] | None = None) -> None:
        """Store what was tried, whatever was typed since; without it, what is asked for now."""
        try:
            draft = tried or self._draft()
            once = self._keychain.session_only
            waits = bool(draft.get("key")) and not once
            self._outcome.busy(_("Waiting for the keychain…") if waits else _("Saving…"), self._stop)
            if draft["name"] == "auto":
                values = {"agents.defaults.provider": "auto", "agents.defaults.model": draft["model"]}
                await self._actions.call("set", values=values)
            else:
                await self._actions.call("provider_set", **draft, session_only=once)
        except AppError as error:
            self._failed(error)
            return
        self._key_row.key.clear()
        self._edited = False
        self._outcome.done(_("Saved, for the next answer"))
        self.stored.emit()

    async def _remove(self) -> None:
        self._outcome.busy(_("Waiting for the keychain…"), self._stop)
        try:
            await self._actions.call("provider_forget", name=self._name)
        except AppError as error:
            self._failed(error)
            return
        self._outcome.done(_("The key was removed."))
        self.stored.emit()

    def _failed(self, error: AppError) -> None:
        """Tell it where it happened, with the remedy that there is in this window."""
        kind, remedy = type(error).__name__, error.remedy
        if kind == "SignInNeeded":
            self._key_row.complain(_("Not accepted."))
            remedy = _("Check the field Key: paste the whole key, or get a new one from the provider.")
        elif getattr(error, "status", None) == 404:
            self._model_row.complain(_("Not known there."))
        if isinstance(error, KeychainError):
            self._outcome.clear()
            self._keychain.tell({"state": error.state, "text": error.text, "remedy": error.remedy})
        else:
            self._outcome.failed(error.text, remedy)
