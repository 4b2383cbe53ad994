"""The Slack of the tests, judged by slack_sdk."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from tests.channels.loopback import DROPPED, Json, Upload
from tests.channels.slack_server import ALICE, APP_TOKEN, BOT_TOKEN, SlackServer


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


@pytest.fixture
def web(slack: SlackServer) -> AsyncWebClient:
    return AsyncWebClient(BOT_TOKEN, base_url=slack.base_url)


class Bot:
    """A bot as programs have it: it acknowledges and keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[SocketModeRequest] = []
        self.acknowledges = True
        self.response: dict[str, object] | None = None

    async def hear(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        self.heard.append(request)
        if self.acknowledges:
            await client.send_socket_mode_response(SocketModeResponse(request.envelope_id, self.response))


@asynccontextmanager
async def connected(slack: SlackServer, bot: Bot) -> AsyncIterator[SocketModeClient]:
    opener = AsyncWebClient(APP_TOKEN, base_url=slack.base_url)
    client = SocketModeClient(APP_TOKEN, web_client=opener, ping_interval=0.2)
    client.socket_mode_request_listeners.append(bot.hear)
    await client.connect()  # type: ignore[no-untyped-call]
    try:
        yield client
    finally:
        await client.close()  # type: ignore[no-untyped-call]


async def test_a_bot_logs_in_hears_answers_and_edits(slack: SlackServer, web: AsyncWebClient) -> None:
    who = await web.auth_test()
    assert (who["user_id"], who["team"]) == ("U0000000BOT", "Nano")
    assert "chat:write" in who.headers["x-oauth-scopes"]
    bot = Bot()
    async with connected(slack, bot):
        (event,) = slack.write("hello")
        await slack.until(lambda: event.acknowledged)
        heard = bot.heard[0].payload["event"]
        assert (heard["text"], heard["channel_type"], heard["user"]) == ("hello", "im", ALICE["id"])
        said = await web.chat_postMessage(channel=heard["channel"], text="po…", thread_ts=heard["ts"])
        await web.chat_update(channel=heard["channel"], ts=str(said["ts"]), markdown_text="**pong**")
        await web.reactions_add(channel=heard["channel"], timestamp=heard["ts"], name="eyes")
        await web.assistant_threads_setStatus(
            channel_id=heard["channel"], thread_ts=heard["ts"], status="is thinking…"
        )
        assert slack.world.statuses == {(heard["channel"], heard["ts"]): "is thinking…"}
        with pytest.raises(SlackApiError, match="already_reacted"):
            await web.reactions_add(channel=heard["channel"], timestamp=heard["ts"], name="eyes")
        await web.reactions_remove(channel=heard["channel"], timestamp=heard["ts"], name="eyes")
        with pytest.raises(SlackApiError, match="cant_update_message"):
            await web.chat_update(channel=heard["channel"], ts=heard["ts"], text="x")
        replies = await web.conversations_replies(channel=heard["channel"], ts=heard["ts"])
        assert [one["text"] for one in replies["messages"]] == ["hello", "**pong**"]
        await slack.until(lambda: len(bot.heard) == 3)
        own, changed = (one.payload["event"] for one in bot.heard[1:])
        assert (own["bot_id"], changed["subtype"]) == ("B0000000001", "message_changed")
        sent = await slack.sent(lambda call: call.name == "chat.postMessage")
        assert sent["thread_ts"] == heard["ts"]


async def test_a_mention_comes_twice_with_one_time(slack: SlackServer) -> None:
    bot = Bot()
    async with connected(slack, bot):
        events = slack.write("<@U0000000BOT> hello", channel=slack.channel())
        await slack.until(lambda: all(one.acknowledged for one in events))
    first, second = (one.payload for one in bot.heard)
    assert {first["event"]["type"], second["event"]["type"]} == {"message", "app_mention"}
    assert first["event"]["ts"] == second["event"]["ts"]
    assert first["event_id"] != second["event_id"]


async def test_what_is_not_acknowledged_comes_again(slack: SlackServer) -> None:
    bot = Bot()
    bot.acknowledges, slack.socket.ack_within = False, 0.1
    (early,) = slack.write("before anybody was there")
    async with connected(slack, bot):
        await slack.until(lambda: early.attempts == 2)
        bot.acknowledges = True
        await slack.until(lambda: early.acknowledged)
        assert [one.retry_attempt for one in bot.heard][:2] == [0, 1]
        assert bot.heard[1].retry_reason == "timeout"
        assert {one.payload["event_id"] for one in bot.heard} == {early.payload["event_id"]}


async def test_files_go_both_ways(slack: SlackServer, web: AsyncWebClient) -> None:
    (event,) = slack.write("look", files=(Upload("table.csv", "text/csv", b"a,b\n"),))
    (file,) = event.payload["event"]["files"]
    async with aiohttp.ClientSession() as session:
        async with session.get(file["url_private_download"]) as answer:
            assert answer.content_type == "text/html"
        headers = {"Authorization": f"Bearer {BOT_TOKEN}"}
        async with session.get(file["url_private_download"], headers=headers) as answer:
            assert await answer.read() == b"a,b\n"
    channel = slack.direct()["id"]
    done = await web.files_upload_v2(
        content="one\ntwo\n", filename="a.txt", title="A", channel=channel, initial_comment="mine"
    )
    assert done["file"]["title"] == "A"
    assert slack.world.contents[done["file"]["id"]].data == b"one\ntwo\n"
    history = await web.conversations_history(channel=channel)
    assert [one["text"] for one in history["messages"]] == ["mine", "look"]


async def test_buttons_and_commands(slack: SlackServer, web: AsyncWebClient) -> None:
    bot = Bot()
    channel = str((await web.conversations_open(users=str(ALICE["id"])))["channel"]["id"])
    button: Json = {"type": "button", "action_id": "yes", "text": {"type": "plain_text", "text": "Yes"}}
    blocks: list[Json] = [
        {"type": "markdown", "text": "# May I?"},
        {"type": "actions", "elements": [button]},
    ]
    said = await web.chat_postMessage(channel=channel, text="May I?", blocks=blocks)
    async with connected(slack, bot):
        pressed = slack.press(said["message"], slack.world.channels[channel], "yes", "3f2")
        await slack.until(lambda: pressed.acknowledged)
        bot.response = {"text": "A new session."}
        given = slack.command("/new")
        await slack.until(lambda: given.acknowledged)
        assert given.response == {"text": "A new session."}
    kinds = {one.type: one.payload for one in bot.heard}
    assert kinds["interactive"]["actions"][0]["value"] == "3f2"
    async with (
        aiohttp.ClientSession() as session,
        session.post(kinds["interactive"]["response_url"], json={"text": "Allowed."}) as answer,
    ):
        assert answer.status == 200
    await slack.sent(lambda call: call.name == "response_url" and call["text"] == "Allowed.")


async def test_what_is_too_long_or_not_there(slack: SlackServer, web: AsyncWebClient) -> None:
    channel = slack.channel()["id"]
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "a" * 3001}}
    for wrong, why in (
        ({"text": "a" * 40_001}, "msg_too_long"),
        ({"markdown_text": "a" * 12_001}, "msg_too_long"),
        ({"text": ""}, "no_text"),
        ({"text": "a", "blocks": [section]}, "invalid_blocks"),
        ({"text": "a", "thread_ts": "1.2"}, "thread_not_found"),
    ):
        with pytest.raises(SlackApiError, match=why):
            await web.api_call("chat.postMessage", json={"channel": channel} | wrong)
    with pytest.raises(SlackApiError, match="not_in_channel"):
        await web.chat_postMessage(channel=slack.channel("far", member=False)["id"], text="a")
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await web.chat_postMessage(channel="C404", text="a")
    assert (await web.users_info(user=str(ALICE["id"])))["user"]["real_name"] == "Alice"


async def test_tokens_scopes_and_limits(slack: SlackServer, web: AsyncWebClient) -> None:
    with pytest.raises(SlackApiError, match="invalid_auth"):
        await AsyncWebClient("xoxb-wrong", base_url=slack.base_url).auth_test()
    with pytest.raises(SlackApiError, match="not_allowed_token_type"):
        await web.apps_connections_open(app_token=BOT_TOKEN)
    slack.scopes.discard("reactions:write")
    with pytest.raises(SlackApiError, match="missing_scope"):
        await web.reactions_add(channel="C1", timestamp="1.2", name="eyes")
    slack.slow_down("chat.*", 7)
    with pytest.raises(SlackApiError) as limited:
        await web.chat_postMessage(channel="C1", text="a")
    assert (limited.value.response.status_code, limited.value.response.headers["Retry-After"]) == (429, "7")
    slack.fail("auth.test", DROPPED)
    with pytest.raises(aiohttp.ClientError):  # what it does itself is to ask again
        await AsyncWebClient(BOT_TOKEN, base_url=slack.base_url, retry_handlers=[]).auth_test()
    slack.revoke()
    with pytest.raises(SlackApiError, match="token_revoked"):
        await web.auth_test()


@pytest.mark.expected_log("Failed to connect|Failed to send a ping|Failed to receive|Failed to check")
@pytest.mark.parametrize("how", ["refresh_requested", "warning", "cut", "dead"])
async def test_a_connection_that_ends_is_made_anew(slack: SlackServer, how: str) -> None:
    slack.socket.ack_within = 0.3
    bot = Bot()
    async with connected(slack, bot):
        if how == "cut":
            slack.cut()
        elif how == "dead":
            slack.socket.freeze()
        else:
            slack.socket.recycle(how, close=how != "warning")
        (event,) = slack.write("are you there?")
        await slack.until(lambda: event.acknowledged)
        await slack.until(lambda: slack.socket.connected > 1)
