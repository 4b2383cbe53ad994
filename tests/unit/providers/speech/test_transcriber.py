"""Who turns speech into text, by the settings."""

from pathlib import Path
from typing import Any

import pytest

from desktop.config.schema import Config
from desktop.errors import AppError
from desktop.providers.speech.transcriber import Transcriber


def transcriber(folder: Path, keys: tuple[str, ...] = (), **settings: Any) -> Transcriber:
    providers = {"custom": {"apiBase": "http://127.0.0.1:9/v1"}}
    config = Config.model_validate({"transcription": settings, "providers": providers})

    async def key(name: str) -> str:
        return f"key of {name}" if name in keys else ""

    return Transcriber(lambda: config, key, folder)


@pytest.mark.parametrize(
    ("keys", "settings", "title", "model"),
    [
        (("openai",), {}, "OpenAI", "whisper-1"),
        (("openai", "groq"), {}, "Groq", "whisper-large-v3-turbo"),
        (
            ("openai", "groq"),
            {"provider": "openai", "model": "gpt-4o-transcribe"},
            "OpenAI",
            "gpt-4o-transcribe",
        ),
        (("groq",), {"provider": "groq", "model": "whisper-base"}, "Groq", "whisper-large-v3-turbo"),
        ((), {"provider": "custom"}, "Custom server", "whisper-1"),
    ],
)
async def test_the_settings_say_who(
    tmp_path: Path, keys: tuple[str, ...], settings: dict[str, Any], title: str, model: str
) -> None:
    who = await transcriber(tmp_path, keys, **settings).who()
    assert who.place is not None
    assert (who.title, who.place.model) == (title, model)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "Nothing here can turn speech into text yet."),
        ({"enabled": False}, "Speech is not turned into text."),
        ({"provider": "groq"}, "Groq needs a key."),
        ({"provider": "nobody"}, "There is no provider named nobody."),
        ({"provider": "local"}, "The speech model is not downloaded yet."),
        ({"provider": "local", "model": "/nowhere/ggml-x.bin"}, "can’t be read"),
        ({"provider": "builtin"}, "transcription service"),
    ],
)
async def test_each_wrong_setting_has_a_remedy(
    tmp_path: Path, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(AppError) as caught:
        await transcriber(tmp_path, **settings).who()
    assert words in caught.value.text
    assert caught.value.remedy


async def test_a_file_that_is_no_speech_model_is_refused(tmp_path: Path) -> None:
    (file := tmp_path / "ggml-x.bin").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(AppError, match="is not a speech model"):
        await transcriber(tmp_path, provider="local", model=str(file)).who()
