"""Signing in to a server in the browser, and out again."""

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from desktop.errors import AppError
from desktop.text import _, titled
from desktop.ui.actions import Actions
from desktop.ui.conversation.cells.actions import copy
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import ServerLine


class SignIn(QObject):
    """Its buttons stand where `owner`, a page, puts them; `outcome` says what goes on. All end with it."""

    done = Signal()

    def __init__(self, actions: Actions, name: str, owner: QWidget) -> None:
        super().__init__(owner)
        self._actions, self._name = actions, name
        self._in, self._out, self.copy = button(), button(), button("link")
        self.outcome = Outcome()
        self._work = Work(self.outcome)
        self._task: asyncio.Task[None] | None = None
        self._url = ""
        self._in.clicked.connect(self.begin)
        self._out.clicked.connect(lambda: self._work.tell(self._leave(), self.outcome, name="mcp:sign_out"))
        self.copy.clicked.connect(lambda: copy(self._url))
        self._asks = False
        self.copy.hide()
        spoken(self._words)

    @property
    def buttons(self) -> tuple[Button, ...]:
        return self._in, self._out, self.copy

    def _words(self) -> None:
        for made, words in ((self._in, _("Sign in")), (self._out, _("Sign out"))):
            made.setText(words)
            made.setAccessibleName(titled(words, self._name))
        self.copy.setText(_("Copy address"))

    def show_server(self, server: "ServerLine") -> None:
        """Show how it is."""
        asks = server.state == "needs_sign_in"
        self._in.setVisible(asks)
        self._out.setVisible(server.oauth and not asks)

    def begin(self) -> None:
        """Open the browser, and wait until the person is back."""
        if self._task is None or self._task.done():
            work = self._enter()
            self._task = self._work.tell(work, self.outcome, name="mcp:sign_in", busy=[self._in])

    def _cancel(self) -> None:
        self.copy.hide()
        if self._task is not None:
            self._task.cancel()

    async def _enter(self) -> None:
        self.outcome.busy(_("Getting the sign-in page…"), self._cancel)
        try:
            async for page in self._actions.api.servers.sign_in(self._name):
                self._open(page.url)
        except AppError:
            self.copy.hide()
            raise
        self.copy.hide()
        self.outcome.done(_("You are signed in."))
        self.done.emit()

    def _open(self, url: str) -> None:
        self._url = url
        opened = url.startswith(("https://", "http://")) and QDesktopServices.openUrl(QUrl(url))
        self.copy.show()
        if opened:
            self.outcome.busy(
                _("Sign in in your browser. This page updates when you are done."), self._cancel
            )
        else:
            words = _("No browser opened. Copy the address and open it in a browser.")
            self.outcome.busy(words, self._cancel)

    async def _leave(self) -> None:
        await self._actions.api.servers.sign_out(self._name)
        self.outcome.done(_("You are signed out."))
        self.done.emit()
