"""Where the program is while its window is closed: in the tray, or minimised where nobody shows a tray."""

from PySide6.QtCore import QEvent, QObject, Signal

from desktop.text import _
from desktop.ui.main_window import MainWindow
from desktop.ui.state import StateFile
from desktop.ui.trace import note
from desktop.ui.tray.tray import Tray


class WindowPresence(QObject):
    """Shows and hides the window; never hides it where it could not be found again."""

    left = Signal()
    """It is closed or minimised."""
    noticed = Signal()
    """The person has the window in front of them."""

    def __init__(self, window: MainWindow, file: StateFile) -> None:
        super().__init__(window)
        self._window, self._file = window, file
        self.tray = Tray(window, wanted=file.state.tray)
        self.tray.toggle_wanted.connect(self.toggle)
        self.tray.lost.connect(self._lost)
        window.close_wanted.connect(self.close)
        window.installEventFilter(self)

    def begin_hidden(self) -> None:
        """The program was started to be in the tray."""
        if not self.tray.present:
            self._window.showMinimized()

    def use_tray(self, wanted: bool) -> None:
        """Whether the person wants the icon; without it a closed window is minimised. Kept for the next
        start, whose first picture does not wait for the settings."""
        if wanted != self._file.state.tray:
            self._file.state.tray = wanted
            self._file.save()
        self.tray.use(wanted)

    def toggle(self) -> None:
        """Hide the window if it is in front, else bring it there."""
        if self._window.isVisible() and not self._window.isMinimized() and self._window.isActiveWindow():
            self._window.hide()
        else:
            self._window.present()

    def _lost(self) -> None:
        """A panel that ended takes the only way back to a hidden window with it."""
        if not self._window.isVisible():
            self._window.showMinimized()

    def close(self) -> None:
        """The window was closed: the program goes on, and says so the first time."""
        state = self._file.state
        self._window.remember(state)
        self._file.save()
        if not self.tray.present:
            self._window.showMinimized()
            return
        self._window.hide()
        note("hidden")
        if not state.told_about_tray:
            state.told_about_tray = True
            self.tray.say(
                _("Nanobot is still running"),
                _("It continues in the tray after you close the window. To quit, use the icon’s menu."),
            )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self.tray.window_changed()
        if event.type() == QEvent.Type.Hide or (
            event.type() == QEvent.Type.WindowStateChange and self._window.isMinimized()
        ):
            self.left.emit()
        elif event.type() == QEvent.Type.WindowActivate:
            self.noticed.emit()
        return super().eventFilter(watched, event)
