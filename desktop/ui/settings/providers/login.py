"""Signing in by a code: the dialog that shows it, and the row of a card that begins and ends a login."""

import asyncio

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QWidget

from desktop.api.providers import LoginCode, ProviderLine
from desktop.errors import AppError, KeychainError
from desktop.text import _, titled
from desktop.ui.actions import Actions
from desktop.ui.conversation.cells.actions import CopyButton
from desktop.ui.settings.key import KeychainNotice, state_of
from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_CODE_PIXELS = 30
_WIDTH = 460


class LoginDialog(QDialog):
    """Shows the code until it was entered, has expired, or the person leaves. `signed_in`: it was."""

    signed_in = Signal()

    def __init__(self, actions: Actions, provider: ProviderLine, once: bool, parent: QWidget) -> None:
        """`once`: the login is kept in memory only."""
        super().__init__(parent)
        self._actions, self._work, self._provider, self._once = actions, Work(self), provider, once
        self._page = ""
        self._task: asyncio.Task[None] | None = None
        self._say, self.code, self._warn = label(wrap=True), QLineEdit(), label("small", wrap=True)
        self.copy, self.outcome = CopyButton(self.code.text), Outcome()
        self.visit, self.again, self._leave = (
            button("primary", "external-link"),
            button("primary"),
            button(),
        )
        self._lay_out()
        self.visit.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self._page)))
        self.again.clicked.connect(self.begin)
        self._leave.clicked.connect(self.reject)
        spoken(self._words)
        self.begin()

    def _lay_out(self) -> None:
        self.setMinimumWidth(_WIDTH)
        font = QFont(code_font())
        font.setPixelSize(_CODE_PIXELS)
        self.code.setFont(font)
        self.code.setReadOnly(True)
        self.code.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.code.setStyleSheet(f"min-height: {_CODE_PIXELS + Space.L}px")
        row = across((self.code, 1), self.copy)
        buttons = across(None, self._leave, self.again, self.visit)
        down(
            self._say,
            row,
            self._warn,
            self.outcome,
            buttons,
            gap=Space.M,
            edges=(Space.XL, Space.XL, Space.XL, Space.L),
            of=self,
        )

    def _words(self) -> None:
        title = self._provider.title
        self.setWindowTitle(_("Sign in to {name}").format(name=title))
        self._say.setText(_("Open the {name} page and enter this code:").format(name=title))
        self._warn.setText(_("Don’t share this code. Entering it gives access to your account."))
        self.code.setAccessibleName(_("Code"))
        self.copy.say(_("Copy code"))
        self.visit.setText(" " + _("Open page"))
        self.visit.setAccessibleName(_("Open page"))
        self.again.setText(_("Get a new code"))
        self._leave.setText(_("Cancel"))

    def begin(self) -> None:
        """Get a code, and wait until it was entered."""
        self.code.clear()
        self.again.hide()
        self._ready(there=False)
        self.outcome.busy(_("Getting a code…"))
        self._task = self._work.start(self._enter(), name="settings:login")

    def _ready(self, *, there: bool) -> None:
        self.visit.setVisible(there)
        self.copy.setEnabled(there)

    async def _enter(self) -> None:
        login = self._actions.api.providers.login(self._provider.name, session_only=self._once)
        try:
            async for step in login:
                if isinstance(step, LoginCode):
                    self._show_code(step)
        except AppError as error:
            self._ready(there=False)
            self.again.show()
            self.again.setFocus()
            tone = "warning" if type(error).__name__ == "CodeExpired" else "danger"
            self.outcome.failed(error.text, error.remedy, tone=tone)
            return
        self.signed_in.emit()
        self.accept()

    def _show_code(self, code: LoginCode) -> None:
        self._page = code.page
        self.code.setText(code.user_code)
        self._ready(there=True)
        self.visit.setFocus()
        minutes = max(1, round(code.seconds / 60))
        self.outcome.busy(
            _("Waiting for you to enter it. The code is valid for {minutes} min.").format(minutes=minutes)
        )

    def done(self, result: int) -> None:
        self._work.cancel()
        super().done(result)


class Login(QWidget):
    """Stands in a card where others have their key."""

    stored = Signal()
    edited = Signal()

    def __init__(self, actions: Actions, notice: KeychainNotice) -> None:
        super().__init__()
        self._actions, self._work, self._notice = actions, Work(self), notice
        self._provider = ProviderLine()
        self._in, self._out, self.outcome = button("primary"), button(), Outcome()
        self.dialog: LoginDialog | None = None
        side = QWidget()
        buttons = QHBoxLayout(side)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.addWidget(self._in)
        buttons.addWidget(self._out)
        self._row = Row(side, width=0)
        down(self._row, self.outcome, gap=0, of=self)
        self._in.clicked.connect(self._begin)
        self._out.clicked.connect(
            lambda: self._work.start(self._leave(), name="settings:logout", busy=(self._out,))
        )
        spoken(self._words)

    def show_provider(self, provider: ProviderLine) -> None:
        """Show the login of this provider."""
        self._provider = provider
        self._words()

    def _words(self) -> None:
        title, keyed = self._provider.title, self._provider.keyed
        where = _("You are signed in. The login is stored in this computer’s keychain.")
        if keyed and not self._provider.stored:
            where = _("You are signed in until you quit Nanobot.")
        self._row.say(
            _("Login"), where if keyed else _("With a code that you enter on the provider’s page.")
        )
        for made, words in ((self._in, _("Sign in")), (self._out, _("Sign out"))):
            made.setText(words)
            made.setAccessibleName(titled(words, title))
        self._in.setVisible(not keyed)
        self._out.setVisible(keyed)

    def _begin(self) -> None:
        dialog = self.dialog = LoginDialog(
            self._actions, self._provider, self._notice.session_only, self.window()
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.signed_in.connect(self._signed_in)
        dialog.finished.connect(self._gone)
        dialog.open()

    def _gone(self) -> None:
        self.dialog = None

    def _signed_in(self) -> None:
        self.complain("")
        self.outcome.done(_("You are signed in."))
        self.stored.emit()

    async def _leave(self) -> None:
        try:
            await self._actions.api.providers.logout(self._provider.name)
        except AppError as error:
            self.tell(error)
            self.outcome.failed(error.text, error.remedy)
            return
        self.outcome.done(_("You are signed out."))
        self.stored.emit()

    # ---- what a card asks of a key

    @property
    def session_only(self) -> bool:
        """Whether a login is not to be stored."""
        return self._notice.session_only

    def typed(self) -> str:
        """There is no key to type."""
        return ""

    def take_keyboard(self) -> None:
        """Give it to the button that there is."""
        (self._in if self._in.isVisible() else self._out).setFocus()

    def complain(self, text: str) -> None:
        """Say what is wrong with the login."""
        self._row.complain(text)

    def tell(self, error: AppError) -> None:
        """Say at the top of the page what the keychain said, if it was the keychain."""
        if isinstance(error, KeychainError):
            self._notice.tell(state_of(error))

    def clear(self) -> None:
        """End what is under way."""
        self._work.cancel()
        if self.dialog is not None:
            self.dialog.reject()
        self.outcome.clear()
        self.complain("")

    def conceal(self) -> None:
        """There is nothing to hide."""
