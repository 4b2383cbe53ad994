"""A key of a chat app: where it is got, a field for a new one, and a way to be rid of it."""

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.panels.channels.words import KEYS, PAGES
from desktop.ui.settings.key import KeyEdit
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.rows import Row
from desktop.ui.words import spoken

_DOTS = "••••••••••••"


class KeyRow(Row):
    """`entered` and `removed` tell what the person wants, by the field."""

    entered = Signal(str)
    removed = Signal(str)

    def __init__(self, app: str, field: str) -> None:
        self._about, self._address, self._stored = KEYS[app, field], PAGES.get((app, field), ""), False
        self.key, self.save, self.remove = KeyEdit(), button(), button("quiet")
        side = QWidget()
        across((self.key, 1), self.remove, self.save, gap=Space.XS, of=side)
        super().__init__(side, wide=True)
        self._page = button("link", "external-link")
        self._page.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the sign after the words
        self._page.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(self._address)))
        self._page.setVisible(bool(self._address))
        self.beside.addSpacing(Space.S)
        self.beside.addWidget(self._page)
        self.beside.addStretch(1)
        self.save.clicked.connect(lambda: self.entered.emit(field))
        self.key.edit.returnPressed.connect(lambda: self.entered.emit(field))
        self.key.edit.textEdited.connect(lambda: self.complain(""))
        self.remove.clicked.connect(lambda: self.removed.emit(field))
        spoken(self._words)

    def show_stored(self, stored: bool) -> None:
        """Tell whether there is one."""
        self._stored = stored
        self._words()

    def clear(self) -> None:
        """Forget what was typed."""
        self.key.clear()
        self.complain("")

    def _words(self) -> None:
        title, how = map(_, self._about)
        self.say(title, how)
        self.key.edit.setAccessibleName(title)
        self.key.edit.setPlaceholderText(_DOTS if self._stored else _("Paste it here"))
        self._page.say(_("Get a key"))
        self.save.say(_("Save"), _("Save {name}").format(name=title))
        self.remove.say(_("Remove"), _("Remove {name}").format(name=title))
        self.remove.setVisible(self._stored)
