"""A chat app's own library and nothing else, connected and idle: what a channel costs at the least.

python -m tests.bench.bare_chat NAME SETTINGS, with its keys in the environment; says when it is "up".
"""

import asyncio
import json
import os
import sys
from typing import Any


async def telegram(settings: dict[str, Any], keys: list[str]) -> None:
    """Long polls; "heard" for each message."""
    from telegram import Bot

    bot = Bot(keys[0], base_url=f"{settings['apiBase']}/bot")
    await bot.initialize()
    print("up", flush=True)
    after = None
    while True:
        for update in await bot.get_updates(offset=after, timeout=50, read_timeout=70):
            after = update.update_id + 1
            print("heard", flush=True)


async def slack(settings: dict[str, Any], keys: list[str]) -> None:
    """Socket Mode."""
    import aiohttp
    from slack_sdk.web.async_client import AsyncWebClient

    async with aiohttp.ClientSession() as session:
        web = AsyncWebClient(keys[0], base_url=settings["apiBase"], session=session)
        url = str((await web.apps_connections_open(app_token=keys[1]))["url"])
        async with session.ws_connect(url, heartbeat=15) as socket:
            print("up", flush=True)
            async for _message in socket:
                pass


async def email(settings: dict[str, Any], keys: list[str]) -> None:
    """IDLE, in a thread."""
    import ssl

    import aiosmtplib  # noqa: F401 - as every program that answers mail
    from imapclient import IMAPClient

    tls = ssl.create_default_context()
    client = IMAPClient(settings["imapHost"], settings["imapPort"], ssl_context=tls)
    client.login(settings["imapUsername"], keys[0])
    client.select_folder("INBOX")
    client.idle()
    print("up", flush=True)
    while True:
        await asyncio.to_thread(client.idle_check, 600)


async def discord(settings: dict[str, Any], keys: list[str]) -> None:
    """The gateway, with as little kept as the library can."""
    import discord as library

    library.http.Route.BASE = settings["apiBase"]
    nobody = library.MemberCacheFlags.none()
    intents = library.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)
    client = library.Client(
        intents=intents, member_cache_flags=nobody, max_messages=None, chunk_guilds_at_startup=False
    )

    @client.event
    async def on_ready() -> None:
        print("up", flush=True)

    await client.login(keys[0])
    address = (await client.http.get_bot_gateway())[1]
    library.gateway.DiscordWebSocket.DEFAULT_GATEWAY = type(
        library.gateway.DiscordWebSocket.DEFAULT_GATEWAY
    )(address)
    await client.connect()


async def matrix(settings: dict[str, Any], keys: list[str]) -> None:
    """Long polls, without keys for encrypted rooms."""
    from nio import AsyncClient

    client = AsyncClient(settings["homeserver"], settings["userId"])
    client.access_token = keys[0]
    await client.sync(timeout=0)
    print("up", flush=True)
    while True:
        await client.sync(timeout=30_000)


async def qq(settings: dict[str, Any], keys: list[str]) -> None:
    """The gateway, by aiohttp: QQ's own library is unfit for a program."""
    import aiohttp

    base, app = settings["apiBase"], settings["appId"]
    async with aiohttp.ClientSession() as session:
        body = {"appId": app, "clientSecret": keys[0]}
        async with session.post(f"{base}/app/getAppAccessToken", json=body) as answer:
            token = f"QQBot {(await answer.json(content_type=None))['access_token']}"
        async with session.get(f"{base}/gateway/bot", headers={"Authorization": token}) as answer:
            url = (await answer.json(content_type=None))["url"]
        async with session.ws_connect(url) as socket:
            every = (await socket.receive_json())["d"]["heartbeat_interval"] / 1000
            await socket.send_json({"op": 2, "d": {"token": token, "intents": 1 << 25, "shard": [0, 1]}})
            await _idle(socket, every, {"op": 1, "d": None})


async def dingtalk(settings: dict[str, Any], keys: list[str]) -> None:
    """A stream, by aiohttp: DingTalk's own library is unfit for a program."""
    import aiohttp

    topic = {"type": "CALLBACK", "topic": "/v1.0/im/bot/messages/get"}
    body = {"clientId": settings["clientId"], "clientSecret": keys[0], "subscriptions": [topic]}
    async with aiohttp.ClientSession() as session:
        url = f"{settings['apiBase']}/v1.0/gateway/connections/open"
        async with session.post(url, json=body) as answer:
            told = await answer.json(content_type=None)
        query = {"ticket": told["ticket"]}
        async with session.ws_connect(told["endpoint"], params=query, heartbeat=30) as socket:
            await _idle(socket)


async def feishu(settings: dict[str, Any], keys: list[str]) -> None:
    """A long connection, by aiohttp: Feishu's own library is unfit for a program."""
    import aiohttp

    async with aiohttp.ClientSession() as session:
        body = {"AppID": settings["appId"], "AppSecret": keys[0]}
        async with session.post(f"{settings['apiBase']}/callback/ws/endpoint", json=body) as answer:
            url = (await answer.json(content_type=None))["data"]["URL"]
        async with session.ws_connect(url, heartbeat=20) as socket:
            await _idle(socket)


async def _idle(socket: Any, every_s: float = 0.0, beat: Any = None) -> None:
    """Hear nothing, and beat."""
    print("up", flush=True)
    while True:
        try:
            async with asyncio.timeout(every_s or None):
                await socket.receive()
        except TimeoutError:
            await socket.send_json(beat)


async def mochat(settings: dict[str, Any], keys: list[str]) -> None:
    """Socket.IO."""
    import socketio

    client = socketio.AsyncClient(serializer="msgpack", reconnection=False)
    await client.connect(settings["baseUrl"], transports=["websocket"], auth={"token": keys[0]})
    print("up", flush=True)
    await client.wait()


async def nothing(_settings: dict[str, Any], _keys: list[str]) -> None:
    """A loop."""
    print("up", flush=True)
    await asyncio.Event().wait()


APPS = {
    "telegram": telegram,
    "slack": slack,
    "email": email,
    "discord": discord,
    "matrix": matrix,
    "qq": qq,
    "dingtalk": dingtalk,
    "feishu": feishu,
    "mochat": mochat,
    "nothing": nothing,
}

if __name__ == "__main__":
    keys = [value for name, value in os.environ.items() if name.startswith("NANOBOT_CHANNEL__")]
    asyncio.run(APPS[sys.argv[1]](json.loads(sys.argv[2]), keys))
