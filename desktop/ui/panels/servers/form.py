"""A server by hand: its name, what it runs or where it is, and what it is given."""

import asyncio
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent

from desktop.text import _, ngettext
from desktop.ui.actions import Actions
from desktop.ui.panels.servers.fields import Fields
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.form import FormPage
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import Secrets, ServerLine, Tested

type Json = dict[str, Any]


class Form(FormPage):
    """For a new server, or one that there is."""

    saved = Signal(list)
    """Its name."""

    def __init__(self, actions: Actions, server: "ServerLine | None" = None) -> None:
        """`server`: None for a new one."""
        self.fields, self.test = Fields(server), button()
        super().__init__(self.fields, act=self.test)
        self._actions, self._work, self._server = actions, Work(self), server
        self._test: asyncio.Task[None] | None = None
        self._begun = self.ready = False
        self.test.clicked.connect(self._try)
        for made in (self.save, self.test):
            made.setEnabled(False)
        spoken(self._words)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.fields.name.setFocus()
        if not self._begun:
            self._begun = True
            self._work.start(self._make_rest(), name="mcp:form")

    async def _make_rest(self) -> None:
        await self.fields.make_rest()
        self.ready = True
        for made in (self.save, self.test):
            made.setEnabled(True)

    @property
    def _before(self) -> str:
        """Its name until now."""
        return self._server.name if self._server is not None else ""

    def _words(self) -> None:
        name = self._before
        self.back.say(_("Back to {name}").format(name=name) if name else _("Back to servers"), "Esc")
        self.title.setText(_("Edit {name}").format(name=name) if name else _("Add a server manually"))
        self.save.setText(_("Save") if self._server else _("Add"))
        self.test.setText(_("Test"))
        self.cancel.setText(_("Cancel"))

    def submit(self) -> None:
        if (given := self.fields.read()) is not None:
            self._end_test()
            self._work.tell(self._saving(*given), self.outcome, name="mcp:save", busy=[self.save])

    async def _saving(self, server: Json, secrets: "Secrets") -> None:
        before = self._before
        name = self.fields.name.text().strip()
        self.outcome.clear()
        renamed = before if before != name else ""
        saved = await self._actions.api.servers.save(name, server, secrets, new=not before, before=renamed)
        self.saved.emit([saved])

    def _try(self) -> None:
        if (given := self.fields.read()) is not None:
            work = self._trying(*given)
            self._test = self._work.tell(work, self.outcome, name="mcp:test", busy=[self.test])

    def _end_test(self) -> None:
        if self._test is not None:
            self._test.cancel()

    async def _trying(self, server: Json, secrets: "Secrets") -> None:
        self.outcome.busy(_("Starting the server and listing its tools…"), self._end_test)
        # The name is that of the secrets which are in the keychain already.
        self.outcome.done(tested(await self._actions.api.servers.test(self._before, server, secrets)))


def tested(reply: "Tested") -> str:
    """What a test came to, in a sentence."""
    count = len(reply.tools)
    words = ngettext(
        "It works: {count} tool, {seconds} s.", "It works: {count} tools, {seconds} s.", count
    ).format(count=count, seconds=f"{reply.seconds:.1f}")
    server = reply.server.strip()
    return f"{words} {server}" if server else words
