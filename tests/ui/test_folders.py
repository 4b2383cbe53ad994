"""Files are shown in the file manager; what could be a program is never opened, only shown."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from dbus_fast.constants import RequestNameReply
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.tasks import spawn
from desktop.ui.loop import Loop
from desktop.ui.widgets.folders import can_open, open_file, selecting, show_in_folder

PROGRAMS = (
    "run.sh run.desktop run.py run.exe run.bat run.cmd run.ps1 run.vbs run.js run.lnk run.url run.command "
    "run.app run.jar run.AppImage run.docm run.xlsm run.scf run.hta run notes.txt.sh .txt"
)
MANAGER = "org.freedesktop.FileManager1"


class Opened(QObject):
    """Stands for the programs that the desktop opens files with."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.paths.append(url.toLocalFile())


class Manager:
    """A file manager on the bus: shows items, or has nothing of the kind."""

    def __init__(self, *, can: bool) -> None:
        self._can = can
        self.shown: list[Any] = []

    async def start(self) -> None:
        self.bus = await MessageBus().connect()
        assert await self.bus.request_name(MANAGER) is RequestNameReply.PRIMARY_OWNER
        self.bus.add_message_handler(self._message)

    async def stop(self) -> None:
        self.bus.disconnect()
        await self.bus.wait_for_disconnect()  # type: ignore[no-untyped-call]

    def has_shown(self, number: int) -> bool:
        return len(self.shown) == number

    def _message(self, message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.member != "ShowItems":
            return None
        self.shown.append(message.body[0])
        if not self._can:
            return Message.new_error(message, f"{MANAGER}.Error", "no")
        return Message.new_method_return(message)


@pytest.fixture
def opened(qapp: QApplication) -> Iterator[Opened]:
    made = Opened()
    QDesktopServices.setUrlHandler("file", made, "open")  # type: ignore[arg-type]
    yield made
    QDesktopServices.unsetUrlHandler("file")


@pytest.fixture(params=[True, False], ids=["a file manager that can", "one that cannot"])
def manager(qapp: QApplication, qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[Manager]:
    loop = Loop(qapp)
    made = Manager(can=request.param)
    started = spawn(made.start(), name="manager:start")
    qtbot.waitUntil(started.done)
    started.result()
    yield made
    stopped = spawn(made.stop(), name="manager:stop")
    qtbot.waitUntil(stopped.done)
    loop.close()


def test_a_file_is_selected_in_the_file_manager_or_else_its_folder_is_opened(
    manager: Manager, opened: Opened, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "报告 #1, final.pdf"
    file.touch()
    show_in_folder(str(file))
    qtbot.waitUntil(lambda: bool(manager.shown))
    assert manager.shown == [[file.as_uri()]]
    if not manager._can:
        qtbot.waitUntil(lambda: opened.paths == [str(tmp_path)])
    assert opened.paths in ([], [str(tmp_path)])


def test_a_folder_is_opened_itself_and_one_that_has_gone_by_what_is_left(
    opened: Opened, tmp_path: Path
) -> None:
    show_in_folder(str(tmp_path))
    show_in_folder(str(tmp_path / "gone" / "further" / "file.txt"))
    assert opened.paths == [str(tmp_path), str(tmp_path)]


@pytest.mark.parametrize("name", ["notes.md", "Report.PDF", "picture.png", "table.csv"])
def test_a_document_is_opened(opened: Opened, tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    open_file(str(tmp_path / name))
    assert opened.paths == [str(tmp_path / name)]


def test_what_could_be_a_program_is_only_shown(
    manager: Manager, opened: Opened, qtbot: QtBot, tmp_path: Path
) -> None:
    for number, name in enumerate(PROGRAMS.split(), 1):
        file = tmp_path / name
        file.touch()
        assert not can_open(str(file))
        open_file(str(file))
        qtbot.waitUntil(partial(manager.has_shown, number))
    assert set(opened.paths) <= {str(tmp_path)}


def test_a_name_that_leads_to_a_program_opens_nothing(
    manager: Manager, opened: Opened, qtbot: QtBot, tmp_path: Path
) -> None:
    program = tmp_path / "run.desktop"
    program.touch()
    link = tmp_path / "letter.pdf"
    link.symlink_to(program)
    open_file(str(link))
    qtbot.waitUntil(lambda: manager.shown == [[link.as_uri()]])
    assert set(opened.paths) <= {str(tmp_path)}


def test_each_system_has_its_way() -> None:
    place = Path("/Users/ada/Bericht, neu.pdf")
    mac, windows = selecting(place, "darwin"), selecting(place, "win32")
    assert mac is not None
    assert (mac.program, mac.arguments) == ("/usr/bin/open", ("-R", str(place)))
    assert windows is not None
    assert windows.program.endswith("\\explorer.exe")
    assert windows.native == f'/select,"{place}"'
    assert selecting(place, "linux") is None
