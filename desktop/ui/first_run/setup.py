"""Getting the program to answer: the first-run card while nothing was chosen yet, and the settings."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.bus.events import SettingsChanged
from desktop.ui.actions import Actions
from desktop.ui.conversation.pane import ConversationPane
from desktop.ui.error_reporter import ErrorReporter

if TYPE_CHECKING:
    from desktop.ui.first_run.card import FirstRunCard
    from desktop.ui.settings.search import Hit
    from desktop.ui.settings.window import SettingsWindow


class Setup(QObject):
    """Shows the card where an empty conversation would be."""

    changed = Signal()
    """Settings have other values."""
    wiped = Signal()
    """Everything is to be deleted, and the program must end for it."""
    help_wanted = Signal()
    answered = Signal()
    """The card has gone: a question can be asked."""

    def __init__(
        self, actions: Actions, reporter: ErrorReporter, window: QWidget, pane: ConversationPane
    ) -> None:
        super().__init__(window)
        self._actions, self._reporter, self._window = actions, reporter, window
        self._transcript, self._view, self._stack = pane.talk.transcript, pane.view, pane.stack
        self._card: FirstRunCard | None = None
        self._settings: SettingsWindow | None = None
        self._wanted: bool | None = None
        """Whether the card is wanted; None until somebody has looked."""
        self._nothing = QWidget()
        self._stack.addWidget(self._nothing)
        self._spoken = False
        """Whether something was said since the start."""
        self._cover: QWidget | None = None
        actions.bus.on(SettingsChanged, lambda _event: self.refresh())
        self._transcript.reset.connect(self._moved)
        self._transcript.added.connect(self._went_on)
        self._show()

    @property
    def complete(self) -> bool:
        """Whether a question can be answered by whom the person chose, as far as anybody has looked."""
        return self._wanted is False

    def check(self) -> None:
        """Look whether a question can be answered, and offer the first-run card where it cannot."""
        self._reporter.run(self._check(), name="setup:readiness")

    def open(self, page: str = "", hit: "Hit | None" = None) -> None:
        """Open the settings, on this page or the one shown last, or where something was found."""
        settings = self._made_settings()
        settings.open_page(page)
        if hit is not None:
            settings.go_to(hit)

    async def offer(self, page: str, text: str) -> None:
        """Open the settings on this page with what a link brings. Raises AppError."""
        await self._made_settings().offer(page, text)

    def tell(self, text: str, remedy: str) -> bool:
        """Say in the settings what went wrong, where they are open: they stand in front of the window."""
        if self._settings is None or not self._settings.isVisible():
            return False
        self._settings.tell(text, remedy)
        return True

    def mend(self) -> None:
        """Open the settings where the key of the provider in use is: it did not do."""
        self._made_settings().mend()

    def _made_settings(self) -> "SettingsWindow":
        from desktop.ui.settings.window import SettingsWindow

        if self._settings is None:
            self._settings = SettingsWindow(self._actions, self._window)
            self._settings.wiped.connect(self.wiped)
            self._settings.help_wanted.connect(self.help_wanted)
        return self._settings

    def refresh(self) -> None:
        """Settings were changed, here or by a command in a terminal: show what they are now."""
        if self._settings is not None and self._settings.isVisible():
            self._settings.refresh()
        self._changed()

    def look_for_damage(self) -> None:
        """Look once whether something stored is damaged that the person does not know of, and cover the
        conversation with what can be done about it."""
        self._reporter.run(self._look_for_damage(), name="setup:damage")

    async def _look_for_damage(self) -> None:
        """Where something was said since the start, also before anybody looked, nothing covers that: the
        answer would come behind the page. The next start tells it again."""
        if (await self._actions.api.recovery.look()).new and not self._spoken:
            from desktop.ui.recovery.page import Recovery

            page = Recovery(self._actions, self._reporter, self, self.cover, self.uncover, self.open)
            page.show()

    def cover(self, page: QWidget) -> None:
        """Show a page in place of the conversation."""
        self._cover = page
        self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)

    def _went_on(self) -> None:
        self._spoken = True
        self._moved()

    def _moved(self) -> None:
        """Another conversation was opened, or something said: that is what the person wants to see."""
        if self._cover is not None:
            self.uncover(self._cover)
        self._show()

    def uncover(self, page: QWidget) -> None:
        """Take that page away again."""
        if self._cover is not page:
            return
        self._cover = None
        self._stack.removeWidget(page)
        page.deleteLater()
        self._show()

    async def _check(self) -> None:
        found = await self._actions.api.setup.readiness()
        self._wanted = not (found.ready and found.chosen)
        self._show()

    def _show(self) -> None:
        if self._cover is not None:
            return
        if self._wanted is None and not self._transcript.entries:
            self._stack.setCurrentWidget(self._nothing)
        elif self._wanted and not self._transcript.entries:
            self._stack.setCurrentWidget(self._made_card())
        else:
            chosen = self._card is not None and self._stack.currentWidget() is self._card
            self._stack.setCurrentWidget(self._view)
            if chosen:
                self.answered.emit()

    def _made_card(self) -> QWidget:
        from desktop.ui.first_run.card import FirstRunCard

        if self._card is None:
            self._card = FirstRunCard(self._actions)
            self._card.ready.connect(self.check)
            self._card.import_wanted.connect(lambda: self.open("import"))
            self._stack.addWidget(self._card)
        return self._card

    def _changed(self) -> None:
        self.check()
        self.changed.emit()
