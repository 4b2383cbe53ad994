"""The pages of the installer for Windows as a person walks through them, with a picture of each."""

import shutil
import subprocess
import time
from pathlib import Path

from tests.desktop.desk import Desk
from tests.soak.wine.machine import Machine
from tests.soak.wine.noting import Noting

_TITLES = {
    "en_US": ("Nanobot Desktop Setup", "Nanobot Desktop Uninstall"),
    "zh_CN": ("Nanobot Desktop 安装", "Nanobot Desktop 卸载"),
}
_PATIENCE_S = 300.0


class Walking(Noting):
    """What is done by the keyboard alone, in a Windows of this language."""

    def __init__(self, folder: Path, pictures: Path) -> None:
        super().__init__()
        folder.mkdir(parents=True, exist_ok=True)
        self._machine = Machine(folder)
        self._desk = Desk(pictures)
        self._users = folder / "wine" / "drive_c" / "users"

    @property
    def _installed(self) -> Path:
        return next(self._users.glob("*/AppData/Local")) / "Programs" / "Nanobot Desktop"

    @property
    def _place(self) -> str:
        """The same in the words of Windows."""
        return "C:" + str(self._installed).partition("drive_c")[2].replace("/", "\\")

    @property
    def _data(self) -> Path:
        return next(self._users.glob("*/AppData/Local")) / "nanobot-desktop"

    def _walk(self, setup: Path, language: str) -> None:
        """Install, start and uninstall it, all as proposed."""
        shutil.rmtree(self._data, ignore_errors=True)
        self._machine.end()  # it keeps the language of its start
        spoken = self._spoken(language)
        first, last = _TITLES[language]
        self._machine.begin(str(setup), more=spoken)
        self._pages(first, f"wizard-{language}")
        self._until((self._data / "ipc").exists, "the last page starts the program")
        self._until(lambda: self._desk.windows("--name", "^Nanobot Desktop$"), "its window")
        self._until(lambda: self._stands_still(f"wizard-{language}-started"), "which stands still")
        program = self._installed / "nanobot-desktop.exe"
        self._machine.begin(rf"{self._place}\uninstall.exe", more=spoken)
        self._pages(last, f"wizard-{language}-removed")
        self._expect(not program.exists(), f"{language}: installed and uninstalled by its pages")
        self._expect((self._data / "workspace").exists(), "and the data stays, as proposed")

    def _spoken(self, language: str) -> dict[str, str]:
        """What tells Wine the language. Not every system has it."""
        made = self._machine.folder / "locales" / f"{language}.UTF-8"
        if not made.exists():
            made.parent.mkdir(exist_ok=True)
            command = ["localedef", "--no-archive", "-i", language, "-f", "UTF-8", str(made)]
            subprocess.run(command, check=False, capture_output=True)
            assert made.exists(), command
        return {"LOCPATH": str(made.parent), "LC_ALL": made.name, "LANG": made.name}

    def _pages(self, title: str, picture: str) -> None:
        """Press Return on each page until there are no more; a picture of each that is another."""
        self._until(lambda: self._desk.active() == title, f"{title} is in front")
        seen, number, end = b"", 0, time.monotonic() + _PATIENCE_S
        while self._desk.active() == title:
            assert time.monotonic() < end, f"{title} does not come to its end"
            self._until(lambda: self._stands_still(picture), "a page that stands still")
            shot = self._desk.screenshot(picture)
            if self._desk.active() == title and shot.read_bytes() != seen:
                seen, number = shot.read_bytes(), number + 1
                shutil.copy(shot, shot.with_stem(f"{picture}-{number}"))
                self._desk.key("Return")
            time.sleep(0.5)
        self._desk.screenshot(picture).unlink()

    def _stands_still(self, picture: str) -> bool:
        before = self._desk.screenshot(picture).read_bytes()
        time.sleep(1.0)
        return before == self._desk.screenshot(picture).read_bytes()
