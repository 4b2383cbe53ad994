"""What a server is set by, as fields: one after the other, read together."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from desktop.config.mcp import CLIENT_SECRET
from desktop.text import _, mark
from desktop.ui.panels.servers.pairs import Pairs
from desktop.ui.panels.servers.words import words_of
from desktop.ui.theme.theme import code_font
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.rows import EDITOR_WIDTH, Card, Row
from desktop.ui.widgets.switch import Switch
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import Secrets, ServerLine

type Json = dict[str, Any]

_PROGRAM, _ADDRESS = 0, 1
_KINDS = (mark("A program on this computer"), mark("A service at a URL"))
_ARGUMENTS_HEIGHT = 76
_TIMEOUT = 30.0


class Fields(Card):
    """Made with the name alone; make_rest() adds the others. At once they would hold up the window."""

    def __init__(self, server: "ServerLine | None") -> None:
        """`server`: None for a new one."""
        super().__init__()
        self._server = server
        self._said: list[tuple[Row, QWidget, str, str]] = []
        self._of_program: list[Row] = []
        self._of_address: list[Row] = []
        self.name = QLineEdit(self._given(lambda server: server.name, ""))
        self._name_row = self._row(self.name)
        about = mark("Letters and digits. The name is up to you.")
        self._say(self._name_row, self.name, mark("Name"), about)
        spoken(self._words)

    def _words(self) -> None:
        for row, editor, title, help_ in self._said:
            row.say(_(title), _(help_) if help_ else "")
            editor.setAccessibleName(_(title))
            if isinstance(editor, Pairs):
                editor.say(_("Add line"))
            elif isinstance(editor, CalmBox):
                for number, words in enumerate(_KINDS):
                    editor.setItemText(number, _(words))

    async def make_rest(self) -> None:
        """Add all fields but the first, with a turn for the window in between."""
        steps = (self._make_kind, self._make_program, self._make_arguments, self._make_env, self._make_cwd)
        more = (self._make_address, self._make_sign_in, self._make_client, self._make_headers)
        for make in (*steps, *more, self._make_timeout):
            await asyncio.sleep(0)
            make()

    def _given[T](self, of: "Callable[[ServerLine], T]", usual: T) -> T:
        return of(self._server) if self._server is not None else usual

    def _row(self, editor: QWidget, *, wide: bool = False, width: int = EDITOR_WIDTH) -> Row:
        row = Row(editor, wide=wide, width=width)
        if isinstance(editor, QLineEdit):
            editor.textEdited.connect(lambda: row.complain(""))
        self.add(row)
        return row

    def _say(self, row: Row, editor: QWidget, title: str, help_: str = "") -> None:
        """Its words, in English; they are said in the person's language, now and after a change of it."""
        self._said.append((row, editor, title, help_))
        self._words()

    def _make_kind(self) -> None:
        self.kind = CalmBox()
        self.kind.addItems(_KINDS)
        self.kind.setCurrentIndex(
            self._given(lambda s: _ADDRESS if s.url and not s.command else _PROGRAM, _PROGRAM)
        )
        self.kind.currentIndexChanged.connect(self._show_kind)
        self._kind_row = self._row(self.kind)
        self._say(self._kind_row, self.kind, mark("Type"))

    def _make_program(self) -> None:
        self.command = QLineEdit(self._given(lambda server: server.command, ""))
        self.command.setFont(code_font())
        self.command.setPlaceholderText("uvx mcp-server-time")
        self.command.editingFinished.connect(self._part_words)
        self._command_row = self._row(self.command, wide=True)
        self._say(
            self._command_row,
            self.command,
            mark("Program"),
            mark("You can paste a whole command line here."),
        )
        self._belongs(self._command_row, _PROGRAM)

    def _make_arguments(self) -> None:
        self.arguments = QPlainTextEdit("\n".join(self._given(lambda server: server.args, ())))
        self.arguments.setObjectName("code")
        self.arguments.setFont(code_font())
        self.arguments.setTabChangesFocus(True)
        self.arguments.setFixedHeight(_ARGUMENTS_HEIGHT)
        row = self._row(self.arguments, wide=True)
        self._say(row, self.arguments, mark("Arguments"), mark("One per line."))
        self._belongs(row, _PROGRAM)

    def _make_env(self) -> None:
        self.env = self._pairs(
            "env", _PROGRAM, mark("Variables"), mark("Environment variables for the program.")
        )

    def _make_cwd(self) -> None:
        self.cwd = QLineEdit(self._given(lambda server: server.cwd, ""))
        self.cwd.setFont(code_font())
        row = self._row(self.cwd, wide=True)
        self._say(row, self.cwd, mark("Working folder"), mark("Leave empty to use your home folder."))
        self._belongs(row, _PROGRAM)

    def _make_address(self) -> None:
        self.url = QLineEdit(self._given(lambda server: server.url, ""))
        self.url.setFont(code_font())
        self.url.setPlaceholderText("https://example.com/mcp")
        self._url_row = self._row(self.url, wide=True)
        self._say(self._url_row, self.url, mark("Address"))
        self._belongs(self._url_row, _ADDRESS)

    def _make_sign_in(self) -> None:
        self.sign_in = Switch()
        self.sign_in.setChecked(self._given(lambda server: server.oauth, False))
        row = self._row(self.sign_in, width=0)
        self._say(
            row,
            self.sign_in,
            mark("Sign in"),
            mark("Sign in with your account in the browser; no key needed."),
        )
        self._belongs(row, _ADDRESS)

    def _make_client(self) -> None:
        self.client = QLineEdit(self._given(lambda server: server.client_id, ""))
        self.client.setFont(code_font())
        row = self._row(self.client)
        about = mark(
            "Only if you registered Nanobot with the service yourself. Leave empty to register "
            "automatically."
        )
        self._say(row, self.client, mark("Client ID"), about)
        self._belongs(row, _ADDRESS)
        self.secret = QLineEdit()
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        row = self._row(self.secret)
        kept = mark("Stored in the keychain. Enter a new one to replace it.")
        given = (
            kept
            if self._given(lambda server: server.client_secret, False)
            else mark("Stored in the keychain.")
        )
        self._say(row, self.secret, mark("Client secret"), given)
        self._belongs(row, _ADDRESS)

    def _make_headers(self) -> None:
        about = mark("Sent with each request, for example a key.")
        self.headers = self._pairs("headers", _ADDRESS, mark("Headers"), about)

    def _make_timeout(self) -> None:
        self.timeout = QLineEdit(f"{self._given(lambda server: server.timeout, _TIMEOUT):g}")
        self._timeout_row = self._row(self.timeout)
        about = mark("Calls that take longer, in seconds, are stopped.")
        self._say(self._timeout_row, self.timeout, mark("Timeout"), about)

    def _pairs(self, name: str, kind: int, title: str, about: str) -> Pairs:
        made = Pairs()
        made.show_pairs(self._given(lambda server: getattr(server, name), {}))
        row = self._row(made, wide=True)
        self._say(row, made, title, about)
        self._belongs(row, kind)
        return made

    def _belongs(self, row: Row, kind: int) -> None:
        (self._of_program if kind == _PROGRAM else self._of_address).append(row)
        row.setVisible(self.kind.currentIndex() == kind)

    def _show_kind(self) -> None:
        program = self.kind.currentIndex() == _PROGRAM
        for row in self._of_program:
            row.setVisible(program)
        for row in self._of_address:
            row.setVisible(not program)

    def _part_words(self) -> None:
        """A whole command line in the field of the program is program and arguments."""
        if self.arguments.toPlainText().strip():
            return
        try:
            words = words_of(self.command.text())
        except ValueError:
            self._command_row.complain(_("A quotation mark isn’t closed."))
            return
        if len(words) > 1:
            self.command.setText(words[0])
            self.arguments.setPlainText("\n".join(words[1:]))

    def read(self) -> "tuple[Json, Secrets] | None":
        """The server, as config.json has it, and its new secrets; None where a field says what is wrong."""
        from desktop.api.servers import Secrets

        self._part_words()
        program = self.kind.currentIndex() == _PROGRAM
        wrong = [
            (self._name_row, "" if self.name.text().strip() else _("Enter a name.")),
            (
                self._timeout_row,
                "" if _seconds(self.timeout.text()) else _("Enter a number from 1 to 3600."),
            ),
        ]
        if program:
            missing = not self.command.text().strip()
            wrong.append((self._command_row, _("Enter a program.") if missing else ""))
        else:
            good = self.url.text().strip().startswith(("http://", "https://"))
            wrong.append(
                (self._url_row, "" if good else _("Enter an address that starts with https:// or http://."))
            )
        for row, problem in wrong:
            row.complain(problem)
        if any(problem for _row, problem in wrong):
            return None
        server: Json = {"toolTimeout": _seconds(self.timeout.text())}
        old = self._server
        if old is not None:
            server |= {"enabled": old.enabled, "trusted": old.trusted, "protocol": old.protocol}
        if program:
            lines = [line.strip() for line in self.arguments.toPlainText().splitlines()]
            server |= {"command": self.command.text().strip(), "args": [line for line in lines if line]}
            server["cwd"] = self.cwd.text().strip()
            server["env"], env = self.env.read()
            return server, Secrets(env=env)
        server["url"] = self.url.text().strip()
        server["headers"], headers = self.headers.read()
        server["auth"] = "oauth" if self.sign_in.isChecked() else None
        server["clientId"] = self.client.text().strip() or None
        if old is not None and old.url == server["url"]:
            server["type"] = old.kind
        return server, Secrets(headers=headers, client={CLIENT_SECRET: self.secret.text().strip()})


def _seconds(text: str) -> float:
    """The number that was entered; 0 where it cannot be used."""
    try:
        found = float(text.replace(",", "."))
    except ValueError:
        return 0
    return found if 1 <= found <= 3600 else 0
