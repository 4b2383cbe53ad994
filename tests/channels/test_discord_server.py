"""The Discord of the tests, judged by discord.py."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
import pytest
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.channels.discord_server import ALICE, ME, TOKEN, DiscordServer
from tests.channels.loopback import DROPPED, Upload

pytestmark = pytest.mark.expected_log("PyNaCl is not installed|davey is not installed")


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as running:
        monkeypatch.setattr(Route, "BASE", running.api)
        monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(running.gateway_url))
        yield running


class Bot(discord.Client):
    """A bot as programs have it. It keeps what it hears, and answers with what it heard."""

    def __init__(self, *, heartbeat_timeout: float = 60) -> None:
        intents = discord.Intents(
            guilds=True, guild_messages=True, dm_messages=True, message_content=True, guild_reactions=True
        )
        super().__init__(intents=intents, heartbeat_timeout=heartbeat_timeout, guild_ready_timeout=0)
        self.heard: list[discord.Message] = []
        self.pressed: list[discord.Interaction[Any]] = []
        self.news = asyncio.Event()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Not five seconds as for the real Discord."""

    async def on_message(self, message: discord.Message) -> None:
        if message.author != self.user:
            self.heard.append(message)
            self.news.set()

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        self.pressed.append(interaction)
        self.news.set()

    async def until[T](self, look: Callable[[], T]) -> T:
        """Wait until it heard what is looked for."""
        async with asyncio.timeout(20):
            while not (found := look()):
                await self.news.wait()
                self.news.clear()
            return found


@asynccontextmanager
async def running(
    server: DiscordServer, **options: float
) -> AsyncIterator[tuple[Bot, asyncio.Future[None]]]:
    """A bot that is connected, and how its life goes."""
    bot = Bot(**options)
    life = asyncio.gather(bot.start(TOKEN))
    await server.until(lambda: server.gateway.identified)
    try:
        yield bot, life  # type: ignore[misc]
    finally:
        await bot.close()
        with contextlib.suppress(discord.ConnectionClosed):
            await life


async def test_a_bot_logs_in_hears_answers_and_edits(server: DiscordServer) -> None:
    async with running(server) as (bot, _):
        server.write("hello")
        (heard,) = await bot.until(lambda: bot.heard)
        assert (heard.content, heard.author.global_name, heard.guild) == ("hello", "Alice", None)
        async with heard.channel.typing():
            said = await heard.reply("po…", allowed_mentions=discord.AllowedMentions.none())
        await said.edit(content="pong")
        await heard.add_reaction("👀")
        await heard.remove_reaction("👀", bot.user or said.author)
        sent = await server.sent(lambda call: call.name == f"POST channels/{heard.channel.id}/messages")
        assert sent["message_reference"]["message_id"] == heard.id
        assert sent.result["mentions"] == []
        assert server.world.messages[str(said.id)]["content"] == "pong"
        with pytest.raises(discord.HTTPException) as refused:
            await heard.channel.send("a" * 2001)
        assert (refused.value.status, refused.value.code) == (400, 50035)
        with pytest.raises(discord.HTTPException):
            await heard.channel.send("")
        history = [one.content async for one in heard.channel.history(limit=5)]
        assert history == ["pong", "hello"]
        await said.delete()
        await server.sent(
            lambda call: call.name == f"DELETE channels/{heard.channel.id}/messages/{said.id}"
        )


async def test_files_go_both_ways(server: DiscordServer) -> None:
    async with running(server) as (bot, _):
        server.write("look", files=(Upload("table.csv", "text/csv", b"a,b\n"),))
        (heard,) = await bot.until(lambda: bot.heard)
        (attached,) = heard.attachments
        assert (attached.filename, attached.size) == ("table.csv", 4)
        assert await attached.read() == b"a,b\n"
        with open(__file__, "rb") as file:
            await heard.channel.send("mine", file=discord.File(file, "mine.py"))
        sent = await server.sent(lambda call: call.files)
        (upload,) = sent.files.values()
        assert (sent["content"], upload.name, upload.data[:3]) == ("mine", "mine.py", b'"""')


async def test_servers_threads_mentions_and_commands(server: DiscordServer) -> None:
    guild = server.guild("Friends")
    channel = guild["channels"][0]
    async with running(server) as (bot, _):
        server.write(f"<@{ME['id']}> and <@&{guild['roles'][1]['id']}>", channel=channel)
        (heard,) = await bot.until(lambda: bot.heard)
        assert heard.guild is not None
        assert (heard.guild.name, bot.user in heard.mentions, len(heard.role_mentions)) == (
            "Friends",
            True,
            1,
        )
        assert isinstance(heard.channel, discord.TextChannel)
        opened = await heard.create_thread(name="Plans")
        await opened.send("here")
        server.write("there", channel=server.thread(channel, "Other"))
        await bot.until(lambda: len(bot.heard) > 1)
        other = bot.heard[1].channel
        assert isinstance(other, discord.Thread)
        assert (other.name, other.parent_id) == ("Other", int(channel["id"]))

        tree = discord.app_commands.CommandTree(bot)

        @tree.command(name="new", description="Start a new session")
        async def new(interaction: discord.Interaction[Any]) -> None:
            await interaction.response.send_message("A new session.")

        await tree.sync()
        server.command("new", channel=channel)
        await server.sent(lambda call: "callback" in call.name and call["type"] == 4)


async def test_buttons(server: DiscordServer) -> None:
    async with running(server) as (bot, _):
        view = discord.ui.View(timeout=None)
        view.add_item(discord.ui.Button(label="Yes", custom_id="yes 3f2"))
        user = await bot.fetch_user(int(ALICE["id"]))
        said = await user.send("May I?", view=view)
        server.press(server.world.messages[str(said.id)], "yes 3f2")
        (pressed,) = await bot.until(lambda: bot.pressed)
        assert pressed.data is not None
        assert dict(pressed.data)["custom_id"] == "yes 3f2"
        await pressed.response.edit_message(content="Allowed.", view=None)
        await pressed.followup.send("Done.")
        assert server.world.messages[str(said.id)]["content"] == "Allowed."
        view.stop()


async def test_a_wrong_token_and_one_that_is_reset(server: DiscordServer) -> None:
    bot = Bot()
    with pytest.raises(discord.LoginFailure):
        await bot.login("wrong")
    await bot.close()
    async with running(server) as (_bot, life):
        server.revoke()
        with pytest.raises(discord.ConnectionClosed) as closed:
            await life
        assert closed.value.code == 4004


async def test_the_intent_for_content_is_refused_and_told_before(server: DiscordServer) -> None:
    server.gateway.privileged = 0
    bot = Bot()
    await bot.login(TOKEN)
    assert not bot.application_flags.gateway_message_content_limited
    with pytest.raises(discord.PrivilegedIntentsRequired):
        await bot.connect()
    await bot.close()


@pytest.mark.parametrize("how", ["op 7", "cut", "4000", "op 9, resumable"])
async def test_a_session_is_resumed_and_nothing_missed(server: DiscordServer, how: str) -> None:
    async with running(server) as (bot, _):
        await server.until(lambda: server.gateway.links)
        ways: dict[str, Callable[[], None]] = {
            "op 7": server.gateway.ask_to_reconnect,
            "cut": server.cut,
            "4000": lambda: server.gateway.close(4000),
            "op 9, resumable": lambda: server.gateway.invalidate(resumable=True),
        }
        ways[how]()
        server.write("meanwhile")
        await server.until(lambda: server.gateway.resumed)
        (heard,) = await bot.until(lambda: bot.heard)
        assert heard.content == "meanwhile"
        assert server.gateway.identified == 1


@pytest.mark.parametrize("how", ["op 9", "4009"])
async def test_a_session_that_is_gone_begins_anew(server: DiscordServer, how: str) -> None:
    async with running(server) as (bot, _):
        if how == "op 9":
            server.gateway.invalidate()
        else:
            server.gateway.close(4009)
        await server.until(lambda: server.gateway.identified == 2)
        server.write("again")
        (heard,) = await bot.until(lambda: bot.heard)
        assert heard.content == "again"


@pytest.mark.expected_log("Shard ID None has stopped responding|heartbeat")
async def test_a_dead_connection_is_found_by_its_heartbeat(server: DiscordServer) -> None:
    server.gateway.heartbeat = 0.2
    async with running(server, heartbeat_timeout=0.6) as (bot, _):
        server.gateway.freeze()
        server.write("are you there?")
        await server.until(lambda: server.gateway.resumed)
        (heard,) = await bot.until(lambda: bot.heard)
        assert heard.content == "are you there?"


@pytest.mark.expected_log("We are being rate limited")
async def test_a_limit_and_a_lost_connection(server: DiscordServer) -> None:
    bot = Bot()
    await bot.login(TOKEN)
    user = await bot.fetch_user(int(ALICE["id"]))
    server.slow_down("POST channels/*", 0.1, times=2)
    await user.send("late")
    assert len(server.calls) - len(server.named("*")) == 2
    server.fail("POST channels/*", DROPPED)
    with pytest.raises(aiohttp.ClientError):
        await user.send("lost")
    server.world.closed.add(ALICE["id"])
    with pytest.raises(discord.Forbidden):
        await user.send("closed")
    await bot.close()
