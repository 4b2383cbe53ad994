"""Who answers, in the first run: a provider, its key, its model, tried with one real question and saved."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.api.providers import AllProviders, Draft, ProviderLine
from desktop.config.describe import setting
from desktop.errors import AppError, ConfigError, KeychainError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.choice import ProviderBox
from desktop.ui.settings.editors import FreeBox
from desktop.ui.settings.key import KeychainNotice, KeyRow, owner_of, state_of
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_SHOWN_ANSWER = 60


class ProviderForm(QWidget):
    """What works is saved at once."""

    stored = Signal()
    """Another provider, model or key is in use."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._reply = AllProviders()
        self._looked = False
        self._box, self._model, self._base = ProviderBox(), FreeBox(), QLineEdit()
        self._provider_row, self._key_row = Row(self._box), KeyRow()
        self._model_row, self._base_row = Row(self._model), Row(self._base)
        self._keychain, self._outcome = KeychainNotice(actions), Outcome()
        self._save = button("primary")
        self.setFocusProxy(self._box)
        self._lay_out()
        self._connect()
        spoken(self._words)

    def _lay_out(self) -> None:
        card = Card(framed=False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(card)
        foot = QWidget()
        for row in (self._provider_row, self._key_row, self._model_row, self._base_row):
            card.add(row, parted=False)
        card.add(foot, parted=False)
        down(
            self._keychain,
            self._outcome,
            (self._save, Qt.AlignmentFlag.AlignRight),
            gap=Space.M,
            edges=(0, Space.M, 0, Space.M),
            of=foot,
        )

    def _connect(self) -> None:
        self._box.activated.connect(self._chosen)
        self._key_row.key.edit.textEdited.connect(self._recognise)
        self._model.editTextChanged.connect(self._typed)
        for edit in (self._key_row.key.edit, self._base):
            edit.textEdited.connect(self._typed)
            edit.returnPressed.connect(self._enter)
        self._save.clicked.connect(self._enter)

    def _words(self) -> None:
        self._provider_row.say(_("Provider"), _("Who runs the model that answers you."))
        self._box.setPlaceholderText(_("Choose one"))
        self._model_row.say(_("Model"), _("Leave empty for the provider’s default."))
        self._base_row.say(_("Address"), _("Address of the server’s API. Leave empty for the default."))
        for widget, row in ((self._box, self._provider_row), (self._base, self._base_row)):
            widget.setAccessibleName(row.title.text())
        for part in (self._model, self._model.edit):
            part.setAccessibleName(_("Model"))
        self._save.setText(_("Test and save"))
        self._arrange()

    # ---- what is shown

    def show_providers(self, reply: AllProviders) -> None:
        """Show what can be chosen."""
        self._reply = reply
        self._box.fill(reply.providers, reply.provider)
        self._show_chosen()
        self._words()

    @property
    def _name(self) -> str:
        return str(self._box.currentData() or "")

    @property
    def _row(self) -> ProviderLine:
        """The chosen provider."""
        rows = (row for row in self._reply.providers if row.name == self._name)
        return next(rows, ProviderLine())

    def _chosen(self) -> None:
        self._key_row.key.clear()
        self._outcome.clear()
        self._show_chosen()
        self._words()

    def _recognise(self) -> None:
        """A key of another provider: offer to go on with that one."""
        owner = owner_of(self._row, self._key_row.key.text())
        if owner is None:
            self._outcome.clear()
            return
        name, title = owner
        self._outcome.failed(
            _("This looks like a {name} key.").format(name=title),
            tone="warning",
            actions=((_("Use {name}").format(name=title), lambda: self._change_to(name)),),
        )

    def _change_to(self, name: str) -> None:
        """Go on with another provider, and the key that was entered."""
        self._box.setCurrentIndex(self._box.findData(name))
        self._outcome.clear()
        self._show_chosen()
        self._words()
        self._key_row.key.setFocus()

    def _show_chosen(self) -> None:
        row = self._row
        used = self._name == self._reply.provider
        model = self._reply.model if used else ""
        self._model.blockSignals(True)
        self._model.clear()
        self._model.addItems(list(dict.fromkeys(name for name in (model, row.suggestion) if name)))
        self._model.setEditText(model)
        self._model.edit.setCursorPosition(0)
        self._model.blockSignals(False)
        self._model.edit.setPlaceholderText(row.suggestion)
        self._base.setText(row.address)
        self._base.setPlaceholderText(row.base)
        self._key_row.show_provider(row)
        for shown in (self._model_row, self._base_row):
            shown.complain("")

    def _arrange(self) -> None:
        chosen, direct = bool(self._name), self._row.kind == "direct"
        for part in (self._key_row, self._model_row, self._save):
            part.setVisible(chosen)
        self._base_row.setVisible(direct)
        if chosen and not self._looked and self.isVisible():
            self._looked = True
            self._keychain.look()
        if not chosen:
            self._keychain.hide()

    def _typed(self) -> None:
        for row in (self._model_row, self._base_row):
            row.complain("")

    # ---- what is done

    def _draft(self) -> Draft:
        """What is asked for. Raises ConfigError, with the row marked."""
        row, model, base = self._row, self._model.currentText().strip(), self._base.text().strip()
        try:
            setting("providers.custom.api_base").read(base)
        except ConfigError as error:
            self._base_row.complain(error.text)
            raise
        key = self._key_row.key.text()
        if row.needs_key and not (key or row.keyed):
            self._key_row.complain(_("Enter a key."))
            raise ConfigError(_("{name} needs a key.").format(name=row.title))
        if row.kind == "direct" and not model:
            self._model_row.complain(_("This can’t be empty."))
            raise ConfigError(_("No model is set."), _("Enter one under Model."))
        usual = bool(row.address) and not base
        return Draft(self._name, model or row.suggestion, key, base, usual_base=usual)

    def _enter(self) -> None:
        if self._save.isVisible() and not self._save.busy:
            self._work.start(self._try_and_store(), name="settings:provider", busy=(self._save,))

    async def _try_and_store(self) -> None:
        if tried := await self._try():
            await self._store(tried)

    async def _try(self) -> Draft | None:
        """Ask with what is asked for, which is returned if it works."""
        try:
            draft = self._draft()
            self._outcome.busy(_("Sending a short test question…"), self._work.cancel)
            done = await self._actions.api.providers.test(draft)
        except AppError as error:
            self._failed(error)
            return None
        answer = done.answer or "…"
        short = answer if len(answer) <= _SHOWN_ANSWER else f"{answer[:_SHOWN_ANSWER]}…"
        self._outcome.done(_("Works: “{answer}” in {seconds} s").format(answer=short, seconds=done.seconds))
        return draft

    async def _store(self, draft: Draft) -> None:
        """Store what was tried, whatever was typed since."""
        once = self._keychain.session_only
        waits = bool(draft.key) and not once
        self._outcome.busy(_("Waiting for the keychain…") if waits else _("Saving…"), self._work.cancel)
        try:
            await self._actions.api.providers.use(draft, session_only=once)
        except AppError as error:
            self._failed(error)
            return
        self._key_row.key.clear()
        self._outcome.done(_("Saved. Applies from the next answer."))
        self.stored.emit()

    def _failed(self, error: AppError) -> None:
        """Tell it where it happened, with the remedy that there is in this window."""
        kind, remedy = type(error).__name__, error.remedy
        if kind == "SignInNeeded":
            self._key_row.complain(_("Not accepted."))
            remedy = _("Check the key: paste the whole key, or get a new one from the provider.")
        elif getattr(error, "status", None) == 404:
            self._model_row.complain(_("Unknown model."))
        if isinstance(error, KeychainError):
            self._outcome.clear()
            self._keychain.tell(state_of(error))
        else:
            self._outcome.failed(error.text, remedy)
