"""Getting the program to answer: the first-run card while nothing was chosen yet, and the settings."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.ui.actions import Actions
from desktop.ui.conversation.transcript import Transcript
from desktop.ui.funnel import Funnel


class Setup(QObject):
    """`stack` stands where the conversation is: it shows the card in place of an empty one."""

    changed = Signal()
    """Settings have other values."""

    def __init__(
        self, actions: Actions, funnel: Funnel, window: QWidget, view: QWidget, transcript: Transcript
    ) -> None:
        super().__init__(window)
        self._actions, self._funnel, self._window = actions, funnel, window
        self._transcript = transcript
        self._view = view
        self.stack = QStackedWidget()
        self.stack.addWidget(view)
        self._card: QWidget | None = None
        self._settings: QWidget | None = None
        self._wanted: bool | None = None
        """Whether the card is wanted; None until somebody has looked."""
        self._nothing = QWidget()
        self.stack.addWidget(self._nothing)
        transcript.reset.connect(self._show)
        transcript.added.connect(self._show)
        self._show()

    def check(self) -> None:
        """Look whether a question can be answered, and offer the first-run card where it cannot."""
        self._funnel.run(self._check(), name="setup:readiness")

    def open(self, page: str = "") -> None:
        """Open the settings, on this page or the one shown last."""
        from desktop.ui.settings.window import SettingsWindow

        if not isinstance(self._settings, SettingsWindow):
            self._settings = SettingsWindow(self._actions, self._window)
            self._settings.changed.connect(self._changed)
        self._settings.open_page(page)

    async def _check(self) -> None:
        found = await self._actions.call("readiness")
        self._wanted = not (found["ready"] and found["chosen"])
        self._show()

    def _show(self) -> None:
        if self._wanted is None and not self._transcript.entries:
            self.stack.setCurrentWidget(self._nothing)
        elif self._wanted and not self._transcript.entries:
            self.stack.setCurrentWidget(self._made_card())
        else:
            self.stack.setCurrentWidget(self._view)

    def _made_card(self) -> QWidget:
        from desktop.ui.first_run import FirstRunCard

        if not isinstance(self._card, FirstRunCard):
            self._card = FirstRunCard(self._actions)
            self._card.ready.connect(self._changed)
            self.stack.addWidget(self._card)
        return self._card

    def _changed(self) -> None:
        self.check()
        self.changed.emit()
