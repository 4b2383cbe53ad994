"""The About page tells of a newer version, what is new in it, and the way to it."""

import os
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from desktop import remedies
from desktop.ui.settings.updates import Updates
from desktop.ui.settings.window import SettingsWindow
from desktop.updates.service import UpdateCheck
from tests.servers.web import Site, page, serving
from tests.ui.pictures import take
from tests.ui.program import Running
from tests.ui.settings.reading import shown
from tests.unit.updates.releases import PATH, release, source

NEWS = {
    "en": ["Updates: the program tells of newer versions.", "It opens links on Windows and macOS, too."],
    "zh_CN": ["更新：程序会告知新版本。", "在 Windows 和 macOS 上也能打开链接。"],
}


@pytest.fixture
def site(running: Running) -> Iterator[Site]:
    """The server that this build of the program looks at."""
    made: AbstractAsyncContextManager[Site] = serving(Site())
    site = running.wait(made.__aenter__())
    core = running.core
    core.__dict__["updates"] = UpdateCheck(
        core.home,
        lambda: core.config().updates,
        core.inbox,
        core.bus,
        window=True,
        find=lambda: source(site.port),
        version="0.1.0",
    )
    yield site
    running.wait(core.updates.stop())
    running.wait(made.__aexit__(None, None, None))


def part_of(window: SettingsWindow, running: Running) -> Updates:
    window.open_page("about")
    running.settle()
    [part] = [part for view in window.views for part in view.parts if isinstance(part, Updates)]
    return part


def press(part: Updates, words: str) -> None:
    [made] = [b for b in part.findChildren(QPushButton) if b.isVisible() and b.text().strip() == words]
    made.click()


def test_a_build_that_does_not_look_says_so(window: SettingsWindow, running: Running) -> None:
    part = part_of(window, running)
    assert shown(part) == "This build doesn’t check for updates."
    assert "Nothing about you, your computer or your version is sent" in shown(window)


def test_a_newer_version_is_shown_with_what_is_new(
    site: Site, window: SettingsWindow, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages[PATH] = lambda _asked: page(release("9.1.0", news=NEWS), "application/json")
    part = part_of(window, running)
    assert "No newer version is known." in shown(part)
    press(part, "Check now")
    running.settle()
    text = shown(part)
    assert "Version 9.1.0 is available, released on 2026-12-01." in text
    assert NEWS["en"][0] in text
    assert "Last checked today" in text
    assert [b.text().strip() for b in part.findChildren(QPushButton) if b.isVisible()][:2] == [
        "Open download page",
        "Check now",
    ]

    def settle() -> None:
        part.refresh()
        running.settle()

    take(window, "update", monkeypatch, settle)


def test_a_package_is_updated_by_who_installed_it(
    site: Site, window: SettingsWindow, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As installed from the .deb: /opt is the program's, and the package manager knows it."""
    site.pages[PATH] = lambda _asked: page(release("9.1.0", news=NEWS), "application/json")
    part = part_of(window, running)
    press(part, "Check now")
    running.settle()
    assert "Your package manager" not in shown(part), "a checkout is nobody's package"
    known = running.wait(running.actions.api.updates.known())
    part._show(replace(known, how=remedies.update("nanobot-desktop", "apt")))
    assert "Your package manager installed it." in shown(part)
    assert "sudo apt update && sudo apt install --only-upgrade nanobot-desktop" in shown(part)
    take(window, "update-package", monkeypatch, running.settle)


@pytest.mark.expected_log("no look at releases")
def test_a_file_that_is_refused_is_told_with_the_way_around(
    site: Site, window: SettingsWindow, running: Running
) -> None:
    site.pages[PATH] = lambda _asked: page(b"<html>Sign in to the hotel</html>", "text/html")
    part = part_of(window, running)
    press(part, "Check now")
    running.settle()
    assert "The release file is damaged." in shown(part)
    assert "https://example.org/nanobot-desktop" in shown(part)


def test_the_notice_of_a_version_has_no_reply(
    site: Site, window: SettingsWindow, running: Running, qtbot: QtBot
) -> None:
    from desktop.ui.panels.inbox.item import NoticeItem

    site.pages[PATH] = lambda _asked: page(release("9.1.0", news=NEWS), "application/json")
    running.wait(running.core.updates.start())
    running.wait(running.core.updates.by_itself())
    [notice] = running.wait(running.core.inbox.list())
    item = NoticeItem()
    qtbot.addWidget(item)
    item.show_notice(notice, "")
    item.show()
    seen = [b.text().strip() for b in item.findChildren(QPushButton) if b.isVisible()]
    assert seen == ["Done", "Snooze"]
    if folder := os.environ.get("NANOBOT_TEST_SHOTS"):
        item.grab().save(str(Path(folder) / "update-notice.png"))
