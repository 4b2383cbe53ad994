"""Files to go along with a message: dropped, pasted, seen, sent, taken away, kept as a draft."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.cells.cell import Cell
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.ui.program import Running
from tests.ui.test_library import Desk
from tests.unit.providers.samples import HEIC

NO_KEYS = Qt.KeyboardModifier.NoModifier


class Table(Desk):
    """The window to whose conversation files can be given."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        super().__init__(running, qtbot)
        self.begin()

    @property
    def names(self) -> list[str]:
        return [given.name for given in self.window.composer.files]

    def drop(self, *paths: Path) -> None:
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        action, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        enter = QDragEnterEvent(QPointF(40, 40), action, mime, left, NO_KEYS)
        QApplication.sendEvent(self.window.pane, enter)
        event = QDropEvent(QPointF(40, 40), action, mime, left, NO_KEYS)
        QApplication.sendEvent(self.window.pane, event)
        assert event.isAccepted()


@pytest.fixture
def table(home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest) -> Table:
    Program(home).use_server(server.url, "say:Noted.")
    return Table(request.getfixturevalue("running"), qtbot)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    picture, letter = tmp_path / "dot.png", tmp_path / "letter.txt"
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    image.save(str(picture))
    letter.write_text("Dear Ada")
    return picture, letter


def test_dropped_files_go_along_and_are_seen(
    table: Table, server: ScriptedServer, files: tuple[Path, Path]
) -> None:
    table.drop(*files)
    table.until(lambda: table.names == ["dot.png", "letter.txt"])
    table.send("Look")
    table.until(lambda: table.said[1:] == ["Noted."])
    assert table.names == []
    (asked,) = [m for m in server.requests[0].body["messages"] if isinstance(m["content"], list)]
    assert [part["type"] for part in asked["content"]].count("image_url") == 1
    assert "letter.txt" in str(asked["content"])
    first = next(cell for cell in table.pane.view.slots if isinstance(cell, Cell))
    assert first.given is not None
    assert [made.accessibleName() for made in first.given.buttons] == ["Open dot.png", "Open letter.txt"]
    assert first.given.height() >= 80
    table.open(table.talk.key)
    assert table.talk.transcript.entries[0].files == [str(path) for path in files]


def test_a_picture_of_a_phone_is_seen_before_and_after_it_is_sent(
    table: Table, server: ScriptedServer, tmp_path: Path
) -> None:
    (path := tmp_path / "IMG_0001.HEIC").write_bytes(HEIC)
    table.drop(path)
    table.until(lambda: table.names == ["IMG_0001.HEIC"])
    assert table.window.composer.chips is not None
    (chip,) = table.window.composer.chips.chips
    table.until(lambda: red_and_blue(chip.sign))
    table.send("Look")
    table.until(lambda: table.said[1:] == ["Noted."])
    assert "data:image/jpeg;base64," in str(server.requests[0].body["messages"])
    first = next(cell for cell in table.pane.view.slots if isinstance(cell, Cell))
    assert first.given is not None
    (made,) = first.given.buttons
    table.until(lambda: red_and_blue(made))


def red_and_blue(widget: QWidget) -> bool:
    """Whether it shows the picture, at its left and at its right."""
    image = widget.grab().toImage()
    left = image.pixelColor(image.width() // 4, image.height() // 2)
    right = image.pixelColor(3 * image.width() // 4, image.height() // 2)
    return left.red() > 150 > 100 > left.blue() and right.blue() > 150 > 100 > right.red()


def test_files_alone_are_a_message(table: Table, server: ScriptedServer, files: tuple[Path, Path]) -> None:
    table.drop(files[0])
    table.until(lambda: table.names == ["dot.png"])
    assert table.window.composer.send.isEnabled()
    QTest.keyClick(table.window.composer.field, Qt.Key.Key_Return)
    table.until(lambda: table.said == ["", "Noted."])
    assert table.rows.conversations[0].title == "dot.png"


def test_a_pasted_picture_becomes_a_file_and_words_stay_words(table: Table) -> None:
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.blue)
    QGuiApplication.clipboard().setImage(image)
    table.window.composer.field.paste()
    table.until(lambda: table.names == ["pasted.png"])
    (given,) = table.window.composer.files
    assert QImage(given.path).size() == image.size()
    QGuiApplication.clipboard().setText("words")
    table.window.composer.field.paste()
    assert table.window.composer.text() == "words"
    assert table.names == ["pasted.png"]


def test_a_picture_pasted_into_a_temporary_conversation_goes_with_it(table: Table) -> None:
    table.open("temporary:1")
    QGuiApplication.clipboard().setImage(QImage(8, 8, QImage.Format.Format_RGB32))
    table.window.composer.field.paste()
    table.until(lambda: table.names == ["pasted.png"])
    (given,) = table.window.composer.files
    assert Path(given.path).exists()
    table.running.wait(table.running.actions.api.conversations.delete("temporary:1"))
    assert not Path(given.path).exists()


def test_the_keyboard_takes_a_file_away(table: Table, files: tuple[Path, Path]) -> None:
    table.drop(*files)
    table.until(lambda: len(table.names) == 2)
    chips = table.window.composer.chips
    assert chips is not None
    chips.chips[0].setFocus()
    QTest.keyClick(chips.chips[0], Qt.Key.Key_Delete)
    assert table.names == ["letter.txt"]
    assert QApplication.focusWidget() is chips.chips[0]


def test_what_cannot_be_read_is_said_and_the_others_go_along(
    table: Table, files: tuple[Path, Path], tmp_path: Path
) -> None:
    table.drop(tmp_path / "gone.txt", files[1])
    table.until(lambda: bool(table.errors))
    assert "gone.txt" in table.errors[0]
    assert table.names == ["letter.txt"]


def test_each_conversation_has_its_own_and_they_outlive_the_window(
    table: Table, files: tuple[Path, Path]
) -> None:
    table.ask("window:a", "one")
    table.open("window:a")
    table.drop(files[1])
    table.until(lambda: table.names == ["letter.txt"])
    table.open("")
    assert table.names == []
    table.open("window:a")
    assert table.names == ["letter.txt"]
    table.file.write()
    again = type(table.file)(table.running.home.root / "window.json").state
    assert [line["name"] for line in again.attached["window:a"]] == ["letter.txt"]


def test_a_file_named_in_the_text_goes_along(table: Table, server: ScriptedServer) -> None:
    folder = table.running.home.root / "workspace" / "trips"
    folder.mkdir()
    (folder / "rome.md").write_text("Rome")
    field = table.window.composer.field
    QTest.keyClicks(field, "Read @rom")
    table.until(lambda: table.pane.completer.open)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert table.window.composer.text() == "Read @trips/rome.md "
    table.until(lambda: table.names == ["rome.md"])
    QTest.keyClick(field, Qt.Key.Key_Return)
    table.until(lambda: table.said[1:] == ["Noted."])
    assert str(folder / "rome.md") in str(server.requests[0].body["messages"])
