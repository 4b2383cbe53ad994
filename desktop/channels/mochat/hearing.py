"""How Mochat's messages come: over the connection, or by requests while there is none.

Over the connection the server tells of new chats as well, so nothing is asked for by the clock. What was
missed meanwhile comes with the subscription of a session, and from the page of a panel.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from desktop.channels.channel import NotDelivered, Slower, connection_lost
from desktop.channels.listening import understood
from desktop.channels.mochat.chats import Chats, Read, dicts
from desktop.channels.mochat.incoming import Json
from desktop.channels.mochat.reading import Reading, Told, changes_people
from desktop.channels.mochat.rest import Rest
from desktop.channels.mochat.socket import OtherForm, Socket
from desktop.channels.mochat.watching import Watching
from desktop.config.channels.mochat import Mochat as Settings
from desktop.errors import AppError
from desktop.services.service import SignInNeeded
from desktop.tasks import cancel, spawn
from desktop.text import _

_LOOK_AGAIN_S, _TRIES, _MOST_ON_A_PAGE = 60.0, 3, 100
"""How long a chat that was in no list is not looked for; how often a call that fails is made."""
_NOTICE = "notify:chat.message."
_log = logging.getLogger(__name__)


class Hearing:
    """All ways by which one agent hears."""

    def __init__(self, rest: Rest, settings: Settings, proxy: str, chats: Chats) -> None:
        """`proxy`: its address, "" for the system's."""
        self._rest, self._settings, self._proxy, self._chats = rest, settings, proxy, chats
        self.reading = Reading(chats)
        self._socket: Socket | None = None
        self._watching = Watching(self.watch, self.look, settings.refresh_interval_ms / 1000)
        self._returning: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()
        self._looking: asyncio.Task[None] | None = None
        self._looks: dict[str, None] = {}
        """What has to be read now: sessions, panels, "" for the lists."""
        self._unknown: dict[str, float] = {}
        """Chats that were in no list, and when they were looked for, by the loop's clock."""

    async def open(self) -> None:
        """Begin to hear. Raises SignInNeeded, AppError, StorageError."""
        await self._chats.refresh()
        try:
            await self._connect()
        except SignInNeeded:
            raise
        except AppError as error:
            waits = _("Until then, messages are asked for and may come later.")
            self.reading.put(Told(detail=str(AppError(f"{error.text} {waits}", error.remedy))))
            self._watching.start(self._chats.sessions)
            self._look(*self._chats.panels)
            if not isinstance(error, OtherForm):
                self._returning = spawn(self._return(), name="mochat:return")

    async def close(self) -> None:
        """Hear nothing more."""
        await cancel(self._returning, self._looking)
        await self._watching.stop()
        if self._socket is not None:
            await self._socket.close()

    async def check(self, seconds: float) -> None:
        """Whether Mochat answers, and the connection still stands. Raises TimeoutError, AppError."""
        self._hurry.set()
        async with asyncio.timeout(seconds):
            await self._new_ones()
            await self._catch_up([*self._chats.sessions])

    # ---- the connection

    async def _connect(self) -> None:
        socket = await Socket.opened(self._settings, self._rest.token, self._proxy, self._heard)
        panels = [*self._chats.panels]
        try:
            await self._subscribe(socket, [*self._chats.sessions])
            if panels:
                await socket.ask("subscribePanels", {"panelIds": panels})
        except BaseException:
            await socket.close()
            raise
        self._socket = socket
        self._look(*panels)

    async def _return(self) -> None:
        """Try the connection again and again; with it nothing has to be asked for."""
        settings = self._settings
        pause, tries = settings.socket_reconnect_delay_ms / 1000, 0
        longest = max(pause, settings.socket_max_reconnect_delay_ms / 1000)
        while not settings.max_retry_attempts or tries < settings.max_retry_attempts:
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._hurry.wait()
            self._hurry.clear()
            tries, pause = tries + 1, min(2 * pause, longest)
            try:
                await self._connect()
            except SignInNeeded as error:
                self.reading.put(error)
                return
            except AppError as error:
                _log.info("Mochat's connection: %s", error.text)
                continue
            await self._watching.stop()
            self.reading.put(Told(detail=""))
            return

    async def _subscribe(self, socket: Socket, sessions: list[str]) -> None:
        """Hear of these, and what was said there meanwhile. Raises AppError, StorageError."""
        if not sessions:
            return
        read = {id_: await self._chats.read(id_) for id_ in sessions}
        cursors = {id_: found.cursor for id_, found in read.items() if found}
        body = {"sessionIds": sessions, "cursors": cursors, "limit": self._settings.watch_limit}
        for one in _batches((await socket.ask("subscribeSessions", body)).get("data")):
            self.reading.batch(one, _history(read.get(str(one.get("sessionId")))))

    def _heard(self, name: str, told: object) -> None:
        """By the connection, in its order."""
        if not name:
            if self._socket is not None:
                self.reading.put(connection_lost())
        elif isinstance(told, dict):
            understood(partial(self._event, name, told), None)

    def _event(self, name: str, told: Json) -> None:
        unknown = ""
        if name == "claw.session.events":
            if changes_people(told):
                self._chats.somebody_came(str(told.get("sessionId")))
                self._look("")
            self.reading.batch(told)
        elif name == "claw.panel.events":
            unknown = self.reading.panel_events(told)
        elif name == "notify:chat.inbox.append":
            session, unknown = self.reading.inbox(told)
            if session:  # its events may not come by themselves
                self._look(session)
        elif name.startswith(_NOTICE):
            unknown = self.reading.notice(name.removeprefix(_NOTICE), told)
        if unknown:
            self._look_for(unknown)

    # ---- requests

    async def watch(self, session: str) -> None:
        """Ask a session for news, and wait until they are dealt with."""
        read, settings = await self._chats.read(session), self._settings
        body = {
            "sessionId": session,
            "cursor": read.cursor if read else 0,
            "timeoutMs": settings.watch_timeout_ms,
            "limit": settings.watch_limit,
        }
        seconds = settings.watch_timeout_ms / 1000 + 15
        told = await self._tried(lambda: self._rest.call("sessions/watch", body, seconds))
        self.reading.batch({"sessionId": session} | told, _history(read))
        await self.reading.settled()
        if await self._chats.read(session) == read:  # a server that does not wait must not be asked at once
            await asyncio.sleep(settings.retry_delay_ms / 1000)

    async def look(self) -> dict[str, tuple[str, ...]]:
        """Look for new chats, and at what was said in panels; all sessions."""
        await self._tried(self._new_ones)
        for panel in tuple(self._chats.panels):
            await self._page(panel)
        return self._chats.sessions

    async def _page(self, panel: str) -> None:
        body = {"panelId": panel, "limit": min(_MOST_ON_A_PAGE, self._settings.watch_limit)}
        try:
            told = await self._tried(lambda: self._rest.call("groups/panels/messages", body))
        except NotDelivered as error:
            _log.info("a panel of Mochat: %s", error.text)
            return
        await self.reading.settled()  # what came before it is read
        self.reading.page(panel, told, await self._chats.read(panel))

    async def _tried[T](self, call: Callable[[], Awaitable[T]]) -> T:
        """Make a call that may fail; where it does for good, nothing is heard any more. Raises AppError."""
        failures = 0
        while True:
            try:
                return await call()
            except Slower as error:
                await asyncio.sleep(error.seconds)
            except NotDelivered:
                raise  # it is about one chat
            except AppError as error:
                failures += 1
                if isinstance(error, SignInNeeded) or failures == _TRIES:
                    self.reading.put(error)
                    raise
                await asyncio.sleep(self._settings.retry_delay_ms / 1000)

    # ---- what is new

    def _look_for(self, unknown: str) -> None:
        """Look at the lists for a chat that was in none, not too often."""
        now = asyncio.get_running_loop().time()
        self._unknown = {id_: at for id_, at in self._unknown.items() if now - at <= _LOOK_AGAIN_S}
        if unknown not in self._unknown and self._chats.more:
            self._unknown[unknown] = now
            self._look("")

    def _look(self, *wanted: str) -> None:
        self._looks |= dict.fromkeys(wanted)
        if self._looks and (self._looking is None or self._looking.done()):
            self._looking = spawn(self._look_now(), name="mochat:look")

    async def _look_now(self) -> None:
        while self._looks:
            wanted, self._looks = self._looks, {}
            if "" in wanted:
                await self._tried(self._new_ones)
            for panel in wanted:
                if panel in self._chats.panels:
                    await self._page(panel)
            sessions = [id_ for id_ in wanted if id_ in self._chats.sessions]
            await self._tried(partial(self._catch_up, sessions))

    async def _catch_up(self, sessions: list[str]) -> None:
        if self._socket is not None:
            await self._subscribe(self._socket, sessions)

    async def _new_ones(self) -> None:
        sessions, panels = await self._chats.refresh()
        await self._catch_up(sessions)
        if self._socket is not None and panels:
            await self._socket.ask("subscribePanels", {"panelIds": panels})
            self._look(*panels)


def _history(read: Read | None) -> float:
    """What was written up to this moment in a session that was read so far is not for the agent."""
    return read.since if read else 0.0


def _batches(told: object) -> list[Json]:
    """What an answer to a subscription brings: a list, one with a name, or one session."""
    if isinstance(told, dict):
        return dicts(told["sessions"]) if "sessions" in told else [told]
    return dicts(told)
