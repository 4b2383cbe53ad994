"""One page: its groups as cards in a column that stays readable."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.pages import Page
from desktop.ui.settings.parts import PARTS, Part
from desktop.ui.settings.rows import Card, SettingRow
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.notice import Notice
from desktop.ui.words import spoken

_COLUMN = 680


class PageView(QScrollArea):
    """The rows of a page, and its parts with hands of their own."""

    saved = Signal(str)

    def __init__(self, page: Page, actions: Actions) -> None:
        super().__init__()
        self.page = page
        self.rows: list[SettingRow] = []
        self.parts: list[Part] = []
        self.notice = Notice()
        """For what concerns this page as a whole."""
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._titles: list[tuple[QLabel, str]] = []
        self._groups: list[tuple[QWidget, list[SettingRow]]] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(Space.S)
        self._heading(page.title, "title")
        self._column.addSpacing(Space.S)
        self._column.addWidget(self.notice)
        for group in page.groups:
            if group.title:
                self._column.addSpacing(Space.L)
                self._heading(group.title, "section")
            if group.part:
                part = PARTS[group.part](actions)
                part.saved.connect(self.saved)
                self.parts.append(part)
                self._column.addWidget(part)
            else:
                self._column.addWidget(self._card(group.settings(), actions))
        self._column.addStretch(1)
        self._put_in_the_middle()
        spoken(self._words)

    def _put_in_the_middle(self) -> None:
        inner, column = QWidget(), QWidget()
        column.setMaximumWidth(_COLUMN)
        column.setLayout(self._column)
        self._column.setContentsMargins(0, 0, 0, 0)
        row = QHBoxLayout(inner)
        row.setContentsMargins(Space.XL, Space.XL, Space.XL, Space.XL)
        row.addStretch(1)
        row.addWidget(column, 100)
        row.addStretch(1)
        self.setWidget(inner)

    def _heading(self, title: str, kind: str) -> None:
        made = label(kind)
        self._titles.append((made, title))
        self._column.addWidget(made)

    def _card(self, settings: list[Any], actions: Actions) -> Card:
        card = Card()
        for setting in settings:
            row = SettingRow(setting, actions)
            row.saved.connect(self.saved)
            self.rows.append(row)
            card.add(row)
        return card

    def _words(self) -> None:
        for made, title in self._titles:
            made.setText(_(title))
        self.setAccessibleName(_(self.page.title))

    def show_all(self, reply: Mapping[str, Any]) -> None:
        """Show what the verbs `settings` and, under "providers", `providers` replied."""
        for row in self.rows:
            name = row.setting.name
            row.show_value(reply["values"].get(name, row.setting.default), reply["fixed"].get(name, ""))
        for part in self.parts:
            part.show_all(reply)
