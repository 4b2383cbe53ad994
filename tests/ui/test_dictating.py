"""Dictating: a real microphone, a real endpoint or model, and the words in the message field."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.ui.conversation.composer.dictation import Dictation
from tests.channels.loopback import BAD_GATEWAY, InThread
from tests.servers.scripted import ScriptedServer
from tests.servers.sound_room import SoundRoom, sound_room
from tests.servers.speaking import ENGLISH, model, wav
from tests.servers.transcribing import KEY, TranscriptionServer
from tests.stories.program import Program
from tests.ui import pictures
from tests.ui.program import Running
from tests.ui.test_library import Desk

pytestmark = pytest.mark.machine
NAME = "POST /v1/audio/transcriptions"


@pytest.fixture(scope="module")
def somewhere() -> Iterator[SoundRoom]:
    with sound_room() as room:
        yield room


@pytest.fixture
def room(somewhere: SoundRoom, monkeypatch: pytest.MonkeyPatch) -> SoundRoom:
    """A microphone that hears what is played there."""
    monkeypatch.setenv("PULSE_SERVER", somewhere.server)
    return somewhere


@pytest.fixture
def hears() -> Iterator[InThread[TranscriptionServer]]:
    with InThread(TranscriptionServer("Hello there.")) as server:
        yield server


class Table(Desk):
    """The window into which is spoken."""

    def __init__(self, running: Running, qtbot: QtBot) -> None:
        super().__init__(running, qtbot)
        self.begin()
        self.composer = self.window.composer
        self.change({"transcription.enabled": True})
        self.until(lambda: self.composer.dictate.isVisible())

    def change(self, values: dict[str, object]) -> None:
        self.running.wait(self.running.core.change(values))

    def use(self, server: InThread[TranscriptionServer], key: str = KEY) -> None:
        self.running.core.keychain.remember("groq", key)
        self.change(
            {
                "providers.groq.apiBase": server.server.base,
                "providers.groq.keyStored": True,
                "transcription.provider": "groq",
            }
        )

    @property
    def dictation(self) -> Dictation:
        return self.pane.dictation

    def press(self) -> None:
        QTest.mouseClick(self.composer.dictate, Qt.MouseButton.LeftButton)

    def key(self, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.composer.field, key, held)

    def speak(self, room: SoundRoom, text: str = ENGLISH) -> None:
        """Press, wait for the microphone, say something, and wait until it was said."""
        self.press()
        self.until(lambda: self.dictation.state == "recording", timeout=20_000)
        self.say(room, text)

    def say(self, room: SoundRoom, text: str = ENGLISH) -> None:
        strip = self.dictation.strip
        assert strip is not None
        self.until(lambda: len(strip.level.levels) > 2, timeout=20_000)
        playing = room.play(wav(text))
        self.until(lambda: max(strip.level.levels) > 0.4, timeout=20_000)
        self.until(lambda: playing.poll() is not None, timeout=60_000)
        self.until(lambda: max(list(strip.level.levels)[-8:]) < 0.1, timeout=30_000)


@pytest.fixture
def table(home: Path, server: ScriptedServer, qtbot: QtBot, request: pytest.FixtureRequest) -> Table:
    Program(home).use_server(server.url, "say:Noted.")
    return Table(request.getfixturevalue("running"), qtbot)


def test_what_is_said_is_at_the_cursor_to_be_edited(
    table: Table, room: SoundRoom, hears: InThread[TranscriptionServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    table.use(hears)
    table.type("Say  now")
    for _letter in range(4):
        table.key(Qt.Key.Key_Left)
    table.speak(room)
    assert table.composer.dictate.accessibleName() == "Stop recording"
    pictures.take(table.window, "dictating", monkeypatch, lambda: None)
    table.press()
    table.until(lambda: table.composer.text() == "Say Hello there. now", timeout=20_000)
    assert table.dictation.state == ""
    assert table.composer.dictate.accessibleName() == "Dictate"
    assert table.composer.field.hasFocus()
    assert table.said == []  # nothing is sent
    (call,) = hears.server.calls
    assert call.files["file"].data[:4] == b"RIFF"
    assert len(call.files["file"].data) > 3 * 32_000
    folders = [path for path in table.running.home.root.rglob("*") if path.suffix in (".wav", ".ogg")]
    assert folders == []


def test_the_model_of_this_computer_writes_it_down(
    table: Table, room: SoundRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    if (weights := model()) is None:
        pytest.skip("no speech model: python packaging/speech_from_index.py")
    table.change({"transcription.provider": "local", "transcription.model": str(weights)})
    table.speak(room, "Please bring a cup of coffee to the meeting.")
    table.key(Qt.Key.Key_Return)
    table.until(lambda: "coffee" in table.composer.text(), timeout=120_000)
    assert "meeting" in table.composer.text()
    pictures.take(table.window, "dictated", monkeypatch, table.settle)


def test_esc_forgets_it_and_nothing_is_sent_anywhere(
    table: Table, room: SoundRoom, hears: InThread[TranscriptionServer]
) -> None:
    table.use(hears)
    table.type("Draft")
    table.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    table.until(lambda: table.dictation.state == "recording", timeout=20_000)
    table.key(Qt.Key.Key_Escape)
    table.until(lambda: table.dictation.state == "")
    table.settle()
    assert table.composer.text() == "Draft"
    assert hears.server.calls == []


def test_silence_is_not_sent_and_is_told(
    table: Table, room: SoundRoom, hears: InThread[TranscriptionServer]
) -> None:
    table.use(hears)
    table.press()
    table.until(lambda: table.dictation.state == "recording", timeout=20_000)
    strip = table.dictation.strip
    assert strip is not None
    table.until(lambda: len(strip.level.levels) > 5, timeout=20_000)
    table.press()
    table.until(lambda: table.errors == ["No speech was heard."], timeout=20_000)
    assert hears.server.calls == []


def test_what_was_not_understood_is_kept_and_tried_again(
    table: Table, room: SoundRoom, hears: InThread[TranscriptionServer]
) -> None:
    table.use(hears)
    hears.do(lambda there: there.fail(NAME, BAD_GATEWAY))
    table.speak(room)
    table.press()
    table.until(lambda: table.dictation.state == "failed", timeout=20_000)
    assert table.errors == ["Groq has a problem."]
    strip = table.dictation.strip
    assert strip is not None
    assert strip.end.text() == "Try again"
    QTest.mouseClick(strip.end, Qt.MouseButton.LeftButton)
    table.until(lambda: table.composer.text() == "Hello there.", timeout=20_000)


def test_without_a_provider_it_says_what_to_do_and_does_not_listen(table: Table, room: SoundRoom) -> None:
    table.press()
    table.until(lambda: table.errors == ["Nothing here can turn speech into text yet."], timeout=20_000)
    assert table.dictation.state == ""


def test_without_a_microphone_it_says_so(
    table: Table, hears: InThread[TranscriptionServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULSE_SERVER", "unix:/nowhere")
    table.use(hears)
    table.press()
    table.until(lambda: table.errors == ["No microphone was found."], timeout=20_000)
    assert table.dictation.state == ""


def test_switched_off_there_is_no_button(table: Table) -> None:
    table.change({"transcription.enabled": False})
    table.until(lambda: table.composer.dictate.isHidden())
    table.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    table.settle()
    assert table.dictation.strip is None
