"""What was written while nobody listened: Discord does not send it again, so the channels are read."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import discord

from desktop.channels.channel import NotDelivered, Slower
from desktop.channels.discord.link import Gateway
from desktop.channels.discord.read import Read

_MOST = 200
"""Messages in one channel that are looked at."""


async def missed(gateway: Gateway, read: Read, owner: str) -> AsyncIterator[discord.Message]:
    """The messages after those that were read, channel by channel: in those where somebody had to do with
    the agent, and in the owner's. Raises AppError."""
    chats = read.chats()
    if owner.isdecimal():
        with suppress(NotDelivered):
            own = str((await gateway.bot.create_dm(discord.Object(int(owner)))).id)
            if own not in (id_ for id_, _last, _private in chats):
                chats.append((own, read.since, True))
    if any(not private for _id, _last, private in chats):
        await gateway.servers()
    for id_, last, private in chats:
        try:
            async for message in _after(gateway.bot, int(id_), last, private=private):
                yield message
        except NotDelivered:
            read.forget(id_)


async def _after(
    bot: discord.Client, id_: int, last: int, *, private: bool
) -> AsyncIterator[discord.Message]:
    place: Any
    if private:
        place = bot.get_partial_messageable(id_, type=discord.ChannelType.private)
    else:
        place = bot.get_channel(id_) or await bot.fetch_channel(id_)
    while True:
        try:
            async for message in place.history(after=discord.Object(last), limit=_MOST):
                last = message.id
                yield message
        except Slower as error:
            await asyncio.sleep(error.seconds)
        else:
            return
