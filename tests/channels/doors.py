"""The way to the services of chat apps, and what may be there instead: nobody, somebody else, silence."""

import asyncio
from functools import partial

from tests.channels.app import App
from tests.channels.apps import QQ, DingTalk, Discord, Feishu, Mochat, Slack, Telegram, WhatsApp
from tests.channels.real_apps import Email, Matrix

PAGE = b"<html><body>Welcome to our hotel</body></html>"


class Door:
    """A port that leads to a server, or to somebody else, or to nobody; all on the loop."""

    def __init__(self, target: int = 0, port: int = 0) -> None:
        self.port, self._target = port, target
        self._server: asyncio.Server | None = None
        self._inside: set[asyncio.StreamWriter] = set()
        self.came = asyncio.Event()
        """Somebody came since it was last changed."""

    async def set(self, how: str) -> None:
        """through, shut, silent, page (what a hotel says to who asks) or unasked (the same at once)."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in self._inside:
            writer.transport.abort()
        self.came.clear()
        if how != "shut":
            enter = partial(self._enter, how)
            self._server = await asyncio.start_server(enter, "127.0.0.1", self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def _enter(self, how: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._inside.add(writer)
        self.came.set()
        try:
            if how == "through":
                await self._pass(reader, writer)
            elif how == "silent":
                await reader.read()
            elif how == "unasked" or await reader.read(65_536):
                head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(PAGE)}\r\n\r\n"
                writer.write(head.encode() + PAGE)
                await reader.read()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._inside.discard(writer)
            writer.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_relay(reader, back))
                both.create_task(_relay(there, writer))
        except* OSError:
            pass
        finally:
            back.close()


async def _relay(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65_536):
        target.write(data)
        await target.drain()
    target.close()


class Way:
    """The way to the service of an app. The servers of this process are stopped where it is not there; to
    the others it leads through doors."""

    def __init__(self, app: App) -> None:
        self._app, self._stopped = app, False
        if isinstance(app, Email):
            self.doors = [Door(app.server.imaps), Door(app.server.submission)]
        elif isinstance(app, Matrix):
            self.doors = [Door(app.server.port)]
        else:
            assert isinstance(app, Telegram | Slack | Discord | QQ | DingTalk | Feishu | Mochat | WhatsApp)
            self.doors = [Door(port=app.peer.server.port)]

    @property
    def settings(self) -> dict[str, object]:
        """What leads there."""
        if isinstance(self._app, Matrix):
            return {"homeserver": f"http://127.0.0.1:{self.doors[0].port}"}
        if isinstance(self._app, Email):
            return {"imapPort": self.doors[0].port, "smtpPort": self.doors[1].port}
        return {}

    async def set(self, how: str) -> None:
        """As Door.set()."""
        app = self._app
        if isinstance(app, Telegram | Slack | Discord | QQ | DingTalk | Feishu | Mochat | WhatsApp):
            if how != "through" and not self._stopped:
                await asyncio.to_thread(lambda: app.peer.run(app.peer.server.stop()))
            elif how == "through" and self._stopped:
                await self.doors[0].set("shut")
                await asyncio.to_thread(lambda: app.peer.run(app.peer.server.start()))
            self._stopped = how != "through"
            if how == "through":
                return
        for door in self.doors:
            await door.set(how)

    async def close(self) -> None:
        """Leave all as it was before there was a way."""
        if isinstance(self._app, Telegram | Slack | Discord | QQ | DingTalk | Feishu | Mochat | WhatsApp):
            await self.set("through")
        for door in self.doors:
            await door.set("shut")

    async def tried(self) -> None:
        """Wait until somebody came since it was last changed."""
        await self.doors[0].came.wait()
