"""The models of this computer, as far as the window has to do with them: it shows how far one is that is
being fetched, and the one in use stays awake as long as the person has it open."""

from PySide6.QtCore import QObject

from desktop.bus.events import ModelFetching
from desktop.ui.actions import Actions
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.tray.window_presence import WindowPresence


class OwnModels(QObject):
    """One for the window; begin() once the core is there."""

    def __init__(
        self, actions: Actions, reporter: ErrorReporter, window: MainWindow, presence: WindowPresence
    ) -> None:
        super().__init__(window)
        self._actions, self._reporter, self._window = actions, reporter, window
        self._open: bool | None = None
        """What the core was told; None before it is there."""
        actions.bus.on(ModelFetching, self._fetching)
        window.header.fetch_wanted.connect(self._fetch)
        presence.noticed.connect(self._tell)
        presence.left.connect(self._tell)

    def begin(self) -> None:
        """The core is there."""
        self._open = False
        self._tell()

    def _fetching(self, event: ModelFetching) -> None:
        going = event.state in ("fetching", "waiting") and event.total
        self._window.header.show_fetching(100 * event.done // event.total if going else -1)
        if event.state == "failed":
            self._window.pane.tell(event.text, event.remedy)

    def _fetch(self, model: str) -> None:
        self._reporter.run(self._actions.api.local.fetch(model), name="window:fetch")

    def _tell(self) -> None:
        open_ = self._window.isVisible() and not self._window.isMinimized()
        if self._open is not None and open_ != self._open:
            self._open = open_
            self._reporter.run(self._actions.api.local.stay_awake(open_), name="window:open")
