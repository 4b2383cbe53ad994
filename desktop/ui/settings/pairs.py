"""Names with values, some of which are secret: variables of a program, HTTP headers of a server."""

from typing import Any

from PySide6.QtWidgets import QLineEdit

from desktop.config.describe import Setting
from desktop.config.mcp import KEYCHAIN, sounds_secret
from desktop.text import _
from desktop.ui.settings.editors import Editor
from desktop.ui.theme.icons import icon
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.entries import Entries, Entry


class Pair(Entry):
    """One line. What sounds like a secret is hidden while it is typed; the key says that it goes into the
    keychain, and can be pressed for what does not sound like one, or only sounds so."""

    def __init__(self, name: str = "", value: str = "") -> None:
        self._kept = value == KEYCHAIN
        """Whether the value is in the keychain already: an empty field leaves it there."""
        self.secret, self._chosen = IconButton("key-round"), False
        self.secret.setCheckable(True)
        super().__init__(name, "" if self._kept else value, (self.secret,))
        self.name.textChanged.connect(self._look)
        self.value.textChanged.connect(self._look)
        self.secret.clicked.connect(self._choose)
        self.secret.toggled.connect(self.say)
        self.secret.setChecked(self._kept)
        self._look()

    def say(self) -> None:
        super().say()
        secret = self.secret.isChecked()
        mode = QLineEdit.EchoMode.Password if secret else QLineEdit.EchoMode.Normal
        self.value.setEchoMode(mode)
        if self._kept and secret:
            self.value.setPlaceholderText(_("Stored in the keychain. Enter a new one to replace it."))
        self.secret.setIcon(icon("key-round", "accent" if secret else "faint"))
        self.secret.say(
            _("Secret: stored in the keychain") if secret else _("Not secret: stored in config.json")
        )

    def _look(self) -> None:
        if not (self._chosen or self._kept):
            self.secret.setChecked(sounds_secret(self.name.text(), self.value.text() or "x"))

    def _choose(self) -> None:
        self._chosen = True

    @property
    def read(self) -> tuple[str, str, bool]:
        """Name, value and whether it is secret. The value is KEYCHAIN where the one there stays."""
        value, secret = self.value.text().strip(), self.secret.isChecked()
        if not value and self._kept and secret:
            value = KEYCHAIN
        return self.name.text().strip(), value, secret


class PairsEditor(Editor):
    """What it gives are the values for config.json, where KEYCHAIN stands for a secret one; and the secret
    ones that are new. Lines without a name are left out."""

    def __init__(self, setting: Setting) -> None:
        self.table = Entries(Pair)
        super().__init__(setting, self.table)
        self._row.addWidget(self.table)

    def put(self, value: Any) -> None:
        super().put(value)
        self.table.show_entries(value)

    def given(self) -> tuple[dict[str, str], dict[str, str]]:
        plain: dict[str, str] = {}
        secret: dict[str, str] = {}
        for pair in self.table.lines:
            name, value, is_secret = pair.read
            if not name:
                continue
            if is_secret and value and value != KEYCHAIN:
                secret[name] = value
                value = KEYCHAIN
            plain[name] = value
        return plain, secret
