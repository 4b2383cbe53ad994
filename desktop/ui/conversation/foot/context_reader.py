"""How full the context of the open conversation is: read when that may have changed, never in between."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject

from desktop.bus.events import MemoryChanged, SettingsChanged, TurnFailed, TurnFinished
from desktop.errors import AppError
from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.foot.meter import Meter
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.widgets.latest import Latest

if TYPE_CHECKING:
    from desktop.api.context import ContextUsage


class ContextReader(QObject):
    """Makes the meter when there is something to show, and keeps it true while the window is seen."""

    def __init__(
        self, actions: Actions, reporter: ErrorReporter, window: MainWindow, talk: Controller
    ) -> None:
        super().__init__(window)
        self._actions, self._window, self._talk = actions, window, talk
        self.meter: Meter | None = None
        self._begun = False
        self._latest = Latest(self._read, partial(reporter.run, name="context:read"))
        actions.bus.on(TurnFinished, self._ended)
        actions.bus.on(TurnFailed, self._ended)
        actions.bus.on(MemoryChanged, self._remembers)
        actions.bus.on(SettingsChanged, lambda _event: self.refresh())

    def begin(self) -> None:
        """The program is up, and nobody waits for it any more."""
        self._begun = True
        self._talk.opened.connect(self.refresh)
        self._window.installEventFilter(self)
        self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show:
            self.refresh()
        return super().eventFilter(watched, event)

    def _ended(self, event: TurnFinished | TurnFailed) -> None:
        if event.session == self._talk.key:
            self.refresh()

    def _remembers(self, event: MemoryChanged) -> None:
        if event.session in ("", self._talk.key):
            self.refresh()

    def refresh(self) -> None:
        """Read it anew."""
        if self._begun and self._window.isVisible():
            self._latest.want()

    async def _read(self) -> None:
        key = self._talk.key
        found = await self._found(key)
        if key == self._talk.key:
            self._show(found)

    async def _found(self, key: str) -> "ContextUsage | None":
        try:
            return await self._actions.api.context.usage(key)
        except AppError:  # no model is chosen, say: a message would be told that, this only shows nothing
            return None

    def _show(self, found: "ContextUsage | None") -> None:
        if self.meter is None and found:
            self.meter = self._window.place_meter()
        if self.meter is not None:
            self.meter.tell(found)
            self.meter.setVisible(found is not None)
