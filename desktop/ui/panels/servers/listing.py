"""The list of the servers, and the two ways to add one."""

from typing import TYPE_CHECKING

from desktop.text import _
from desktop.ui.panels.servers.standing import Standing
from desktop.ui.panels.servers.words import about, state
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.list_page import ListPage
from desktop.ui.widgets.list_row import ListRow
from desktop.ui.widgets.plain import shown
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import ServerLine

SIGN_IN = "sign_in"
"""What can be done with a server besides what every row has."""


class ServerRow(ListRow):
    """It opens to its tools and what can be done with it."""

    def __init__(self) -> None:
        super().__init__("plug")
        self.server: ServerLine
        """Once it shows one."""
        self._standing = Standing()
        self._standing.sign_in_wanted.connect(lambda: self.act(SIGN_IN))
        self.add_line(self._standing, pressed=True)

    def show_server(self, server: "ServerLine") -> None:
        """Show it as it is now."""
        self.server, self.key = server, server.name
        self.say()

    def say(self) -> None:
        server, name = self.server, shown(self.server.name)
        self.switch.setChecked(server.enabled)
        self.switch.setAccessibleName(_("Use server {name}").format(name=name))
        self.say_title(name, on=server.enabled)
        self._standing.show_server(server)
        told = (name, about(server.command, server.args, server.url), state(server)[1])
        self.setAccessibleName(", ".join(filter(None, told)))


class ServerList(ListPage[ServerRow, "ServerLine"]):
    """The button for a new one takes pasted settings, which most servers come with."""

    def __init__(self) -> None:
        self.by_hand = button("", "pencil")
        super().__init__("plug", acts=(self.by_hand,))
        spoken(self._words)

    def _words(self) -> None:
        about_all = _(
            "An MCP server lets the agent use tools from another program or service, such as a calendar, a "
            "database or a browser."
        )
        paste = _("Paste settings…")
        self.say(about_all, (paste, paste), _("Search servers"), _("No results"))
        self.by_hand.say(_("Add manually…"))
        empty = self.sections[0].empty
        assert empty is not None
        empty.say("", _("None yet. Paste the settings that a server comes with, or add it manually."))

    def make_row(self) -> ServerRow:
        return ServerRow()

    def show_row(self, row: ServerRow, item: "ServerLine") -> None:
        row.show_server(item)

    def found_by(self, item: "ServerLine") -> str:
        return f"{item.name}\n{about(item.command, item.args, item.url)}"
