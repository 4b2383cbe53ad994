"""What a server is set by, as fields: its name, what kind it is, and the fields of its model."""

import asyncio
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QLineEdit

from desktop.config.mcp import CLIENT_SECRET
from desktop.errors import ConfigError
from desktop.text import _, mark
from desktop.ui.panels.servers.words import words_of
from desktop.ui.settings.form import ModelCard
from desktop.ui.theme.theme import code_font
from desktop.ui.widgets.choice_box import ChoiceBox
from desktop.ui.widgets.rows import Row
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import Secrets, ServerLine

type Json = dict[str, Any]

PROGRAM, ADDRESS = "program", "address"
_KINDS = {PROGRAM: mark("A program on this computer"), ADDRESS: mark("A service at a URL")}
_OF_KIND = {
    PROGRAM: ("command", "args", "env", "cwd"),
    ADDRESS: ("url", "auth", "client_id", "client_secret", "headers"),
}
_TIMEOUT = "tool_timeout"
_WIDE = ("command", "args", "env", "cwd", "url", "headers")
_CODE = ("command", "cwd", "url", "client_id")


class Fields(ModelCard):
    """Made with the name and the kind alone; make_rest() adds the others. At once they would hold up the
    window."""

    def __init__(self, server: "ServerLine | None") -> None:
        """`server`: None for a new one."""
        super().__init__("tools.mcp_servers.new")
        self._server = server
        self.name, self.kind = QLineEdit(server.name if server is not None else ""), ChoiceBox(_KINDS)
        if server is not None and server.url and not server.command:
            self.kind.choose(ADDRESS)
        self._name_row, self._kind_row = Row(self.name), Row(self.kind)
        for row in (self._name_row, self._kind_row):
            self.add(row)
        self.name.textEdited.connect(lambda: self._name_row.complain(""))
        self.kind.currentIndexChanged.connect(self._show_kind)
        spoken(self._words)

    def _words(self) -> None:
        self._name_row.call(_("Name"), _("Letters and digits. The name is up to you."))
        self._kind_row.call(_("Type"))

    async def make_rest(self) -> None:
        """Add all other fields, with a turn for the window in between."""
        values, kept = _values(self._server), self._server is not None and self._server.client_secret
        for name in (*_OF_KIND[PROGRAM], *_OF_KIND[ADDRESS], _TIMEOUT):
            await asyncio.sleep(0)
            other = mark("Stored in the keychain. Enter a new one to replace it.") if kept else ""
            help_ = other if name == "client_secret" else ""
            field = self.add_field(name, values.get(name), wide=name in _WIDE, help_=help_).field
            if name in _CODE:
                field.setFont(code_font())
            if name == "command" and isinstance(field, QLineEdit):
                field.editingFinished.connect(self._part_words)
            self._show_kind()

    def _show_kind(self) -> None:
        for kind, names in _OF_KIND.items():
            for name in self.fields.keys() & set(names):
                self.fields[name].setVisible(kind == self.kind.value)

    def _part_words(self) -> None:
        """A whole command line in the field of the program is program and arguments."""
        command, arguments = self.fields["command"], self.fields["args"]
        if arguments.editor.given():
            return
        try:
            words = words_of(command.editor.given())
        except ConfigError:  # it is longer than any
            return
        except ValueError:
            command.complain(_("A quotation mark isn’t closed."))
            return
        if len(words) > 1:
            command.editor.put(words[0])
            arguments.editor.put(words[1:])

    def read(self) -> "tuple[Json, Secrets] | None":
        """The server, as config.json has it, and its new secrets; None where a field says what is wrong."""
        from desktop.api.servers import Secrets

        self._part_words()
        missing = {
            "command": _("Enter a program."),
            "url": _("Enter an address that starts with https:// or http://."),
        }
        name = self._name_row, "" if self.name.text().strip() else _("Enter a name.")
        given = self.read_fields(*_OF_KIND[self.kind.value], _TIMEOUT, missing=missing, also=name)
        if given is None:
            return None
        server: Json = {"toolTimeout": given[_TIMEOUT]}
        if (old := self._server) is not None:
            server |= {"enabled": old.enabled, "trusted": old.trusted, "protocol": old.protocol}
        if self.kind.value == PROGRAM:
            env, secret = given["env"]
            server |= {name: given[name] for name in ("command", "args", "cwd")} | {"env": env}
            return server, Secrets(env=secret)
        headers, secret = given["headers"]
        server |= {"url": given["url"], "headers": headers, "clientId": given["client_id"] or None}
        server["auth"] = "oauth" if given["auth"] else None
        if old is not None and old.url == server["url"]:
            server["type"] = old.kind
        return server, Secrets(headers=secret, client={CLIENT_SECRET: given["client_secret"]})


def _values(server: "ServerLine | None") -> Json:
    """What the fields show at first, by their names in the model."""
    if server is None:
        return {}
    same = ("command", "args", "env", "cwd", "url", "headers", "client_id")
    shown = {name: getattr(server, name) for name in same}
    return shown | {"auth": server.oauth, _TIMEOUT: server.timeout}
