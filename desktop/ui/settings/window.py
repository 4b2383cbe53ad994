"""The window of the settings: pages on the left, the chosen one on the right."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from desktop.errors import AppError
from desktop.tasks import in_thread
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings import look
from desktop.ui.settings.page import PageView
from desktop.ui.settings.pages import PAGES
from desktop.ui.settings.part import PageData
from desktop.ui.settings.search import Hit, entries
from desktop.ui.settings.side import Side
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.notice import Notice
from desktop.ui.widgets.order import go_on
from desktop.ui.widgets.window_geometry import WindowGeometry
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from desktop.api.settings import Problem


class SettingsWindow(QDialog):
    """Open it with open_page(); it reads what is set each time it is shown."""

    changed = Signal()
    """Some setting has another value."""
    help_wanted = Signal()
    wiped = Signal()
    """Everything is to be deleted: the program must end for it."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        # A dialog stays in front of its parent; a window of its own would go behind it at a click there.
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.WindowMaximizeButtonHint)
        self._actions, self._work = actions, Work(self)
        self._side, self._stack, self._notice = Side(), QStackedWidget(), Notice()
        self._told = Notice()
        self._list = self._side.pages
        self.views = [PageView(page, actions) for page in PAGES]
        self._lay_out()
        WindowGeometry(self, QSize(860, 640), QSize(520, 400))
        for view in self.views:
            self._stack.addWidget(view)
            self._side.add(icon(view.page.icon))
            view.saved.connect(self._saved)
            view.page_wanted.connect(self.open_page)
            view.help_wanted.connect(self.help_wanted)
        self._side.turned.connect(self._turn_to)
        self._side.found.connect(self.go_to)
        QShortcut(QKeySequence("F1"), self, self.help_wanted.emit)
        QShortcut(QKeySequence.StandardKey.Find, self, self._side.begin)
        spoken(self._words)

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(0)
        above = QVBoxLayout()
        above.setContentsMargins(Space.XL, Space.L, Space.XL, 0)
        above.setSpacing(Space.S)
        above.addWidget(self._told)
        above.addWidget(self._notice)
        right.addLayout(above)
        right.addWidget(self._stack, 1)
        across(self._side, (right, 1), gap=0, of=self)

    def _words(self) -> None:
        self.setWindowTitle(_("Settings"))
        self._side.titles([_(view.page.title) for view in self.views])

    def _turn_to(self, number: int) -> None:
        self.views[number].build()
        self._stack.setCurrentIndex(number)

    def go_to(self, hit: Hit) -> None:
        """Show what was found, and mark it."""
        self._list.setCurrentRow(hit.page)
        self.views[hit.page].point_at(hit.group, hit.name)

    def open_page(self, key: str = "") -> None:
        """Show the window, on this page (Page.key) or the one shown last, in front of all others."""
        for number, view in enumerate(self.views):
            if view.page.key == key:
                self._list.setCurrentRow(number)
        if self._list.currentRow() < 0:  # only now: it is the dearest, and another may be wanted
            self._list.setCurrentRow(0)
        self.show()
        self.raise_()
        self.activateWindow()

    async def offer(self, page: str, text: str) -> None:
        """Show a page with what a link brings. Raises AppError."""
        self.open_page(page)
        for part in self.views[self._list.currentRow()].parts:
            await part.offer(text)

    def tell(self, text: str, remedy: str) -> None:
        """Come to the front with a sentence that is no setting's, until the person has seen it."""
        self._told.tell(text, remedy, actions=((_("Dismiss"), self._told.hide),))
        self.raise_()
        self.activateWindow()

    def mend(self) -> None:
        """Show the page of providers, with the keyboard where the key of the one in use is."""
        self.open_page("model")
        for part in self.views[self._list.currentRow()].parts:
            part.open_used()
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._list.setFocus()
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._told.hide()
        for view in self.views:
            for part in view.parts:
                part.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # those belong to the fields
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return go_on(self, forward=forward)

    def refresh(self) -> None:
        """Read what is set and show it."""
        self._work.start(self._refresh(), name="settings:refresh")

    async def _refresh(self) -> None:
        try:
            api = self._actions.api
            data = PageData(await api.settings.all(), await api.providers.all())
        except AppError as error:
            self._notice.tell(error.text, error.remedy)
            return
        self._show(data)
        await in_thread(entries)  # for the first letter of a search

    def _show(self, data: PageData) -> None:
        look.use(data.settings.values)
        for view in self.views:
            view.show_all(data)
            if view.page.key == "language":
                view.tell(look.NO_FONT if look.font_missing() else None)
        self._tell_of_problems(data.settings.problems)

    def _tell_of_problems(self, problems: "Sequence[Problem]") -> None:
        if problems:
            text = "\n".join(problem.text for problem in problems)
            self._notice.tell(text, problems[0].remedy, tone="warning")
        else:
            self._notice.hide()

    def _saved(self, name: str) -> None:
        if name == "wiped":
            self.wiped.emit()
            return
        self.refresh()
        self.changed.emit()
