"""The child that decodes, and the model in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from desktop.errors import AppError
from desktop.providers.speech.engine import SpeechEngine
from desktop.providers.speech.sound import Sound, look
from tests.servers.speaking import ENGLISH, SPANISH, encoded, hour, model, silence

pytestmark = pytest.mark.machine
"""espeak-ng speaks."""


@pytest.fixture
async def engine() -> AsyncIterator[SpeechEngine]:
    made = SpeechEngine()
    yield made
    await made.stop()


@pytest.fixture
def weights() -> Path:
    if (found := model()) is None:
        pytest.skip("no speech model: python packaging/speech_from_index.py")
    return found


@pytest.mark.parametrize("kind", ["ogg", "vorbis", "flac", "mp3", "wav", "silk", "amr"])
async def test_every_kind_becomes_a_wav_of_the_same_length(engine: SpeechEngine, kind: str) -> None:
    made = look(await engine.wav(look(encoded(kind)), 60))
    spoken = look(encoded("wav")).seconds
    assert spoken is not None
    assert made.kind == "wav"
    assert made.seconds == pytest.approx(spoken, abs=0.2)


async def test_silence_has_no_words(engine: SpeechEngine) -> None:
    assert await engine.wav(look(silence(3)), 60) == b""


@pytest.mark.parametrize("kind", ["ogg", "flac", "mp3", "wav", "silk"])
async def test_broken_files_are_said_to_be_and_the_next_one_is_read(
    engine: SpeechEngine, kind: str
) -> None:
    whole = encoded(kind)
    with pytest.raises(AppError):
        await engine.wav(Sound(whole[:12] + b"\xff" * 500, kind), 60)
    assert await engine.wav(look(whole), 60)


async def test_an_unknown_codec_is_named(engine: SpeechEngine) -> None:
    with pytest.raises(AppError, match="M4A"):
        await engine.wav(Sound(b"....ftypM4A ", "m4a"), 60)


async def test_a_file_that_is_longer_than_it_says_is_stopped(engine: SpeechEngine) -> None:
    with pytest.raises(AppError, match="limit is 1 s"):
        await engine.wav(Sound(encoded("ogg"), "ogg", 0.5), 1)


async def test_an_hour_is_refused(engine: SpeechEngine) -> None:
    with pytest.raises(AppError, match="limit is 120 s"):
        await engine.wav(look(hour()), 120)


@pytest.mark.parametrize(
    ("text", "voice", "language", "wanted"),
    [
        (ENGLISH, "en-us", "en", ("meeting", "tomorrow", "coffee")),
        (SPANISH, "es", "es", ("buenos", "mañana")),
    ],
)
async def test_two_languages_are_understood(
    engine: SpeechEngine, weights: Path, text: str, voice: str, language: str, wanted: tuple[str, ...]
) -> None:
    words = (await engine.words(look(encoded("ogg", text, voice)), weights, language, 60)).lower()
    assert [word for word in wanted if word not in words] == []


async def test_what_a_phone_recorded_is_understood(engine: SpeechEngine, weights: Path) -> None:
    words = await engine.words(look(encoded("amr")), weights, "en", 60)
    assert "coffee" in words


async def test_a_model_hears_nothing_in_silence(engine: SpeechEngine, weights: Path) -> None:
    assert await engine.words(look(silence(3)), weights, "", 60) == ""


async def test_a_model_that_is_damaged_costs_one_question(engine: SpeechEngine, tmp_path: Path) -> None:
    bad = tmp_path / "ggml-bad.bin"
    bad.write_bytes(b"lmgg" + bytes(100))
    with pytest.raises(AppError):
        await engine.words(look(encoded("ogg")), bad, "", 60)
    assert await engine.wav(look(encoded("ogg")), 60)
