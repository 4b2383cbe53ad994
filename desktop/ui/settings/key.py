"""The field of a key, and what the keychain says about taking it."""

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop import remedies
from desktop.api.providers import ProviderLine
from desktop.api.setup import KeychainState
from desktop.errors import KeychainError
from desktop.text import _, sentences
from desktop.ui.actions import Actions
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Row
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken


def owner_of(provider: ProviderLine, key: str) -> tuple[str, str] | None:
    """Name and title of another provider whose keys begin like this one; `provider`: the one that it was
    entered for."""
    fitting = [prefix for prefix in provider.others if key.startswith(prefix)]
    return provider.others[max(fitting, key=len)] if fitting else None


class KeyEdit(QWidget):
    """A field that hides what is typed, with an eye to look at it."""

    def __init__(self) -> None:
        super().__init__()
        self.edit, self._eye = QLineEdit(), IconButton("eye")
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.setFocusProxy(self.edit)
        self._eye.setCheckable(True)
        self._eye.toggled.connect(self._show)
        across((self.edit, 1), self._eye, gap=Space.XS, of=self)
        spoken(self._words)

    def _words(self) -> None:
        self.edit.setAccessibleName(_("Key"))
        self._eye.say(_("Hide key") if self._eye.isChecked() else _("Show key"))

    def _show(self, shown: bool) -> None:
        mode = QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password
        self.edit.setEchoMode(mode)
        self._eye.setIcon(icon("eye-off" if shown else "eye"))
        self._words()

    def text(self) -> str:
        return self.edit.text().strip()

    def clear(self) -> None:
        """Forget what was typed, and hide the next."""
        self.edit.clear()
        self._eye.setChecked(False)


class KeyRow(Row):
    """The key of one provider: whether there is one, and where to get it."""

    def __init__(self) -> None:
        self.key = KeyEdit()
        super().__init__(self.key)
        self._provider = ProviderLine()
        self._page = button("link", "external-link")
        self._page.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the sign after the words
        self._page.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self._provider.key_page)))
        self.beside.addSpacing(Space.S)
        self.beside.addWidget(self._page)
        self.beside.addStretch(1)
        self.key.edit.textEdited.connect(lambda: self.complain(""))
        spoken(self._words)

    def show_provider(self, provider: ProviderLine) -> None:
        """Ask for the key of this provider."""
        self._provider = provider
        self.complain("")
        self._words()

    def _words(self) -> None:
        provider = self._provider
        self._page.setText(_("Get a key"))
        self._page.setVisible(bool(provider.key_page))
        self.key.edit.setPlaceholderText("••••••••••••" if provider.keyed else "")
        if provider.given:
            help_ = _("Set by the environment for this run.")
        elif provider.keyed:
            help_ = _("A key is stored. Enter a new one to replace it.")
        elif provider.plaintext:
            help_ = _(
                "The key is in plain text in config.json and is not used. Enter it here to move it to the "
                "keychain."
            )
        elif provider.needs_key:
            help_ = _("Stored in this computer’s keychain.")
        else:
            help_ = _("Only if the server requires one.")
        self.say(_("Key"), help_)
        self.key.setEnabled(not provider.given)


def state_of(error: KeychainError) -> KeychainState:
    """The state of a keychain that refused a key."""
    return KeychainState(error.state, error.text, error.remedy)


class KeychainNotice(QWidget):
    """Says when the keychain would not take a key, and what can be done. Hidden while all is well."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._outcome, self._switch = Outcome(), Switch()
        self._session = Row(self._switch, width=0)
        self._found = KeychainState()
        down(self._outcome, self._session, gap=0, edges=(0, Space.S, 0, 0), of=self)
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        self._switch.setAccessibleName(_("For this session only"))
        self._session.say(
            _("For this session only"),
            _("The key stays in memory and is forgotten when you quit Nanobot."),
        )

    @property
    def session_only(self) -> bool:
        """Whether the key is not to be stored."""
        return self._found.state != "ready" and self._switch.isChecked()

    def look(self, *, unlock: bool = False) -> None:
        """Ask for the state of the keychain; `unlock` lets it ask for its password."""
        self._work.cancel()
        if unlock:
            self._outcome.busy(_("Waiting for the keychain…"), self._stop)
        self._work.start(self._look(unlock), name="settings:keychain")

    def _stop(self) -> None:
        self._work.cancel()
        self.tell(self._found)

    async def _look(self, unlock: bool) -> None:
        self.tell(await self._actions.api.setup.keychain(unlock))

    def tell(self, found: KeychainState) -> None:
        """Show how it stands."""
        self._found, state = found, found.state
        self.setVisible(state != "ready")
        unlock = (_("Unlock"), lambda: self.look(unlock=True))
        again = (_("Check again"), self.look)
        locked = state in ("locked", "dismissed", "waiting")
        if locked:
            remedy = _("Unlock it, or use the key for this session only.")
        elif state == "missing":
            remedy = sentences(remedies.keychain(), _("Or use the key for this session only."))
        else:
            remedy = found.remedy
        actions = (unlock if locked else again,)
        self._outcome.failed(found.text, remedy, tone="warning", actions=actions)
