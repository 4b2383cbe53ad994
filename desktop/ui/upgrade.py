"""Another version was put in the place of the program that runs, as a package manager does it: the person
is told once, and can have that one started.

The system says when something changes in the program's folder. Only a frozen program has one of its own.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from desktop.paths import inode
from desktop.text import _
from desktop.ui.conversation.pane import ConversationPane
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.program import Program

_CALM_MS = 2000
"""After the last change: an upgrade puts many files there."""


class Upgrade(QObject):
    """One for the program; begin() once the core is up."""

    def __init__(
        self, program: Program, reporter: ErrorReporter, pane: ConversationPane, quit_: Callable[[], object]
    ) -> None:
        """`quit_` ends the program, which begins anew where `restarts` is set by then."""
        super().__init__(pane)
        self._program, self._reporter, self._pane, self._quit = program, reporter, pane, quit_
        self._file, self._inode = Path(sys.executable), -1
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._look)
        self._watcher: QFileSystemWatcher | None = None
        self.restarts = False
        self.waits = False
        """Whether answers are to be done before it restarts."""

    def begin(self) -> None:
        """Hear of what comes from now on."""
        if sys.platform.startswith("linux") and getattr(sys, "frozen", False):
            self._inode = inode(self._file)
            self._watcher = QFileSystemWatcher([str(self._file.parent)], self)
            self._watcher.directoryChanged.connect(lambda _path: self._calm.start())

    def now(self) -> None:
        """Restart, whatever is under way."""
        self.restarts = True
        self._quit()

    def _look(self) -> None:
        if self._watcher is None or inode(self._file) in (-1, self._inode):
            return
        self._watcher.deleteLater()
        self._watcher = None
        act = (_("Restart"), lambda: self._reporter.run(self._restart(), name="window:restart"))
        self._pane.tell(_("A new version was installed."), _("Restart to use it."), "info", (act,))

    async def _restart(self) -> None:
        """As the command `quit` has it end: once its answers are done."""
        self.waits = True
        await self._program.at_rest()
        self.now()
