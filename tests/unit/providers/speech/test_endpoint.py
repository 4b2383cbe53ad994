"""Endpoints that turn speech into text, and what they do wrong."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from desktop.errors import AppError
from desktop.providers.speech.endpoint import Place, transcribe
from tests.channels.loopback import BAD_GATEWAY, DROPPED, Fault
from tests.servers.transcribing import KEY, TranscriptionServer

_PATH = "POST /v1/audio/transcriptions"


@pytest.fixture
async def there() -> AsyncIterator[TranscriptionServer]:
    async with TranscriptionServer() as server:
        yield server


def _place(server: TranscriptionServer, key: str = KEY) -> Place:
    return Place("Example", server.base, "whisper-1", key)


async def test_the_file_goes_as_a_form_and_its_words_come_back(there: TranscriptionServer) -> None:
    there.words = " Good \n morning. "
    assert await transcribe(_place(there), b"OggS...", "ogg", "en") == "Good morning."
    (call,) = there.calls
    assert (call["model"], call["language"], call.files["file"].name) == ("whisper-1", "en", "voice.ogg")
    assert call.files["file"].data == b"OggS..."


async def test_without_a_language_none_is_named(there: TranscriptionServer) -> None:
    await transcribe(_place(there), b"OggS...", "ogg", "")
    assert "language" not in there.calls[0].fields


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(200, b"<html><body>Log in</body></html>", {"Content-Type": "text/html"}), "transcription"),
        (Fault(200, b'{"words": []}'), "transcription"),
        (Fault(404, b"<h1>Not found</h1>"), "transcription"),
        (BAD_GATEWAY, "has a problem"),
        (Fault(413, b""), "too large"),
        (Fault(429, b"{}"), "no more recordings"),
        (DROPPED, "reached"),
    ],
)
async def test_each_wrong_answer_has_a_sentence_and_a_remedy(
    there: TranscriptionServer, fault: Fault, words: str
) -> None:
    there.fail(_PATH, fault)
    with pytest.raises(AppError) as caught:
        await transcribe(_place(there), b"OggS...", "ogg", "")
    assert words in caught.value.text
    assert caught.value.remedy
    assert "<" not in str(caught.value)


async def test_a_wrong_key_is_named_and_not_shown(there: TranscriptionServer) -> None:
    with pytest.raises(AppError) as caught:
        await transcribe(_place(there, "sk-wrong-key"), b"OggS...", "ogg", "")
    assert "key" in caught.value.text
    assert "sk-wrong-key" not in str(caught.value)


async def test_what_the_server_says_against_a_file_is_passed_on(there: TranscriptionServer) -> None:
    with pytest.raises(AppError) as caught:
        await transcribe(_place(there), b"...", "amr", "")
    assert caught.value.remedy == "Invalid file format."


async def test_an_address_that_is_none_and_nobody_there(there: TranscriptionServer) -> None:
    for base in ("http://", "http://127.0.0.1:1/v1"):
        with pytest.raises(AppError) as caught:
            await transcribe(replace(_place(there), base_url=base), b"...", "ogg", "")
        assert caught.value.remedy
