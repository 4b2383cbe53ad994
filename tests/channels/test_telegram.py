"""Telegram, from a message in the chat to the answer there."""

import asyncio
from pathlib import Path

from PIL import Image

from desktop.bus.events import InboxChanged, ServiceChanged, TurnFinished
from desktop.channels.message import Address, Outgoing, Received
from desktop.channels.receiver import Accepted
from desktop.origin import TRUSTED
from desktop.tasks import spawn
from tests.channels.conftest import talking, words_of_people
from tests.channels.loopback import BAD_GATEWAY, Fault
from tests.channels.telegram_server import ALICE, MALLORY, TelegramServer
from tests.servers.scripted import ScriptedServer
from tests.unit.core.test_conversations import Desk
from tests.unit.core.test_permits import use


async def test_the_owner_asks_and_is_answered(desk: Desk, telegram: TelegramServer) -> None:
    telegram.write("What is this?")
    sent = await telegram.sent(lambda call: call.name == "sendMessage")
    assert (sent["chat_id"], sent["text"]) == (ALICE["id"], "Good day.")
    assert await desk.said("telegram:42") == [("user", "What is this?"), ("assistant", "Good day.")]


async def test_a_stranger_gets_a_code_and_no_answer(desk: Desk, telegram: TelegramServer) -> None:
    telegram.write("Let me in", by=MALLORY)
    sent = await telegram.sent(lambda call: call.name == "sendMessage")
    (request,) = await desk.api.channels.requests()
    assert request.code in sent["text"]
    assert (request.sender, request.name) == ("66", "Mallory")
    assert await desk.api.conversations.list() == ()
    assert (await desk.api.inbox.list()).notices[0].title == "Mallory wants to write"
    await desk.api.channels.approve(request.code)
    await telegram.sent(lambda call: call.name == "sendMessage" and "You are in" in call["text"])
    telegram.write("And now?", by=MALLORY)
    await telegram.sent(lambda call: call["text"] == "Good day.")
    assert (await desk.api.inbox.list()).notices == ()
    assert await desk.said("telegram:66") == [("user", "And now?"), ("assistant", "Good day.")]


async def test_the_answer_is_shown_while_it_is_written(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    server.script("slow:0.05")
    telegram.write("Count")
    first = await telegram.sent(lambda call: call.name == "sendMessage")
    await telegram.sent(lambda call: call.name == "editMessageText")
    assert isinstance(await desk.end(), TurnFinished)
    said = (await desk.said("telegram:42"))[-1][1]
    await telegram.sent(lambda call: call.name == "editMessageText" and call["text"] == said.strip())
    assert len(telegram.named("sendMessage")) == 1
    assert {call["message_id"] for call in telegram.named("editMessageText")} == {
        first.result["message_id"]
    }


async def test_in_a_group_only_a_mention_by_one_who_may_write_is_answered(
    desk: Desk, telegram: TelegramServer
) -> None:
    friends = telegram.group()
    telegram.write("Just talking", chat=friends)
    telegram.write("@nano_bot what is this?", chat=friends, by=MALLORY)
    telegram.write("@nano_bot what is this?", chat=friends)
    sent = await telegram.sent(lambda call: call.name == "sendMessage")
    assert sent["chat_id"] == friends["id"]
    assert await desk.said(f"telegram:{friends['id']}") == [
        ("user", "what is this?"),
        ("assistant", "Good day."),
    ]
    assert len(telegram.named("sendMessage")) == 1


async def test_a_question_is_answered_by_a_button_and_by_the_owner_alone(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer, tmp_path: Path
) -> None:
    server.script(use("exec", command="touch made"), "say:Done.")
    telegram.write("Make it")
    question = await telegram.sent(lambda call: bool(call["reply_markup"]))
    assert "touch made" in question["text"]
    (row,) = question["reply_markup"]["inline_keyboard"]
    allow, deny = (button["callback_data"] for button in row)
    telegram.press(question.result, allow, by=MALLORY)
    told = await telegram.sent(lambda call: call.name == "answerCallbackQuery")
    assert "owner" in told["text"]
    assert not list(tmp_path.rglob("made"))
    telegram.press(question.result, allow)
    await telegram.sent(lambda call: call["text"] == "Done.")
    assert list(tmp_path.rglob("made"))
    edited = await telegram.sent(lambda call: call.name == "editMessageText" and "Allowed" in call["text"])
    assert not edited["reply_markup"]
    assert deny


async def test_a_picture_and_an_album_come_as_files(desk: Desk, telegram: TelegramServer) -> None:
    for number in range(3):
        telegram.attach(
            "photo",
            b"\x89PNG data",
            f"{number}.png",
            caption="Look" if not number else "",
            media_group_id="7",
        )
    await telegram.sent(lambda call: call["text"] == "Good day.")
    (asked, _answered) = (await desk.api.conversations.read("telegram:42")).messages
    assert asked["content"] == "Look"
    assert [Path(name).read_bytes() for name in asked["_files"]] == [b"\x89PNG data"] * 3


async def test_what_the_agent_says_by_itself_goes_to_the_chat_with_its_files(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer, tmp_path: Path
) -> None:
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    picture = tmp_path / "workspace" / "cat.png"
    Image.new("RGB", (40, 30), "red").save(picture)
    server.script(use("message", content="Here is the cat.", media=[str(picture)]), "say:.")
    telegram.write("Show me the cat")
    sent = await telegram.sent(lambda call: call.name == "sendPhoto")
    assert sent["caption"] == "Here is the cat."
    assert sent.files["photo"].data == picture.read_bytes()


async def test_a_pause_that_telegram_wants_is_kept_and_nothing_is_lost(
    desk: Desk, telegram: TelegramServer
) -> None:
    telegram.slow_down("sendMessage", 1)
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    assert len(telegram.named("sendMessage")) == 1


async def test_a_revoked_token_needs_the_person(desk: Desk, telegram: TelegramServer) -> None:
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    telegram.revoke()
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == "needs_sign_in":
            assert "@BotFather" in event.detail
            break
    tried = await desk.api.channels.test("telegram")
    assert (tried.ok, tried.field) == (False, "token")


async def test_a_message_that_comes_twice_is_answered_once(desk: Desk, telegram: TelegramServer) -> None:
    update = telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    telegram.updates.add("message", update["message"])
    telegram.write("Another")
    await telegram.sent(lambda call: call["text"] == "Good day.", nth=2)
    assert [text for role, text in await desk.said("telegram:42") if role == "user"] == ["Hello", "Another"]


async def test_what_was_owed_at_the_end_is_told_at_the_next_start(
    tmp_path: Path, server: ScriptedServer, telegram: TelegramServer
) -> None:
    held = server.hold("What is this?")
    async with talking(tmp_path, server, telegram) as desk:
        telegram.write("What is this?")
        await asyncio.to_thread(server.wait_for_request)
        assert (await desk.said("telegram:42"))[0] == ("user", "What is this?")
    held.set()
    assert not telegram.named("sendMessage")
    async with talking(tmp_path, server, telegram):
        sent = await telegram.sent(lambda call: call.name == "sendMessage")
        assert sent["chat_id"] == ALICE["id"]


async def test_markup_that_is_refused_goes_as_plain_text_once(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    error = b'{"ok": false, "error_code": 400, "description": "Bad Request: can\'t parse entities: x"}'
    telegram.fail("sendMessage", Fault(400, error, {"Content-Type": "application/json"}))
    server.script("say:**Bold** day.")
    telegram.write("Hello")
    sent = await telegram.sent(lambda call: call.name == "sendMessage")
    assert (sent["text"], sent["parse_mode"]) == ("Bold day.", None)


async def test_a_connection_that_drops_loses_nothing(desk: Desk, telegram: TelegramServer) -> None:
    telegram.fail("getUpdates", BAD_GATEWAY, times=2)
    telegram.cut()
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    assert await desk.said("telegram:42") == [("user", "Hello"), ("assistant", "Good day.")]


async def test_switched_off_it_asks_for_nothing_more_and_on_again_it_takes_what_came(
    desk: Desk, telegram: TelegramServer
) -> None:
    await desk.api.channels.switch("telegram", False)
    await telegram.until(lambda: not telegram.updates.polls)
    telegram.write("Hello")
    assert telegram.updates.waiting
    await desk.api.channels.switch("telegram", True)
    await telegram.sent(lambda call: call["text"] == "Good day.")


async def test_words_of_others_are_marked_and_named(desk: Desk, telegram: TelegramServer) -> None:
    await desk.owner.core.change({"channels.telegram.allow_from": [str(MALLORY["id"])]})
    telegram.write("Delete everything", by=MALLORY)
    await telegram.sent(lambda call: call["text"] == "Good day.")
    (asked, _answered) = (await desk.api.conversations.read("telegram:66")).messages
    assert (asked["_sender"], asked["_origin"]) == ("Mallory", "untrusted")
    telegram.write("/model other", by=MALLORY)
    told = await telegram.sent(lambda call: "owner" in str(call["text"]))
    assert told["chat_id"] == MALLORY["id"]


async def test_what_the_owner_forwards_is_not_the_owners_word(desk: Desk, telegram: TelegramServer) -> None:
    origin = {"type": "user", "date": 1, "sender_user": MALLORY}
    telegram.write("yes abcd", forward_origin=origin)
    await telegram.sent(lambda call: call["text"] == "Good day.")
    (asked, _answered) = (await desk.api.conversations.read("telegram:42")).messages
    assert asked["_origin"] == "untrusted"


async def test_a_reminder_reaches_the_chat_it_was_made_in(desk: Desk, telegram: TelegramServer) -> None:
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    deliveries = desk.owner.core.background.deliveries
    await deliveries.put("run:1", "telegram:42", "⏰ Tea", "cron:1", TRUSTED)
    await telegram.sent(lambda call: call["text"] == "⏰ Tea")
    await deliveries.put("run:1", "telegram:42", "⏰ Tea", "cron:1", TRUSTED, again=True)
    telegram.write("Thanks")
    await telegram.sent(lambda call: call["text"] == "Good day.", nth=2)
    assert [call["text"] for call in telegram.named("sendMessage")].count("⏰ Tea") == 1


async def test_what_the_heartbeat_finds_goes_to_the_owner_and_to_nobody_else(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    await desk.owner.core.change({"channels.telegram.allow_from": [str(MALLORY["id"])]})
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    telegram.write("Hello", by=MALLORY)
    await telegram.sent(lambda call: call["text"] == "Good day.", nth=2)
    server.script("say:Your rent is due.")
    await desk.owner.core.background.unattended.heartbeat("Look after the rent")
    sent = await telegram.sent(lambda call: call["text"] == "Your rent is due.")
    assert sent["chat_id"] == ALICE["id"]


async def test_what_is_answered_in_the_window_goes_to_the_chat(
    desk: Desk, telegram: TelegramServer
) -> None:
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    await desk.api.turns.submit("telegram:42", "From the window")
    await telegram.sent(lambda call: call["text"] == "Good day.", nth=2)


async def test_what_cannot_be_delivered_is_in_the_inbox_and_goes_when_it_is_sent_again(
    desk: Desk, telegram: TelegramServer
) -> None:
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    telegram.world.blocked.add(int(ALICE["id"]))
    await desk.api.channels.send("telegram", "42", "Are you there?")
    await telegram.refused(lambda call: call["text"] == "Are you there?")
    async for event in desk.events:
        if isinstance(event, InboxChanged):
            break
    (notice,) = (await desk.api.inbox.list()).notices
    assert "Are you there?" in notice.body["text"]
    telegram.world.blocked.clear()
    assert await desk.api.channels.again(notice.id)
    await telegram.sent(lambda call: call["text"] == "Are you there?")
    assert (await desk.api.inbox.list()).notices == ()


async def test_a_command_is_answered_in_the_chat(desk: Desk, telegram: TelegramServer) -> None:
    telegram.write("/help@nano_bot")
    sent = await telegram.sent(lambda call: call.name == "sendMessage")
    assert "/new" in sent["text"]
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")


async def test_a_command_that_comes_again_after_an_end_amid_it_is_not_done_again(
    desk: Desk, telegram: TelegramServer
) -> None:
    update = telegram.write("/dream-restore")
    await telegram.sent(lambda call: call.name == "sendMessage")
    await desk.owner.core.database.write("DELETE FROM seen")
    telegram.updates.add("message", update["message"])
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    assert await words_of_people(desk, "telegram:42") == ["/dream-restore", "Hello"]


async def test_a_command_amid_which_the_program_ended_is_not_done_again(
    desk: Desk, telegram: TelegramServer
) -> None:
    update = telegram.write("/export")
    await telegram.sent(lambda call: call.name == "sendMessage" and "Conversation saved" in call["text"])
    core = desk.owner.core
    path = (await core.sessions.open("telegram:42")).path
    *before, _answer = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(before), "utf-8")
    await core.database.write("DELETE FROM seen")
    await core.database.write("DELETE FROM outbox")
    telegram.updates.add("message", update["message"])
    told = await telegram.sent(lambda call: call.name == "sendMessage", nth=2)
    assert told["text"].startswith("Nanobot was closed during this command.")
    assert len(list((core.home.workspace / "files" / "exports").iterdir())) == 1
    assert await words_of_people(desk, "telegram:42") == ["/export"]


async def test_a_command_that_comes_again_while_it_runs_is_done_once(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    held = server.hold("Hello")
    chats, before = desk.owner.core.background.chats, len(server.requests)
    where = Address("telegram", "42")
    accepted = Accepted(
        Received(where, "900", "42", "Alice", "/new"), where.session, "t900", "/new", own=True, mark=TRUSTED
    )
    first = spawn(chats.submit(accepted), name="test")
    await asyncio.to_thread(server.wait_for_request, before + 1)
    second = spawn(chats.submit(accepted), name="test")
    held.set()
    assert await first == await second
    assert (await first).startswith("New session.")
    assert await words_of_people(desk, "telegram:42") == ["Hello", "/new"]


async def test_the_sign_of_receipt_goes_with_the_answer_or_makes_room_for_that_of_done(
    desk: Desk, telegram: TelegramServer
) -> None:
    def reactions() -> list[list[str]]:
        return [
            [one["emoji"] for one in call["reaction"] or ()]
            for call in telegram.named("setMessageReaction")
        ]

    telegram.write("Hello")
    await telegram.until(lambda: reactions() == [["👀"], []])
    await desk.owner.core.change({"channels.telegram.doneEmoji": "❤️"})
    telegram.write("/help")
    await telegram.until(lambda: reactions()[2:] in ([["👀"], ["❤"]], [["❤"]]))
    assert (await desk.api.channels.test("telegram")).notes == (
        "In groups it only gets messages that mention it or reply to it, and commands.",
    )
    await desk.owner.core.change({"channels.telegram.doneEmoji": "✅"})
    assert "Telegram has no reaction ✅." in (await desk.api.channels.test("telegram")).notes


async def test_a_message_that_is_edited_while_it_waits_is_answered_as_it_is_then(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    held = server.hold("First")
    telegram.write("First")
    await asyncio.to_thread(server.wait_for_request)
    second = telegram.write("Secund")
    telegram.rewrite(second, "Secnd")
    telegram.rewrite(second, "Second")
    await telegram.until(lambda: not telegram.updates.waiting)
    held.set()
    await telegram.sent(lambda call: call["text"] == "Good day.", nth=2)
    telegram.rewrite(second, "Too late")
    telegram.write("Third")
    await telegram.sent(lambda call: call["text"] == "Good day.", nth=3)
    assert await words_of_people(desk, "telegram:42") == ["First", "Second", "Third"]
    assert len(server.requests) == 3
    assert [call["text"] for call in telegram.named("sendMessage")] == ["Good day."] * 3


async def test_an_answer_that_is_owed_stays_owed_when_another_turn_of_its_chat_ends(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    outbox = desk.owner.core.background.chats.channels.outbox
    chat = str(ALICE["id"])
    held = server.hold("First")
    telegram.write("First")
    await asyncio.to_thread(server.wait_for_request)
    await outbox.owe("answer:next", Address("telegram", chat), f"telegram:{chat}")
    held.set()
    await telegram.sent(lambda call: call["text"] == "Good day.")
    await desk.owner.core.loop.at_rest(f"telegram:{chat}")
    assert await outbox.settle("answer:next", Outgoing("And this."))
    await telegram.sent(lambda call: call["text"] == "And this.")


async def test_an_edit_of_a_message_that_was_for_nobody_here_begins_nothing(
    desk: Desk, telegram: TelegramServer
) -> None:
    friends = telegram.group()
    telegram.rewrite(telegram.write("Just talking", chat=friends), "@nano_bot talk")
    telegram.rewrite(telegram.write("@nano_bot hello", chat=friends, by=MALLORY), "@nano_bot talk")
    telegram.write("Hello")
    sent = await telegram.sent(lambda call: call.name == "sendMessage")
    assert sent["chat_id"] == ALICE["id"]
    assert len(await desk.api.conversations.list()) == 1


async def test_a_file_that_is_too_large_is_not_tried_and_told_of_in_the_message(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer, tmp_path: Path
) -> None:
    for name, size in (("film.mp4", 60_000_000), ("note.txt", 5)):
        with (tmp_path / "workspace" / name).open("wb") as file:
            file.truncate(size)
    media = [str(tmp_path / "workspace" / name) for name in ("film.mp4", "note.txt")]
    server.script(use("message", content="Here they are.", media=media), "say:.")
    telegram.write("Show me")
    sent = await telegram.sent(lambda call: call.name == "sendDocument")
    assert "Here they are." in sent["caption"]
    assert "<code>film.mp4</code> is too large for Telegram: 60 MB of 50 MB." in sent["caption"]
    assert [call.files for call in telegram.calls if call.files] == [sent.files]


async def test_a_download_stands_in_the_way_of_its_own_chat_alone(
    desk: Desk, telegram: TelegramServer, server: ScriptedServer
) -> None:
    held = telegram.hold("download")
    telegram.attach("document", b"a,b", "table.csv", caption="Look")
    telegram.write("And this?")
    friends = telegram.group()
    telegram.write("@nano_bot hello", chat=friends)
    sent = await telegram.sent(lambda call: call.name == "sendMessage")
    assert sent["chat_id"] == friends["id"]
    await telegram.until(lambda: not telegram.updates.waiting)
    assert telegram.named("setMessageReaction")[0]["chat_id"] == ALICE["id"]
    assert await words_of_people(desk, "telegram:42") == []
    held.set()
    await telegram.sent(lambda call: call.name == "sendMessage" and call["chat_id"] == ALICE["id"])
    await telegram.until(lambda: len(telegram.named("sendMessage")) > 2)
    assert await words_of_people(desk, "telegram:42") == ["Look", "And this?"]


async def test_a_file_that_fails_to_come_is_fetched_again_and_one_that_is_gone_is_named(
    desk: Desk, telegram: TelegramServer
) -> None:
    telegram.fail("download", BAD_GATEWAY)
    telegram.attach("document", b"a,b", "table.csv", caption="Look")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    body = b'{"ok": false, "error_code": 400, "description": "Bad Request: file is too big"}'
    telegram.fail("getFile", Fault(400, body, {"Content-Type": "application/json"}))
    telegram.attach("document", b"a,b", "film.mp4", caption="And this?")
    await telegram.sent(lambda call: call["text"] == "Good day.", nth=2)
    first, _answer, second, _other = (await desk.api.conversations.read("telegram:42")).messages
    assert [Path(name).read_bytes() for name in first["_files"]] == [b"a,b"]
    assert second["content"] == "And this?\n\n[These files could not be received: film.mp4]"


async def test_a_file_that_was_not_here_at_the_end_is_fetched_at_the_next_start(
    tmp_path: Path, server: ScriptedServer, telegram: TelegramServer
) -> None:
    held = telegram.hold("download")
    async with talking(tmp_path, server, telegram) as desk:
        telegram.attach("document", b"a,b", "table.csv", caption="Look")
        await telegram.until(lambda: not telegram.updates.waiting)
        assert await words_of_people(desk, "telegram:42") == []
    held.set()
    async with talking(tmp_path, server, telegram) as desk:
        await telegram.sent(lambda call: call["text"] == "Good day.")
        (asked, _answered) = (await desk.api.conversations.read("telegram:42")).messages
        assert asked["content"] == "Look"
        assert [Path(name).read_bytes() for name in asked["_files"]] == [b"a,b"]
        assert not await desk.owner.core.database.read("SELECT * FROM arrivals")
