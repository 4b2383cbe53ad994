"""Voice messages of chat apps: their words reach the agent, and what can't be understood stays a file."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.channels import test_feishu, test_qq
from tests.channels.conftest import talking as with_telegram
from tests.channels.feishu_server import ALICE as PERSON_OF_FEISHU
from tests.channels.feishu_server import FeishuServer
from tests.channels.loopback import BAD_GATEWAY, Upload
from tests.channels.qq_server import ALICE as PERSON_OF_QQ
from tests.channels.qq_server import QQServer
from tests.channels.telegram_server import MALLORY, TelegramServer
from tests.servers.scripted import ScriptedServer
from tests.servers.speaking import ENGLISH, SPANISH, encoded, hour, model, silence
from tests.servers.transcribing import KEY, TranscriptionServer
from tests.unit.core.test_conversations import Desk

pytestmark = pytest.mark.machine
"""espeak-ng speaks."""


@pytest.fixture
async def hears() -> AsyncIterator[TranscriptionServer]:
    async with TranscriptionServer() as server:
        yield server


async def use(desk: Desk, hears: TranscriptionServer, key: str = KEY, **more: Any) -> None:
    """Have Groq's place taken by that server."""
    await desk.api.providers.store_key("groq", key, session_only=True)
    await desk.owner.core.change(
        {
            "providers.groq.apiBase": hears.base,
            "transcription.provider": "groq",
            **{f"transcription.{name}": value for name, value in more.items()},
        }
    )


@asynccontextmanager
async def telegram_desk(folder: Path, server: ScriptedServer) -> AsyncIterator[tuple[Desk, TelegramServer]]:
    async with TelegramServer() as telegram, with_telegram(folder, server, telegram) as desk:
        yield desk, telegram


async def asked(desk: Desk, session: str) -> str:
    """What the agent was asked, once it answered."""
    await desk.end()
    return next(text for role, text in await desk.said(session) if role == "user")


async def test_a_voice_message_of_telegram_is_understood_as_it_came(
    tmp_path: Path, server: ScriptedServer, hears: TranscriptionServer
) -> None:
    async with telegram_desk(tmp_path, server) as (desk, telegram):
        await use(desk, hears)
        telegram.attach("voice", encoded("ogg"), "voice.oga", caption="Listen:")
        assert await asked(desk, "telegram:42") == "Listen:\n[transcription: Good morning.]"
        (call,) = hears.calls
        assert call.files["file"].data == encoded("ogg")
        assert call["model"] == "whisper-large-v3-turbo"


async def test_silk_of_qq_goes_as_a_wav(
    tmp_path: Path, server: ScriptedServer, hears: TranscriptionServer
) -> None:
    async with QQServer() as qq, test_qq.talking(tmp_path, server, qq) as desk:
        await use(desk, hears)
        qq.write("", files=(Upload("voice.silk", "voice", encoded("silk")),))
        assert (await asked(desk, f"qq:{PERSON_OF_QQ}")).strip() == "[transcription: Good morning.]"
        assert hears.calls[0].files["file"].data[:4] == b"RIFF"


async def test_two_languages_by_two_apps_and_the_model_of_this_computer(
    tmp_path: Path, server: ScriptedServer
) -> None:
    if (weights := model()) is None:
        pytest.skip("no speech model: python packaging/speech_from_index.py")
    here = {"transcription.provider": "local", "transcription.model": str(weights)}
    async with telegram_desk(tmp_path / "one", server) as (desk, telegram):
        await desk.owner.core.change(here)
        telegram.attach("voice", encoded("ogg", ENGLISH), "voice.oga")
        english = await asked(desk, "telegram:42")
    async with FeishuServer() as feishu, test_feishu.talking(tmp_path / "two", server, feishu) as desk:
        await desk.owner.core.change({**here, "transcription.language": "es"})
        voice = Upload("voice.opus", "audio", encoded("ogg", SPANISH, "es"))
        feishu.write("", files=(voice,))
        spanish = await asked(desk, f"feishu:{feishu.chat(PERSON_OF_FEISHU)}")
    assert english.startswith("[transcription: ")
    assert "tomorrow" in english
    assert "mañana" in spanish.lower()


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("key", "did not accept the key"),
        ("html", "transcription service"),
        ("down", "has a problem"),
        ("hour", "limit is 120 s"),
        ("large", "limit is 1 MB"),
        ("codec", "not a sound file"),
    ],
)
async def test_what_is_not_understood_stays_a_file_and_is_told_once(
    tmp_path: Path, server: ScriptedServer, hears: TranscriptionServer, trouble: str, words: str
) -> None:
    name = "POST /v1/audio/transcriptions"
    voice = {"hour": hour(), "large": silence(60), "codec": b"nothing"}.get(trouble, encoded("ogg"))
    async with telegram_desk(tmp_path, server) as (desk, telegram):
        await use(desk, hears, "sk-wrong" if trouble == "key" else KEY, max_upload_mb=1)
        if trouble == "down":
            hears.fail(name, BAD_GATEWAY, None)
        if trouble == "html":
            hears.fail(name, BAD_GATEWAY.__class__(200, BAD_GATEWAY.body), None)
        for _time in range(2):
            telegram.attach("voice", voice, "voice.oga")
            assert (await asked(desk, "telegram:42")).startswith("[voice: ")
        (notice,) = (await desk.api.inbox.list()).notices
        assert words in notice.body["text"]
        (session,) = [await desk.owner.core.sessions.open("telegram:42")]
        files = list((tmp_path / "workspace" / "files" / "telegram").iterdir())
        assert [path.read_bytes() for path in files] == [voice, voice]
        assert str(files[0]) in session.metadata["given"]


async def test_silence_is_a_file_without_a_notice(
    tmp_path: Path, server: ScriptedServer, hears: TranscriptionServer
) -> None:
    hears.words = ""
    async with telegram_desk(tmp_path, server) as (desk, telegram):
        await use(desk, hears)
        telegram.attach("voice", silence(2), "voice.oga")
        assert (await asked(desk, "telegram:42")).startswith("[voice: ")
        assert (await desk.api.inbox.list()).notices == ()


async def test_switched_off_nothing_is_sent_anywhere(
    tmp_path: Path, server: ScriptedServer, hears: TranscriptionServer
) -> None:
    async with telegram_desk(tmp_path, server) as (desk, telegram):
        await use(desk, hears, enabled=False)
        telegram.attach("voice", encoded("ogg"), "voice.oga", caption="Listen:")
        assert await asked(desk, "telegram:42") == "Listen:"
        assert hears.calls == []


async def test_what_others_say_is_as_untrusted_as_what_they_write(
    tmp_path: Path, server: ScriptedServer, hears: TranscriptionServer
) -> None:
    hears.words = "/stop"
    async with telegram_desk(tmp_path, server) as (desk, telegram):
        await use(desk, hears)
        await desk.owner.core.change({"channels.telegram.allowFrom": [str(MALLORY["id"])]})
        telegram.attach("voice", encoded("ogg"), "voice.oga", by=MALLORY)
        assert await asked(desk, "telegram:66") == "[transcription: /stop]"  # and no command
        said = await desk.api.conversations.read("telegram:66")
        assert said.messages[0]["_origin"] == "untrusted"
