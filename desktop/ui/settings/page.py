"""One page: its groups as cards in a column that stays readable."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop.config.describe import Setting
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.pages import Page
from desktop.ui.settings.part import PageData, Part
from desktop.ui.settings.parts import PARTS
from desktop.ui.settings.rows import SettingRow
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.marking import mark_for_a_while
from desktop.ui.widgets.notice import Notice
from desktop.ui.widgets.rows import Card
from desktop.ui.words import spoken

_COLUMN = 680


class PageView(QScrollArea):
    """The rows of a page, and its parts with hands of their own; built when it is first looked at."""

    saved = Signal(str)
    page_wanted = Signal(str)
    help_wanted = Signal()

    def __init__(self, page: Page, actions: Actions) -> None:
        super().__init__()
        self.page = page
        self.rows: list[SettingRow] = []
        self.parts: list[Part] = []
        self._actions = actions
        self._data: PageData | None = None
        self._notice: tuple[str, str] | None = None
        self._titles: list[tuple[QLabel, str]] = []
        self._groups: list[QWidget] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def build(self) -> None:
        """Make what is on the page, from the outside to the inside: each widget is styled once then."""
        if self._titles:
            return
        self._column = self._column_in_the_middle()
        self._heading(self.page.title, "title")
        self._column.addSpacing(Space.S)
        self._about = Notice()
        self._column.addWidget(self._about)
        for group in self.page.groups:
            if group.inside:
                self._groups.append(self._groups[0])
                continue
            if group.title:
                self._column.addSpacing(Space.L)
                self._heading(group.title, "section")
            if group.part:
                self._groups.append(self._add_part(group.part))
            else:
                self._groups.append(self._add_card(group.settings()))
        self._column.addStretch(1)
        spoken(self._words)
        if self._data is not None:
            self.show_all(self._data)
        self.tell(self._notice)

    def _column_in_the_middle(self) -> QVBoxLayout:
        inner, column = QWidget(), QWidget()
        self.setWidget(inner)
        row = QHBoxLayout(inner)
        row.setContentsMargins(Space.XL, Space.XL, Space.XL, Space.XL)
        row.addStretch(1)
        row.addWidget(column, 100)
        row.addStretch(1)
        column.setMaximumWidth(_COLUMN)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.S)
        return layout

    def _heading(self, title: str, kind: str) -> None:
        made = label(kind)
        self._titles.append((made, title))
        self._column.addWidget(made)

    def _add_part(self, name: str) -> QWidget:
        part = PARTS[name](self._actions)
        part.saved.connect(self.saved)
        part.page_wanted.connect(self.page_wanted)
        part.help_wanted.connect(self.help_wanted)
        self.parts.append(part)
        self._column.addWidget(part)
        return part

    def _add_card(self, settings: list[Setting]) -> QWidget:
        card = Card()
        self._column.addWidget(card)
        for setting in settings:
            row = SettingRow(setting, self._actions.api.settings.change)
            row.saved.connect(self.saved)
            self.rows.append(row)
            card.add(row)
        return card

    def _words(self) -> None:
        for made, title in self._titles:
            made.setText(_(title))
        self.setAccessibleName(_(self.page.title))

    def show_all(self, data: PageData) -> None:
        """Show what was read."""
        self._data, settings = data, data.settings
        for row in self.rows:
            name = row.setting.name
            row.show_value(settings.values.get(name, row.setting.default), settings.fixed.get(name, ""))
        for part in self.parts:
            part.show_all(data)

    def point_at(self, group: int, name: str) -> None:
        """Bring a setting, or else a group of the page, into sight, mark it and give it the keyboard."""
        self.build()
        row = next((row for row in self.rows if row.setting.name == name), None)
        if row is None and any(part.reach(name, self._show_row) for part in self.parts):
            return
        target = row or self._groups[group]
        field = row.editor.field if row else next(_fields(target), None)
        self._show(target, field)

    def _show_row(self, row: SettingRow) -> None:
        self._show(row, row.editor.field)

    def _show(self, target: QWidget, field: QWidget | None) -> None:
        if field is not None:
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        mark_for_a_while(target)
        QTimer.singleShot(0, self, lambda: self.ensureWidgetVisible(target, 0, Space.XXL))

    def tell(self, notice: tuple[str, str] | None) -> None:
        """What concerns this page as a whole: a sentence and its remedy."""
        self._notice = notice
        if self._titles and notice is not None:
            self._about.tell(*notice, tone="warning")
        elif self._titles:
            self._about.hide()


def _fields(part: QWidget) -> Iterator[QWidget]:
    """What of a part takes the keyboard, as far as it can be seen."""
    for child in part.findChildren(QWidget):
        if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield child
