"""The key of one provider: pasted, looked at for some seconds, replaced, removed after a question."""

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.api.providers import ProviderLine
from desktop.errors import AppError, KeychainError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.key import KeychainNotice, owner_of, state_of
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

SHOWN_MS = 10_000
_DOTS = "•" * 12


class StoredKey(QWidget):
    """`stored` tells that there is another key, or none any more."""

    stored = Signal()
    edited = Signal()

    def __init__(self, actions: Actions, notice: KeychainNotice) -> None:
        super().__init__()
        self._actions, self._work, self._notice = actions, Work(self), notice
        self._provider = ProviderLine()
        self.edit, self.save = QLineEdit(), button()
        self._show, self._remove = button(), button("quiet")
        self._page, self._take = button("link", "external-link"), button("link")
        self._row, self.outcome = Row(self.edit), Outcome()
        self._seen = False
        self._hide = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._hide.timeout.connect(self.conceal)
        self._lay_out()
        self.edit.textEdited.connect(self._typed)
        self.edit.returnPressed.connect(self._save_typed)
        self.save.clicked.connect(self._save_typed)
        self._show.clicked.connect(self._look)
        self._remove.clicked.connect(self._ask)
        self._take.clicked.connect(lambda: self._begin(self._take_offered()))
        self._page.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self._provider.key_page)))
        self.conceal()
        spoken(self._words)

    def _lay_out(self) -> None:
        self._page.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the sign after the words
        self._row.beside.addSpacing(Space.S)
        self._row.beside.addWidget(self._page)
        self._row.beside.addStretch(1)
        self._row.words.insertWidget(
            self._row.words.indexOf(self._row.problem), self._take, 0, Qt.AlignmentFlag.AlignLeft
        )
        buttons = across(None, self._remove, self._show, self.save)
        down(self._row, self.outcome, buttons, gap=0, of=self)

    # ---- what is shown

    def show_provider(self, provider: ProviderLine) -> None:
        """Show the key of this provider; what is typed stays."""
        if not provider.keyed:
            self.conceal()
        self._provider = provider
        self._words()

    def _words(self) -> None:
        provider = self._provider
        title, keyed = provider.title, provider.keyed
        given, offered = provider.given, provider.offered
        self._row.say(_("Key"), _help(provider))
        self.edit.setAccessibleName(_("Key"))
        self.edit.setPlaceholderText(_DOTS if keyed else _("Paste it here"))
        self.edit.setEnabled(not given)
        self._page.setText(_("Get a key"))
        self._page.setVisible(bool(provider.key_page))
        self._take.setText(_("Use the key in {variable}").format(variable=offered))
        self._take.setVisible(bool(offered))
        self._show.setText(_("Hide") if self._seen else _("Show"))
        self._show.setAccessibleName(
            (_("Hide the key of {name}") if self._seen else _("Show the key of {name}")).format(name=title)
        )
        self._remove.say(_("Remove"), _("Remove the key of {name}").format(name=title))
        self.save.setText(_("Replace key") if keyed else _("Save key"))
        self._show.setVisible(keyed and not given)
        self._remove.setVisible(keyed and not given)
        self.save.setVisible(bool(self.typed()))

    def typed(self) -> str:
        """The key that was typed and not saved."""
        return "" if self._seen else self.edit.text().strip()

    def take_keyboard(self) -> None:
        """Give it to the field."""
        self.edit.setFocus()

    def complain(self, text: str) -> None:
        """Say what is wrong with the key."""
        self._row.complain(text)

    def clear(self) -> None:
        """Forget what was typed, hide what is shown, end what is under way."""
        self._work.cancel()
        self.outcome.clear()
        self.complain("")
        self.conceal()

    def conceal(self) -> None:
        """Show no key, and take the next."""
        self._hide.stop()
        self._seen = False
        self.edit.clear()
        self.edit.setReadOnly(False)
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self._words()

    def _typed(self) -> None:
        self.complain("")
        self.outcome.clear()
        if owner := owner_of(self._provider, self.typed()):
            self.outcome.failed(_("This looks like a {name} key.").format(name=owner[1]), tone="warning")
        self._words()
        self.edited.emit()

    # ---- what is done

    def _begin(self, coro: Coroutine[Any, Any, None]) -> None:
        self._work.start(coro, name="settings:key", busy=(self.save, self._show, self._remove, self._take))

    def _save_typed(self) -> None:
        if (key := self.typed()) and not self.save.busy:
            self._begin(self._storing(key))

    async def _take_offered(self) -> None:
        await self._storing("")

    async def _storing(self, key: str) -> None:
        """Keep a key, without one that of the environment."""
        api, name, once = self._actions.api.providers, self._provider.name, self._notice.session_only
        self.outcome.busy(_("Saving…") if once else _("Waiting for the keychain…"), self._work.cancel)
        try:
            if key:
                await api.store_key(name, key, session_only=once)
            else:
                await api.take_key(name, session_only=once)
        except AppError as error:
            self._failed(error)
            return
        self.conceal()
        self.outcome.done(
            _("Key in use until you quit Nanobot.") if once else _("Key saved to the keychain.")
        )
        self.stored.emit()

    def _look(self) -> None:
        if self._seen:
            self.conceal()
        else:
            self._begin(self._looking())

    async def _looking(self) -> None:
        try:
            key = await self._actions.api.providers.key(self._provider.name)
        except AppError as error:
            self._failed(error)
            return
        self._seen = True
        self.edit.setEchoMode(QLineEdit.EchoMode.Normal)
        self.edit.setReadOnly(True)
        self.edit.setText(key)
        self.edit.setCursorPosition(0)
        self._hide.start()
        self._words()

    def _ask(self) -> None:
        keep: tuple[str, Callable[[], object]] = (_("Keep"), self._kept)
        remove = (_("Remove key"), lambda: self._begin(self._removing()))
        said = _("Remove the key of {name}?").format(name=self._provider.title)
        remedy = _("It will be erased from the keychain. You can get another from the provider’s page.")
        self.outcome.failed(said, remedy, tone="warning", actions=(remove, keep))

    def _kept(self) -> None:
        self.outcome.clear()
        self._remove.setFocus()

    async def _removing(self) -> None:
        self.outcome.busy(_("Waiting for the keychain…"), self._work.cancel)
        try:
            await self._actions.api.providers.forget_key(self._provider.name)
        except AppError as error:
            self._failed(error)
            return
        self.conceal()
        self.outcome.done(_("Key removed."))
        self.edit.setFocus()
        self.stored.emit()

    @property
    def session_only(self) -> bool:
        """Whether a key is not to be stored."""
        return self._notice.session_only

    def tell(self, error: AppError) -> None:
        """Say at the top of the page what the keychain said, if it was the keychain."""
        if isinstance(error, KeychainError):
            self._notice.tell(state_of(error))

    def _failed(self, error: AppError) -> None:
        self.tell(error)
        self.outcome.failed(error.text, error.remedy)


def _help(provider: ProviderLine) -> str:
    if provider.given:
        return _("Set by the environment for this run.")
    if provider.keyed and not provider.stored:
        return _("In memory until you quit Nanobot.")
    if provider.keyed:
        return _("Stored in this computer’s keychain.")
    if provider.plaintext:
        return _(
            "The key is in plain text in config.json and is not used. Enter it here to move it to the "
            "keychain."
        )
    if provider.needs_key:
        return _("Stored in this computer’s keychain.")
    return _("Only if the server requires one.")
