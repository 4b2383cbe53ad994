"""A server by hand: its name, what it runs or where it is, and what it is given."""

import asyncio
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout

from desktop.errors import AppError
from desktop.text import _, ngettext
from desktop.ui.actions import Actions
from desktop.ui.panels.servers.pairs import Pairs
from desktop.ui.panels.servers.words import words_of
from desktop.ui.settings.editors import CalmBox
from desktop.ui.settings.rows import Card, Row
from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

type Json = dict[str, Any]

_PROGRAM, _ADDRESS = 0, 1
_ARGUMENTS_HEIGHT = 76
_TIMEOUT = 30


class Form(QFrame):
    """For a new server, or one that there is."""

    saved = Signal(str)
    left = Signal()

    def __init__(self, actions: Actions, server: Mapping[str, Any] | None = None) -> None:
        """`server`: a line of the verb `mcp`; None for a new one."""
        super().__init__()
        self.setProperty("kind", "card")
        self._actions, self._work, self._server = actions, Work(self), server
        self._test: asyncio.Task[None] | None = None
        self.name, self.kind = QLineEdit(), CalmBox()
        self.command, self.arguments = QLineEdit(), QPlainTextEdit()
        self.env, self.headers = Pairs(), Pairs()
        self.cwd, self.url, self.timeout = QLineEdit(), QLineEdit(), QLineEdit()
        self.sign_in = Switch()
        self.arguments.setObjectName("code")
        self.arguments.setTabChangesFocus(True)
        self.arguments.setFixedHeight(_ARGUMENTS_HEIGHT)
        for field in (self.command, self.arguments, self.cwd, self.url):
            field.setFont(code_font())
        self.kind.addItems(["", ""])
        self._title = label("title")
        self.save, self.test, self.cancel = button("primary"), button(), button("quiet")
        self.outcome = Outcome()
        self._make_rows()
        self._lay_out()
        self._connect()
        self._fill()
        spoken(self._words)

    def _make_rows(self) -> None:
        self._name_row, self._kind_row = Row(self.name), Row(self.kind)
        self._command_row, self._url_row = Row(self.command, wide=True), Row(self.url, wide=True)
        self._arguments_row = Row(self.arguments, wide=True)
        self._env_row, self._headers_row = Row(self.env, wide=True), Row(self.headers, wide=True)
        self._cwd_row, self._timeout_row = Row(self.cwd, wide=True), Row(self.timeout)
        self._sign_in_row = Row(self.sign_in, width=0)
        self._of_program = (self._command_row, self._arguments_row, self._env_row, self._cwd_row)
        self._of_address = (self._url_row, self._sign_in_row, self._headers_row)

    def _lay_out(self) -> None:
        card = Card(framed=False)
        every = (
            self._name_row,
            self._kind_row,
            *self._of_program,
            *self._of_address,
            self._timeout_row,
        )
        for row in every:
            card.add(row)
        buttons = QHBoxLayout()
        buttons.setSpacing(Space.S)
        for made in (self.save, self.test, self.cancel):
            buttons.addWidget(made)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        column.setSpacing(Space.S)
        column.addWidget(self._title)
        column.addWidget(card)
        column.addWidget(self.outcome)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.command.editingFinished.connect(self._part_words)
        for row, edit in ((self._name_row, self.name), (self._timeout_row, self.timeout)):
            edit.textEdited.connect(lambda _text, row=row: row.complain(""))
        self.command.textEdited.connect(lambda: self._command_row.complain(""))
        self.url.textEdited.connect(lambda: self._url_row.complain(""))
        self.save.clicked.connect(self._save)
        self.test.clicked.connect(self._try)
        self.cancel.clicked.connect(self.left)

    def _fill(self) -> None:
        server = self._server or {}
        self.name.setText(str(server.get("name") or ""))
        self.kind.setCurrentIndex(_ADDRESS if server.get("url") and not server.get("command") else _PROGRAM)
        self.command.setText(str(server.get("command") or ""))
        self.arguments.setPlainText("\n".join(map(str, server.get("args") or ())))
        self.env.show_pairs(server.get("env") or {})
        self.headers.show_pairs(server.get("headers") or {})
        self.cwd.setText(str(server.get("cwd") or ""))
        self.url.setText(str(server.get("url") or ""))
        self.sign_in.setChecked(bool(server.get("oauth")))
        self.timeout.setText(f"{float(server.get('timeout') or _TIMEOUT):g}")
        self._show_kind()

    def _words(self) -> None:
        name = str((self._server or {}).get("name") or "")
        self._title.setText(_("Edit {name}").format(name=name) if name else _("A server by hand"))
        self.kind.setItemText(_PROGRAM, _("A program on this computer"))
        self.kind.setItemText(_ADDRESS, _("A service at an address"))
        for row, editor, title, help_ in (
            (self._name_row, self.name, _("Name"), _("Letters and digits, as you like to call it.")),
            (self._kind_row, self.kind, _("What it is"), ""),
            (self._command_row, self.command, _("Program"), _("A whole line can be pasted here.")),
            (self._arguments_row, self.arguments, _("Arguments"), _("One a line.")),
            (self._env_row, self.env, _("Variables"), _("What it finds in its environment.")),
            (self._cwd_row, self.cwd, _("Working folder"), _("Empty: your home folder.")),
            (self._url_row, self.url, _("Address"), ""),
            (
                self._sign_in_row,
                self.sign_in,
                _("Sign in"),
                _("With your account in the browser; needs no key."),
            ),
            (self._headers_row, self.headers, _("Headers"), _("Sent with each request, such as a key.")),
            (
                self._timeout_row,
                self.timeout,
                _("Longest call"),
                _("After so many seconds a call is ended."),
            ),
        ):
            row.say(title, help_)
            editor.setAccessibleName(title)
        self.url.setPlaceholderText("https://example.com/mcp")
        self.command.setPlaceholderText("uvx mcp-server-time")
        for pairs in (self.env, self.headers):
            pairs.say(_("Add a line"))
        self.save.setText(_("Save") if self._server else _("Add"))
        self.test.setText(_("Test"))
        self.cancel.setText(_("Cancel"))

    def _show_kind(self) -> None:
        program = self.kind.currentIndex() == _PROGRAM
        for row in self._of_program:
            row.setVisible(program)
        for row in self._of_address:
            row.setVisible(not program)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.name.setFocus()

    def _part_words(self) -> None:
        """A whole command line in the field of the program is program and arguments."""
        if self.arguments.toPlainText().strip():
            return
        try:
            words = words_of(self.command.text())
        except ValueError:
            self._command_row.complain(_("A quotation mark is left open."))
            return
        if len(words) > 1:
            self.command.setText(words[0])
            self.arguments.setPlainText("\n".join(words[1:]))

    # ---- what it comes to

    def read(self) -> tuple[Json, Json] | None:
        """The server and its new secrets, as the verbs take them; None where a field says what is wrong."""
        self._part_words()
        program = self.kind.currentIndex() == _PROGRAM
        wrong = [
            (self._name_row, "" if self.name.text().strip() else _("It needs a name.")),
            (self._timeout_row, "" if _seconds(self.timeout.text()) else _("A number from 1 to 3600.")),
        ]
        if program:
            missing = not self.command.text().strip()
            wrong.append((self._command_row, _("Which program?") if missing else ""))
        else:
            good = self.url.text().strip().startswith(("http://", "https://"))
            wrong.append((self._url_row, "" if good else _("It begins with https:// or http://.")))
        for row, problem in wrong:
            row.complain(problem)
        if any(problem for _row, problem in wrong):
            return None
        server: Json = {"toolTimeout": _seconds(self.timeout.text())}
        old = self._server or {}
        for kept in ("enabled", "trusted", "protocol"):
            if kept in old:
                server[kept] = old[kept]
        secrets: Json = {"env": {}, "headers": {}}
        if program:
            lines = [line.strip() for line in self.arguments.toPlainText().splitlines()]
            server |= {"command": self.command.text().strip(), "args": [line for line in lines if line]}
            server["cwd"] = self.cwd.text().strip()
            server["env"], secrets["env"] = self.env.read()
        else:
            server["url"] = self.url.text().strip()
            server["headers"], secrets["headers"] = self.headers.read()
            server["auth"] = "oauth" if self.sign_in.isChecked() else None
            if old.get("url") == server["url"]:
                server["type"] = old.get("kind")
        return server, secrets

    def _save(self) -> None:
        if (given := self.read()) is not None:
            self._end_test()
            self._work.start(self._saving(*given), name="mcp:save", busy=[self.save])

    async def _saving(self, server: Json, secrets: Json) -> None:
        before = str((self._server or {}).get("name") or "")
        name = self.name.text().strip()
        self.outcome.clear()
        try:
            reply = await self._actions.call(
                "mcp_save",
                name=name,
                server=server,
                secrets=secrets,
                new=not before,
                before=before if before != name else "",
            )
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self.saved.emit(reply["name"])

    def _try(self) -> None:
        if (given := self.read()) is not None:
            self._test = self._work.start(self._trying(*given), name="mcp:test", busy=[self.test])

    def _end_test(self) -> None:
        if self._test is not None:
            self._test.cancel()

    async def _trying(self, server: Json, secrets: Json) -> None:
        self.outcome.busy(_("Starting the server, and asking for its tools…"), self._end_test)
        try:
            # The name is that of the secrets which are in the keychain already.
            name = str((self._server or {}).get("name") or "")
            reply = await self._actions.call("mcp_test", name=name, server=server, secrets=secrets)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        except asyncio.CancelledError:
            self.outcome.clear()
            raise
        else:
            self.outcome.done(tested(reply))


def tested(reply: Mapping[str, Any]) -> str:
    """What a test came to, in a sentence."""
    count = len(reply["tools"])
    words = ngettext(
        "It works: {count} tool, {seconds} s.", "It works: {count} tools, {seconds} s.", count
    ).format(count=count, seconds=f"{float(reply['seconds']):.1f}")
    server = str(reply.get("server") or "").strip()
    return f"{words} {server}" if server else words


def _seconds(text: str) -> float:
    """The number that was entered; 0 where it cannot be used."""
    try:
        found = float(text.replace(",", "."))
    except ValueError:
        return 0
    return found if 1 <= found <= 3600 else 0
