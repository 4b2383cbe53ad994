"""QQ's own client as a bot that says what it heard: python qq.py URL APPID SECRET. See ../vendors.py."""

import sys
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import botpy  # type: ignore[import-not-found]
from botpy.http import Route  # type: ignore[import-not-found]

URL, APP_ID, SECRET = sys.argv[1:]
TOKENS = "https://bots.qq.com"
"""Is written into the client."""


class Bot(botpy.Client):  # type: ignore[misc]
    """Answers with what it heard."""

    async def on_c2c_message_create(self, message: Any) -> None:
        """Somebody wrote in private."""
        await message.reply(content=f"Heard {message.content}", msg_seq=1)

    async def on_group_at_message_create(self, message: Any) -> None:
        """Somebody wrote in a group."""
        await message.reply(content=f"Heard {message.content.strip()} in a group", msg_seq=1)


def main() -> None:
    """Until it is ended."""
    Route.SCHEME, Route.DOMAIN = "http", urlsplit(URL).netloc
    post = aiohttp.ClientSession.post

    def elsewhere(session: aiohttp.ClientSession, url: Any = None, **options: Any) -> Any:
        return post(session, str(url).replace(TOKENS, URL), **options)

    aiohttp.ClientSession.post = elsewhere  # type: ignore[assignment]
    bot = Bot(intents=botpy.Intents(public_messages=True), bot_log=False, ext_handlers=False)
    bot.run(appid=APP_ID, secret=SECRET)


main()
