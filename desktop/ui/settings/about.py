"""Versions of the program and of what it runs on, and the licence of everything that is shipped with it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QVBoxLayout,
)

from desktop.text import _, ngettext, sentences
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.theme.theme import code_font
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.search_field import SearchField
from desktop.ui.widgets.styled import styled
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.about import Shipped

_LIST, _TEXT = 260, 240
_SHEET = """
QListWidget { background: transparent; border: none; }
QListWidget::item { min-height: 28px; padding: 0 10px; color: $text; border: 1px solid transparent; }
QListWidget::item:hover { background: $hover; }
QListWidget::item:selected { background: $selected; color: $text; }
QListWidget::item:focus { border: 1px solid $accent; }
"""


class Versions(Part):
    """What runs here."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._found: list[tuple[str, str]] = []
        self._card, self._copy, self.outcome = Card(), button("link", "copy"), Outcome()
        self._help = button("link", "circle-question-mark")
        self.column.addWidget(self._card)
        self.column.addLayout(across(self._copy, self._help, None))
        self.column.addWidget(self.outcome)
        self._copy.clicked.connect(self._copied)
        self._help.clicked.connect(self.help_wanted)
        spoken(self._words)

    def _words(self) -> None:
        self._copy.say(_("Copy"), _("Copy versions"))
        self._help.say(_("Help"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._work.tell(self._read(), self.outcome, name="about:versions")

    async def _read(self) -> None:
        versions = (await self._actions.api.about.made()).versions
        found = [*versions, ("Qt", qVersion())]
        if found == self._found:
            return
        self._found = found
        rows = []
        for what, which in found:
            value = label("muted", which)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            row = Row(value, width=0)
            row.say(what)
            rows.append(row)
        self._card.fill(rows)

    def _copied(self) -> None:
        QApplication.clipboard().setText("\n".join(f"{what} {which}" for what, which in self._found))
        self.outcome.done(_("Copied."))


class Licences(Part):
    """A list that can be searched; the text of what is chosen stands below."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._found: Sequence[Shipped] = ()
        self._about, self.search = label("muted", wrap=True), SearchField()
        self.list, self.text, self.outcome = QListWidget(), QPlainTextEdit(), Outcome()
        self.list.setFixedHeight(_LIST)
        styled(self.list, _SHEET)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setReadOnly(True)
        self.text.setFont(code_font())
        self.text.setFixedHeight(_TEXT)
        self.text.setTabChangesFocus(True)
        self._frame = _framed(self.text)
        self.column.setSpacing(Space.M)
        for widget in (self._about, self.search, _framed(self.list), self._frame, self.outcome):
            self.column.addWidget(widget)
        self._frame.hide()
        self.search.textChanged.connect(self._narrow)
        self.list.currentItemChanged.connect(lambda item: self._turn_to(item))
        spoken(self._words)

    def _words(self) -> None:
        n = len(self._found)
        told = ngettext("Includes {n} component.", "Includes {n} components.", n).format(n=n)
        free = _("Nanobot Desktop is free software under the MIT license.")
        self._about.setText(sentences(free, told) if n else free)
        self.search.setAccessibleName(_("Search licenses"))
        self.search.setPlaceholderText(_("Search"))
        self.list.setAccessibleName(_("Licenses"))
        self.text.setAccessibleName(_("License text"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._found:
            self._work.tell(self._read(), self.outcome, name="about:licences")

    async def _read(self) -> None:
        self._found = (await self._actions.api.about.made()).shipped
        self._narrow(self.search.text())
        self._words()

    def _narrow(self, text: str) -> None:
        """Show what has all these words in its name or licence."""
        words = text.casefold().split()
        self.list.clear()
        for one in self._found:
            line = " · ".join(part for part in (one.name, one.version, one.licence) if part)
            if all(word in line.casefold() for word in words):
                item = QListWidgetItem(line)
                item.setData(Qt.ItemDataRole.UserRole, one.name)
                self.list.addItem(item)

    def _turn_to(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            name = str(item.data(Qt.ItemDataRole.UserRole))
            self._work.cancel()
            self._work.tell(self._show(name), self.outcome, name="about:licence")

    async def _show(self, name: str) -> None:
        found = await self._actions.api.about.licence(name)
        self.text.setPlainText(found.text)
        self._frame.show()


def _framed(widget: QListWidget | QPlainTextEdit) -> QFrame:
    frame = QFrame()
    frame.setProperty("kind", "card")
    inner = QVBoxLayout(frame)
    inner.setContentsMargins(1, Space.XS, 1, Space.XS)
    inner.addWidget(widget)
    return frame
