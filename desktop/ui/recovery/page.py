"""The page that stands over the conversation where a start has found damage."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.recovery.panel import RecoveryPanel
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.middle_page import MiddlePage
from desktop.ui.words import spoken

_COLUMN = 680


class RecoveryPage(MiddlePage):
    """What is hurt, and a way on. `left`: the person goes on."""

    left = Signal()

    def __init__(self, actions: Actions) -> None:
        super().__init__(_COLUMN)
        self._title, self._about = label("title"), label("muted", wrap=True)
        self.panel, self._leave = RecoveryPanel(actions), button()
        for widget in (self._title, self._about, self.panel):
            self.column.addWidget(widget)
        self.column.addWidget(self._leave, 0, Qt.AlignmentFlag.AlignRight)
        self._whole = False
        self._leave.clicked.connect(self.left)
        self.panel.found.connect(self._tell)
        spoken(self._words)

    def _words(self) -> None:
        self.setAccessibleName(_("Something is damaged"))
        self._leave.setText(_("Continue"))
        self._title.setText(_("Everything is repaired") if self._whole else _("Something is damaged"))
        self._about.setText(
            _("The damaged files are kept.")
            if self._whole
            else _(
                "Nothing was deleted or changed. You can repair each item here; the damaged files are "
                "kept. You can find this page again in Settings, under Repair."
            )
        )

    def _tell(self, damaged: int) -> None:
        self._whole = not damaged
        self._words()


class Recovery(QObject):
    """Looks once after the start, and covers the conversation where there is damage nobody has seen."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        parent: QObject,
        cover: Callable[[QWidget], object],
        uncover: Callable[[QWidget], object],
        settings: Callable[[str], object],
    ) -> None:
        """`cover` shows a page in place of the conversation, `uncover` takes it away again; `settings`
        opens a page of theirs."""
        super().__init__(parent)
        self._actions, self._reporter = actions, reporter
        self._cover, self._uncover, self._settings = cover, uncover, settings
        self._page: RecoveryPage | None = None

    def show(self) -> None:
        """Cover the conversation."""
        page = self._page = RecoveryPage(self._actions)
        page.left.connect(self._leave)
        page.panel.page_wanted.connect(self._settings)
        self._cover(page)

    def _leave(self) -> None:
        if self._page is not None:
            self._uncover(self._page)
            self._page = None
            self._reporter.run(self._seen(), name="recovery:seen")

    async def _seen(self) -> None:
        await self._actions.api.recovery.seen()
