"""The report of the last crash can be read, copied, saved and thrown away."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from desktop.ui.recovery.crash import LastCrash
from desktop.ui.settings.window import SettingsWindow
from tests.ui.pictures import take
from tests.ui.program import Running
from tests.ui.settings.reading import shown

REPORT = (
    "Nanobot Desktop 0.1.0 crashed: 2026-11-30 10:11:12 +0000\n\nFatal Python error: Segmentation fault\n"
    '\nCurrent thread 0x00007f (most recent call first):\n  File "desktop/ui/loop.py", line 90 in turn\n'
)


def part_of(window: SettingsWindow, running: Running) -> LastCrash:
    window.open_page("repair")
    running.settle()
    [part] = [part for view in window.views for part in view.parts if isinstance(part, LastCrash)]
    return part


def press(part: LastCrash, words: str) -> None:
    [made] = [b for b in part.findChildren(QPushButton) if b.isVisible() and b.text().strip() == words]
    made.click()


def test_without_a_crash_there_is_nothing_to_do(window: SettingsWindow, running: Running) -> None:
    part = part_of(window, running)
    assert shown(part) == "No crash is known."


def test_the_report_is_read_copied_saved_and_removed(
    window: SettingsWindow, running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.home.logs.mkdir(exist_ok=True)
    kept = running.home.logs / "crash.txt"
    kept.write_text(REPORT, "utf-8")
    part = part_of(window, running)
    assert part.text.toPlainText() == REPORT
    assert "is not sent anywhere" in shown(part)
    take(window, "crash", monkeypatch, running.settle)
    press(part, "Copy")
    assert QApplication.clipboard().text() == REPORT
    part.save(str(tmp_path / "report.txt"))
    running.settle()
    assert (tmp_path / "report.txt").read_text("utf-8") == REPORT
    press(part, "Remove")
    running.settle()
    assert not kept.exists()
    assert shown(part).strip() == "No crash is known."
