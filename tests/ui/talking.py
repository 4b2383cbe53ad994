"""A conversation of the window over a real core, without the window."""

import asyncio

from pytestqt.qtbot import QtBot

from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.transcript import Author
from desktop.ui.error_reporter import ErrorReporter
from tests.ui.held import Held
from tests.ui.program import Running


class Desk:
    """A controller that hears the bus, and what it told."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        self.running, self.until = running, qtbot.waitUntil
        self.door = Held(running.actions)
        self.reporter = ErrorReporter()
        self.talk = Controller(self.door, self.reporter)
        self.errors: list[str] = []
        self.models: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self.reporter.told.connect(lambda text, _remedy: self.errors.append(text))
        self.talk.model_known.connect(lambda found: self.models.append(found.line.title))
        self.talk.refused.connect(lambda key, text: self.refused.append((key, text)))

    @property
    def shown(self) -> list[tuple[Author, str]]:
        return [(entry.author, entry.text) for entry in self.talk.transcript.entries]

    def wait_shown(self, *texts: str) -> None:
        """Wait until these messages are shown, and nothing is on its way."""
        self.until(lambda: [text for _, text in self.shown] == list(texts) and not self.talk.busy)

    def begin(self, key: str, text: str) -> None:
        """Have a question under way in a conversation that is open."""
        self.open(key)
        self.talk.send(text)
        self.until(lambda: self.talk.busy and len(self.shown) == 2)

    def open(self, key: str) -> None:
        self.talk.open(key)
        self.settle()

    def settle(self) -> None:
        """Wait until no verb of the conversation is under way but those that are held."""

        def under_way() -> int:
            names = [task.get_name() for task in asyncio.all_tasks(self.running.loop)]
            return sum(name.startswith("conversation:") for name in names)

        self.until(lambda: under_way() <= self.door.waiting)
