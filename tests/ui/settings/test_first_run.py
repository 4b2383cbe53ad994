"""The card of the first run: each of its three ways leads to a model that answers, or says why not."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from desktop.providers import catalogue
from desktop.ui.first_run.card import FirstRunCard
from desktop.ui.settings.choice import ProviderBox
from tests.servers.scripted import ScriptedServer
from tests.ui.program import Running
from tests.ui.settings.peers import Hub, Ollama
from tests.ui.settings.reading import choose, enter, named, press, shown, write
from tests.ui.waiting import exposed

SIZE = 491_400_064
MB = 1_000_000
CONFIG = {"local": {"model": catalogue.SMALL.id}}
"""Whatever memory the machine has."""


@pytest.fixture(autouse=True)
def _small(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.json").write_text(json.dumps(CONFIG))


@pytest.fixture(autouse=True)
def _no_ollama(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its usual port is another test's, which may run at the same time."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")


@pytest.fixture
def card(running: Running, qtbot: QtBot) -> FirstRunCard:
    card = FirstRunCard(running.actions)
    card.resize(700, 700)
    qtbot.addWidget(card)
    card.show()
    exposed(qtbot, card)
    running.settle()
    return card


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ollama]:
    with Ollama() as server:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{server.port}")
        yield server


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub(tmp_path, SIZE, 3 * MB) as hub:
        for name, value in hub.environment.items():
            monkeypatch.setenv(name, value)
        yield hub


def test_nothing_is_ready_in_an_empty_home(card: FirstRunCard, running: Running) -> None:
    state = running.wait(running.actions.api.setup.readiness())
    assert not state.ready
    assert state.needs == "model"
    assert state.builtin_installed is False
    assert "Run a small model on this computer" in shown(card)
    assert f"{catalogue.SMALL.size // MB} MB · Apache-2.0" in shown(card)


def test_a_found_server_is_tried_and_used(
    ollama: Ollama, card: FirstRunCard, running: Running, qtbot: QtBot
) -> None:
    assert f"http://127.0.0.1:{ollama.port}/v1" in shown(card)
    choose(card, "Ollama model", "llama3:8b")
    with qtbot.waitSignal(card.ready):
        press(card, "Use Ollama")
    running.settle()
    assert ollama.asked[0]["model"] == "llama3:8b"
    state = running.wait(running.actions.api.setup.readiness())
    assert (state.ready, state.provider, state.model) == (True, "ollama", "llama3:8b")


def test_a_found_server_that_fails_is_told_and_not_used(
    ollama: Ollama, card: FirstRunCard, running: Running
) -> None:
    ollama.fails = True
    press(card, "Use Ollama")
    running.settle()
    assert "had an error (500)" in shown(card)
    assert running.stored == CONFIG


def test_servers_that_come_later_are_found_when_looked_for_again(
    card: FirstRunCard, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "None found." in shown(card)
    with Ollama() as server:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{server.port}")
        press(card, "Check again")
        running.settle()
        assert "Ollama" in shown(card).splitlines()
        assert "None found." not in shown(card)


def test_a_key_that_is_pasted_for_the_wrong_provider_names_its_own(
    card: FirstRunCard, running: Running
) -> None:
    press(card, "Set up")
    running.settle()
    choose(card, "Provider", "DeepSeek")
    write(named(card, "Key"), "sk-ant-api03-0123456789")
    assert "This looks like a Anthropic key." in shown(card)
    press(card, "Use Anthropic")
    [box] = [box for box in card.findChildren(ProviderBox) if box.isVisible()]
    assert box.currentText() == "Anthropic"
    assert named(card, "Key").text() == "sk-ant-api03-0123456789"
    assert "This looks like" not in shown(card)


def test_a_key_is_tried_before_it_is_stored(
    card: FirstRunCard, running: Running, server: ScriptedServer, qtbot: QtBot
) -> None:
    press(card, "Set up")
    running.settle()
    choose(card, "Provider", "Custom server")
    running.settle()
    write(named(card, "Address"), server.url)
    write(named(card, "Model"), "some-model")
    write(named(card, "Key"), "sk-first-run")
    server.script("status:401")
    enter(named(card, "Key"))
    running.settle()
    assert "did not accept the key" in shown(card)
    assert running.stored == CONFIG
    server.script("say:Hello.")
    with qtbot.waitSignal(card.ready):
        press(card, "Test and save")
    running.settle()
    assert running.wait(running.actions.api.setup.readiness()).ready
    running.wait(running.actions.api.providers.forget_key("custom"))


def test_what_was_tried_is_stored_whatever_is_typed_meanwhile(
    card: FirstRunCard, running: Running, server: ScriptedServer, tmp_path: Path, qtbot: QtBot
) -> None:
    press(card, "Set up")
    running.settle()
    choose(card, "Provider", "Custom server")
    write(named(card, "Address"), server.url)
    write(named(card, "Model"), "tried")
    server.script(f"gate:{tmp_path / 'gate'}")
    press(card, "Test and save")
    qtbot.waitUntil(lambda: len(server.requests) == 1)
    write(named(card, "Model"), "another")
    (tmp_path / "gate").touch()
    qtbot.waitUntil(lambda: "Saved" in shown(card))
    assert running.stored["agents"]["defaults"]["model"] == "tried"
    running.settle()


def test_a_download_shows_its_progress_and_keeps_what_came(
    hub: Hub, card: FirstRunCard, running: Running, qtbot: QtBot
) -> None:
    press(card, f"Download: {catalogue.SMALL.name}")
    bar = card.findChild(QProgressBar)
    assert bar is not None
    qtbot.waitUntil(lambda: "3 of 491 MB" in shown(card))
    assert bar.isVisible()
    assert bar.maximum() == SIZE // 1024
    assert bar.value() > MB // 1024
    press(card, "Pause")
    running.settle()
    assert not bar.isVisible()
    [part] = running.home.models.glob("*.part")
    kept = part.stat().st_size
    assert kept > MB
    press(card, f"Resume: {catalogue.SMALL.name}")
    qtbot.waitUntil(lambda: len(hub.asked) == 2)
    assert f"range: bytes={kept}-" in hub.asked[1].lower()
    press(card, "Pause")
    running.settle()
    assert running.stored == CONFIG


@pytest.mark.expected_log("download of")
def test_a_download_that_breaks_off_says_so_and_goes_on_by_itself(
    hub: Hub, card: FirstRunCard, running: Running, qtbot: QtBot
) -> None:
    hub.closed = True
    press(card, f"Download: {catalogue.SMALL.name}")
    qtbot.waitUntil(lambda: "The model could not be downloaded from huggingface.co." in shown(card))
    assert "Retrying." in shown(card)
    hub.closed = False
    qtbot.waitUntil(lambda: "3 of 491 MB" in shown(card), timeout=10_000)
    assert "could not be downloaded" not in shown(card)
    press(card, "Pause")
    running.settle()


def test_a_model_that_is_here_is_just_used(
    home: Path, qtbot: QtBot, request: pytest.FixtureRequest
) -> None:
    models = Path(os.environ.get("NANOBOT_TEST_MODELS") or "~/.cache/nanobot-desktop/models").expanduser()
    if not models.is_dir():
        pytest.fail("the built-in model is not here: bash tests/run.sh brings it")
    (home / "models").symlink_to(models)
    card: FirstRunCard = request.getfixturevalue("card")
    running: Running = request.getfixturevalue("running")
    with qtbot.waitSignal(card.ready):
        press(card, "Use")
    running.settle()
    assert running.stored["agents"]["defaults"]["provider"] == "builtin"
    state = running.wait(running.actions.api.setup.readiness())
    assert (state.ready, state.builtin_installed) == (True, True)
