"""Adding servers from the text that most of them give in their instructions: the usual mcpServers JSON."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from desktop.config.mcp import KEYCHAIN
from desktop.errors import AppError
from desktop.text import _, listed, ngettext
from desktop.ui.actions import Actions
from desktop.ui.panels.servers.words import about
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.form import FormPage
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.rows import Card
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.text_field import TextField
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import Pasted, Secrets

type Json = dict[str, Any]

_PAUSE_MS = 250
"""After the last letter; then the text is read."""
_EXAMPLE = '{\n  "mcpServers": {\n    "time": { "command": "uvx", "args": ["mcp-server-time"] }\n  }\n}'
_LINES = 7


class Preview(QWidget):
    """One server as it would be added."""

    def __init__(self, found: "Pasted", *, replaces: bool) -> None:
        super().__init__()
        secrets = [name for names in found.secrets.values() for name in names]
        title, about_it = (
            label("title", found.name, wrap=True),
            label("small", _about(found.server), wrap=True),
        )
        column = down(title, about_it, gap=2, edges=(0, Space.S, 0, Space.S), of=self)
        for sign, role, words in (
            ("key-round", "accent", _into_keychain(secrets)),
            ("info", "warning", _("It replaces the server with this name.") if replaces else ""),
        ):
            if words:
                words_beside = (label("small", words, wrap=True), 1)
                column.addLayout(across(Sign(sign, role, 14), words_beside, gap=Space.XS))


class Paste(FormPage):
    """Text in, servers out."""

    saved = Signal(list)
    """The names of servers that are saved."""

    def __init__(self, actions: Actions, taken: Collection[str]) -> None:
        """`taken`: the names that there are."""
        self._help, self._heading = label("small", wrap=True), label("section")
        self.preview, self.text = Card(), TextField(_LINES, code=True)
        super().__init__(self._help, self.text, self._heading, self.preview)
        self._actions, self._work, self._taken = actions, Work(self), set(taken)
        self._found: Sequence[Pasted] = ()
        self._linked = False
        """The text comes from a link."""
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._look)
        self.text.textChanged.connect(self._typed)
        self.text.save_wanted.connect(self.save.click)
        spoken(self._words)

    def _words(self) -> None:
        self.back.say(_("Back to servers"), "Esc")
        self.title.setText(_("Settings from a link") if self._linked else _("Paste settings"))
        usual = _("Most servers include them in their instructions, as JSON that starts with “mcpServers”.")
        linked = _(
            "These settings come from a link. A server can run programs on this computer: add it only if "
            "you trust where the link comes from."
        )
        self._help.setText(linked if self._linked else usual)
        self.text.setAccessibleName(_("Settings as JSON"))
        self.text.setPlaceholderText(_EXAMPLE)
        self.cancel.setText(_("Cancel"))
        self._heading.setText(_("To be added"))
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.text.setFocus()

    def offer(self, text: str) -> None:
        """Show the text of a link. The keyboard is where no key adds anything."""
        self._linked = True
        self.text.setPlainText(text)
        self._words()
        self.cancel.setFocus()

    # ---- what the text says

    def _typed(self) -> None:
        """What is offered below is that of an older text until this one is read."""
        self.save.setEnabled(False)
        self._pause.start()

    def _look(self) -> None:
        self._work.cancel()
        self._work.start(self._looking(self.text.toPlainText()), name="mcp:parse")

    async def _looking(self, text: str) -> None:
        self._found = ()
        try:
            if text.strip():
                self._found = await self._actions.api.servers.parse(text)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy, tone="warning")
        else:
            self.outcome.clear()
        self._show()

    def _show(self) -> None:
        count = len(self._found)
        self.preview.fill(Preview(found, replaces=found.name in self._taken) for found in self._found)
        self.preview.setVisible(bool(count))
        self._heading.setVisible(bool(count))
        words = ngettext("Add {count} server", "Add {count} servers", count).format(count=count)
        self.save.setText(words if count > 1 else _("Add"))
        self.save.setEnabled(bool(count))

    # ---- saving

    def submit(self) -> None:
        self._work.tell(self._saving(self._found), self.outcome, name="mcp:add", busy=[self.save])

    async def _saving(self, found: "Sequence[Pasted]") -> None:
        saved: list[str] = []
        for one in found:
            server, secrets = apart(one)
            new = one.name not in self._taken
            saved.append(await self._actions.api.servers.save(one.name, server, secrets, new=new))
            self._taken.add(one.name)
        self.saved.emit(saved)


def apart(found: "Pasted") -> "tuple[Json, Secrets]":
    """A server that was read, and its secrets."""
    from desktop.api.servers import Secrets

    server, secrets = dict(found.server), dict[str, dict[str, str]]()
    for kind in ("env", "headers"):
        values = dict(server.get(kind) or {})
        names = [name for name in found.secrets.get(kind, ()) if values.get(name) not in (None, KEYCHAIN)]
        secrets[kind] = {name: values[name] for name in names}
        if names:
            server[kind] = values | dict.fromkeys(names, KEYCHAIN)
    return server, Secrets(**secrets)


def _about(server: Mapping[str, Any]) -> str:
    """What a server as config.json has it runs, or its address."""
    args = [str(word) for word in server.get("args") or ()]
    return about(str(server.get("command") or ""), args, str(server.get("url") or ""))


def _into_keychain(names: list[str]) -> str:
    if not names:
        return ""
    return _("Saved to this computer’s keychain: {names}").format(names=listed(names))
