"""A provider is set up and tried in the window: what is wrong is said there, a key goes to the keychain."""

import json
import os
from pathlib import Path

import keyring
import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop.ui.settings.window import SettingsWindow
from tests.servers.scripted import ScriptedServer
from tests.ui.program import Running
from tests.ui.settings.reading import choose, enter, named, press, shown, write

KEY = "sk-window-4f1c9ab2e7"


@pytest.fixture
def custom(
    window: SettingsWindow, running: Running, server: ScriptedServer, qtbot: QtBot
) -> SettingsWindow:
    """The form, filled in for the scripted server, without a key."""
    window.open_page("model")
    choose(window, "Provider", "Custom server")
    running.settle()
    write(named(window, "Address"), server.url)
    write(named(window, "Model"), "some-model")
    return window


def test_a_wrong_key_is_said_at_its_field_and_the_right_one_works(
    custom: SettingsWindow, running: Running, server: ScriptedServer, qtbot: QtBot
) -> None:
    server.script("status:401")
    write(named(custom, "Key"), "sk-wrong")
    press(custom, "Test")
    qtbot.waitUntil(lambda: "Asking it one small question…" in shown(custom))
    running.settle()
    assert "did not accept the key" in shown(custom)
    assert "Check the field Key" in shown(custom)
    assert named(custom, "Key").property("wrong")
    assert running.stored == {}, "a test stores nothing"
    server.script("say:At your service.")
    write(named(custom, "Key"), KEY)
    press(custom, "Test")
    running.settle()
    assert "Works: “At your service.” in" in shown(custom)
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    press(custom, "Save")
    running.settle()
    assert keyring.get_password("nanobot-desktop", "custom") == KEY
    assert running.stored["agents"]["defaults"] == {"provider": "custom", "model": "some-model"}
    assert running.stored["providers"]["custom"] == {"keyStored": True, "apiBase": server.url}
    assert named(custom, "Key").text() == ""
    assert "There is one. Another replaces it." in shown(custom)
    for path in running.home.root.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()
    press(custom, "Remove the key")
    running.settle()
    assert keyring.get_password("nanobot-desktop", "custom") is None
    assert "keyStored" not in running.stored["providers"]["custom"]


def test_a_key_is_hidden_until_it_is_looked_at_and_forgotten_with_the_window(
    custom: SettingsWindow, running: Running, qtbot: QtBot
) -> None:
    write(named(custom, "Key"), KEY)
    assert named(custom, "Key").echoMode() == QLineEdit.EchoMode.Password
    press(custom, "Show the key")
    assert named(custom, "Key").echoMode() == QLineEdit.EchoMode.Normal
    custom.close()
    custom.open_page("model")
    running.settle()
    choose(custom, "Provider", "Custom server")
    assert named(custom, "Key").text() == ""
    assert named(custom, "Key").echoMode() == QLineEdit.EchoMode.Password


def test_a_wrong_address_or_no_model_asks_nobody(
    custom: SettingsWindow, running: Running, server: ScriptedServer, qtbot: QtBot
) -> None:
    write(named(custom, "Address"), "nowhere")
    press(custom, "Test")
    running.settle()
    assert "An address begins with http:// or https://" in shown(custom)
    named(custom, "Model").clear()
    write(named(custom, "Address"), server.url)
    press(custom, "Save")
    running.settle()
    assert "The model's name is missing." in shown(custom)
    assert not server.requests
    assert running.stored == {}


def test_a_test_can_be_called_off(
    custom: SettingsWindow, running: Running, server: ScriptedServer, qtbot: QtBot
) -> None:
    server.script("silence")
    press(custom, "Test")
    qtbot.waitUntil(lambda: len(server.requests) == 1, timeout=20_000)
    press(custom, "Cancel")
    running.settle()
    assert server.requests[0].left.wait(10)
    assert "Asking" not in shown(custom)
    server.script("say:ok")
    press(custom, "Test")
    running.settle()
    assert "Works: “ok”" in shown(custom)


def test_enter_in_the_key_saves(custom: SettingsWindow, running: Running, qtbot: QtBot) -> None:
    write(named(custom, "Key"), KEY)
    enter(named(custom, "Key"))
    running.settle()
    assert keyring.get_password("nanobot-desktop", "custom") == KEY
    press(custom, "Remove the key")
    running.settle()


def test_a_login_in_the_browser_is_told_as_what_it_is(window: SettingsWindow, running: Running) -> None:
    window.open_page("model")
    rows = running.wait(running.actions.call("providers"))["providers"]
    title = next(row["title"] for row in rows if row["kind"] == "oauth")
    choose(window, "Provider", title)
    assert "needs a login in the browser, which this version cannot do" in shown(window)
    assert "Save" not in shown(window).splitlines()


def test_back_to_the_usual_address_and_to_automatic(
    home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest
) -> None:
    stored = {
        "agents": {"defaults": {"provider": "ollama", "model": "m"}},
        "providers": {"ollama": {"apiBase": server.url}},
    }
    (home / "config.json").write_text(json.dumps(stored))
    window: SettingsWindow = request.getfixturevalue("window")
    running: Running = request.getfixturevalue("running")
    assert named(window, "Address").text() == server.url
    named(window, "Address").clear()
    enter(named(window, "Address"))
    running.settle()
    assert not running.core.store.config.provider("ollama").api_base
    choose(window, "Provider", "Automatic")
    press(window, "Save")
    running.settle()
    assert running.stored["agents"]["defaults"]["provider"] == "auto"
    assert "Chosen from the model's name and the keys you have." in shown(window)


def test_without_a_keychain_a_key_is_kept_for_the_session(
    window: SettingsWindow,
    running: Running,
    server: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bus = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    window.open_page("model")
    choose(window, "Provider", "Custom server")
    running.settle()
    assert "This computer offers no keychain." in shown(window)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus)
    press(window, "Look again")
    running.settle()
    assert "This computer offers no keychain." not in shown(window)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    write(named(window, "Address"), server.url)
    write(named(window, "Model"), "some-model")
    write(named(window, "Key"), KEY)
    press(window, "Save")
    running.settle()
    assert "This computer offers no keychain." in shown(window), "saying so when it is stored, too"
    assert running.stored == {}
    press(window, "For this session only")
    press(window, "Save")
    running.settle()
    assert running.stored["providers"]["custom"] == {"apiBase": server.url}
    server.script("say:ok")
    press(window, "Test")
    running.settle()
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"


def test_what_the_environment_fixes_is_said_in_the_form(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("NANOBOT_AGENTS__DEFAULTS__PROVIDER", "groq")
    monkeypatch.setenv("NANOBOT_PROVIDERS__GROQ__API_KEY", "gsk_given")
    window: SettingsWindow = request.getfixturevalue("window")
    assert "Fixed by the environment variable NANOBOT_AGENTS__DEFAULTS__PROVIDER." in shown(window)
    assert "Given for this run by the environment." in shown(window)
    assert not named(window, "Key").isEnabled()
    assert "gsk_given" not in shown(window)
    assert named(window, "Model").isEnabled()
