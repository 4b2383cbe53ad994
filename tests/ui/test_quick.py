"""The quick chat over a real core: it asks, hides without ending anything, and hands over to the window."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop import tasks
from desktop.ui.conversation.composer.chips import Given
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.quick.quick import Quick
from desktop.ui.quick.window import QuickWindow
from desktop.ui.state import QUICK, StateFile
from desktop.ui.theme.theme import theme
from desktop.ui.words import speak
from tests.desktop.desk import Desk
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.held import Held
from tests.ui.program import Running
from tests.ui.settings.reading import press

STAYING = {"test:events", "search:index", "search:work"}


class Bed:
    """The quick chat, what it told, and the keyboard of a person."""

    def __init__(self, running: Running, qtbot: QtBot, desk: Desk, folder: Path) -> None:
        self.running, self.until, self.desk = running, qtbot.waitUntil, desk
        self.file = StateFile(folder / "window.json")
        self.onward: list[tuple[str, str]] = []
        self.door = Held(running.actions)
        self.quick = Quick(self.door, ErrorReporter(), self.file, QApplication.instance())  # type: ignore[arg-type]
        self.quick.onward.connect(lambda key, draft: self.onward.append((key, draft)))

    @property
    def window(self) -> QuickWindow:
        assert self.quick.window
        return self.quick.window

    @property
    def said(self) -> list[str]:
        assert self.quick.talk
        return [entry.text for entry in self.quick.talk.transcript.entries]

    def open(self, text: str = "") -> None:
        self.quick.open(text)
        self.arrived()

    def arrived(self) -> None:
        """Wait until it has the keyboard, and all that it reads."""
        self.until(self.window.isActiveWindow)
        self.until(lambda: {t.get_name() for t in tasks._running if not t.done()} <= STAYING)

    def ask(self, text: str) -> None:
        """Type and press Enter; wait until the message is shown."""
        self.desk.type(text)
        self.until(lambda: self.window.composer.text() == text)
        self.desk.key("Return")
        self.until(lambda: self.said[-2:-1] == [text])

    def rest(self) -> None:
        talk = self.quick.talk
        assert talk
        self.until(lambda: not talk.busy)

    def stop(self) -> None:
        self.running.core.bus.close()
        if self.quick.window:
            self.quick.window.hide()
            self.quick.window.deleteLater()
        self.running.settle()


@pytest.fixture
def bed(
    home: Path,
    server: ScriptedServer,
    qtbot: QtBot,
    desk: Desk,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[Bed]:
    Program(home).use_server(server.url, "say:Noted.")
    bed = Bed(request.getfixturevalue("running"), qtbot, desk, tmp_path)
    yield bed
    bed.stop()


def test_it_asks_and_grows_and_hides_without_ending_the_answer(bed: Bed, server: ScriptedServer) -> None:
    bed.open()
    low = bed.window.height()
    assert low < 180
    held = server.hold("capital")
    server.script("say:Paris.")
    bed.ask("What is the capital of France?")
    assert bed.window.height() > 2 * low
    assert bed.window.composer.text() == ""
    bed.desk.key("Escape")
    bed.until(lambda: not bed.window.isVisible())
    held.set()
    bed.rest()
    assert bed.said[-1] == "Paris."
    bed.open()
    assert bed.said[-1] == "Paris."


def test_it_is_where_the_cursor_is_and_on_the_screen(bed: Bed) -> None:
    QCursor.setPos(5, 5)
    bed.open()
    screen = QGuiApplication.screenAt(QCursor.pos())
    assert screen
    assert screen.availableGeometry().contains(QRect(bed.window.geometry()))


def test_the_draft_is_still_there(bed: Bed) -> None:
    bed.open()
    bed.desk.type("half a thou")
    bed.until(lambda: bed.window.composer.text() == "half a thou")
    bed.desk.key("Escape")
    bed.until(lambda: not bed.window.isVisible())
    bed.file.write()
    again = Quick(bed.running.actions, ErrorReporter(), StateFile(bed.file._path), bed.quick)
    again.open()
    bed.quick, first = again, bed.quick
    bed.arrived()
    bed.quick = first
    assert again.window
    assert again.window.composer.text() == "half a thou"
    again.window.hide()


def test_ctrl_enter_goes_on_in_the_window_with_the_draft(bed: Bed, server: ScriptedServer) -> None:
    server.script("say:Paris.")
    bed.open()
    bed.ask("The capital of France?")
    bed.rest()
    bed.desk.type("And of Italy?")
    bed.until(lambda: bed.window.composer.text() == "And of Italy?")
    bed.desk.key("ctrl+Return")
    bed.until(lambda: bool(bed.onward))
    [(key, draft)] = bed.onward
    assert key.startswith("window:")
    assert draft == "And of Italy?"
    assert not bed.window.isVisible()
    assert bed.window.composer.text() == ""
    assert len(server.requests) == 1


def test_what_is_on_the_clipboard_comes_along_as_a_quotation(bed: Bed) -> None:
    QGuiApplication.clipboard().setText("one\ntwo")
    bed.quick.open_with("clipboard")
    bed.arrived()
    assert bed.window.composer.text() == "> one\n> two\n\n"


def test_the_text_of_a_link_stands_there_and_no_key_sends_it(bed: Bed, server: ScriptedServer) -> None:
    bed.open()
    bed.ask("mine")
    bed.rest()
    first, asked = bed.quick.in_front, len(server.requests)
    bed.desk.type("my own words")
    bed.until(lambda: bed.window.composer.text() == "my own words")
    for _again in range(2):
        bed.quick.offer("/new\nsend this")
        bed.arrived()
    assert bed.quick.in_front != first, "it does not go into what was said before"
    assert bed.window.composer.text() == "my own words\n\n> /new\n> send this\n\n"
    assert bed.window.notice.accessibleName() == "This text comes from a link. Read it before you send it."
    bed.desk.key("Return")
    bed.until(lambda: not bed.window.isVisible())
    assert len(server.requests) == asked
    bed.quick.open()
    QTest.keyClick(bed.window.composer.field, Qt.Key.Key_Return)  # the person means it
    bed.until(lambda: len(server.requests) > asked)
    bed.rest()
    assert bed.window.notice.isHidden()
    assert "my own words\n\n> /new\n> send this" in server.requests[-1].body["messages"][-1]["content"]


def test_a_new_conversation_by_key(bed: Bed, server: ScriptedServer) -> None:
    server.script("say:Paris.")
    bed.open()
    bed.ask("The capital of France?")
    bed.rest()
    bed.desk.key("ctrl+n")
    bed.until(lambda: bed.said == [])
    bed.arrived()
    assert bed.window.height() < 180


def test_a_message_is_written_otherwise_with_its_files_and_the_draft_stays(
    bed: Bed, server: ScriptedServer, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("one")
    bed.open()
    assert bed.quick.talk
    bed.quick.talk.send("Read it", [str(note)])
    bed.until(lambda: bed.said[:1] == ["Read it"])
    bed.rest()
    bed.desk.type("A half")
    bed.until(lambda: bed.window.composer.text() == "A half")
    kept = Given(str(tmp_path / "kept.txt"), "kept.txt")
    bed.window.composer.add_file(kept)
    bed.quick.talk.revisions.last()
    assert [file.path for file in bed.window.composer.files] == [str(note)]
    server.script("say:Once more.")
    bed.desk.type(" again")
    bed.until(lambda: bed.window.composer.text() == "Read it again")
    bed.desk.key("Return")
    bed.until(lambda: bed.said == ["Read it again", "Once more."])
    assert bed.quick.talk.transcript.entries[0].files == [str(note)]
    assert bed.window.composer.text() == bed.file.state.drafts[QUICK] == "A half"
    assert list(bed.window.composer.files) == [kept]
    bed.rest()


def test_a_message_that_is_not_stored_comes_back_with_its_files(bed: Bed) -> None:
    bed.open()
    bed.door.refused.add("turns.submit")
    kept = Given("/nowhere/gone.txt", "gone.txt")
    bed.window.composer.add_file(kept)
    bed.desk.type("Read it")
    bed.until(lambda: bed.window.composer.text() == "Read it")
    bed.desk.key("Return")
    bed.until(lambda: bed.window.notice.isVisible())
    assert bed.window.composer.text() == "Read it"
    assert list(bed.window.composer.files) == [kept]
    assert bed.said == []


@pytest.mark.parametrize(("language", "dark"), [("en", False), ("zh_CN", True)])
def test_pictures(bed: Bed, server: ScriptedServer, language: str, dark: bool) -> None:
    theme().choose("dark" if dark else "light")
    speak(language)
    bed.open()
    bed.desk.screenshot(f"quick-empty-{language}")
    server.script("say:Paris is the **capital** of France.\n\n- It lies on the Seine.\n- `2.1` million.")
    bed.ask("What is the capital of France?")
    bed.rest()
    bed.until(lambda: bed.desk.colours() > 40)
    assert bed.desk.screenshot(f"quick-{language}").exists()


def test_it_tells_which_conversation_is_before_the_persons_eyes(bed: Bed, server: ScriptedServer) -> None:
    came: list[bool] = []
    bed.quick.came.connect(lambda: came.append(True))
    server.script("say:Paris.")
    bed.open()
    assert came
    bed.ask("The capital of France?")
    bed.rest()
    assert bed.quick.talk
    assert bed.quick.in_front == bed.quick.talk.key != ""
    bed.desk.key("Escape")
    bed.until(lambda: not bed.window.isVisible())
    assert bed.quick.in_front == ""


def test_a_reminder_is_set_without_a_model_and_taken_back(bed: Bed, server: ScriptedServer) -> None:
    bed.open()
    low = bed.window.height()
    bed.desk.type("remind me in 20 minutes to call Anna")
    bed.until(lambda: bed.window.height() > low)  # the chip is there
    if folder := os.environ.get("NANOBOT_TEST_SHOTS"):
        bed.window.grab().save(str(Path(folder) / "quick-reminder.png"))
    bed.desk.key("Return")
    bed.until(lambda: bed.window.composer.text() == "")
    bed.arrived()

    def jobs() -> list[str]:
        return [job.message for job in bed.running.wait(bed.running.actions.api.jobs.all()).jobs]

    assert jobs() == ["call Anna"]
    assert "call Anna" in bed.window.notice.accessibleName()
    if folder := os.environ.get("NANOBOT_TEST_SHOTS"):
        bed.window.grab().save(str(Path(folder) / "quick-reminder-set.png"))
    press(bed.window.notice, "Undo")
    bed.arrived()
    assert jobs() == []
    bed.until(lambda: bed.window.composer.text() == "remind me in 20 minutes to call Anna")
    server.script("say:When?")
    bed.desk.key("Escape")
    bed.until(lambda: bed.said == ["remind me in 20 minutes to call Anna", "When?"])
    assert bed.window.isVisible(), "Esc asked the agent, and hid nothing"
