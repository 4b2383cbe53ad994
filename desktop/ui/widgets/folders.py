"""Files and folders in the system's own programs for them: documents are opened, anything else is shown.

A file that the agent wrote, or a page had it fetch, may be a program, and a desktop runs one that is
"opened". So only kinds that are read or looked at are opened; of every other its folder is, with the file
selected there where the file manager can do that.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

_READ = (
    ".txt .md .markdown .rst .log .csv .tsv .json .jsonl .yaml .yml .toml .xml .ini .tex .bib .srt "
    ".pdf .epub .docx .xlsx .pptx .odt .ods .odp .rtf .htm .html .ics "
    ".png .jpg .jpeg .gif .webp .bmp .tif .tiff .heic .heif .avif .svg "
    ".mp3 .ogg .opus .flac .wav .m4a .aac .mp4 .m4v .webm .mkv .mov"
)
"""Kinds that no system runs: no scripts, no links to start something, no documents with macros."""
_MANAGER, _PATH = "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1"


def can_open(path: str) -> bool:
    """Whether this is opened, by its name; anything else is shown in its folder."""
    return Path(path).suffix.lower() in _READ.split()


def open_file(path: str) -> None:
    """Open a document with the program that the desktop has for it; show anything else in its folder."""
    there = Path(path)
    try:
        real = there.resolve(strict=True)
    except OSError:  # it has gone: its folder says so
        show_in_folder(path)
        return
    if can_open(path) and can_open(str(real)) and real.is_file():
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(real)))
    else:
        show_in_folder(path)


def show_in_folder(path: str) -> None:
    """Open a folder; or that of a file, with the file selected; or the nearest one that there is."""
    place = Path(path)
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    if place.is_dir():
        _open_folder(place)
    elif command := selecting(place):
        _start(command)
    else:
        _ask_file_manager(place)


def _open_folder(place: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(place)))


@dataclass(frozen=True, slots=True)
class Command:
    """A program to start. `native`: arguments that are passed as they are written, on Windows."""

    program: str
    arguments: tuple[str, ...] = ()
    native: str = ""


def selecting(place: Path, system: str = sys.platform) -> Command | None:
    """The program that shows a file in its folder; None where the file manager is asked over the bus."""
    if system == "win32":
        folder = os.environ.get("SYSTEMROOT", "C:\\Windows")
        # It splits its command line in a way of its own; no name has a quotation mark there.
        return Command(f"{folder}\\explorer.exe", native=f'/select,"{place}"')
    if system == "darwin":
        return Command("/usr/bin/open", ("-R", str(place)))
    return None


def _start(command: Command) -> None:
    process = QProcess()
    process.setProgram(command.program)
    process.setArguments(list(command.arguments))
    if command.native:
        getattr(process, "setNativeArguments")(command.native)  # noqa: B009 - Windows alone has it
    process.startDetached()


def _ask_file_manager(place: Path) -> None:
    """By the desktop's interface for it, which starts the file manager where none runs; without one, the
    folder is opened."""
    from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

    call = QDBusMessage.createMethodCall(_MANAGER, _PATH, _MANAGER, "ShowItems")
    call.setArguments([[place.absolute().as_uri()], ""])
    watcher = QDBusPendingCallWatcher(QDBusConnection.sessionBus().asyncCall(call), QApplication.instance())

    def answered() -> None:
        if watcher.isError():
            _open_folder(place.parent)
        watcher.deleteLater()

    watcher.finished.connect(answered)
