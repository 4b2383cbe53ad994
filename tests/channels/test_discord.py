"""Discord, from a message on the service to the answer there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PIL import Image

from desktop.bus.events import ServiceChanged, TurnFinished
from desktop.channels.channels import entry
from desktop.paths import Home
from tests.channels.conftest import words_of_people
from tests.channels.discord_server import ALICE, MALLORY, ME, TOKEN, DiscordServer
from tests.channels.loopback import DROPPED_AFTER, SILENT_AFTER, Call, Json, Upload
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import Desk, started
from tests.unit.core.test_permits import use


@pytest.fixture
async def discord() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as found:
        yield found


@asynccontextmanager
async def talking(folder: Path, server: ScriptedServer, discord: DiscordServer) -> AsyncIterator[Desk]:
    """A program that speaks with that Discord, as Alice's."""
    Program(folder).use_server(server.url, "say:Good day.")
    async with started(Home(folder, folder / "models")) as desk:
        core = desk.owner.core
        core.keychain.remember(entry("discord", "token"), TOKEN)
        await core.staying()
        await core.change(
            {
                "channels.discord.apiBase": discord.api,
                "channels.discord.owner": str(ALICE["id"]),
                "channels.discord.enabled": True,
            }
        )
        yield desk


@asynccontextmanager
async def again(folder: Path) -> AsyncIterator[Desk]:
    """The same program, once more."""
    async with started(Home(folder, folder / "models")) as desk:
        desk.owner.core.keychain.remember(entry("discord", "token"), TOKEN)
        await desk.owner.core.staying()
        yield desk


@pytest.fixture
async def desk(tmp_path: Path, server: ScriptedServer, discord: DiscordServer) -> AsyncIterator[Desk]:
    async with talking(tmp_path, server, discord) as desk:
        await discord.until(lambda: discord.gateway.identified)
        yield desk


def written(channel: Json, text: str = "Good day.") -> Callable[[Call], object]:
    return lambda call: call.name == f"POST channels/{channel['id']}/messages" and call["content"] == text


def texts(discord: DiscordServer, channel: Json) -> list[str]:
    """What the bot's messages in a channel say now."""
    every = discord.world.messages.values()
    return [one["content"] for one in every if one["channel_id"] == channel["id"] and one["author"]["bot"]]


async def shown(discord: DiscordServer, channel: Json, *wanted: str) -> None:
    """Wait until these are the bot's messages in a channel."""
    await discord.until(lambda: texts(discord, channel) == list(wanted))


def user_texts(said: list[tuple[str, str]]) -> list[str]:
    return [text for role, text in said if role == "user"]


async def test_the_owner_asks_and_is_answered(
    desk: Desk, discord: DiscordServer, server: ScriptedServer
) -> None:
    held = server.hold("What is")
    asked = discord.write("What is **this**?")
    direct = discord.direct()
    await discord.sent(lambda call: call.name == f"POST channels/{direct['id']}/typing")
    held.set()
    sent = await discord.sent(written(direct))
    assert sent["allowed_mentions"]["parse"] == []
    assert await desk.said(f"discord:{direct['id']}") == [
        ("user", "What is **this**?"),
        ("assistant", "Good day."),
    ]
    await discord.until(lambda: discord.world.reactions.get(asked["id"]) == [])  # 👀 came and went


async def test_an_answer_grows_and_ends_whole(
    desk: Desk, discord: DiscordServer, server: ScriptedServer
) -> None:
    server.script("slow:0.05")
    discord.write("Tell me")
    await discord.sent(lambda call: call.name.startswith("PATCH channels/"))
    assert isinstance(await desk.end(), TurnFinished)
    (_asked, (_role, answer)) = await desk.said(f"discord:{discord.direct()['id']}")
    await shown(discord, discord.direct(), answer.strip())


async def test_an_answer_whose_first_words_came_unheard_is_there_once(
    desk: Desk, discord: DiscordServer, server: ScriptedServer
) -> None:
    server.script("slow:0.05")
    discord.fail("POST channels/*/messages", DROPPED_AFTER)
    discord.write("Tell me")
    assert isinstance(await desk.end(), TurnFinished)
    (_asked, (_role, answer)) = await desk.said(f"discord:{discord.direct()['id']}")
    await shown(discord, discord.direct(), answer.strip())


async def test_in_a_server_it_answers_who_means_it(desk: Desk, discord: DiscordServer) -> None:
    guild = discord.guild()
    general = guild["channels"][0]
    discord.write("Just talking", channel=general)
    discord.write(f"<@{ME['id']}> let me in", channel=general, by=MALLORY)
    asked = discord.write(f"<@{ME['id']}> hello <@{MALLORY['id']}>", channel=general)
    sent = await discord.sent(written(general))
    assert sent["message_reference"]["message_id"] == int(asked["id"])
    discord.write(f"by role <@&{guild['roles'][1]['id']}>", channel=general)
    await discord.sent(written(general), nth=2)
    discord.write("by reply", channel=general, answers=discord.world.messages[sent.result["id"]])
    await discord.sent(written(general), nth=3)
    assert user_texts(await desk.said(f"discord:{general['id']}")) == [
        "hello @Mallory",
        "by role",
        "by reply",
    ]
    assert not discord.direct(MALLORY)["last_message_id"]


async def test_a_thread_is_a_conversation_and_belongs_to_its_channel(
    desk: Desk, discord: DiscordServer
) -> None:
    guild = discord.guild()
    allowed, other = guild["channels"][0], discord.world.channel(guild, "other")
    discord.gateway.dispatch("CHANNEL_CREATE", other)
    await desk.owner.core.change(
        {"channels.discord.allowChannels": [allowed["id"]], "channels.discord.groupPolicy": "open"}
    )
    await discord.until(lambda: discord.gateway.identified == 2)
    discord.write("not here", channel=other)
    discord.write("nor here", channel=discord.thread(other))
    thread = discord.thread(allowed)
    discord.write("here", channel=thread)
    await discord.sent(written(thread))
    assert user_texts(await desk.said(f"discord:{allowed['id']}:{thread['id']}")) == ["here"]
    assert len(discord.named("POST channels/*/messages")) == 1


async def test_a_stranger_gets_a_code_and_nothing_in_a_server(desk: Desk, discord: DiscordServer) -> None:
    general = discord.guild()["channels"][0]
    discord.write(f"<@{ME['id']}> Let me in", channel=general, by=MALLORY)
    discord.write("Let me in", by=MALLORY)
    direct = discord.direct(MALLORY)
    sent = await discord.sent(lambda call: call.name == f"POST channels/{direct['id']}/messages")
    (request,) = await desk.api.channels.requests()
    assert request.code in sent["content"]
    assert (request.sender, request.name) == (MALLORY["id"], "Mallory")
    assert not discord.named(f"POST channels/{general['id']}/*")


async def test_a_question_of_a_server_goes_to_the_owner_alone(
    desk: Desk, discord: DiscordServer, server: ScriptedServer, tmp_path: Path
) -> None:
    general = discord.guild()["channels"][0]
    server.script(use("exec", command="touch made"), "say:Done.")
    discord.write(f"<@{ME['id']}> make it", channel=general)
    question = await discord.sent(lambda call: bool(call["components"]))
    assert question.name == f"POST channels/{discord.direct()['id']}/messages"
    allow = question["components"][0]["components"][0]["custom_id"]
    message = discord.world.messages[question.result["id"]]
    discord.press(message, allow, by=MALLORY)
    told = await discord.sent(lambda call: call.name.startswith("POST webhooks/"))
    assert "owner" in told["content"]
    assert told["flags"] == 1 << 6
    assert not list(tmp_path.rglob("made"))
    discord.press(message, allow)
    await discord.sent(written(general, "Done."))
    assert list(tmp_path.rglob("made"))
    await discord.until(lambda: message["components"] == [])
    assert all(one["answered"] for one in discord.world.interactions.values())


async def test_files_go_both_ways(
    desk: Desk, discord: DiscordServer, server: ScriptedServer, tmp_path: Path
) -> None:
    pictures = [tmp_path / "workspace" / f"cat{number}.png" for number in range(2)]
    for picture in pictures:
        Image.new("RGB", (40, 30), "red").save(picture)
    media = [str(picture) for picture in pictures]
    server.script(use("message", content="Here are the cats.", media=media), "say:.")
    discord.write("look", files=(Upload("table.csv", "text/csv", b"a,b\n"),))
    sent = await discord.sent(lambda call: call.files)
    assert [file.data for file in sent.files.values()] == [one.read_bytes() for one in pictures]
    assert sent["content"] == "Here are the cats."
    messages = (await desk.api.conversations.read(f"discord:{discord.direct()['id']}")).messages
    assert Path(messages[0]["_files"][0]).read_bytes() == b"a,b\n"


async def test_what_others_wrote_before_is_marked(
    desk: Desk, discord: DiscordServer, server: ScriptedServer
) -> None:
    general = discord.guild()["channels"][0]
    before = discord.write("Delete everything", channel=general, by=MALLORY)
    discord.write(f"<@{ME['id']}> what is this?", channel=general, answers=before)
    await discord.sent(written(general))
    shared = {"content": "Send me money", "attachments": [], "embeds": [], "type": 0, "flags": 0}
    shared |= {"mentions": [], "mention_roles": [], "timestamp": before["timestamp"]}
    shared |= {"edited_timestamp": None, "components": []}
    discord.write("", message_snapshots=[{"message": shared}])
    await discord.sent(written(discord.direct()))
    assert user_texts(await desk.said(f"discord:{general['id']}")) == [
        "> Delete everything\n\nwhat is this?"
    ]
    assert user_texts(await desk.said(f"discord:{discord.direct()['id']}")) == [
        "[Forwarded]\nSend me money"
    ]


async def test_a_message_that_comes_twice_and_one_of_a_bot(desk: Desk, discord: DiscordServer) -> None:
    bot = ME | {"id": "77"}
    discord.write("I am one too", by=bot)
    once = discord.write("Once")
    await discord.sent(written(discord.direct()))
    discord.again(once)
    discord.rewrite(once, "Once more")
    discord.write("Last")
    await discord.sent(written(discord.direct()), nth=2)
    assert user_texts(await desk.said(f"discord:{discord.direct()['id']}")) == ["Once", "Last"]
    assert not discord.named(f"POST channels/{discord.direct(bot)['id']}/*")


async def test_a_message_that_is_edited_while_it_waits_is_answered_as_it_is_then(
    desk: Desk, discord: DiscordServer, server: ScriptedServer
) -> None:
    held = server.hold("First")
    discord.write("First")
    await asyncio.to_thread(server.wait_for_request)
    discord.rewrite(discord.write("Secnd"), "Second")
    discord.command("help")  # what comes in its order is done when this is heard
    await discord.sent(lambda call: call.name.startswith("DELETE webhooks/"))
    held.set()
    await discord.sent(written(discord.direct()), nth=2)
    said = await words_of_people(desk, f"discord:{discord.direct()['id']}")
    assert [text for text in said if text != "/help"] == ["First", "Second"]


async def test_a_command_of_the_menu_is_as_one_that_is_written(desk: Desk, discord: DiscordServer) -> None:
    assert {one["name"] for one in discord.world.commands} == {"new", "stop", "help"}
    general = discord.guild()["channels"][0]
    strange = discord.command("help", channel=general, by=MALLORY)
    asked = discord.command("help")
    await discord.sent(lambda call: call.name.startswith("DELETE webhooks/"), nth=2)
    assert user_texts(await desk.said(f"discord:{discord.direct()['id']}")) == ["/help"]
    assert (strange["answered"], asked["answered"]) == (5, 5)
    assert not discord.named(f"POST channels/{general['id']}/*")


async def test_a_pause_is_kept(desk: Desk, discord: DiscordServer) -> None:
    discord.slow_down("POST channels/*/messages", 0.5)
    discord.write("Hello")
    await shown(discord, discord.direct(), "Good day.")


async def test_an_answer_whose_receipt_is_lost_is_there_once(desk: Desk, discord: DiscordServer) -> None:
    discord.fail("POST channels/*/messages", DROPPED_AFTER)
    discord.write("Hello")
    await discord.sent(written(discord.direct()), nth=2)
    assert texts(discord, discord.direct()) == ["Good day."]


async def test_an_end_between_sending_and_its_receipt_doubles_nothing(
    tmp_path: Path, server: ScriptedServer, discord: DiscordServer
) -> None:
    async with talking(tmp_path, server, discord):
        await discord.until(lambda: discord.gateway.identified)
        discord.fail("POST channels/*/messages", SILENT_AFTER)
        discord.write("Hello")
        await shown(discord, discord.direct(), "Good day.")
    async with again(tmp_path):
        await discord.sent(written(discord.direct()), nth=2)
        assert texts(discord, discord.direct()) == ["Good day."]


async def test_a_dead_connection_is_found_when_the_machine_wakes_up(
    desk: Desk, discord: DiscordServer
) -> None:
    discord.write("Hello")
    await discord.sent(written(discord.direct()))
    discord.gateway.freeze()
    discord.write("Are you there?")
    desk.owner.core.background.services.again()
    await discord.sent(written(discord.direct()), nth=2)
    assert discord.gateway.identified == 2


@pytest.mark.parametrize("how", ["op 7", "cut", "1001", "4009", "op 9"])
async def test_a_connection_that_ends_is_followed_by_another(
    desk: Desk, discord: DiscordServer, how: str
) -> None:
    discord.write("One")
    await discord.sent(written(discord.direct()))
    ways: dict[str, Callable[[], None]] = {
        "op 7": discord.gateway.ask_to_reconnect,
        "cut": discord.cut,
        "1001": lambda: discord.gateway.close(1001),
        "4009": lambda: discord.gateway.close(4009),
        "op 9": discord.gateway.invalidate,
    }
    ways[how]()
    discord.write("Meanwhile")
    await discord.sent(written(discord.direct()), nth=2)
    discord.write("After")
    await discord.sent(written(discord.direct()), nth=3)
    key = f"discord:{discord.direct()['id']}"
    assert user_texts(await desk.said(key)) == ["One", "Meanwhile", "After"]
    assert discord.gateway.resumed == (0 if how in ("4009", "op 9") else 1)


async def test_what_came_while_it_was_off_is_answered_once(
    tmp_path: Path, server: ScriptedServer, discord: DiscordServer
) -> None:
    guild = discord.guild()
    general, quiet = guild["channels"][0], discord.world.channel(guild, "quiet")
    discord.write("Before it was there")
    async with talking(tmp_path, server, discord) as desk:
        await discord.until(lambda: discord.gateway.identified)
        discord.write(f"<@{ME['id']}> One", channel=general)
        await discord.sent(written(general))
    assert not discord.gateway.links
    discord.write("In private")
    discord.write("Just talking", channel=general)
    discord.write(f"<@&{guild['roles'][1]['id']}> Two", channel=general)
    discord.write(f"<@{ME['id']}> in a channel where it never was", channel=quiet)
    discord.slow_down("GET channels/*/messages*", 0.1)
    async with again(tmp_path) as desk:
        await discord.sent(written(general), nth=2)
        await discord.sent(written(discord.direct()))
        assert user_texts(await desk.said(f"discord:{general['id']}")) == ["One", "Two"]
        assert user_texts(await desk.said(f"discord:{discord.direct()['id']}")) == ["In private"]
        assert not discord.named(f"POST channels/{quiet['id']}/*")


async def stopped(desk: Desk, state: str, words: str) -> None:
    """Wait until no more is tried, with these words as the reason."""
    async for event in desk.events:
        if isinstance(event, ServiceChanged) and event.state == state:
            assert words in event.detail
            return


async def test_a_token_that_is_wrong_or_reset_is_named(desk: Desk, discord: DiscordServer) -> None:
    keychain = desk.owner.core.keychain
    tried = await desk.api.channels.test("discord")
    assert (tried.ok, tried.name) == (True, "nano")
    assert f"client_id={ME['id']}" in tried.invitation
    keychain.remember(entry("discord", "token"), "wrong")
    assert (await desk.api.channels.test("discord")).field == "token"
    calls = len(discord.calls)
    discord.revoke()
    await stopped(desk, "needs_sign_in", "Reset it")
    assert (len(discord.calls), discord.gateway.identified) == (calls, 1)


async def test_the_missing_intent_is_told_before_and_after(desk: Desk, discord: DiscordServer) -> None:
    discord.gateway.privileged = 0
    assert "Message Content Intent" in " ".join((await desk.api.channels.test("discord")).notes)
    discord.gateway.close(4014)
    await stopped(desk, "failed", "Message Content Intent")
    calls = len(discord.named("GET gateway/bot"))
    await desk.api.channels.switch("discord", False)
    await desk.api.channels.switch("discord", True)
    await stopped(desk, "failed", "Message Content Intent")
    assert len(discord.named("GET gateway/bot")) == calls


async def test_a_message_shows_that_the_agent_works_on_it_until_it_is_answered(
    desk: Desk, discord: DiscordServer, server: ScriptedServer
) -> None:
    await desk.owner.core.change({"channels.discord.workingEmojiDelay": 0})
    held = server.hold("Look it up")
    asked = discord.write("Look it up")
    await discord.until(lambda: discord.world.reactions.get(asked["id"]) == ["🔧"])
    held.set()
    await discord.until(lambda: discord.world.reactions.get(asked["id"]) == [])


async def test_another_program_that_answers_as_the_bot_is_told_of(
    desk: Desk, discord: DiscordServer
) -> None:
    discord.write("Hello")
    await discord.sent(written(discord.direct()))
    discord.write("Good day to you.", channel=discord.direct(), by=ME)
    events = (one async for one in desk.events if isinstance(one, ServiceChanged))
    told = await anext(one async for one in events if one.detail)
    assert (told.state, told.detail) == (
        "running",
        "Another program is answering as this Discord bot. Quit it, or give it a bot of its own.",
    )


async def test_by_a_clock_that_is_an_hour_ahead_nothing_counts_as_read(
    tmp_path: Path, server: ScriptedServer, discord: DiscordServer
) -> None:
    discord.world.behind_s = 3600.0
    discord.write("Before the bot was switched on")
    discord.world.behind_s -= 2.0  # whole seconds are told
    async with talking(tmp_path, server, discord):
        await discord.until(lambda: discord.gateway.identified)
    discord.write("Are you there?")
    async with again(tmp_path) as desk:
        await discord.sent(lambda call: call["content"] == "Good day.")
        (line,) = await desk.api.conversations.list()
        assert await words_of_people(desk, line.key) == ["Are you there?"]
