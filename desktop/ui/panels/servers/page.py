"""The page of MCP servers: which there are, ways to add one, and a way back for one that was removed."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.bus.events import ServiceChanged
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.servers.card import ServerCard
from desktop.ui.panels.servers.form import Form
from desktop.ui.panels.servers.paste import Paste
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.empty_state import EmptyState
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.latest import Latest
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import ServerLine

_SERVICE = "mcp:"
"""What the names of their services begin with."""


class Ways(QWidget):
    """The two ways to add a server, as buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.paste, self.by_hand = button("", "copy"), button("", "pencil")
        row = Flow(self)
        row.addWidget(self.paste)
        row.addWidget(self.by_hand)
        spoken(self._words)

    def _words(self) -> None:
        for made, words in ((self.paste, _("Paste settings…")), (self.by_hand, _("Add manually…"))):
            made.say(words)


class Nothing(QFrame):
    """What servers are for, while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._state = EmptyState("plug")
        down(self._state, of=self)
        spoken(self._words)

    def _words(self) -> None:
        self._state.say(
            "",
            _(
                "An MCP server lets the agent use tools from another program or service, such as a "
                "calendar, a database or a browser."
            ),
        )


class Servers(Part):
    """Reads what there is whenever it is seen, and when a server's state changes."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self.cards: dict[str, ServerCard] = {}
        self.form: Paste | Form | None = None
        self._edited = ""
        self._nothing, self.ways, self.outcome = Nothing(), Ways(), Outcome()
        self._list = QVBoxLayout()
        self._list.setSpacing(Space.S)
        self._form_place = QVBoxLayout()
        self._latest = Latest(self._read, partial(self._work.start, name="settings:mcp"))
        for part in (self._nothing, self.ways, self.outcome):
            self.column.addWidget(part)
        self.column.addSpacing(Space.XS)
        self.column.addLayout(self._form_place)
        self.column.addLayout(self._list)
        self._nothing.hide()
        self.ways.hide()
        self.hear(actions.bus, ServiceChanged, self._service)
        self.ways.paste.clicked.connect(self.paste)
        self.ways.by_hand.clicked.connect(lambda: self._open_form(Form(self._actions)))

    # ---- what there is

    def _service(self, event: ServiceChanged) -> None:
        if event.name.startswith(_SERVICE):
            self.stale(event)

    def leave(self) -> None:
        self._close_form()
        self.outcome.clear()

    def refresh(self) -> None:
        """Read what there is."""
        self._latest.want()

    async def _read(self) -> None:
        try:
            found = await self._actions.api.servers.all()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        await self._show(found)

    async def _show(self, servers: "Sequence[ServerLine]") -> None:
        names = [server.name for server in servers]
        for gone in self.cards.keys() - set(names):
            self._drop(self.cards.pop(gone))
        for place, server in enumerate(servers):
            name = names[place]
            if name not in self.cards:
                self.cards[name] = self._made(name)
                self.cards[name].show_server(server)
                self._list.insertWidget(place, self.cards[name])
                await asyncio.sleep(0)
            else:
                self.cards[name].show_server(server)
            self.cards[name].setVisible(name != self._edited)
        self._nothing.setVisible(not servers and self.form is None)
        self.ways.setVisible(self.form is None)

    def _made(self, name: str) -> ServerCard:
        card = ServerCard(self._actions, name)
        card.changed.connect(self.refresh)
        card.edit_wanted.connect(self._edit)
        card.remove_wanted.connect(self._remove)
        return card

    def _drop(self, card: ServerCard) -> None:
        self._list.removeWidget(card)
        card.hide()
        card.deleteLater()

    # ---- adding and editing

    def paste(self) -> None:
        """Open the field for the usual JSON."""
        made = Paste(self._actions, self.cards)
        made.added.connect(self._saved)
        self._open_form(made)

    def _edit(self, name: str) -> None:
        self._open_form(Form(self._actions, self.cards[name].server), name)

    def _open_form(self, form: Paste | Form, name: str = "") -> None:
        """`name`: of the server that is edited; the form stands in its place."""
        self._close_form()
        self.form, self._edited = form, name
        form.left.connect(self._cancelled)
        if isinstance(form, Form):
            form.saved.connect(lambda saved: self._saved([saved]))
        if name:
            self._list.insertWidget(self._list.indexOf(self.cards[name]), form)
            self.cards[name].hide()
        else:
            self._form_place.addWidget(form)
        self.outcome.clear()
        self._nothing.hide()
        self.ways.hide()
        form.show()

    def _close_form(self) -> None:
        form, self.form = self.form, None
        if form is None:
            return
        if self._edited in self.cards:
            self.cards[self._edited].show()
        self._edited = ""
        form.hide()
        form.deleteLater()
        self._nothing.setVisible(not self.cards)
        self.ways.show()

    def _cancelled(self) -> None:
        edited = self.cards.get(self._edited)
        self._close_form()
        if edited is not None and edited.details is not None:
            edited.details.edit.setFocus()
        else:
            self.ways.paste.setFocus()

    def _saved(self, names: list[str]) -> None:
        self._close_form()
        self._work.start(self._after(names), name="mcp:saved")

    async def _after(self, names: list[str]) -> None:
        """Show what was saved; the first of it is opened, which starts it."""
        await self._latest.want()
        card = self.cards.get(names[0]) if names else None
        if card is not None:
            if not card.opened:
                card.toggle()
            card.open_button.setFocus()
        self.saved.emit("tools.mcpServers")

    # ---- removing

    def _remove(self, name: str) -> None:
        self._work.start(self._removing(name), name="mcp:remove")

    async def _removing(self, name: str) -> None:
        try:
            undo = await self._actions.api.servers.remove(name)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        said = _("{name} removed.").format(name=name)
        back = (_("Undo"), lambda: self._work.start(self._restore(undo), name="mcp:restore"))
        self.outcome.failed(said, tone="info", actions=(back,))
        self.refresh()
        self.saved.emit("tools.mcpServers")

    async def _restore(self, undo: str) -> None:
        try:
            await self._actions.api.servers.restore(undo)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self.outcome.clear()
        self.ways.paste.setFocus()
        self.refresh()
        self.saved.emit("tools.mcpServers")
