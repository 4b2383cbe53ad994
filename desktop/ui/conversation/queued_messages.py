"""Messages that wait for the answer above them: when one's turn comes, and how one is taken back."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop.ui.actions import Actions
from desktop.ui.conversation.live import Live
from desktop.ui.conversation.transcript import Transcript
from desktop.ui.conversation.turns import Turns
from desktop.ui.error_reporter import ErrorReporter


class QueuedMessages(QObject):
    """One for a conversation's view."""

    taken_back = Signal(str, str, object)
    """Key of the conversation, and text and paths of a message that is to be in its field again."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        transcript: Transcript,
        live: Live,
        turns: Turns,
        key: Callable[[], str],
    ) -> None:
        super().__init__(transcript)
        self._actions, self._reporter, self._transcript = actions, reporter, transcript
        self._live, self._turns, self._key = live, turns, key

    def take_back(self, turn: str) -> None:
        """Take a message out of the line; it is written on, not lost."""
        self._reporter.run(self._take_back(self._key(), turn), name="conversation:withdraw")

    async def _take_back(self, key: str, turn: str) -> None:
        taken = await self._actions.api.revisions.withdraw(key, turn)
        self.taken_back.emit(key, taken.text, taken.files)

    def gone(self, key: str, turn: str) -> None:
        """A message was taken back, here or elsewhere."""
        self._live.drop(turn)
        if key == self._key():
            self._transcript.remove(turn)

    def ended(self, key: str) -> None:
        """A turn is at its end: the next one is not behind any other now."""
        for turn in self._turns[key][:1]:
            self._live.move_up(turn)
