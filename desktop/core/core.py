"""The life of the program.

The model host is handed in first, already starting, because its imports are the longest wait of a cold
start. Then the settings are read, state.db is opened, the workspace gets its files if it is new, and the
agent loop is built over the sessions. Nothing is asked of a model and no key is read before the first turn.
stop() goes the other way: turns end and keep what they said, then the servers, then the database.
"""

import asyncio
import functools
import logging
import os
from pathlib import Path

from desktop.agent.context import write_templates
from desktop.agent.notices import files_are_unknown
from desktop.bus.bus import Bus
from desktop.config.store import ConfigStore
from desktop.core.former_channels import before_channels, hold_back
from desktop.core.parts import Parts
from desktop.core.subjects import Commands
from desktop.database.database import outdated
from desktop.files import judge_links
from desktop.memory.imports import take_over
from desktop.paths import Home
from desktop.providers.host_process import ModelHost
from desktop.session.pasted import sweep
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import use
from desktop.tools.permissions.links import judge_of

_log = logging.getLogger(__name__)


class Core(Parts):
    """All parts, and how they begin and end."""

    def __init__(self, home: Home, store: ConfigStore, host: ModelHost, bus: Bus, front: str = "") -> None:
        super().__init__(home, store, host, bus, front)
        self._staying: asyncio.Task[None] | None = None
        self.loop.commands = Commands(self)

    @classmethod
    async def start(cls, home: Home, host: ModelHost, bus: Bus, front: str = "") -> "Core":
        """Read the settings and open what is stored. Raises AppError or OSError. `front`: who shows it."""
        if await in_thread((home.root / ".wipe").exists):  # it was to be deleted, and could not be whole
            from desktop.api.privacy import finish_wipe

            await in_thread(functools.partial(finish_wipe, home, all_of_it=False))
        store = ConfigStore(home.config, os.environ)
        await in_thread(store.load)
        use(store.config.appearance.language)
        core = cls(home, store, host, bus, front)
        await core.builtin.choose(store.config.local.model)
        judge = judge_of(home.root, core.workspace, lambda: store.config.permissions.folders)
        await in_thread(judge_links, core.workspace, judge)
        await in_thread(_prepare, core.workspace)
        if await in_thread(outdated, home.database):
            from desktop.merge.backup.before import save_before

            await save_before(home, core.workspace, "migration")
        without_channels = await in_thread(before_channels, home.database)
        await core.database.open()
        try:
            if without_channels:
                await hold_back(store, core.waiting)
            await core._take_up()
        except BaseException:
            await core.database.close()  # what is left open holds up the end of the program
            raise
        core.search.start()
        return core

    async def _take_up(self) -> None:
        """Settle what the end of the last start left open."""
        await self.marks.recover()
        await self.inbox.close_forms()
        await self._tell_of_unknown_files()
        self.database.begun_anew = lambda: spawn(self._tell_of_unknown_files(), name="marks")

    async def _tell_of_unknown_files(self) -> None:
        if not self.database.knows_files and await self.sessions.list():
            await files_are_unknown(self.inbox)

    def stay(self) -> asyncio.Task[None]:
        """The program stays: begin, once, what goes on by itself."""
        if self._staying is None:
            self._staying = spawn(self._stay(), name="background:load")
        return self._staying

    async def staying(self) -> None:
        """Begin it, and wait until it has begun."""
        await asyncio.wait({self.stay()})

    async def _stay(self) -> None:
        await in_thread(_load_background)
        self.background.start()

    async def at_rest(self) -> None:
        """Wait until no turn is under way."""
        await self.loop.all_at_rest()

    async def stop(self) -> None:
        """End everything in order; nothing that was said or shown is lost."""
        await cancel(self._staying)
        await self.downloads.close()
        if "background" in self.__dict__:
            await self.background.stop()
        self.approvals.leave()
        self.subagents.close()
        await self._workers.close()
        await self.loop.close()
        await self.titles.close()
        await self.memory.close()
        await self.toolbox.stop()
        await asyncio.gather(self.builtin.stop(), self.host.stop())
        await in_thread(sweep, self.workspace)
        await in_thread(judge_links, self.workspace, None)
        if "transcriber" in self.__dict__:
            await self.transcriber.stop()
        self.sessions.close()
        await self.search.close()
        await self.database.close()


def _load_background() -> None:
    """Its imports, in a thread: they take a while."""
    import desktop.agent.dreams
    import desktop.api.jobs
    import desktop.core.background  # noqa: F401


def _prepare(workspace: Path) -> None:
    """Give a new workspace its files, take over an old one's memory, and clear away what was to leave
    nothing. Raises OSError."""
    write_templates(workspace)
    sweep(workspace)
    try:
        take_over(workspace / "memory")
    except OSError as error:
        _log.warning("the memory of nanobot was not taken over: %s", error)
