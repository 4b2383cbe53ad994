"""What nobody sends on purpose, and what goes wrong outside: a sentence, nothing lost, the others go on."""

import asyncio
import io
import resource
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.bus.events import ServiceChanged, TurnFinished
from tests.channels import test_discord, test_slack
from tests.channels.conftest import words_of_people
from tests.channels.discord_server import DiscordServer
from tests.channels.loopback import BAD_GATEWAY, DROPPED_AFTER, Call, Fault
from tests.channels.slack_server import SlackServer
from tests.channels.telegram_server import ALICE, MALLORY, TelegramServer
from tests.channels.telegram_world import person
from tests.servers.scripted import ScriptedServer
from tests.unit.core.test_conversations import Desk

PORTAL = Fault(200, b"<html><body>Welcome to our hotel</body></html>", {"Content-Type": "text/html"})
"""What a network says that wants a sign-in first."""
ZALGO = "z" + "".join(map(chr, range(0x300, 0x370))) * 20
BACKWARDS = "\u202egnp.exe\u202c \u2067שלום\u2069"


def answer(call: Call) -> bool:
    return call.name == "sendMessage" and call["text"] == "Good day."


@contextmanager
def full_disk() -> Iterator[None]:
    """Nothing can be written to any file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def state(desk: Desk, wanted: str) -> str:
    """Wait until Telegram is so far; why it is."""
    async with asyncio.timeout(20):
        async for event in desk.events:
            if isinstance(event, ServiceChanged) and (event.name, event.state) == ("telegram", wanted):
                return event.detail
    raise AssertionError


@pytest.mark.parametrize("text", [ZALGO, BACKWARDS, "\u0000\ud7ff\ufeff a", "👩‍👩‍👧‍👦" * 300])
async def test_strange_letters_are_stored_as_they_came(
    desk: Desk, telegram: TelegramServer, text: str
) -> None:
    telegram.write(text)
    await telegram.sent(answer)
    assert await words_of_people(desk, "telegram:42") == [text]


async def test_of_a_text_without_end_the_beginning_counts(desk: Desk, telegram: TelegramServer) -> None:
    telegram.write("word " * 40_000)
    await telegram.sent(answer)
    (said,) = await words_of_people(desk, "telegram:42")
    assert said.startswith("word word")
    assert said.endswith("[The rest was too long.]")
    assert len(said) < 101_000


async def test_a_name_without_end_is_one_short_line(desk: Desk, telegram: TelegramServer) -> None:
    endless = person(67, f"\u202eMal\n{'x' * 4000}")
    await desk.owner.core.change({"channels.telegram.allow_from": ["67"]})
    telegram.write("Hello", by=endless)
    await telegram.sent(answer)
    (asked, _answered) = (await desk.api.conversations.read("telegram:67")).messages
    assert len(asked["_sender"]) <= 80
    assert asked["_sender"].isprintable()


async def test_an_archive_that_calls_itself_a_picture_is_shown_to_no_model(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("../../out.txt", "x")
    telegram.attach("photo", made.getvalue(), "cat.png", caption="Look")
    telegram.attach("document", made.getvalue(), f"{'n' * 4000}/../..\\cat.png", caption="And this?")
    await telegram.sent(answer, nth=2)
    assert "image_url" not in str(server.requests)
    asked = [one for one in (await desk.api.conversations.read("telegram:42")).messages if "_files" in one]
    paths = [Path(name) for one in asked for name in one["_files"]]
    assert [path.read_bytes() for path in paths] == [made.getvalue()] * 2
    assert len({path.parent for path in paths}) == 1
    assert all(len(path.name) < 130 for path in paths)


async def test_a_file_that_is_too_large_is_not_fetched_and_is_named(
    desk: Desk, telegram: TelegramServer
) -> None:
    document = {"file_id": "1", "file_unique_id": "1", "file_name": "film.mkv", "file_size": 60_000_000}
    telegram.write("", document=document, caption="Look")
    await telegram.sent(answer)
    assert await words_of_people(desk, "telegram:42") == [
        "Look\n\n[These files could not be received: film.mkv]"
    ]
    assert not [call for call in telegram.calls if call.name == "getFile"]


async def test_an_album_of_ten_is_one_message(desk: Desk, telegram: TelegramServer) -> None:
    for number in range(10):
        telegram.attach("photo", f"{number}".encode(), f"{number}.png", media_group_id="7")
    await telegram.sent(answer)
    (asked, _answered) = (await desk.api.conversations.read("telegram:42")).messages
    assert [Path(name).read_bytes() for name in asked["_files"]] == [f"{n}".encode() for n in range(10)]


@pytest.mark.parametrize("page", [BAD_GATEWAY, PORTAL], ids=["gateway", "portal"])
async def test_a_page_instead_of_an_answer_is_tried_again(
    desk: Desk, telegram: TelegramServer, page: Fault
) -> None:
    telegram.fail("getUpdates", page)
    telegram.fail("sendMessage", page)
    telegram.updates.interrupt(502, "Bad Gateway")
    telegram.write("Hello")
    await telegram.sent(answer)
    assert await words_of_people(desk, "telegram:42") == ["Hello"]


@pytest.mark.parametrize("page", [BAD_GATEWAY, PORTAL], ids=["gateway", "portal"])
async def test_a_page_instead_of_discords_answer_is_tried_again(
    tmp_path: Path, server: ScriptedServer, page: Fault
) -> None:
    async with DiscordServer() as discord:
        discord.fail("GET users/@me", page)
        async with test_discord.talking(tmp_path, server, discord):
            await discord.until(lambda: discord.gateway.identified)
            discord.fail("POST channels/*/messages", page)
            discord.write("Hello")
            await discord.sent(lambda call: call["content"] == "Good day.")


@pytest.mark.parametrize("page", [BAD_GATEWAY, PORTAL], ids=["gateway", "portal"])
async def test_a_page_instead_of_slacks_answer_is_tried_again(
    tmp_path: Path, server: ScriptedServer, page: Fault
) -> None:
    async with SlackServer() as slack:
        slack.fail("auth.test", page)
        slack.fail("apps.connections.open", page)
        async with test_slack.talking(tmp_path, server, slack):
            slack.fail("chat.postMessage", page)
            slack.write("Hello")
            await slack.sent(lambda call: call["text"] == "Good day.")


async def test_a_second_program_with_the_token_is_named_and_nothing_is_lost(
    desk: Desk, telegram: TelegramServer
) -> None:
    telegram.write("Hello")
    await telegram.sent(answer)
    telegram.conflict()
    telegram.updates.interrupt()
    assert "Another program" in await state(desk, "degraded")
    telegram.write("Still there?")
    await telegram.sent(answer, nth=2)
    assert await words_of_people(desk, "telegram:42") == ["Hello", "Still there?"]


async def test_a_network_that_is_gone_for_a_while_comes_back_by_itself(
    desk: Desk, telegram: TelegramServer
) -> None:
    telegram.write("Hello")
    await telegram.sent(answer)
    await telegram.stop()
    assert "can’t be reached" in await state(desk, "degraded")
    telegram.write("Are you there?")
    await telegram.start()
    await telegram.sent(answer, nth=2)
    assert await words_of_people(desk, "telegram:42") == ["Hello", "Are you there?"]


async def test_with_a_full_disk_telegram_is_not_told_and_asks_again(
    desk: Desk, telegram: TelegramServer
) -> None:
    await telegram.until(lambda: telegram.updates.polls)
    with full_disk():
        telegram.write("Is there room?")
        assert "could not be stored" in await state(desk, "degraded")
        assert telegram.updates.waiting
    await telegram.sent(answer)
    assert await words_of_people(desk, "telegram:42") == ["Is there room?"]


async def test_an_answer_whose_first_words_telegram_took_unheard_comes_whole(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    server.script("slow:0.05")
    telegram.fail("sendMessage", DROPPED_AFTER)
    telegram.write("Tell me")
    assert isinstance(await desk.end(), TurnFinished)
    (_asked, (_role, whole)) = await desk.said("telegram:42")
    await telegram.sent(lambda call: call.name == "sendMessage" and call["text"] == whole.strip())
    beginning, last = telegram.named("sendMessage")
    assert last["text"].startswith(beginning["text"])  # no name by which Telegram could tell


async def test_a_message_that_was_not_stored_counts_for_nothing_against_its_sender(
    desk: Desk, telegram: TelegramServer
) -> None:
    await desk.owner.core.change(
        {"channels.messages_per_minute": 1, "channels.telegram.allow_from": [str(MALLORY["id"])]}
    )
    await telegram.until(lambda: telegram.updates.polls)
    with full_disk():
        telegram.write("Is there room?", by=MALLORY)
        assert "could not be stored" in await state(desk, "degraded")
    await telegram.sent(answer)
    telegram.write("And now?", by=MALLORY)
    await telegram.sent(lambda call: "Write again in a minute" in str(call["text"]))
    assert await words_of_people(desk, f"telegram:{MALLORY['id']}") == ["Is there room?"]


async def test_however_many_messages_wait_one_sign_says_that_somebody_writes(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    held = server.hold("First")
    telegram.write("First")
    for number in range(50):
        telegram.write(f"More {number}")
    await telegram.until(lambda: not telegram.updates.waiting)
    await telegram.sent(lambda call: call.name == "sendChatAction")
    assert len(telegram.named("sendChatAction")) < 10
    held.set()
    await telegram.sent(answer)


async def test_a_stranger_who_writes_without_end_is_told_once_and_is_in_nobodys_way(
    desk: Desk, telegram: TelegramServer
) -> None:
    await desk.owner.core.change({"channels.telegram.allow_from": [str(MALLORY["id"])]})
    for number in range(300):
        telegram.write(f"Spam {number}", by=MALLORY)
    telegram.write("Hello")
    sent = await telegram.sent(lambda call: answer(call) and call["chat_id"] == ALICE["id"])
    assert sent["text"] == "Good day."
    await telegram.until(lambda: not telegram.updates.waiting)
    said = await words_of_people(desk, f"telegram:{MALLORY['id']}")
    assert said == [f"Spam {number}" for number in range(6)]
    told = [call for call in telegram.calls if "Write again in a minute" in str(call["text"])]
    assert len(told) == 1
