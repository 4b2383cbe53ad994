"""A conversation in a window."""

import gc
from collections.abc import Callable

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.transcript import Author, Entry, Transcript
from desktop.ui.conversation.view import ConversationView
from desktop.ui.theme.theme import load_later_fonts, theme

type Open = Callable[..., ConversationView]


@pytest.fixture(autouse=True)
def look(qapp: QApplication) -> None:
    """Light, and with all fonts."""
    theme().choose("light")
    load_later_fonts()


@pytest.fixture
def no_collector() -> None:
    """Without the garbage of other tests: looking through it would take long in the middle of this one."""
    gc.collect()


@pytest.fixture
def transcript(qapp: QApplication) -> Transcript:
    return Transcript()


@pytest.fixture
def view(qtbot: QtBot, transcript: Transcript) -> ConversationView:
    """An open view of the transcript, 700 by 600."""
    made = ConversationView(transcript)
    qtbot.addWidget(made)
    made.resize(700, 600)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def said(text: str, number: int, **more: object) -> Entry:
    """An entry of a conversation in which the person and the agent take turns."""
    author = Author.NANOBOT if number % 2 else Author.YOU
    return Entry(str(number), author, text, **more)  # type: ignore[arg-type]


def chat(count: int, words: int = 40) -> list[Entry]:
    """A conversation of so many messages, each of its own length."""
    return [said(f"Message {n}: " + "some words " * (words + n % 7 * 20), n) for n in range(count)]


def armed(view: ConversationView) -> int:
    """How many timers of the conversation are running."""
    return sum(timer.isActive() for timer in view.findChildren(QTimer))
