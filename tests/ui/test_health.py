"""The dot beside the model: it tells of the provider that answers here, as it answered last."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.bus.bus import Bus
from desktop.bus.events import (
    Event,
    SettingsChanged,
    TextDelta,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    TurnWaiting,
)
from desktop.ui.conversation.header.header import Header
from desktop.ui.conversation.header.provider_state import ProviderStates
from desktop.ui.loop import Loop
from tests.ui.program import tell

KEY = "window:a"


class Board:
    """A header over a provider, which a turn asks."""

    def __init__(self, qtbot: QtBot, provider: str = "custom") -> None:
        self.header, self._bus, self._until = Header(), Bus(), qtbot.waitUntil
        qtbot.addWidget(self.header)
        self.health = ProviderStates(self._bus, self.header, lambda: KEY, self.header)
        self.header.show_model("mock-large", provider)

    def hear(self, event: Event) -> None:
        tell(self._bus, event, self._until)

    @property
    def told(self) -> tuple[str, str]:
        """The colour of the dot and the words beside it; empty where there is none."""
        if self.header._dot.isHidden():
            return "", ""
        return self.header._dot._role, self.header._state.text()

    def begin(self, turn: str = "t", provider: str = "custom") -> None:
        self.hear(TurnStarted(KEY, turn, provider, "mock-large"))

    def fail(self, kind: str, turn: str = "t") -> None:
        self.hear(TurnFailed(KEY, turn, "It failed.", "Mend it.", kind))


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[None]:
    loop = Loop(qapp)
    yield
    loop.close()


@pytest.fixture
def board(qtbot: QtBot, loop: None) -> Board:
    return Board(qtbot)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("Unreachable", "Not answering"),
        ("SignInNeeded", "Check the key"),
        ("QuotaExceeded", "Out of quota"),
        ("RateLimited", "Too many requests"),
    ],
)
def test_a_failure_stays_until_an_answer_comes(board: Board, kind: str, words: str) -> None:
    board.header.show_service("model_host", "running", "")
    assert board.told == ("", ""), "nobody has asked it yet"
    board.begin()
    board.fail(kind)
    assert board.told == ("danger", words)
    assert board.header._state.toolTip() == "It failed."
    board.begin("u")
    assert board.told == ("danger", words)
    board.hear(TextDelta(KEY, "u", "Yes"))
    assert board.told == ("success", "Ready")


def test_each_provider_has_its_own_state(board: Board) -> None:
    board.begin()
    board.fail("Unreachable")
    board.header.show_model("gpt-5", "openai")
    assert board.told == ("", "")
    board.begin("u", "openai")
    board.hear(TurnFinished(KEY, "u", "Yes"))
    assert board.told == ("success", "Ready")
    board.header.show_model("mock-large", "custom")
    assert board.told == ("danger", "Not answering")


def test_a_failure_before_anybody_was_asked_is_of_the_provider_here(board: Board) -> None:
    board.fail("SignInNeeded")
    assert board.told == ("danger", "Check the key")
    board.hear(SettingsChanged())
    assert board.told == ("", "")


def test_it_says_that_it_tries_again_and_nothing_of_a_stop_or_a_fault_of_the_question(board: Board) -> None:
    board.begin()
    board.hear(TurnWaiting(KEY, "t", 2.0, "The server is busy."))
    assert board.told == ("warning", "Retrying")
    board.hear(TextDelta(KEY, "t", "Yes"))
    board.hear(TurnFinished(KEY, "t", "Yes", stopped=True))
    board.begin("u")
    board.fail("ContextTooLong", "u")
    assert board.told == ("success", "Ready")


def test_the_built_in_model_is_ready_when_its_own_server_runs(qtbot: QtBot, loop: None) -> None:
    board = Board(qtbot, "builtin")
    board.header.show_service("model_host", "running", "")
    assert board.told == ("faint", "Idle")
    board.header.show_service("builtin-model", "starting", "It is being loaded.")
    assert board.told == ("warning", "Starting the model")
    board.header.show_service("builtin-model", "running", "")
    assert board.told == ("success", "Ready")
