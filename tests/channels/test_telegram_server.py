"""The Telegram of the tests, judged by python-telegram-bot."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from PIL import Image
from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaPhoto,
    ReplyParameters,
    Update,
)
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TimedOut,
)
from telegram.ext import Application, ApplicationBuilder, TypeHandler

from tests.channels.loopback import BAD_GATEWAY, DROPPED, DROPPED_AFTER, SILENT, InThread
from tests.channels.telegram_server import ALICE, TOKEN, TelegramServer

OTHER = "1234567890:AAAnotherTokenOfTheTests-0123456789abcdef"


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with TelegramServer() as server:
        yield server


@pytest.fixture
async def bot(telegram: TelegramServer) -> AsyncIterator[Bot]:
    async with Bot(TOKEN, base_url=telegram.base_url, base_file_url=telegram.base_file_url) as found:
        yield found


def picture() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(made, "PNG")
    return made.getvalue()


@asynccontextmanager
async def polling(
    telegram: TelegramServer,
    heard: Callable[[Update, Any], Coroutine[Any, Any, None]],
    errors: list[Exception],
) -> AsyncIterator[Application[Any, Any, Any, Any, Any, Any]]:
    """A bot that runs as programs have it run."""
    app = (
        ApplicationBuilder()
        .token(TOKEN)
        .base_url(telegram.base_url)
        .base_file_url(telegram.base_file_url)
        .build()
    )
    app.add_handler(TypeHandler(Update, heard))
    await app.initialize()
    await app.start()
    assert app.updater is not None
    await app.updater.start_polling(timeout=10, error_callback=errors.append)
    try:
        yield app
    finally:
        await app.updater.stop()
        await app.stop()
        await app.shutdown()


async def echo(update: Update, _context: object) -> None:
    if update.message is not None and update.message.text:
        await update.message.reply_text(f"you said: {update.message.text}")


async def test_a_bot_logs_in_hears_and_answers(telegram: TelegramServer) -> None:
    async with polling(telegram, echo, []) as app:
        assert app.bot.username == "nano_bot"
        telegram.write("hello")
        sent = await telegram.sent(lambda call: call.name == "sendMessage")
        assert (sent["chat_id"], sent["text"]) == (ALICE["id"], "you said: hello")
        await telegram.until(lambda: not telegram.updates.waiting)


async def test_a_whole_test_without_a_loop() -> None:
    def talk() -> str:
        with InThread(TelegramServer()) as running:
            running.do(lambda server: server.write("hello"))

            async def ask() -> None:
                async with Bot(TOKEN, base_url=running.server.base_url) as bot:
                    (update,) = await bot.get_updates()
                    assert update.message is not None
                    await bot.send_message(update.message.chat_id, "from another thread")

            asyncio.run(ask())
            return str(running.run(running.server.sent(lambda call: call["text"])).result["text"])

    assert await asyncio.to_thread(talk) == "from another thread"


async def test_what_is_not_acknowledged_comes_again(telegram: TelegramServer, bot: Bot) -> None:
    first, second = telegram.write("one"), telegram.write("two")
    assert [one.update_id for one in await bot.get_updates()] == [first["update_id"], second["update_id"]]
    telegram.fail("getUpdates", DROPPED_AFTER)
    with pytest.raises(NetworkError):
        await bot.get_updates()
    assert len(await bot.get_updates()) == 2
    (left,) = await bot.get_updates(offset=second["update_id"])
    assert left.message is not None
    assert left.message.text == "two"
    assert await bot.get_updates(offset=second["update_id"] + 1) == ()
    telegram.updates.again(first)
    assert [one.update_id for one in await bot.get_updates()] == [first["update_id"]]
    assert await bot.get_updates() == ()
    late = telegram.write("late", number=second["update_id"] + 2)
    early = telegram.write("early", number=second["update_id"] + 1)
    updates = [one.update_id for one in await bot.get_updates()]
    assert updates == [late["update_id"], early["update_id"]]
    telegram.conflict()
    with pytest.raises(Conflict):
        await bot.get_updates()


async def test_a_poll_waits_for_what_comes(telegram: TelegramServer, bot: Bot) -> None:
    async def later() -> None:
        await telegram.until(lambda: telegram.updates.polls)
        telegram.write("now")

    (update,), _ = await asyncio.gather(bot.get_updates(timeout=10), later())
    assert update.message is not None
    assert update.message.text == "now"


@pytest.mark.expected_log("Conflict: terminated by other getUpdates request|Exception happened")
async def test_of_two_that_poll_the_older_hears_of_it(telegram: TelegramServer, bot: Bot) -> None:
    errors: list[Exception] = []
    async with polling(telegram, echo, errors):
        await telegram.until(lambda: telegram.updates.polls)
        await bot.get_updates()
        await telegram.refused(lambda call: call.name == "getUpdates")
        telegram.write("still there?")
        await telegram.sent(lambda call: call.name == "sendMessage")
    assert [type(one) for one in errors] == [Conflict]


async def test_a_wrong_token_and_one_that_is_revoked(telegram: TelegramServer, bot: Bot) -> None:
    wrong = Bot(OTHER, base_url=telegram.base_url)
    with pytest.raises(InvalidToken):
        await wrong.initialize()
    await wrong.shutdown()
    await asyncio.gather(*(request.shutdown() for request in wrong._request))

    async def revoke() -> None:
        await telegram.until(lambda: telegram.updates.polls)
        telegram.revoke()

    polled, _ = await asyncio.gather(bot.get_updates(timeout=10), revoke(), return_exceptions=True)
    assert isinstance(polled, InvalidToken)


async def test_what_was_said_before_is_edited_and_deleted(telegram: TelegramServer, bot: Bot) -> None:
    heard = telegram.write("hello")["message"]
    said = await bot.send_message(
        ALICE["id"],
        "<b>po</b>…",
        parse_mode="HTML",
        reply_parameters=ReplyParameters(heard["message_id"]),
    )
    assert said.text == "po…"
    assert [(one.type, one.offset, one.length) for one in said.entities] == [("bold", 0, 2)]
    assert said.reply_to_message is not None
    assert said.reply_to_message.text == "hello"
    edited = await bot.edit_message_text("pong", ALICE["id"], said.message_id)
    assert isinstance(edited, type(said))
    assert edited.edit_date is not None
    with pytest.raises(BadRequest, match="is not modified"):
        await bot.edit_message_text("pong", ALICE["id"], said.message_id)
    with pytest.raises(BadRequest, match="can't be edited"):
        await bot.edit_message_text("pong", ALICE["id"], heard["message_id"])
    assert await bot.delete_message(ALICE["id"], said.message_id)
    with pytest.raises(BadRequest, match="not found"):
        await bot.edit_message_text("again", ALICE["id"], said.message_id)


@pytest.mark.parametrize(
    ("html", "why"),
    [
        ("<h1>a</h1>", 'Unsupported start tag "h1" at byte offset 0'),
        ("é <b>a</i>", 'Unmatched end tag at byte offset 7, expected "</b>", found "</i>"'),
        ("<b>a", 'find end tag corresponding to start tag "b"'),
        ("a</b>", "Unexpected end tag at byte offset 1"),
        ("1 < 2", "Unsupported start tag|Unclosed start tag"),
        ("<span>a</span>", 'must have class "tg-spoiler"'),
    ],
)
async def test_html_is_read_strictly(telegram: TelegramServer, bot: Bot, html: str, why: str) -> None:
    telegram.write()
    with pytest.raises(BadRequest, match=f"(?i)can't parse entities.*({why})"):
        await bot.send_message(ALICE["id"], html, parse_mode="HTML")


async def test_html_is_understood(telegram: TelegramServer, bot: Bot) -> None:
    telegram.write()
    html = (
        '😀 <a href="https://a.example/?x=1&amp;y=2">l</a> '
        '<pre><code class="language-python">a &lt; b</code></pre>'
    )
    said = await bot.send_message(ALICE["id"], html, parse_mode="HTML")
    assert said.text == "😀 l a < b"
    link, block = said.entities
    assert (link.type, link.offset, link.url) == ("text_link", 3, "https://a.example/?x=1&y=2")
    assert (block.type, block.offset, block.length, block.language) == ("pre", 5, 5, "python")


async def test_length_is_counted_after_parsing_and_in_utf16(telegram: TelegramServer, bot: Bot) -> None:
    telegram.write()
    await bot.send_message(ALICE["id"], f"<b>{'&amp;' * 4096}</b>", parse_mode="HTML")
    await bot.send_message(ALICE["id"], "😀" * 2048)
    with pytest.raises(BadRequest, match=r"(?i)message is too long"):
        await bot.send_message(ALICE["id"], "😀" * 2048 + "a")
    with pytest.raises(BadRequest, match=r"(?i)caption is too long"):
        await bot.send_document(ALICE["id"], b"a", caption="a" * 1025)


async def test_files_go_both_ways(telegram: TelegramServer, bot: Bot) -> None:
    telegram.attach("document", b"a,b\n", "table.csv", caption="look")
    (update,) = await bot.get_updates()
    assert update.message is not None
    assert update.message.document is not None
    assert (update.message.caption, update.message.document.file_name) == ("look", "table.csv")
    kept = await update.message.document.get_file()
    assert bytes(await kept.download_as_bytearray()) == b"a,b\n"

    await bot.send_photo(ALICE["id"], picture(), caption="<i>red</i>", parse_mode="HTML")
    await bot.send_document(ALICE["id"], b"text", filename="a.txt")
    await bot.send_voice(ALICE["id"], b"OggS")
    with pytest.raises(BadRequest, match=r"(?i)image_process_failed"):
        await bot.send_photo(ALICE["id"], b"no picture")
    album = await bot.send_media_group(
        ALICE["id"], [InputMediaPhoto(picture()), InputMediaPhoto(picture(), caption="two")]
    )
    assert len({one.media_group_id for one in album}) == 1
    sent = [
        (call.name, [(one.name, one.data[:4]) for one in call.files.values()]) for call in telegram.calls
    ]
    assert ("sendDocument", [("a.txt", b"text")]) in sent
    assert (await telegram.sent(lambda call: call.name == "sendPhoto")).result["caption"] == "red"


async def test_signs_commands_drafts_and_buttons(telegram: TelegramServer, bot: Bot) -> None:
    heard = telegram.write("/start")["message"]
    await bot.send_chat_action(ALICE["id"], "typing")
    await bot.set_message_reaction(ALICE["id"], heard["message_id"], "👀")
    assert telegram.world.reactions[ALICE["id"], heard["message_id"]] == ["👀"]
    with pytest.raises(BadRequest, match=r"(?i)reaction_invalid"):
        await bot.set_message_reaction(ALICE["id"], heard["message_id"], "🔧")
    await bot.set_my_commands([("new", "Start a new session")])
    assert [one.command for one in await bot.get_my_commands()] == ["new"]
    with pytest.raises(BadRequest, match=r"(?i)bot_command_invalid"):
        await bot.set_my_commands([("New!", "x")])
    assert await bot.send_message_draft(ALICE["id"], 7, "half a sen")
    assert telegram.world.drafts == {(ALICE["id"], 7): "half a sen"}

    buttons = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="yes 3f2")]])
    asked = await bot.send_message(ALICE["id"], "May I?", reply_markup=buttons)
    sent = await telegram.sent(lambda call: call["text"] == "May I?")
    telegram.press(sent.result, "yes 3f2")
    *_, update = await bot.get_updates()
    assert update.callback_query is not None
    assert update.callback_query.data == "yes 3f2"
    assert update.callback_query.message is not None
    assert update.callback_query.message.message_id == asked.message_id
    assert await update.callback_query.answer("Done")
    with pytest.raises(BadRequest, match="uery is too old"):
        await update.callback_query.answer("Done")


async def test_groups_topics_edits_and_migration(telegram: TelegramServer, bot: Bot) -> None:
    group = telegram.group(-500, "Old")
    forum = telegram.group(is_forum=True)
    topic = telegram.topic(forum)
    hello = telegram.write("hello @nano_bot", chat=forum, message_thread_id=topic, is_topic_message=True)
    telegram.rewrite(hello, "hello again")
    telegram.migrate(group, -1007)
    updates = await bot.get_updates()
    heard = [one.effective_message for one in updates if one.effective_message]
    assert [one.message_thread_id for one in heard] == [topic, topic, topic, None, None]
    assert [one.text for one in heard[1:3]] == ["hello @nano_bot", "hello again"]
    assert [one.type for one in heard[1].entities] == ["mention"]
    assert heard[2].edit_date is not None
    assert (heard[3].migrate_to_chat_id, heard[4].migrate_from_chat_id) == (-1007, -500)
    await bot.send_message(forum["id"], "here", message_thread_id=topic)
    with pytest.raises(BadRequest, match="thread not found"):
        await bot.send_message(forum["id"], "here", message_thread_id=1)
    with pytest.raises(ChatMigrated) as moved:
        await bot.send_message(-500, "hello")
    assert moved.value.new_chat_id == -1007
    telegram.world.blocked.add(forum["id"])
    with pytest.raises(Forbidden):
        await bot.send_message(forum["id"], "hello")
    with pytest.raises(BadRequest, match="hat not found"):
        await bot.send_message(999, "hello")


@pytest.mark.expected_log("Can not load invalid JSON data")
async def test_what_goes_wrong_on_the_way(
    telegram: TelegramServer, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # it warns of the numbers that it used to give
    telegram.write()
    telegram.slow_down("sendMessage", 3, times=2)
    for _ in range(2):
        with pytest.raises(RetryAfter) as wait:
            await bot.send_message(ALICE["id"], "x")
    assert "3" in str(wait.value)
    telegram.fail("send*", BAD_GATEWAY)
    with pytest.raises(NetworkError, match="Bad Gateway"):
        await bot.send_message(ALICE["id"], "x")
    telegram.fail("sendMessage", DROPPED)
    with pytest.raises(NetworkError):
        await bot.send_message(ALICE["id"], "lost")
    assert not telegram.named("sendMessage")
    telegram.fail("sendMessage", DROPPED_AFTER)
    with pytest.raises(NetworkError):
        await bot.send_message(ALICE["id"], "arrived")
    assert [call["text"] for call in telegram.named("sendMessage")] == ["arrived"]
    telegram.fail("*", SILENT, times=None)
    with pytest.raises(TimedOut):
        await bot.send_message(ALICE["id"], "x", read_timeout=0.2)
    telegram.heal()
    await telegram.stop()
    with pytest.raises(NetworkError):
        await bot.send_message(ALICE["id"], "x")
    await telegram.start()
    await bot.send_message(ALICE["id"], "back")
