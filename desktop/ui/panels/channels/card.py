"""One chat app on the page: what it is, whether it is on, how it is doing, and what it opens to."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent

from desktop.text import _, sentences, titled
from desktop.ui.actions import Actions
from desktop.ui.panels.channels.details import Details
from desktop.ui.panels.channels.words import ABOUT, SIGNS, WEBHOOK, counts_down, state
from desktop.ui.settings.part import PageData
from desktop.ui.settings.rows import SettingRow
from desktop.ui.sidebar.channels import SIGNS as ICONS
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.fold_card import FoldCard
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.list_row import SignLine
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.tile import Tile
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.channels import App

_SECOND_MS = 1000
_WANTS_A_PERSON = ("needs_sign_in", "failed")


class AppCard(FoldCard[Details]):
    """`changed` tells that it is on or off now, or has another key; `saved`, that a setting is stored."""

    changed = Signal()
    saved = Signal(str)

    def __init__(self, actions: Actions, app: "App") -> None:
        super().__init__(self._made)
        self._actions, self._work, self.app = actions, Work(self), app
        self._data: PageData | None = None
        self.switch, self._about, self._state = Switch(), label("small", wrap=True), SignLine()
        self.outcome = Outcome()
        self.lead.addWidget(Tile(ICONS[app.name]), 0, Qt.AlignmentFlag.AlignTop)
        self.lead.setContentsMargins(0, 0, Space.XS, 0)
        self.words.addWidget(self._about)
        self.words.addWidget(self._state)
        self.side.addWidget(self.switch)
        self.below_head(self.outcome)
        self.switch.clicked.connect(self._switched)
        self._counting = QTimer(self, singleShot=True, interval=_SECOND_MS)
        self._counting.timeout.connect(self._count)
        spoken(self._words)

    def show_app(self, app: "App", data: PageData | None) -> None:
        """Show it as it is now; what is typed stays."""
        self.app, self._data = app, data
        self._words()
        if self.details is not None:
            self.details.show_app(app, data)

    def leave(self) -> None:
        """Forget what was typed."""
        self.outcome.clear()
        if self.details is not None:
            self.details.leave()

    def reach(self, name: str, show: Callable[[SettingRow], object]) -> None:
        """Open it at one of its settings."""
        self.open().reach(name, show)

    def _words(self) -> None:
        app = self.app
        old = _(WEBHOOK).format(name=app.title) if app.webhook else ""
        self.title.setText(app.title)
        self._about.setText(sentences(_(ABOUT[app.name]), old))
        self.switch.setChecked(app.on)
        self.switch.setAccessibleName(_("Use {name}").format(name=app.title))
        well = "degraded" if app.state == "running" and app.detail else app.state
        self._sign = SIGNS[well if app.on else "off"]
        told = self._tell()
        self._state.say(told, *self._sign, titled(app.title, told) if told else "")
        self.open_button.say(_("Details of {name}").format(name=app.title))

    def _tell(self) -> str:
        """How it is now; while it says in how many seconds it goes on, it is said again."""
        now = time.time()
        if counts_down(self.app, now) and not self._counting.isActive() and self.isVisible():
            self._counting.start()
        return state(self.app, now)

    def _count(self) -> None:
        """The seconds alone: who listens instead of looking hears the first of them."""
        self._state.count(self._tell())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._count()

    def _switched(self) -> None:
        self._work.tell(self._switching(self.switch.isChecked()), self.outcome, name="channels:switch")

    async def _switching(self, on: bool) -> None:
        self.outcome.clear()
        try:
            await self._actions.api.channels.switch(self.app.name, on)
            if on and self.app.state in _WANTS_A_PERSON:
                self.open()
        finally:
            self.changed.emit()

    # ---- what it opens to

    def _made(self) -> Details:
        made = Details(self._actions, self.app)
        made.changed.connect(self.changed)
        made.saved.connect(self.saved)
        return made

    def fill(self, details: Details) -> None:
        details.show_app(self.app, self._data)

    def folded(self, details: Details) -> None:
        details.leave()
