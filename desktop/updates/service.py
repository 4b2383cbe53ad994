"""Looks for a newer version once a day at the most: a service with one timer, and a notice in the inbox.

It tells, and installs nothing: a package manager or the person does that.
"""

import asyncio
import logging
from collections.abc import Callable

from desktop import __version__
from desktop.bus.bus import Bus
from desktop.config.updates import ALWAYS, NEVER
from desktop.config.updates import Updates as Settings
from desktop.inbox.inbox import SEEN, UPDATE, Inbox, Notice
from desktop.net.way_out import WrongVariable
from desktop.paths import Home
from desktop.services.rhythm import Beating
from desktop.services.status import ServiceState
from desktop.tasks import in_thread
from desktop.text import _
from desktop.updates import source
from desktop.updates.fetch import Unreachable, fetch
from desktop.updates.known import Known, folder, keep, load
from desktop.updates.release import OLDER, Refused, Release, verified
from desktop.updates.source import Source

NAME = "updates"
_DAY_S = 24 * 3600.0
_log = logging.getLogger(__name__)


class UpdateCheck(Beating):
    """The service."""

    def __init__(
        self,
        home: Home,
        settings: Callable[[], Settings],
        inbox: Inbox,
        bus: Bus,
        *,
        window: bool,
        find: Callable[[], Source | None] = source.of_build,
        version: str = __version__,
    ) -> None:
        """`window`: whether the program has one. `find`: says where to look. `version`: of this program."""
        super().__init__(NAME, bus, folder(home) / "looked")
        self._home, self._settings, self._inbox, self._find = home, settings, inbox, find
        self._window, self._version = window, version
        self._looking = asyncio.Lock()
        self.source: Source | None = None
        self.known = Known()

    @property
    def interval(self) -> float:
        """In seconds; 0 where it is switched off."""
        check = self._settings().check
        on = check == ALWAYS or (check != NEVER and self._window)
        return _DAY_S if self.source is not None and on else 0.0

    async def load(self) -> None:
        """Find out what is known already."""
        self.source = await in_thread(self._find)
        if self.source is not None:
            self.known = await in_thread(load, self._home, self.source)

    async def start(self) -> None:
        """Arm the timer, and close what was told of a version that is here by now."""
        await self.load()
        for notice in await self._inbox.list(kind=UPDATE):
            if self.available is None or notice.id != notice_id(self.available):
                await self._inbox.settle(notice.id, SEEN)
        await super().start()

    @property
    def available(self) -> Release | None:
        """The newest release, where it is newer than this program."""
        release = self.known.release
        return release if release is not None and release.is_newer(self._version) else None

    async def by_itself(self) -> None:
        """Look, and wait for the next day, whatever came of it."""
        await self.rhythm.beaten()
        await self.look()
        if self.available is not None:
            await self._tell(self.available)
        self.apply()

    async def look(self) -> None:
        """Get the release file; `known` has what came of it."""
        async with self._looking:
            if self.source is None:
                return
            before, body = self.known.release, None
            try:
                body = await fetch(self.source.address)
                release = verified(body, self.source.key)
                if before is not None and release.order < before.order:
                    raise Refused(OLDER)
                self.known = Known(release)
            except Refused as error:
                _log.warning("no look at releases: %s", error.text)
                self.known, body = Known(before, refused=error.text), None
            except (Unreachable, WrongVariable) as error:
                _log.info("no look at releases: %s", error)
                self.known, body = Known(before, unreachable=True), None
            await in_thread(keep, self._home, self.known, body)
            state = ServiceState.DEGRADED if self.known.refused else ServiceState.RUNNING
            self.status.set(state, self.known.refused)

    async def _tell(self, release: Release) -> None:
        """Once for a version."""
        title = _("Nanobot Desktop {version} is available").format(version=release.version)
        news = "\n".join(f"• {line}" for line in release.told)
        body = {"text": news, "remedy": _("See Settings, About, or: {page}").format(page=release.page)}
        await self._inbox.add(Notice(notice_id(release), UPDATE, "", "", title, body))


def notice_id(release: Release) -> str:
    """Of the notice that tells of a release."""
    return f"{UPDATE}:{release.version}"
