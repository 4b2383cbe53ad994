"""A provider is set up and tried in the window: what is wrong is said there, a key goes to the keychain."""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import keyring
import pytest
from keyring.errors import PasswordDeleteError
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from desktop.ui.settings.providers.card import ProviderCard
from desktop.ui.settings.providers.stored_key import SHOWN_MS, StoredKey
from desktop.ui.settings.window import SettingsWindow
from tests.servers.scripted import ScriptedServer
from tests.ui.pictures import take
from tests.ui.program import Running
from tests.ui.settings.cards import listing, nowhere, opened, order
from tests.ui.settings.reading import choose, enter, named, press, shown, write

KEY = "sk-window-4f1c9ab2e7"


@pytest.fixture(autouse=True)
def _no_key_yet() -> Iterator[None]:
    yield
    for name in ("custom", "groq"):
        with suppress(PasswordDeleteError):
            keyring.delete_password("nanobot-desktop", name)


@pytest.fixture
def custom(window: SettingsWindow, running: Running, server: ScriptedServer) -> ProviderCard:
    """The card of the scripted server, with a model and without a key."""
    running.wait(running.core.change({"providers.custom.api_base": server.url}))
    window.refresh()
    card = opened(window, running, "custom")
    write(named(card, "Model"), "some-model")
    return card


def test_a_wrong_key_is_said_at_its_field_and_the_right_one_works(
    custom: ProviderCard, running: Running, server: ScriptedServer, qtbot: QtBot
) -> None:
    server.script("status:401")
    write(named(custom, "Key"), "sk-wrong")
    press(custom, "Test")
    qtbot.waitUntil(lambda: "Sending a short test question…" in shown(custom))
    running.settle()
    assert "did not accept the key" in shown(custom)
    assert "Check the key" in shown(custom)
    assert named(custom, "Key").property("wrong")
    assert "keyStored" not in str(running.stored), "a test stores nothing"
    server.script("say:At your service.")
    write(named(custom, "Key"), KEY)
    assert not named(custom, "Key").property("wrong")
    press(custom, "Test")
    running.settle()
    assert "Works: “At your service.” in" in shown(custom)
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    press(custom, "Use")
    running.settle()
    assert keyring.get_password("nanobot-desktop", "custom") == KEY
    assert running.stored["agents"]["defaults"] == {"provider": "custom", "model": "some-model"}
    assert running.stored["providers"]["custom"] == {"keyStored": True, "apiBase": server.url}
    assert named(custom, "Key").text() == ""
    assert "Stored in this computer’s keychain." in shown(custom)
    assert "In use" in shown(custom)
    nowhere(custom, running.home.root, KEY)


@pytest.mark.parametrize(
    ("answer", "field", "said"),
    [
        ("status:404", "Model", "has no model named some-model"),
        ("html", "Address", "a web page, not a model"),
        ("quota", "", "out of quota or credit"),
    ],
)
def test_the_field_at_fault_is_marked(
    custom: ProviderCard, running: Running, server: ScriptedServer, answer: str, field: str, said: str
) -> None:
    server.script(answer)
    press(custom, "Test")
    running.settle()
    assert said in shown(custom)
    for name in ("Key", "Model", "Address"):
        assert bool(named(custom, name).property("wrong")) == (name == field), name


def test_a_key_is_saved_shown_for_a_while_and_removed_after_a_question(
    custom: ProviderCard, running: Running, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(named(custom, "Key"), KEY)
    assert named(custom, "Key").echoMode() == QLineEdit.EchoMode.Password
    press(custom, "Save key")
    running.settle()
    assert keyring.get_password("nanobot-desktop", "custom") == KEY
    assert "Key saved to the keychain." in shown(custom)
    assert named(custom, "Key").text() == ""
    press(custom, "Show the key of Custom server")
    running.settle()
    assert named(custom, "Key").text() == KEY
    assert named(custom, "Key").echoMode() == QLineEdit.EchoMode.Normal
    nowhere(custom, running.home.root, KEY)
    press(custom, "Hide the key of Custom server")
    assert named(custom, "Key").text() == ""
    assert custom.details is not None
    assert isinstance(custom.details.key, StoredKey)
    custom.details.key._hide.setInterval(50)
    assert SHOWN_MS == 10_000
    press(custom, "Show the key of Custom server")
    running.settle()
    qtbot.waitUntil(lambda: named(custom, "Key").text() == "")
    assert named(custom, "Key").echoMode() == QLineEdit.EchoMode.Password
    write(named(custom, "Key"), "sk-another-key")
    enter(named(custom, "Key"))
    running.settle()
    assert keyring.get_password("nanobot-desktop", "custom") == "sk-another-key"
    press(custom, "Remove the key of Custom server")
    press(custom, "Keep")
    assert keyring.get_password("nanobot-desktop", "custom") == "sk-another-key"
    press(custom, "Remove the key of Custom server")
    press(custom, "Remove key")
    running.settle()
    assert keyring.get_password("nanobot-desktop", "custom") is None
    assert "keyStored" not in running.stored["providers"]["custom"]


def test_a_key_of_another_provider_is_recognised(window: SettingsWindow, running: Running) -> None:
    card = opened(window, running, "groq")
    write(named(card, "Key"), "sk-ant-api03-0123456789")
    assert "This looks like a Anthropic key." in shown(card)
    write(named(card, "Key"), "gsk_0123456789")
    assert "This looks like" not in shown(card)


def test_what_was_typed_is_forgotten_with_the_window(
    custom: ProviderCard, window: SettingsWindow, running: Running
) -> None:
    write(named(custom, "Key"), KEY)
    window.close()
    window.open_page("model")
    running.settle()
    assert named(custom, "Key").text() == ""


def test_what_is_missing_is_said_and_asks_nobody(
    window: SettingsWindow, running: Running, server: ScriptedServer
) -> None:
    card = opened(window, running, "custom")
    press(card, "Test")
    running.settle()
    assert "No address is set." in shown(card)
    write(named(card, "Address"), "nowhere")
    assert "An address must start with http:// or https://" in shown(card)
    write(named(card, "Address"), server.url)
    enter(named(card, "Address"))
    running.settle()
    press(card, "Use")
    running.settle()
    assert "No model is set." in shown(card)
    groq = opened(window, running, "groq")
    press(groq, "Test")
    running.settle()
    assert "Enter a key." in shown(groq)
    assert not server.requests
    assert "agents" not in running.stored


def test_a_test_can_be_called_off(
    custom: ProviderCard, running: Running, server: ScriptedServer, qtbot: QtBot
) -> None:
    server.script("silence")
    press(custom, "Test")
    qtbot.waitUntil(lambda: len(server.requests) == 1)
    press(custom, "Cancel")
    running.settle()
    assert server.requests[0].left.wait(60)
    assert "Asking" not in shown(custom)
    server.script("say:ok")
    press(custom, "Test")
    running.settle()
    assert "Works: “ok”" in shown(custom)


def test_twenty_thousand_models_are_listed_narrowed_and_chosen(
    custom: ProviderCard, running: Running, server: ScriptedServer
) -> None:
    models = {"data": [{"id": f"maker/model-{number:05}"} for number in range(20_000)]}
    server.pages["/models"] = (200, "application/json", json.dumps(models).encode())
    press(custom, "Show all models")
    running.settle()
    assert "20,000 models" in shown(custom)
    write(named(custom, "Model"), "maker model-0423")
    assert "10 of 20,000 models" in shown(custom)
    QTest.keyClick(named(custom, "Model"), Qt.Key.Key_Down)
    assert custom.details is not None
    view = custom.details.picker.view
    assert view.hasFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert named(custom, "Model").text() == "maker/model-04231"
    press(custom, "Use")
    running.settle()
    assert running.stored["agents"]["defaults"]["model"] == "maker/model-04231"


def test_what_is_no_list_is_told(custom: ProviderCard, running: Running, server: ScriptedServer) -> None:
    server.pages["/models"] = (200, "text/html", b"<html>Sign in</html>")
    press(custom, "Show all models")
    running.settle()
    assert "a web page, not a model" in shown(custom)


def test_those_that_are_set_up_come_first_and_others_are_found(
    home: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = {"providers": {"zhipu": {"apiBase": "http://127.0.0.1:9/v1"}, "groq": {"keyStored": True}}}
    (home / "config.json").write_text(json.dumps(stored | {"agents": {"defaults": {"provider": "xai"}}}))
    window: SettingsWindow = request.getfixturevalue("window")
    running: Running = request.getfixturevalue("running")
    part = listing(window)
    running.settle()
    assert order(window) == ["xai", "groq", "zhipu"]
    press(window, "All providers")
    running.settle()
    assert order(window)[:4] == ["xai", "groq", "zhipu", "openai"]
    assert "All providers" not in shown(window)
    window.resize(900, 900)
    take(window, "providers", monkeypatch, running.settle)
    write(part.filter, "claude")
    running.settle()
    assert order(window) == ["anthropic", "bedrock"]
    write(part.filter, "nothing like it")
    running.settle()
    assert order(window) == []
    assert "No provider has this name." in shown(window)


def test_a_rarer_setting_is_saved_in_the_card(
    custom: ProviderCard, running: Running, server: ScriptedServer
) -> None:
    press(custom, "More settings for Custom server")
    running.settle()
    write(named(custom, "Proxy"), "http://me:secret@host:1")
    assert "without a user name or password" in shown(custom)
    with ScriptedServer() as proxy:
        write(named(custom, "Proxy"), proxy.url.removesuffix("/v1"))
        enter(named(custom, "Proxy"))
        running.settle()
        proxy.script("say:by the proxy")
        press(custom, "Test")
        running.settle()
    assert "Works: “by the proxy”" in shown(custom)
    press(custom, "Test")
    running.settle()
    assert named(custom, "Proxy").property("wrong")


def test_what_one_knows_better_of_a_model_is_saved_in_the_card(
    custom: ProviderCard, running: Running
) -> None:
    press(custom, "More settings for Custom server")
    running.settle()
    assert "Override some-model" in shown(custom)
    assert named(custom, "Context window").placeholderText() == "65,536"
    write(named(custom, "Input price"), "2.5")
    enter(named(custom, "Input price"))
    running.settle()
    choose(custom, "Vision", "No")
    running.settle()
    known = {"some-model": {"inputPrice": 2.5, "vision": False}}
    assert running.stored["providers"]["custom"]["models"] == known
    press(custom, "Reset to default: Input price")
    running.settle()
    choose(custom, "Vision", "Automatic")
    running.settle()
    assert "models" not in str(
        running.core.store.config.provider("custom").model_dump(exclude_defaults=True)
    )


def test_what_a_server_taught_stands_on_the_card_until_it_is_forgotten(
    custom: ProviderCard, running: Running, server: ScriptedServer
) -> None:
    press(custom, "More settings for Custom server")
    running.settle()
    server.script('refuse:{"error": {"message": "temperature is not supported"}}', "say:Cool.")
    press(custom, "Test")
    running.settle()
    assert "Works: “Cool.”" in shown(custom)
    assert shown(custom).count("It does not accept a temperature.") == 2, (
        "where it was tried, and at its model"
    )
    assert f"Reported by its server on {datetime.now().astimezone():%Y-%m-%d}." in shown(custom)
    press(custom, "Test")
    running.settle()
    assert "temperature" not in server.requests[-1].body
    press(custom, "Forget what its server reported")
    running.settle()
    assert "Reported by its server" not in shown(custom)
    press(custom, "Test")
    running.settle()
    assert "temperature" in server.requests[-1].body


def test_back_to_the_usual_address_and_to_automatic(
    home: Path, server: ScriptedServer, request: pytest.FixtureRequest
) -> None:
    stored = {
        "agents": {"defaults": {"provider": "ollama", "model": "m"}},
        "providers": {"ollama": {"apiBase": server.url}},
    }
    (home / "config.json").write_text(json.dumps(stored))
    window: SettingsWindow = request.getfixturevalue("window")
    running: Running = request.getfixturevalue("running")
    card = opened(window, running, "ollama")
    assert named(card, "Address").text() == server.url
    named(card, "Address").clear()
    enter(named(card, "Address"))
    running.settle()
    assert not running.core.store.config.provider("ollama").api_base
    press(window, "Choose automatically")
    running.settle()
    assert running.stored["agents"]["defaults"]["provider"] == "auto"
    assert "Chosen automatically, by the model’s name and your keys." in shown(window)


def test_without_a_keychain_a_key_is_kept_for_the_session(
    window: SettingsWindow, running: Running, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    running.wait(running.core.change({"providers.custom.api_base": server.url}))
    bus = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    window.close()
    window.open_page("model")
    running.settle()
    assert "This computer has no keychain." in shown(window), "said at once"
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus)
    press(window, "Check again")
    running.settle()
    assert "This computer has no keychain." not in shown(window)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    card = opened(window, running, "custom")
    write(named(card, "Model"), "some-model")
    write(named(card, "Key"), KEY)
    press(card, "Use")
    running.settle()
    assert "This computer has no keychain." in shown(window), "saying so when it is stored, too"
    assert "agents" not in running.stored
    press(window, "For this session only")
    press(card, "Use")
    running.settle()
    assert running.stored["providers"]["custom"] == {"apiBase": server.url}
    assert "In memory until you quit Nanobot." in shown(card)
    server.script("say:ok")
    press(card, "Test")
    running.settle()
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    nowhere(window, running.home.root, KEY)


def test_a_key_of_the_environment_is_offered(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    window: SettingsWindow = request.getfixturevalue("window")
    running: Running = request.getfixturevalue("running")
    assert keyring.get_password("nanobot-desktop", "groq") is None
    card = opened(window, running, "groq")
    assert "A key was found" in shown(card)
    press(card, "Use the key in GROQ_API_KEY")
    running.settle()
    assert keyring.get_password("nanobot-desktop", "groq") == KEY
    assert "Stored in this computer’s keychain." in shown(card)


def test_what_the_environment_fixes_is_said(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("NANOBOT_AGENTS__DEFAULTS__PROVIDER", "groq")
    monkeypatch.setenv("NANOBOT_PROVIDERS__GROQ__API_KEY", "gsk_given")
    window: SettingsWindow = request.getfixturevalue("window")
    running: Running = request.getfixturevalue("running")
    card = opened(window, running, "groq")
    assert "Set by the environment variable NANOBOT_AGENTS__DEFAULTS__PROVIDER." in shown(window)
    assert "Set by the environment for this run." in shown(card)
    assert not named(card, "Key").isEnabled()
    assert "gsk_given" not in shown(window)
    assert named(card, "Model").isEnabled()
