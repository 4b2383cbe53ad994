"""What the window remembers: written soon, read leniently, never in the way."""

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.ui.app import _remembered
from desktop.ui.state import QUICK, Remembered, StateFile, WindowState


def test_a_change_is_on_disk_soon_and_read_at_the_next_start(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "home" / "window.json"
    file = StateFile(path)
    assert file.state == WindowState()
    file.state.drafts["window:a"] = "half a th\ud800ought"
    file.state.conversations = [Remembered("window:a", "标题", "2026-11-28T01:02:03+00:00")]
    file.state.geometry = [1, 2, 800, 600]
    file.save()
    qtbot.waitUntil(path.exists)
    again = StateFile(path).state
    assert again.conversations == file.state.conversations
    assert again.geometry == [1, 2, 800, 600]
    assert again.drafts["window:a"].startswith("half a th")
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe\x00",
        b'{"geometry": "wide"}',
        b'{"drafts": [1]}',
        b'{"conversations": {"a": 1}, "unread": null}',
    ],
)
def test_a_damaged_file_costs_the_memory_and_nothing_else(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "window.json"
    path.write_bytes(content)
    file = StateFile(path)
    assert file.state == WindowState()
    file.write()
    assert json.loads(path.read_text("utf-8"))["session"] == ""


def test_what_was_being_written_in_the_quick_chat_of_a_version_before_is_there(tmp_path: Path) -> None:
    path = tmp_path / "window.json"
    path.write_text('{"quick_draft": "half a thought"}')
    assert StateFile(path).state.drafts == {QUICK: "half a thought"}


def test_a_moment_without_its_zone_is_shown_beside_others(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "window.json")
    file.state.conversations = [
        Remembered("a", "", "2026-11-28T01:02:03"),
        Remembered("b", "", "2026-11-28T01:02:03+00:00"),
        Remembered("c", "", "never"),
    ]
    assert sorted(line.key for line in sorted(_remembered(file), key=lambda c: c.updated)) == ["a", "b"]


def test_a_disk_that_takes_nothing_is_survived(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    StateFile(tmp_path / "file" / "window.json").write()


def test_only_the_newest_conversations_are_remembered(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "window.json")
    file.state.conversations = [Remembered(str(n), "", "") for n in range(500)]
    file.write()
    assert len(StateFile(tmp_path / "window.json").state.conversations) == 60
