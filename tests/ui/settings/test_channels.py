"""The page of the chat apps, over a real core."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.channels.channels import entry
from desktop.ui.panels.channels.fields import settings_of_app
from desktop.ui.panels.channels.panel import ChannelsPanel
from desktop.ui.settings.rows import SettingRow
from desktop.ui.settings.search import find
from desktop.ui.settings.window import SettingsWindow
from tests.channels.loopback import InThread
from tests.channels.telegram_server import ALICE, TOKEN, TelegramServer
from tests.ui.pictures import take
from tests.ui.program import Running
from tests.ui.settings.reading import complaint, enter, named, press, row, shown, write


def test_what_nanobots_settings_say_of_a_webhook_is_told_and_no_longer_holds(
    home: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {"telegram": {"mode": "webhook", "webhookPath": "/telegram"}, "slack": {"mode": "socket"}}
    (home / "config.json").write_text(json.dumps({"channels": kept}), "utf-8")
    window: SettingsWindow = request.getfixturevalue("window")
    running: Running = request.getfixturevalue("running")
    window.open_page("channels")
    running.settle()
    panel = next(part for view in window.views for part in view.parts if isinstance(part, ChannelsPanel))
    told = "It isn’t needed: Nanobot asks Telegram for messages itself."
    assert told in shown(panel.cards["telegram"])
    assert "webhook" not in shown(panel.cards["slack"])
    assert running.stored["channels"]["telegram"]["mode"] == "webhook"
    window.resize(1280, 720)
    take(window, "channels-webhook", monkeypatch, running.settle)


@pytest.fixture
def panel(window: SettingsWindow, running: Running) -> ChannelsPanel:
    window.open_page("channels")
    running.settle()
    return next(part for view in window.views for part in view.parts if isinstance(part, ChannelsPanel))


def test_an_app_is_a_line_until_it_is_opened(
    window: SettingsWindow, panel: ChannelsPanel, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.resize(1280, 720)
    take(window, "channels", monkeypatch, running.settle)
    for name, card in panel.cards.items():
        assert "Who may write" not in shown(card)
        press(card, f"Details of {card.app.title}")
        running.settle()
        take(window, f"channels-{name}", monkeypatch, running.settle)
        press(card, f"More settings for {card.app.title}")
        running.settle()
        assert "Who may write" in shown(card)
        assert {row.setting.name for row in card.findChildren(SettingRow)} == set(settings_of_app(name))
        press(card, f"Details of {card.app.title}")


def test_a_card_tells_at_once_of_a_message_that_came(
    panel: ChannelsPanel, running: Running, qtbot: QtBot
) -> None:
    card = panel.cards["telegram"]
    with InThread(TelegramServer()) as peer:
        running.core.keychain.remember(entry("telegram", "token"), TOKEN)
        running.wait(running.core.staying())
        there = {"apiBase": peer.server.url, "owner": str(ALICE["id"]), "enabled": True}
        running.wait(
            running.core.change({f"channels.telegram.{name}": value for name, value in there.items()})
        )
        qtbot.waitUntil(lambda: "Connected" in shown(card))
        assert "Last message" not in shown(card)
        # Not for the agent: nothing but the message itself can tell of it.
        peer.do(lambda telegram: telegram.write("Just talking", chat=telegram.group()))
        qtbot.waitUntil(lambda: "Connected. Last message today" in shown(card))
        running.wait(running.core.change({"channels.telegram.enabled": False}))


def test_a_card_counts_the_seconds_to_the_next_try(panel: ChannelsPanel, qtbot: QtBot) -> None:
    card, why = panel.cards["email"], "The connection to mail.example.org was interrupted."
    app = replace(card.app, on=True, state="degraded", again_at=time.time() + 50, detail=why)
    card.show_app(app, None)

    def left() -> int:
        found = re.search(r"Connecting again in (\d+) s\. " + re.escape(why), shown(card))
        assert found
        return int(found[1])

    first = left()
    assert 0 < first <= 50
    qtbot.waitUntil(lambda: left() < first)


def test_a_setting_that_is_folded_away_is_found_and_has_the_keyboard(
    window: SettingsWindow, running: Running
) -> None:
    hit = next(hit for hit in find("channels.email.verify_spf") if hit.name == "channels.email.verify_spf")
    assert hit.where == "Channels › Email"
    window.go_to(hit)
    running.settle()
    found = row(window, "channels.email.verify_spf")
    assert found.isVisible()
    assert QApplication.focusWidget() is found.editor.field


def test_what_a_test_blames_is_said_at_its_field_until_it_is_changed(
    window: SettingsWindow, panel: ChannelsPanel, running: Running
) -> None:
    card = panel.cards["matrix"]
    press(card, "Details of Matrix")
    running.settle()
    press(card, "Test Matrix")
    running.settle()
    assert complaint(card, "Account") == "A user ID is like @nano:matrix.org."
    window.refresh()
    running.settle()
    assert complaint(card, "Account")
    account = named(card, "Account")
    write(account, "@nano:nano.test")
    enter(account)
    running.settle()
    assert complaint(card, "Account") == ""


def test_a_list_is_saved_when_it_is_left_and_everybody_only_after_a_yes(
    window: SettingsWindow, panel: ChannelsPanel, running: Running
) -> None:
    card = panel.cards["telegram"]
    press(card, "Details of Telegram")
    press(card, "More settings for Telegram")
    running.settle()
    may, you = (row(window, f"channels.telegram.{name}").editor.field for name in ("allow_from", "owner"))

    def enter_ids(*ids: str) -> object:
        may.setFocus()
        QTest.keyClick(may, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(may, ids[0])
        for one in ids[1:]:
            QTest.keyClick(may, Qt.Key.Key_Return)
            QTest.keyClicks(may, one)
        you.setFocus()
        running.settle()
        return running.stored.get("channels", {}).get("telegram", {}).get("allowFrom")

    assert enter_ids("7", "8") == ["7", "8"]
    assert enter_ids("7", "*") == ["7", "8"]
    press(card, "Let everyone write")
    running.settle()
    assert running.stored["channels"]["telegram"]["allowFrom"] == ["7", "*"]
