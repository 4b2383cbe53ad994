"""One server, in the place of the list: how it stands, its tools, its log, what can be done with it."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.errors import AppError
from desktop.text import _, titled
from desktop.ui.actions import Actions
from desktop.ui.conversation.cells.actions import copy
from desktop.ui.panels.servers.form import tested
from desktop.ui.panels.servers.sign_in import SignIn
from desktop.ui.panels.servers.standing import TROUBLES, Standing
from desktop.ui.panels.servers.tools import Tools
from desktop.ui.panels.servers.words import updates, versions
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.code_field import CodeField
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.form import ItemPage
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.tile import Tile
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import ServerLine

_LOG_LINES = 14


class Log(QWidget):
    """What a server wrote; made when somebody wants to see it."""

    def __init__(self) -> None:
        super().__init__()
        self._title, self.copy, self.text = label("section"), IconButton("copy"), CodeField(_LOG_LINES)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.copy)
        down(head, self.text, gap=Space.XS, of=self)
        self.copy.clicked.connect(lambda: copy(self.text.toPlainText()))
        spoken(self._words)

    def _words(self) -> None:
        self._title.setText(_("Error output (stderr)"))
        self.text.setAccessibleName(_("Log"))
        self.copy.say(_("Copy log"))

    def show_text(self, text: str) -> None:
        """Show this, and its end."""
        self.text.show_text(shown(text).rstrip() or _("Nothing yet."))
        self.show()
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())


class ServerPage(ItemPage):
    """Made when a server is opened for the first time."""

    edit_wanted = Signal()
    remove_wanted = Signal()
    changed = Signal()
    """Something was switched, accepted or done: how the server is may be new."""

    def __init__(self, actions: Actions, name: str) -> None:
        self._standing, self.switch = Standing(), Switch()
        name_label, top = label("title", shown(name), wrap=True), Qt.AlignmentFlag.AlignTop
        head = (down(name_label, self._standing, gap=2), 1)
        super().__init__(title=across((Tile("plug"), top), head, (self.switch, top), gap=Space.M))
        self._actions, self._work, self._name = actions, Work(self), name
        self._test: asyncio.Task[None] | None = None
        self.server: ServerLine | None = None
        self._servers = actions.api.servers
        self.test, self.restart, self.log = button(), button(), button()
        self.newer, self._versions = button(), label("small", wrap=True)
        self.edit, self.remove = button(), button("danger")
        self.outcome, self.sign_in = Outcome(), SignIn(actions, name, self)
        self.trust, self.local, self.tools = Switch(), Switch(), Tools()
        self._trust_row, self._local_row = Row(self.trust, width=0), Row(self.local, width=0)
        self.written: Log | None = None
        self._lay_out()
        self._connect()
        spoken(self._words)

    def _lay_out(self) -> None:
        buttons = QWidget()
        flow, ways = Flow(buttons), self.sign_in.buttons
        for each in (self.test, self.restart, *ways, self.newer, self.log, self.edit, self.remove):
            flow.addWidget(each)
        for part in (self._versions, buttons, self.outcome, self.sign_in.outcome):
            self.column.addWidget(part)
        self._card = Card()
        for row in (self._trust_row, self._local_row):
            self._card.add(row)
        for part in (self._card, self.tools):
            self.column.addWidget(part)

    def _connect(self) -> None:
        name = self._name
        self.switch.clicked.connect(lambda on: self._work.start(self._switching(on), name="mcp:switch"))
        self._standing.sign_in_wanted.connect(self.sign_in.begin)
        self.test.clicked.connect(self._try)
        self.restart.clicked.connect(lambda: self._do(self._servers.restart(name)))
        self.log.clicked.connect(self._show_log)
        self.newer.clicked.connect(self._look)
        self.edit.clicked.connect(self.edit_wanted)
        self.remove.clicked.connect(self.remove_wanted)
        self.trust.clicked.connect(lambda on: self._do(self._servers.trust(name, on=on)))
        self.local.clicked.connect(lambda on: self._do(self._servers.say_local(name, on=on)))
        self.tools.switched.connect(lambda tool, on: self._do(self._servers.switch_tool(name, tool, on=on)))
        self.tools.accepted.connect(lambda seen: self._do(self._servers.accept(name, seen)))
        self.sign_in.done.connect(self.read)
        self.sign_in.done.connect(self.changed)

    def _words(self) -> None:
        self.back.say(_("Back to servers"), "Esc")
        self.switch.setAccessibleName(_("Use server {name}").format(name=shown(self._name)))
        for made, words in (
            (self.test, _("Test")),
            (self.restart, _("Restart")),
            (self.newer, _("Newer version…")),
            (self.log, _("Log")),
            (self.edit, _("Edit")),
            (self.remove, _("Remove")),
        ):
            made.setText(words)
            made.setAccessibleName(titled(words, self._name))
        self._trust_row.say(
            _("I trust this server"),
            _(
                "The agent believes what this server says about its tools: tools it calls read-only run "
                "without asking. A dishonest server could read and send anything, so trust only servers "
                "whose maker you know."
            ),
        )
        self.trust.setAccessibleName(_("I trust this server"))
        self._local_row.say(
            _("Runs locally and is read-only"),
            _(
                "You confirm that nothing it receives leaves this computer and that it changes nothing. "
                "Its tools then don’t ask just because the conversation contains a web page or other "
                "untrusted content. Turn this on only if you are sure."
            ),
        )
        self.local.setAccessibleName(_("Runs locally and is read-only"))
        if self.server is not None:
            self.show_server(self.server)

    # ---- what there is

    def show_server(self, server: "ServerLine") -> None:
        """Show how it is now."""
        before, self.server = self.server, server
        self._standing.show_server(server)
        self.switch.setChecked(server.enabled)
        self.trust.setChecked(server.trusted)
        self.local.setChecked(server.local)
        self.sign_in.show_server(server)
        self.restart.setVisible(server.enabled)
        self.log.setVisible(server.kind == "stdio")
        self._versions.setText(versions(server))
        self._versions.setVisible(bool(server.packages))
        self.newer.setVisible(bool(server.packages))
        if not self.isHidden() and _of_tools(before) != _of_tools(server):
            self.read()

    def read(self) -> None:
        """Look at its tools, which starts it where it does not run yet."""
        server = self.server
        if server is not None and server.enabled and server.state != "needs_sign_in":
            self._work.start(self._reading(), name="mcp:tools")

    async def _reading(self) -> None:
        waits = not self.tools.rows
        if waits:
            self.outcome.busy(_("Listing its tools…"))
        try:
            found = await self._servers.tools(self._name)
        except AppError as error:
            self.outcome.clear()
            if self.server is None or self.server.state not in TROUBLES:  # else the head says it
                self.outcome.failed(error.text, error.remedy)
            return
        if waits:
            self.outcome.clear()
        trusted = self.server is not None and self.server.trusted
        await self.tools.show_tools(found.tools, trusted=trusted)

    # ---- what is done

    def _do(self, work: Awaitable[object]) -> None:
        self._work.start(self._doing(work), name="mcp:act")

    async def _doing(self, work: Awaitable[object]) -> None:
        self.outcome.clear()
        try:
            await work
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        self.changed.emit()
        await self._reading()

    async def _switching(self, on: bool) -> None:
        try:
            await self._servers.switch(self._name, on=on)
        except AppError as error:
            self.switch.setChecked(not on)
            self.outcome.failed(error.text, error.remedy)
            return
        self.changed.emit()

    def _look(self) -> None:
        self._work.tell(self._looking(), self.outcome, name="mcp:update", busy=[self.newer])

    async def _looking(self) -> None:
        self.outcome.busy(_("Checking for versions…"))
        found = await self._servers.newer(self._name)
        if not found:
            self.outcome.done(updates(found))
            return
        take = {one.package: one.new for one in found}
        yes = (
            _("Use this version"),
            lambda: self._do(self._servers.take(self._name, take)),
        )
        self.outcome.failed(updates(found), tone="info", actions=(yes,))

    def _try(self) -> None:
        self._test = self._work.tell(self._trying(), self.outcome, name="mcp:test", busy=[self.test])

    def _end_test(self) -> None:
        if self._test is not None:
            self._test.cancel()

    async def _trying(self) -> None:
        self.outcome.busy(_("Starting the server and listing its tools…"), self._end_test)
        try:
            reply = await self._servers.test(self._name)
        except AppError:
            self.changed.emit()
            raise
        self.outcome.done(tested(reply))
        self.changed.emit()

    def _show_log(self) -> None:
        if self.written is None or self.written.isHidden():
            self._work.tell(self._logging(), self.outcome, name="mcp:log", busy=[self.log])
        else:
            self.written.hide()

    async def _logging(self) -> None:
        text = await self._servers.log(self._name)
        if self.written is None:
            self.written = Log()
            self.column.insertWidget(self.column.indexOf(self._card), self.written)
        self.written.show_text(text)


def _of_tools(server: "ServerLine | None") -> object:
    """What is another where its tools may be."""
    if server is None:
        return None
    counts = server.tools_total, server.tools_on, server.changed
    return server.state, counts, server.trusted, server.local, server.enabled
