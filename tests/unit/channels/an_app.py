"""A chat app without a service."""

import asyncio

from desktop.channels.channel import Channel
from desktop.channels.message import Abilities, Known, Sending


class AnApp(Channel):
    """What it is given to send is in `sent`."""

    abilities = Abilities(100)

    def __init__(self) -> None:
        super().__init__("telegram", None)
        self.sent: asyncio.Queue[str] = asyncio.Queue()

    async def start(self) -> None:
        self.up.set()

    async def stop(self) -> None:
        self.up.clear()

    async def check(self) -> None: ...

    async def probe(self) -> Known:
        return Known("")

    async def post(self, sending: Sending) -> str:
        self.sent.put_nowait(sending.part.plain)
        return str(self.sent.qsize())

    def parts(self, text: str) -> list[tuple[str, str]]:
        return [("", text)]
