"""The page of speech: who is asked, a test of it, and models of this computer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.ui.settings.speech import SpeechModels, SpeechTest
from desktop.ui.settings.window import SettingsWindow
from tests.channels.loopback import InThread
from tests.servers.hub import Hub
from tests.servers.speaking import model
from tests.servers.transcribing import KEY, TranscriptionServer
from tests.ui.pictures import take
from tests.ui.program import Running
from tests.ui.settings.reading import press, shown


@pytest.fixture
def hears() -> Iterator[InThread[TranscriptionServer]]:
    with InThread(TranscriptionServer("This is a test.")) as server:
        yield server


class Pages:
    """The page, open."""

    def __init__(self, window: SettingsWindow, running: Running) -> None:
        self.window, self.running = window, running
        window.open_page("speech")
        running.settle()
        parts = [part for view in window.views for part in view.parts]
        [self.test] = [part for part in parts if isinstance(part, SpeechTest)]
        [self.models] = [part for part in parts if isinstance(part, SpeechModels)]

    def change(self, values: dict[str, object]) -> None:
        self.running.wait(self.running.core.change(values))
        self.test.refresh()
        self.running.settle()

    def use(self, server: InThread[TranscriptionServer], key: str = KEY) -> None:
        self.running.core.keychain.remember("groq", key)
        base = {"providers.groq.apiBase": server.server.base, "providers.groq.keyStored": True}
        self.change({**base, "transcription.provider": "groq"})


@pytest.fixture
def pages(window: SettingsWindow, running: Running) -> Pages:
    return Pages(window, running)


def test_the_test_has_a_sentence_written_down(
    pages: Pages, hears: InThread[TranscriptionServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not pages.test.test.isEnabled()
    assert "Nothing here can turn speech into text yet." in shown(pages.test)
    pages.use(hears)
    assert "Now: Groq" in shown(pages.test)
    press(pages.test, "Test")
    pages.running.settle()
    assert "Groq heard: “This is a test.”" in shown(pages.test)
    (call,) = hears.server.calls
    assert call.files["file"].data[:4] == b"OggS"
    pages.window.resize(1100, 1500)
    take(pages.window, "speech", monkeypatch, pages.running.settle)


def test_a_wrong_key_is_told_where_it_was_tested(
    pages: Pages, hears: InThread[TranscriptionServer]
) -> None:
    pages.use(hears, "sk-wrong")
    press(pages.test, "Test")
    pages.running.settle()
    assert "Groq did not accept the key." in shown(pages.test)
    assert "sk-wrong" not in shown(pages.test)


def test_a_model_is_downloaded_from_its_publisher_and_can_be_paused(
    pages: Pages, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "78 MB · MIT" in shown(pages.models)
    (source := tmp_path / "ggml-tiny.bin").write_bytes(bytes(1 << 20))
    with Hub(source) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        press(pages.models, "Download: Whisper tiny")
        qtbot.waitUntil(lambda: bool(hub.asked), timeout=20_000)
        qtbot.waitUntil(lambda: "Retrying" in shown(pages.models), timeout=20_000)  # it is not whole
        press(pages.models, "Pause")
        pages.running.settle()
        assert "Resume" in shown(pages.models)
    assert not (pages.running.home.models / "ggml-tiny.bin").exists()


def test_a_file_of_the_persons_own_is_used(pages: Pages, qtbot: QtBot) -> None:
    if (weights := model()) is None:
        pytest.skip("no speech model: python packaging/speech_from_index.py")
    pages.change({"transcription.provider": "local", "transcription.model": str(weights)})
    press(pages.test, "Test")
    qtbot.waitUntil(lambda: "lazy dog" in shown(pages.test), timeout=120_000)
    pages.change({"transcription.model": "/nowhere/ggml.bin"})
    assert "can’t be read" in shown(pages.test)
