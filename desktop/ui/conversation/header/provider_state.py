"""How the providers answered last: what the dot beside the model tells of the one that answers here.

Nobody is asked for it: it is what came of the calls that were made anyway.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject

from desktop.bus.bus import Bus
from desktop.bus.events import (
    ReasoningDelta,
    SettingsChanged,
    TextDelta,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    TurnWaiting,
)
from desktop.text import mark
from desktop.ui.conversation.header.header import FAILED, OK, WAITS, Header

_FAILURES = {
    "Unreachable": mark("Not answering"),
    "SignInNeeded": mark("Check the key"),
    "QuotaExceeded": mark("Out of quota"),
    "RateLimited": mark("Too many requests"),
}
"""By the name of the error's class. Others say nothing of the provider."""


class ProviderStates(QObject):
    """Tells the header; one for the window."""

    def __init__(self, bus: Bus, header: Header, open_: Callable[[], str], parent: QObject) -> None:
        """`open_` gives the open conversation."""
        super().__init__(parent)
        self._header, self._open = header, open_
        self._asked: dict[str, str] = {}
        """Each turn that runs, and the provider that answers it."""
        bus.on(TurnStarted, self._started)
        bus.on(TurnWaiting, self._waits)
        bus.on(TextDelta, self._answers)
        bus.on(ReasoningDelta, self._answers)
        bus.on(TurnFailed, self._failed)
        bus.on(TurnFinished, self._finished)
        bus.on(SettingsChanged, lambda _event: header.forget_providers())  # a key may be another one

    def _started(self, event: TurnStarted) -> None:
        self._asked[event.turn] = event.provider

    def _waits(self, event: TurnWaiting) -> None:
        self._tell(event.turn, WAITS, mark("Retrying"), event.reason)

    def _answers(self, event: TextDelta | ReasoningDelta | TurnFinished) -> None:
        self._tell(event.turn, OK, mark("Ready"))

    def _finished(self, event: TurnFinished) -> None:
        if event.text and not event.stopped:
            self._answers(event)
        self._asked.pop(event.turn, None)

    def _failed(self, event: TurnFailed) -> None:
        here = self._header.provider if event.session == self._open() else ""
        provider = self._asked.pop(event.turn, here)  # some fail before anybody was asked: without a key
        if provider and event.kind_of_error in _FAILURES:
            self._header.show_provider(provider, FAILED, _FAILURES[event.kind_of_error], event.error)

    def _tell(self, turn: str, state: str, words: str, about: str = "") -> None:
        if provider := self._asked.get(turn):
            self._header.show_provider(provider, state, words, about)
