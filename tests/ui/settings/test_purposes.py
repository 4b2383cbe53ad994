"""Models by purpose: chosen, put in order and taken away, by the keyboard too."""

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.ui.settings.providers.purposes import Purposes
from desktop.ui.settings.window import SettingsWindow
from tests.servers.scripted import ScriptedServer
from tests.ui.program import Running
from tests.ui.settings.reading import choose, named, press, shown, write


@pytest.fixture
def part(home: Path, server: ScriptedServer, request: pytest.FixtureRequest) -> Purposes:
    """The card, where two providers are set up."""
    stored = {
        "agents": {"defaults": {"provider": "custom", "model": "big"}},
        "providers": {"custom": {"apiBase": server.url}, "groq": {"keyStored": True}},
    }
    (home / "config.json").write_text(json.dumps(stored))
    window: SettingsWindow = request.getfixturevalue("window")
    window.open_page("model")
    [view] = [view for view in window.views if view.page.key == "model"]
    [found] = [part for part in view.parts if isinstance(part, Purposes)]
    return found


def defaults(running: Running) -> dict[str, Any]:
    found: dict[str, Any] = running.stored["agents"]["defaults"]
    return found


def test_a_small_model_is_chosen_and_forgotten(part: Purposes, running: Running) -> None:
    assert "Custom server · big" in shown(part)
    press(part, "Change: Small model")
    choose(part, "Provider", "Groq")
    write(named(part, "Model"), "tiny")
    press(part, "Choose")
    running.settle()
    assert defaults(running)["smallModel"] == {"model": "tiny", "provider": "groq"}
    assert "Groq · tiny" in shown(part)
    assert running.core.models.small_choice() == ("tiny", "groq")
    press(part, "Reset to default: Small model")
    running.settle()
    assert "smallModel" not in defaults(running)
    assert "Groq · tiny" not in shown(part)


def test_the_built_in_model_will_do_and_the_usual_one_is_changed(part: Purposes, running: Running) -> None:
    press(part, "Change: Small model")
    choose(part, "Provider", "Built-in model")
    press(part, "Choose")
    running.settle()
    assert running.core.models.choice(*running.core.models.small_choice()).spec.small_model
    press(part, "Change: Default model")
    assert named(part, "Model").text() == "big"
    press(part, "Cancel")
    press(part, "Reset to default: Default model")
    running.settle()
    assert "Chosen automatically" in shown(part)


def test_models_to_ask_instead_are_put_in_order(part: Purposes, running: Running, qtbot: QtBot) -> None:
    for provider, model in (("Groq", "one"), ("Groq", "two"), ("Custom server", "three")):
        press(part, "Add a fallback model")
        choose(part, "Provider", provider)
        write(named(part, "Model"), model)
        QTest.keyClick(named(part, "Model"), Qt.Key.Key_Return)
        running.settle()
    assert [ref["model"] for ref in defaults(running)["fallbackModels"]] == ["one", "two", "three"]
    part.window().activateWindow()
    part.spares[2].acts["up"].setFocus()
    for _time in range(2):
        found = QApplication.focusWidget()
        assert found is not None
        QTest.keyClick(found, Qt.Key.Key_Space)
        running.settle()
    assert [ref["model"] for ref in defaults(running)["fallbackModels"]] == ["three", "one", "two"]
    found = QApplication.focusWidget()
    assert found is not None
    assert found.accessibleName() == "Remove: Custom server · three", "what is first goes no further"
    QTest.keyClick(found, Qt.Key.Key_Space)
    running.settle()
    assert [ref["model"] for ref in defaults(running)["fallbackModels"]] == ["one", "two"]
    press(part, "Move down: Groq · one")
    running.settle()
    assert [ref["model"] for ref in defaults(running)["fallbackModels"]] == ["two", "one"]
