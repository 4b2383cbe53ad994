"""The page of the chat apps: a card each, and who wants to write."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer

from desktop.bus.events import ChannelUsed, InboxChanged, ServiceChanged, SettingsChanged
from desktop.errors import AppError
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.channels.card import AppCard
from desktop.ui.panels.channels.fields import settings_of_app
from desktop.ui.panels.channels.requests import DENY, OWNER, Requests
from desktop.ui.settings.part import PageData, Part
from desktop.ui.settings.rows import SettingRow
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.latest import Latest
from desktop.ui.widgets.order import bring_into_sight
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken


class ChannelsPanel(Part):
    """Reads what there is whenever it is seen, and when a service, a setting or the inbox changes
    or a message comes or goes."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._about, self.outcome = label("muted", wrap=True), Outcome()
        self.requests = Requests()
        self.requests.hide()
        self.cards: dict[str, AppCard] = {}
        self._data: PageData | None = None
        self._sought: tuple[str, Callable[[SettingRow], object]] | None = None
        self._latest = Latest(self._read, partial(self._work.start, name="settings:channels"))
        self._about.setContentsMargins(0, 0, 0, Space.S)
        for widget in (self._about, self.outcome, self.requests):
            self.column.addWidget(widget)
        self.requests.answered.connect(self._answer)
        for event in (ServiceChanged, SettingsChanged, InboxChanged, ChannelUsed):
            self.hear(actions.bus, event)
        spoken(self._words)

    def _words(self) -> None:
        self._about.setText(
            _(
                "Reach the agent from the chat apps on your phone. Only people you approve can write to "
                "it, and only you can approve what it asks."
            )
        )

    def refresh(self) -> None:
        """Read what there is."""
        self._latest.want()

    def show_all(self, data: PageData) -> None:
        self._data = data
        super().show_all(data)

    def reach(self, name: str, show: Callable[[SettingRow], object]) -> bool:
        app = name.removeprefix("channels.").partition(".")[0]
        if name not in settings_of_app(app):
            return False
        if app in self.cards:
            self.cards[app].reach(name, show)
        else:
            self._sought = (name, show)
        return True

    def leave(self) -> None:
        for card in self.cards.values():
            card.leave()
        self.outcome.clear()

    async def _read(self) -> None:
        channels = self._actions.api.channels
        try:
            apps, requests = await channels.all(), await channels.requests()
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        for app in apps:
            if app.name not in self.cards:
                card = self.cards[app.name] = AppCard(self._actions, app)
                card.changed.connect(self._changed)
                card.saved.connect(self.saved)
                self.column.addWidget(card)
            self.cards[app.name].show_app(app, self._data)
        new = self.requests.isHidden() and bool(requests)
        self.requests.show_all(requests, frozenset(app.name for app in apps if app.owner))
        if new:
            self.outcome.clear()
            QTimer.singleShot(0, self.requests, lambda: bring_into_sight(self.requests))
        if self._sought is not None:
            sought, self._sought = self._sought, None
            self.reach(*sought)

    def _changed(self) -> None:
        self.refresh()
        self.saved.emit("channels")

    def _answer(self, what: str, code: str) -> None:
        self._work.tell(self._answering(what, code), self.outcome, name="channels:answer")

    async def _answering(self, what: str, code: str) -> None:
        channels = self._actions.api.channels
        try:
            if what == DENY:
                await channels.deny(code)
                self.outcome.clear()
            else:
                request = await channels.approve(code, owner=what == OWNER)
                name = request.name or request.sender
                self.outcome.done(_("{name} may write over {app}.").format(name=name, app=request.title))
        finally:
            self._changed()
