"""Lines of a name and a value each, some of which are secret: variables of a program, HTTP headers."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.config.mcp import KEYCHAIN, sounds_secret
from desktop.text import _
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.words import spoken


class Pair(QWidget):
    """One line. What sounds like a secret is hidden while it is typed; the key says that it goes into the
    keychain, and can be pressed for what does not sound like one, or only sounds so."""

    removed = Signal(object)

    def __init__(self, name: str = "", value: str = "") -> None:
        super().__init__()
        self._kept = value == KEYCHAIN
        """Whether the value is in the keychain already: an empty field leaves it there."""
        self.name, self.value = QLineEdit(name), QLineEdit("" if self._kept else value)
        self.secret, self._remove = IconButton("key-round"), IconButton("x")
        self.name.setCursorPosition(0)
        self.secret.setCheckable(True)
        self._chosen = False
        across((self.name, 1), (self.value, 1), self.secret, self._remove, gap=Space.XS, of=self)
        self._remove.clicked.connect(lambda: self.removed.emit(self))
        self.name.textChanged.connect(self._look)
        self.value.textChanged.connect(self._look)
        self.secret.clicked.connect(self._choose)
        self.secret.toggled.connect(self._show)
        self.secret.setChecked(self._kept)
        self._look()
        spoken(self._words)

    def _words(self) -> None:
        self.name.setPlaceholderText(_("Name"))
        self.name.setAccessibleName(_("Name"))
        self.value.setAccessibleName(_("Value"))
        self._remove.say(_("Remove line"))
        self._show()

    def _look(self) -> None:
        if not (self._chosen or self._kept):
            self.secret.setChecked(sounds_secret(self.name.text(), self.value.text() or "x"))

    def _choose(self) -> None:
        self._chosen = True

    def _show(self) -> None:
        secret = self.secret.isChecked()
        mode = QLineEdit.EchoMode.Password if secret else QLineEdit.EchoMode.Normal
        self.value.setEchoMode(mode)
        kept = self._kept and secret
        self.value.setPlaceholderText(
            _("Stored in the keychain. Enter a new one to replace it.") if kept else _("Value")
        )
        self.secret.setIcon(icon("key-round", "accent" if secret else "faint"))
        self.secret.say(
            _("Secret: stored in the keychain") if secret else _("Not secret: stored in config.json")
        )

    @property
    def read(self) -> tuple[str, str, bool]:
        """Name, value and whether it is secret. The value is KEYCHAIN where the one there stays."""
        value, secret = self.value.text().strip(), self.secret.isChecked()
        if not value and self._kept and secret:
            value = KEYCHAIN
        return self.name.text().strip(), value, secret


class Pairs(QWidget):
    """As many lines as there are, and a button for one more."""

    def __init__(self) -> None:
        super().__init__()
        self.pairs: list[Pair] = []
        self._lines, self.add = QVBoxLayout(), button("link", "plus")
        self._lines.setSpacing(Space.XS)
        down(self._lines, self.add, gap=Space.XS, of=self)
        self.add.clicked.connect(lambda: self._put().name.setFocus())

    def say(self, words: str) -> None:
        """Name the button."""
        self.add.say(words)

    def show_pairs(self, values: Mapping[str, str]) -> None:
        """Show these."""
        for pair in list(self.pairs):
            self._drop(pair)
        for name, value in values.items():
            self._put(name, value)

    def _put(self, name: str = "", value: str = "") -> Pair:
        pair = Pair(name, value)
        pair.removed.connect(self._removed)
        self.pairs.append(pair)
        self._lines.addWidget(pair)
        pair.show()
        return pair

    def _removed(self, pair: Pair) -> None:
        self._drop(pair)
        (self.pairs[-1].name if self.pairs else self.add).setFocus()

    def _drop(self, pair: Pair) -> None:
        self.pairs.remove(pair)
        self._lines.removeWidget(pair)
        pair.hide()
        pair.deleteLater()

    def read(self) -> tuple[dict[str, str], dict[str, str]]:
        """The values for config.json, where KEYCHAIN stands for a secret one; and the secret ones that are
        new. Lines without a name are left out."""
        plain: dict[str, str] = {}
        secret: dict[str, str] = {}
        for pair in self.pairs:
            name, value, is_secret = pair.read
            if not name:
                continue
            if is_secret and value and value != KEYCHAIN:
                secret[name] = value
                value = KEYCHAIN
            plain[name] = value
        return plain, secret
