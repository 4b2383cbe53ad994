"""The card of files that a turn changed: what it shows, what changed, taking it back and doing it again."""

import json

import pytest
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.cells.files_cell import FilesCell
from desktop.ui.conversation.transcript import Author
from desktop.ui.conversation.view import ConversationView
from tests.servers.scripted import ScriptedServer
from tests.ui.settings.reading import shown
from tests.ui.talking import Desk


class Reading:
    """Somebody who reads a conversation in which files were written."""

    def __init__(self, desk: Desk, server: ScriptedServer, qtbot: QtBot) -> None:
        self.desk, self.until = desk, desk.until
        self.view = ConversationView(desk.talk.transcript)
        qtbot.addWidget(self.view)
        self.view.wanted.connect(desk.talk.files.look_into)
        self.view.work_wanted.connect(desk.talk.files.act)
        self.view.resize(800, 700)
        self.view.show()
        self.workspace = desk.running.home.root / "workspace"
        (self.workspace / "list.txt").write_text("milk\nbread\n")
        edit = ["edit_file", {"path": "list.txt", "old_text": "bread", "new_text": "rice"}]
        write = ["write_file", {"path": "trips/rome.md", "content": "# Rome\n"}]
        server.script(f"use:{json.dumps([edit, write])}", "say:Written.")
        desk.open("window:a")
        desk.talk.send("Write")
        self.until(lambda: self.card is not None and bool(self.card.rows))

    @property
    def card(self) -> FilesCell | None:
        return next((slot for slot in self.view.slots if isinstance(slot, FilesCell)), None)

    @property
    def shown(self) -> FilesCell:
        assert self.card is not None
        return self.card

    @property
    def states(self) -> list[str]:
        return [row._state.text() for row in self.shown.rows]


@pytest.fixture
def reading(talking: Desk, server: ScriptedServer, qtbot: QtBot) -> Reading:
    return Reading(talking, server, qtbot)


def test_it_stands_after_the_answer_and_again_when_the_conversation_is_read_anew(reading: Reading) -> None:
    for _round in range(2):
        authors = [entry.author for entry in reading.desk.talk.transcript.entries]
        assert authors[-2:] == [Author.NANOBOT, Author.FILES]
        assert [row.name.text() for row in reading.shown.rows] == ["list.txt", "rome.md"]
        assert reading.states == ["", "new"]
        assert "2 files changed" in shown(reading.shown).splitlines()
        assert reading.shown.height() > 100
        reading.desk.open("window:a")
        reading.until(lambda: reading.card is not None and len(reading.shown.rows) == 2)


def test_what_changed_is_shown_and_hidden(reading: Reading) -> None:
    row, before = reading.shown.rows[0], reading.shown.height()
    row.compare.click()
    reading.until(lambda: "+ rice" in row.diff.toPlainText() and reading.shown.height() > before)
    assert "- bread" in row.diff.toPlainText()
    row.compare.click()
    reading.until(lambda: reading.shown.height() == before)


def test_files_are_taken_back_and_changed_again(reading: Reading) -> None:
    reading.shown.undo.click()
    reading.until(lambda: reading.states == ["undone", "undone"])
    assert (reading.workspace / "list.txt").read_text() == "milk\nbread\n"
    assert not (reading.workspace / "trips" / "rome.md").exists()
    assert not reading.shown.undo.isVisible()
    reading.shown.redo.click()
    reading.until(lambda: reading.states == ["", "new"])
    assert (reading.workspace / "list.txt").read_text() == "milk\nrice\n"


def test_what_the_person_changed_since_stays_and_is_said(reading: Reading) -> None:
    mine = reading.workspace / "list.txt"
    mine.write_text("my own list")
    reading.shown.undo.click()
    reading.until(lambda: reading.states == ["changed since", "undone"])
    assert mine.read_text() == "my own list"
    assert "list.txt was not changed: It has changed since." in shown(reading.shown)
    assert not (reading.workspace / "trips" / "rome.md").exists()
