"""When the program behind the window begins: once the window is painted, at once where it starts in the
tray, or with what the session bus says where that started it."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from desktop.ui.main_window import MainWindow

if TYPE_CHECKING:
    from desktop.ui.conductor import Conductor
    from desktop.ui.program import Greeting

_PATIENCE_MS = 1000


class Entrance(QObject):
    """One for the program."""

    def __init__(
        self, app: QObject, window: MainWindow, make: "Callable[[], Conductor]", wanted: "Greeting | None"
    ) -> None:
        """`make` loads the program behind the window; `wanted` as for Conductor.begin()."""
        super().__init__(app)
        self._app, self._window, self._make, self._wanted = app, window, make, wanted
        self._conductor: Conductor | None = None
        self._hidden = self._listens = False

    def show(self) -> None:
        """Paint first."""
        self._hidden = False
        self._window.painted.connect(self._begin)
        self._window.show()
        self._window.composer.setFocus()

    def hide(self) -> None:
        """Begin in the tray."""
        self._hidden = True
        QTimer.singleShot(0, self._begin)

    def wait(self) -> None:
        """Begin with what the session bus says, which it does as soon as the program has its name there."""
        self._hidden = True
        self._listen()
        if self._listens:
            QTimer.singleShot(_PATIENCE_MS, self._begin)
        else:
            self.show()

    def _begin(self) -> None:
        if self._conductor is None:
            self._conductor = self._make()
            self._conductor.begin(self._wanted, hidden=self._hidden)
            if not self._listens:
                self._listen()

    def _listen(self) -> None:
        if sys.platform.startswith("linux"):
            from desktop.ui.system.activation import listen

            self._listens = listen(self._app, self._heard)

    def _heard(self, greeting: "Greeting") -> None:
        if self._conductor is not None:
            self._conductor.asked(greeting)
        elif greeting[0] == "show":
            self.show()
        else:
            self._wanted = greeting
            self._begin()
