"""The page of MCP servers: the list, a server or a form in its place, and a way back for one removed."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from desktop.bus.events import ServiceChanged
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.servers.form import Form
from desktop.ui.panels.servers.item import ServerPage
from desktop.ui.panels.servers.listing import SIGN_IN, ServerList
from desktop.ui.panels.servers.paste import Paste
from desktop.ui.settings.part import ListPart
from desktop.ui.widgets.latest import Latest
from desktop.ui.widgets.list_row import OFF, ON
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work

if TYPE_CHECKING:
    from desktop.api.servers import ServerLine

_SERVICE = "mcp:"
"""What the names of their services begin with."""


class Servers(ListPart):
    """Reads what there is whenever it is seen, and when a server's state changes."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self.list, self.outcome = ServerList(), Outcome()
        self.pages: dict[str, ServerPage] = {}
        """Of those that were opened: what was begun there goes on while the list is seen."""
        self.form: Paste | Form | None = None
        self._opened = ""
        """The server that is seen, or edited."""
        self._found: Sequence[ServerLine] = ()
        self._latest = Latest(self._read, partial(self._work.start, name="settings:mcp"))
        self.column.addWidget(self.outcome)
        self.add_place(self.list)
        self.hear(actions.bus, ServiceChanged, self._service)
        self.list.acted.connect(self._act)
        self.list.new_wanted.connect(self.paste)
        self.list.by_hand.clicked.connect(lambda: self._open_form(Form(self._actions)))

    # ---- what there is

    def _service(self, event: ServiceChanged) -> None:
        if event.name.startswith(_SERVICE):
            self.stale(event)

    def leave(self) -> None:
        if self.form is not None:
            self._close_form()
        self.outcome.clear()

    def refresh(self) -> None:
        """Read what there is."""
        self._latest.want()

    async def _read(self) -> None:
        try:
            self._found = await self._actions.api.servers.all()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self.list.show_items(self._found)
        for server in self._found:
            if server.name in self.pages:
                self.pages[server.name].show_server(server)
        for gone in self.pages.keys() - {server.name for server in self._found}:
            self.drop_place(self.pages.pop(gone))
        if self.form is None and self._opened not in self.pages:
            self._opened = ""
            self.show_place(self.list)

    # ---- one of them

    def _act(self, what: str, name: str) -> None:
        if what in (ON, OFF):
            self._work.start(self._switching(name, on=what == ON), name="mcp:switch")
            return
        page = self.open(name)
        if page is not None and what == SIGN_IN:
            page.sign_in.begin()

    def open(self, name: str) -> ServerPage | None:
        """Show one in the place of the list; None where it is gone."""
        server = next((server for server in self._found if server.name == name), None)
        if server is None:
            return None
        if name not in self.pages:
            made = self.pages[name] = ServerPage(self._actions, name)
            made.left.connect(self.go_back)
            made.changed.connect(self.refresh)
            made.edit_wanted.connect(partial(self._edit, name))
            made.remove_wanted.connect(partial(self._remove, name))
            self.add_place(made)
        page, self._opened = self.pages[name], name
        self.outcome.clear()
        page.show_server(server)
        self.show_place(page)
        page.read()
        page.back.setFocus()
        return page

    def go_back(self) -> None:
        """From a form to where it was opened, from a server to the list."""
        if (form := self.form) is not None:
            self._close_form()
            page = self.pages.get(self._opened)
            opener = self.list.new if isinstance(form, Paste) else self.list.by_hand
            (page.edit if page is not None else opener).setFocus()
            return
        name, self._opened = self._opened, ""
        self.show_place(self.list)
        self.list.focus_on(name)

    async def _switching(self, name: str, *, on: bool) -> None:
        self.outcome.clear()
        try:
            await self._actions.api.servers.switch(name, on=on)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        self.refresh()

    # ---- adding and editing

    def paste(self) -> None:
        """Open the field for the usual JSON."""
        self._open_form(Paste(self._actions, {server.name for server in self._found}))

    async def offer(self, text: str) -> None:
        if self.form is not None:
            raise AppError(
                _("Another server is being added or edited."),
                _("Save or cancel it first, then open the link again."),
            )
        await self._latest.want()
        form = Paste(self._actions, {server.name for server in self._found})
        self._open_form(form)
        form.offer(text)

    def _edit(self, name: str) -> None:
        self._open_form(Form(self._actions, self.pages[name].server))

    def _open_form(self, form: Paste | Form) -> None:
        self.form = form
        form.left.connect(self.go_back)
        form.saved.connect(self._saved)
        self.outcome.clear()
        self.add_place(form)
        self.show_place(form)

    def _close_form(self) -> None:
        assert self.form is not None
        self.drop_place(self.form)
        self.form = None
        self.show_place(self.pages.get(self._opened, self.list))

    def _saved(self, names: list[str]) -> None:
        self._work.start(self._after(names), name="mcp:saved")

    async def _after(self, names: list[str]) -> None:
        """Show the first of what was saved, which starts it."""
        await self._latest.want()
        self._close_form()
        self.open(names[0])
        self.saved.emit("tools.mcpServers")

    # ---- removing

    def _remove(self, name: str) -> None:
        self._work.tell(self._removing(name), self.outcome, name="mcp:remove")

    async def _removing(self, name: str) -> None:
        undo = await self._actions.api.servers.remove(name)
        self._opened = ""
        self.show_place(self.list)
        self.list.new.setFocus()
        back = (_("Undo"), lambda: self._restore(undo))
        self.outcome.failed(_("{name} removed.").format(name=name), tone="info", actions=(back,))
        self._changed()

    def _restore(self, undo: str) -> None:
        self._work.tell(self._restoring(undo), self.outcome, name="mcp:restore")

    async def _restoring(self, undo: str) -> None:
        await self._actions.api.servers.restore(undo)
        self.outcome.clear()
        self.list.new.setFocus()
        self._changed()

    def _changed(self) -> None:
        self.refresh()
        self.saved.emit("tools.mcpServers")
