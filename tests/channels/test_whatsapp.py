"""WhatsApp, from a message of somebody to the answer, by its process and the library's own messages."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PIL import Image

from desktop.bus.events import ServiceChanged
from desktop.paths import Home
from tests.channels.conftest import words_of_people
from tests.channels.loopback import SILENT, Fault, Json
from tests.channels.test_bad_input import full_disk
from tests.channels.whatsapp_server import (
    ALICE,
    ALICE_LID,
    BOT,
    BOT_LID,
    GROUP,
    MALLORY,
    WhatsAppServer,
    e2e,
    link,
    protos,
    reachable,
)
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.core.test_permits import use

CHAT = f"whatsapp:{ALICE}@s.whatsapp.net"


@pytest.fixture
async def whatsapp() -> AsyncIterator[WhatsAppServer]:
    async with WhatsAppServer() as found:
        with reachable(found.port):
            yield found


@asynccontextmanager
async def talking(
    folder: Path, server: ScriptedServer, whatsapp: WhatsAppServer, **more: object
) -> AsyncIterator[Desk]:
    """A program that is linked to that account, as Alice's."""
    Program(folder).use_server(server.url, "say:Good day.")
    if not (folder / "channels").exists():
        link(folder)
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        await core.staying()
        values: Json = {"owner": f"+{ALICE[:2]} {ALICE[2:5]} {ALICE[5:]}", "enabled": True, **more}
        await core.change({f"channels.whatsapp.{name}": value for name, value in values.items()})
        await running(desk)
        yield desk


async def running(desk: Desk, *states: str) -> str:
    """Wait until it is so far; why it is."""
    wanted = states or ("running",)
    while True:
        apps = await desk.api.channels.all()
        (line,) = [one for one in apps if one.name == "whatsapp"]
        if line.state in wanted:
            return line.detail
        async for event in desk.events:
            if isinstance(event, ServiceChanged):
                break


async def noted(desk: Desk) -> None:
    """Wait until nothing is on its way: what is, is said twice after an end."""
    while await desk.owner.core.database.read("SELECT 1 FROM outbox WHERE state != 'sent'"):
        await asyncio.sleep(0.02)


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer) -> AsyncIterator[Desk]:
    async with talking(tmp_path, server, whatsapp) as desk:
        yield desk


async def said(whatsapp: WhatsAppServer, wanted: str | Callable[[Json], object], nth: int = 1) -> Json:
    """The nth message of the bot with these words, or as wanted."""
    look = wanted if callable(wanted) else lambda one: one["text"] == wanted
    return (await whatsapp.until(lambda: [one for one in whatsapp.said if look(one)][nth - 1 :]))[0]


async def test_the_owner_asks_and_gets_an_answer(desk: Desk, whatsapp: WhatsAppServer) -> None:
    whatsapp.write("Hello")
    found = await said(whatsapp, "Good day.")
    assert found["to"] == f"{ALICE}@s.whatsapp.net"
    assert not found["message"].HasField("extendedTextMessage")
    assert await desk.said(CHAT) == [("user", "Hello"), ("assistant", "Good day.")]
    assert f"{ALICE}@s.whatsapp.net" in whatsapp.typing


async def test_strangers_get_no_answer_at_all(desk: Desk, whatsapp: WhatsAppServer) -> None:
    whatsapp.write("Let me in", by=MALLORY)
    whatsapp.write("Hello all", by=MALLORY, group=GROUP)
    whatsapp.write("Hello")
    await said(whatsapp, "Good day.")
    assert {one["to"] for one in whatsapp.said} == {f"{ALICE}@s.whatsapp.net"}
    assert not await desk.api.channels.requests()


async def test_in_a_listed_group_an_answer_names_what_it_answers(
    tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer
) -> None:
    async with talking(tmp_path, server, whatsapp, groupAllowFrom=[GROUP], groupPolicy="mention") as desk:
        whatsapp.write("just talk", by=MALLORY, group=GROUP)
        about = e2e.ContextInfo(mentionedJID=[f"{BOT_LID}@lid"])
        text = e2e.ExtendedTextMessage(text=f"@{BOT_LID} hello", contextInfo=about)
        id_ = whatsapp.write(by=MALLORY, group=GROUP, content=e2e.Message(extendedTextMessage=text))
        found = await said(whatsapp, "Good day.")
        quote = found["message"].extendedTextMessage.contextInfo
        assert (found["to"], quote.stanzaID, quote.participant) == (GROUP, id_, f"{MALLORY}@s.whatsapp.net")
        assert await words_of_people(desk, f"whatsapp:{GROUP}") == ["hello"]
        answers = e2e.ContextInfo(
            participant=f"{BOT}@s.whatsapp.net", quotedMessage=e2e.Message(conversation="Good day.")
        )
        reply = e2e.ExtendedTextMessage(text="and you?", contextInfo=answers)
        whatsapp.write(by=MALLORY, group=GROUP, content=e2e.Message(extendedTextMessage=reply))
        await said(whatsapp, "Good day.", 2)
        assert await words_of_people(desk, f"whatsapp:{GROUP}") == ["hello", "and you?"]


async def test_who_is_written_by_another_id_is_the_same_person(
    desk: Desk, whatsapp: WhatsAppServer, tmp_path: Path
) -> None:
    whatsapp.write("One")
    await said(whatsapp, "Good day.")
    whatsapp.write("Two", lid=ALICE_LID)  # with the number beside it
    await said(whatsapp, "Good day.", 2)
    whatsapp.write("Three", by="", lid=ALICE_LID)  # alone, as it was learned
    await said(whatsapp, "Good day.", 3)
    whatsapp.numbers["10000000000008"] = ALICE
    whatsapp.write("Four", by="", lid="10000000000008")  # as the library has it
    await said(whatsapp, "Good day.", 4)
    assert await words_of_people(desk, CHAT) == ["One", "Two", "Three", "Four"]
    whatsapp.write("Five", by="", lid="10000000000009")  # nobody knows whose it is
    whatsapp.write("Six", lid=ALICE_LID, by=MALLORY)  # another number has it now
    whatsapp.write("Seven")
    await said(whatsapp, "Good day.", 5)
    assert await words_of_people(desk, CHAT) == ["One", "Two", "Three", "Four", "Seven"]


async def test_a_hidden_id_may_be_told_or_listed_itself(
    tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer
) -> None:
    more: Json = {"lidMappings": {"10000000000009": ALICE}, "allowFrom": ["10000000000010@lid"]}
    async with talking(tmp_path, server, whatsapp, **more) as desk:
        whatsapp.write("One", by="", lid="10000000000009")
        await said(whatsapp, "Good day.")
        assert await words_of_people(desk, CHAT) == ["One"]
        whatsapp.write("Two", by="", lid="10000000000010")
        assert (await said(whatsapp, "Good day.", 2))["to"] == "10000000000010@lid"
        whatsapp.write("Three", by=MALLORY, lid="10000000000010")  # now the number is known, too
        await said(whatsapp, "Good day.", 3)
        settings = desk.owner.core.store.config.channels.whatsapp
        assert settings.allow_from == (MALLORY,)


async def test_the_chat_with_oneself_is_answered_and_nothing_else_of_the_account(
    tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer
) -> None:
    async with talking(tmp_path, server, whatsapp, owner=BOT) as desk:
        whatsapp.write("To Alice", by=BOT, mine=True, chat=f"{ALICE}@s.whatsapp.net")
        whatsapp.write("To the group", by=BOT, mine=True, group=GROUP)
        whatsapp.write("Note to self", by=BOT, mine=True, lid=BOT_LID)
        found = await said(whatsapp, "Good day.")
        assert found["to"] == f"{BOT}@s.whatsapp.net"
        whatsapp.write("Good day.", by=BOT, mine=True, id_=found["id"])  # its own answer comes back
        whatsapp.write("Note again", by=BOT, mine=True)
        await said(whatsapp, "Good day.", 2)
        mine = f"whatsapp:{BOT}@s.whatsapp.net"
        assert await words_of_people(desk, mine) == ["Note to self", "Note again"]


async def test_history_statuses_and_doubles_are_left(desk: Desk, whatsapp: WhatsAppServer) -> None:
    whatsapp.write("From before it was linked", at=time.time() - 86_400)
    whatsapp.write("A status", chat="status@broadcast")
    id_ = whatsapp.write("Once")
    whatsapp.write("Once", id_=id_)
    reaction = e2e.ReactionMessage(text="👍")
    whatsapp.write(content=e2e.Message(reactionMessage=reaction))
    whatsapp.write("Twice")
    await said(whatsapp, "Good day.", 2)
    assert await words_of_people(desk, CHAT) == ["Once", "Twice"]


async def test_all_kinds_of_messages_are_read(desk: Desk, whatsapp: WhatsAppServer) -> None:
    quoted = e2e.ContextInfo(
        participant=f"{MALLORY}@s.whatsapp.net", quotedMessage=e2e.Message(conversation="Buy it!")
    )
    text = e2e.ExtendedTextMessage(text="Shall I?", contextInfo=quoted)
    later = e2e.FutureProofMessage(message=e2e.Message(extendedTextMessage=text))
    place = e2e.LocationMessage(degreesLatitude=52.5, degreesLongitude=13.25, name="Home")
    passed = e2e.ExtendedTextMessage(text="News", contextInfo=e2e.ContextInfo(isForwarded=True))
    for content in (
        e2e.Message(ephemeralMessage=later),
        e2e.Message(locationMessage=place),
        e2e.Message(contactMessage=e2e.ContactMessage(displayName="Bob", vcard="BEGIN:VCARD")),
        e2e.Message(extendedTextMessage=passed),
    ):
        whatsapp.write(content=content)
    await said(whatsapp, "Good day.", 4)
    asked = await words_of_people(desk, CHAT)
    assert asked[0].startswith("> Buy it!")
    assert asked[0].endswith("Shall I?")
    assert asked[1] == "Home geo:52.500000,13.250000"
    assert asked[2] == "BEGIN:VCARD"
    assert asked[3] == "[Forwarded]\nNews"


async def test_files_go_both_ways(
    desk: Desk, whatsapp: WhatsAppServer, server: ScriptedServer, tmp_path: Path
) -> None:
    picture, voice = tmp_path / "workspace" / "cat.png", tmp_path / "workspace" / "cat.ogg"
    Image.new("RGB", (400, 300), "red").save(picture)
    voice.write_bytes(b"OggS")
    sent = use("message", content="Here is the cat.", media=[str(picture), str(voice)])
    server.script(sent, "say:.")
    media = whatsapp.media(b"a,b\n", fileName="table.csv", mimetype="text/csv", caption="look")
    inside = e2e.FutureProofMessage(
        message=e2e.Message(documentMessage=e2e.DocumentMessage(**media, JPEGThumbnail=b"x" * 9000))
    )
    whatsapp.write(content=e2e.Message(documentWithCaptionMessage=inside))
    found = await said(whatsapp, lambda one: one["message"].HasField("imageMessage"))
    shown = found["message"].imageMessage
    assert (shown.caption, shown.width, shown.height) == ("Here is the cat.", 400, 300)
    assert whatsapp.uploads[shown.directPath] == ("MediaImage", picture.read_bytes())
    heard = (await said(whatsapp, lambda one: one["message"].HasField("audioMessage")))["message"]
    assert (heard.audioMessage.PTT, heard.audioMessage.mimetype) == (True, "audio/ogg; codecs=opus")
    messages = (await desk.api.conversations.read(CHAT)).messages
    assert messages[0]["content"] == "look"
    (path,) = messages[0]["_files"]
    assert Path(path).read_bytes() == b"a,b\n"
    assert Path(path).name.endswith("table.csv")
    assert not list((tmp_path / "channels" / "whatsapp" / "files").iterdir())


@pytest.mark.parametrize(
    ("field", "more", "name"),
    [
        ("imageMessage", {"mimetype": "image/jpeg"}, "picture.jpg"),
        ("audioMessage", {"mimetype": "audio/ogg; codecs=opus", "PTT": True}, "audio.ogg"),
        ("videoMessage", {"mimetype": "video/mp4"}, "video.mp4"),
        ("stickerMessage", {"mimetype": "image/webp"}, "sticker.webp"),
        ("documentMessage", {"fileName": "../../run.sh"}, "run.sh"),
    ],
)
async def test_each_kind_of_file_is_kept_under_a_name(
    desk: Desk, whatsapp: WhatsAppServer, field: str, more: Json, name: str
) -> None:
    kind = e2e.Message.DESCRIPTOR.fields_by_name[field].message_type.name
    made = getattr(e2e, kind)(**whatsapp.media(b"inside", **more))
    whatsapp.write(content=e2e.Message(**{field: made}))
    await said(whatsapp, "Good day.")
    (path,) = (await desk.api.conversations.read(CHAT)).messages[0]["_files"]
    assert (Path(path).name.partition("-0-")[2], Path(path).read_bytes()) == (name, b"inside")


async def test_a_file_that_is_gone_or_too_large_is_told(desk: Desk, whatsapp: WhatsAppServer) -> None:
    gone = e2e.DocumentMessage(directPath="/gone", fileName="gone.txt", fileLength=3, caption="see")
    whatsapp.write(content=e2e.Message(documentMessage=gone))
    large = e2e.DocumentMessage(directPath="/large", fileName="large.bin", fileLength=1 << 30)
    whatsapp.write(content=e2e.Message(documentMessage=large))
    await said(whatsapp, "Good day.", 2)
    asked = await words_of_people(desk, CHAT)
    assert "gone.txt" in asked[0]
    assert "large.bin" in asked[1]
    assert not [call for call in whatsapp.calls if call["path"] == "/large"]


async def test_a_message_that_is_edited_while_it_waits_is_answered_as_it_is_then(
    desk: Desk, whatsapp: WhatsAppServer, server: ScriptedServer
) -> None:
    held = server.hold("First")
    whatsapp.write("First")
    await asyncio.to_thread(server.wait_for_request)
    second = whatsapp.write("Secund")
    whatsapp.edit(second, "Second")
    while (await words_of_people(desk, CHAT))[1:] != ["Second"]:
        await asyncio.sleep(0.02)
    held.set()
    await said(whatsapp, "Good day.", 2)
    whatsapp.edit(second, "Too late")
    whatsapp.write("Third")
    await said(whatsapp, "Good day.", 3)
    assert await words_of_people(desk, CHAT) == ["First", "Second", "Third"]


async def test_markdown_is_written_with_whatsapps_marks(
    desk: Desk, whatsapp: WhatsAppServer, server: ScriptedServer
) -> None:
    text = "# Title\n\nIt is **so** and _so_, ~~not~~ `x`:\n\n- [a](https://a.example)\n\n"
    server.script(f"say:{text}```py\ny = 1\n```")
    whatsapp.write("Is it?")
    found = await said(whatsapp, lambda one: "Title" in one["text"])
    assert found["text"] == (
        "*Title*\n\nIt is *so* and _so_, ~not~ `x`:\n\n- a (https://a.example)\n\n```y = 1```"
    )


async def test_a_message_is_marked_while_it_is_dealt_with_if_wanted(
    tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer
) -> None:
    async with talking(tmp_path, server, whatsapp, reactEmoji="👀"):
        held = server.hold("Hello")
        id_ = whatsapp.write("Hello")
        marked = await said(whatsapp, lambda one: one["message"].HasField("reactionMessage"))
        shown = marked["message"].reactionMessage
        assert (shown.key.ID, shown.text, shown.key.fromMe) == (id_, "👀", False)
        held.set()
        await said(whatsapp, "Good day.")


async def test_the_process_dies_in_the_middle_and_nothing_is_lost_or_doubled(
    tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer
) -> None:
    async with talking(tmp_path, server, whatsapp) as desk:
        whatsapp.write("One")
        await said(whatsapp, "Good day.")
        await noted(desk)
        whatsapp.crash()
        assert "quit unexpectedly" in await running(desk, "degraded")
        whatsapp.write("Two")
        await said(whatsapp, "Good day.", 2)
        await noted(desk)
        os.kill(whatsapp.hellos[-1]["pid"], signal.SIGKILL)
        await running(desk, "degraded")
        whatsapp.write("Three")
        await said(whatsapp, "Good day.", 3)
        assert await words_of_people(desk, CHAT) == ["One", "Two", "Three"]
        assert len({one["pid"] for one in whatsapp.hellos}) == 3


async def test_a_message_that_the_program_did_not_store_comes_again(
    tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer
) -> None:
    async with talking(tmp_path, server, whatsapp) as desk:
        core = desk.owner.core
        await core.change({"channels.whatsapp.enabled": False})
        await whatsapp.until(lambda: not whatsapp.connected)
    folder = tmp_path / "channels" / "whatsapp"
    link_row = list(folder.glob("account.db"))
    assert link_row
    assert oct(folder.stat().st_mode)[-3:] == "700"
    kept = folder / "waiting" / f"{time.time_ns():020}-0.json"
    sender = f"{ALICE}@s.whatsapp.net"
    plain: Json = {"chat": sender, "sender": sender, "other": "", "group": False, "mine": False}
    plain |= {"id": "3AKEPT", "edited": False, "name": "Alice", "at": 5.0, "text": "Kept", "mentions": []}
    plain |= {"forwarded": False, "quoted": "", "quoted_by": "", "files": []}
    kept.write_text(json.dumps(plain))
    async with talking(tmp_path, server, whatsapp) as desk:
        await said(whatsapp, "Good day.")
        assert await words_of_people(desk, CHAT) == ["Kept"]
        assert not kept.exists()


@pytest.mark.expected_log("waits for the disk|could not be (stored|written|entered)")
async def test_a_message_that_nobody_could_put_on_a_full_disk_waits_for_room(
    desk: Desk, whatsapp: WhatsAppServer
) -> None:
    with full_disk():
        os.kill(whatsapp.hellos[-1]["pid"], signal.SIGKILL)  # the next one has no room either
        await whatsapp.until(lambda: len(whatsapp.hellos) == 2 and whatsapp.connected)
        whatsapp.write("One")
        whatsapp.write("Two")
        await whatsapp.until(lambda: len(whatsapp.hellos) > 2)
    await said(whatsapp, "Good day.", 2)
    assert await words_of_people(desk, CHAT) == ["One", "Two"]


async def test_what_came_while_the_program_was_away_is_answered_once(
    tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer
) -> None:
    async with talking(tmp_path, server, whatsapp):
        whatsapp.write("One")
        await said(whatsapp, "Good day.")
    await whatsapp.until(lambda: not whatsapp.connected)
    whatsapp.write("Two")
    async with talking(tmp_path, server, whatsapp) as desk:
        await said(whatsapp, "Good day.", 2)
        assert await words_of_people(desk, CHAT) == ["One", "Two"]


async def test_the_phone_logs_it_out_and_it_waits_for_the_person(
    desk: Desk, whatsapp: WhatsAppServer, tmp_path: Path
) -> None:
    whatsapp.log_out()
    detail = await running(desk, "needs_sign_in")
    assert "Link it again" in detail
    assert not (tmp_path / "channels" / "whatsapp").exists()
    assert len(whatsapp.hellos) == 1
    tried = await desk.api.channels.test("whatsapp")
    assert (tried.ok, "not linked" in tried.text) == (False, True)


async def test_that_it_was_logged_out_counts_also_where_a_check_finds_it_gone(
    desk: Desk, whatsapp: WhatsAppServer, tmp_path: Path
) -> None:
    whatsapp.fail("blocklist", SILENT)  # what a check asks for
    desk.owner.core.background.services.again()
    await whatsapp.refused(lambda call: call.name == "blocklist")
    whatsapp.log_out()
    await running(desk, "needs_sign_in")
    assert not (tmp_path / "channels" / "whatsapp").exists()
    assert len(whatsapp.hellos) == 1


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (protos.StreamReplaced(), "Another program"),
        (protos.TemporaryBan(Expire=3600), "suspended this account until"),
        (protos.ClientOutdated(), "newer Nanobot"),
    ],
)
async def test_what_only_the_person_can_mend_is_not_tried_again(
    desk: Desk, whatsapp: WhatsAppServer, event: object, words: str
) -> None:
    whatsapp.tell(event)
    assert words in await running(desk, "failed")
    assert len(whatsapp.hellos) == 1


async def test_while_the_library_connects_again_nothing_is_sent(
    desk: Desk, whatsapp: WhatsAppServer
) -> None:
    whatsapp.write("One")
    await said(whatsapp, "Good day.")
    whatsapp.tell(protos.Disconnected(status=True))
    channel = desk.owner.core.background.chats.channels.get("whatsapp")
    assert channel
    while channel.up.is_set():
        await asyncio.sleep(0)
    await desk.api.channels.send("whatsapp", ALICE, "Time for tea")
    whatsapp.tell(protos.Connected(status=True))
    assert (await said(whatsapp, "Time for tea"))["to"] == f"{ALICE}@s.whatsapp.net"
    assert len(whatsapp.hellos) == 1


async def test_what_whatsapp_refuses_waits_in_the_inbox(desk: Desk, whatsapp: WhatsAppServer) -> None:
    whatsapp.fail("send", Fault(body=b"server returned error 463"))
    await desk.api.channels.send("whatsapp", "4912", "Hello?")
    while not (found := (await desk.api.inbox.list()).notices):
        await anext(desk.events)
    assert "463" in str(found[0].body)


async def test_a_test_goes_by_the_connection_that_there_is(desk: Desk, whatsapp: WhatsAppServer) -> None:
    tried = await desk.api.channels.test("whatsapp")
    assert (tried.ok, tried.name) == (True, f"+{BOT}")
    assert len(whatsapp.hellos) == 1
    await desk.owner.core.change({"channels.whatsapp.enabled": False})
    assert (await desk.api.channels.test("whatsapp")).ok
    assert len(whatsapp.hellos) == 2


async def test_the_proxy_is_used_and_its_password_is_in_no_argument(
    tmp_path: Path, server: ScriptedServer, whatsapp: WhatsAppServer
) -> None:
    async with talking(tmp_path, server, whatsapp, proxy="socks5h://127.0.0.1:1080"):
        hello = whatsapp.hellos[-1]
        assert hello["proxy"] == "socks5://127.0.0.1:1080"
        if Path("/proc").exists():
            arguments = Path(f"/proc/{hello['pid']}/cmdline").read_bytes()
            assert b"--whatsapp" in arguments
            assert b"1080" not in arguments


async def test_odd_messages_hold_up_nothing(desk: Desk, whatsapp: WhatsAppServer) -> None:
    whatsapp.tell(protos.Message())
    whatsapp.tell(protos.Message(Info=protos.MessageInfo(ID="x")))
    deep = e2e.Message(conversation="deep")
    for _time in range(40):
        deep = e2e.Message(ephemeralMessage=e2e.FutureProofMessage(message=deep))
    whatsapp.write(content=deep)
    whatsapp.write("Hello", name="\u202eMal\nlory" + "x" * 4000)
    await said(whatsapp, "Good day.")
