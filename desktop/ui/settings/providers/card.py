"""One provider on the page: what it is, how it stands, and what it opens to."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.key import KeychainNotice
from desktop.ui.settings.providers.details import Details
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import label, line
from desktop.ui.words import spoken

type Json = Mapping[str, Any]


class ProviderCard(QFrame):
    """Shows a row of the verb `providers`."""

    changed = Signal(str)

    def __init__(self, actions: Actions, notice: KeychainNotice) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self._actions, self._notice = actions, notice
        self.provider: Json = {}
        self._reply: Json = {}
        self._title, self._about, self._state = label("title"), label("small", wrap=True), label("small")
        self.open_button, self._head, self._line = IconButton("chevron-right"), QWidget(), line()
        self.details: Details | None = None
        self._lay_out()
        self.open_button.clicked.connect(self.toggle)
        self._head.installEventFilter(self)

    def _lay_out(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._title)
        words.addWidget(self._about)
        head = QHBoxLayout(self._head)
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(Space.S)
        head.addLayout(words, 1)
        head.addWidget(self._state)
        head.addWidget(self.open_button)
        self._head.setCursor(Qt.CursorShape.PointingHandCursor)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(Space.L, Space.M, Space.M, Space.M)
        self._column.setSpacing(Space.S)
        self._column.addWidget(self._head)
        self._column.addWidget(self._line)
        self._line.hide()

    def show_provider(self, provider: Json, reply: Json) -> None:
        """Show how it stands; `reply` is that of the settings, with `providers`."""
        first = not self.provider
        self.provider, self._reply = provider, reply
        if first:
            spoken(self._words)
        else:
            self._words()
        if self.details is not None:
            self.details.show_provider(provider, reply)

    def _words(self) -> None:
        kind, words = standing(self.provider, self._reply["providers"]["answers"]["name"])
        self._title.setText(self.provider["title"])
        self._about.setText(self.provider["about"])
        self._state.setText(words)
        self._state.setAccessibleName(f"{self.provider['title']}: {words}" if words else "")
        if self._state.property("kind") != kind:
            self._state.setProperty("kind", kind)
            self._state.style().unpolish(self._state)
            self._state.style().polish(self._state)
        self.open_button.say(_("Details of {name}").format(name=self.provider["title"]))

    # ---- what it opens to

    @property
    def opened(self) -> bool:
        """Whether its details are shown."""
        return self.details is not None and not self.details.isHidden()

    def toggle(self) -> None:
        """Open it, or fold it."""
        if self.opened and self.details is not None:
            self.details.hide()
            self.details.leave()
        else:
            details = self._made()
            details.show_provider(self.provider, self._reply)
            details.show()
        self._line.setVisible(self.opened)
        self.open_button.setIcon(icon("chevron-down" if self.opened else "chevron-right"))

    def _made(self) -> Details:
        if self.details is None:
            self.details = Details(self._actions, self.provider, self._notice)
            self.details.changed.connect(self.changed)
            self._column.addWidget(self.details)
        return self.details

    def leave(self) -> None:
        """Drop what was not saved."""
        if self.details is not None:
            self.details.leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease
        if pressed and self._head.rect().contains(event.position().toPoint()):  # type: ignore[attr-defined]
            self.toggle()
        return super().eventFilter(watched, event)


def standing(provider: Json, answers: str) -> tuple[str, str]:
    """How it stands, as the kind of a label and words."""
    if provider["name"] == answers:
        return "success", _("In use")
    if provider["given"]:
        return "small", _("Key for this run")
    if provider["stored"]:
        return "small", _("Signed in") if provider["kind"] == "oauth" else _("Key stored")
    if provider["keyed"]:
        return "small", _("Key for this session")
    if provider["address"]:
        return "small", _("Address set")
    if provider["offered"]:
        return "small", _("A key was found")
    return "small", ""


def matches(provider: Json, wanted: str) -> bool:
    """Whether the words of a filter are all in what it is."""
    said = f"{provider['title']} {provider['name']} {provider['about']}".casefold()
    return all(word in said for word in wanted.casefold().split())


def set_up(provider: Json) -> bool:
    """Whether the person has made something of it."""
    return bool(provider["keyed"] or provider["address"] or provider["offered"])
