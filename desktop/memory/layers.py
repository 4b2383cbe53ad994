"""The layers of the memory, put together: what is summed up, noted, and remembered for good."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.bus.bus import Bus
from desktop.bus.events import MemoryChanged
from desktop.config.agents import Dream as DreamSettings
from desktop.config.schema import Config
from desktop.memory.consolidator import Consolidator
from desktop.memory.history import History
from desktop.memory.notes import Notes
from desktop.memory.search import MemorySearch
from desktop.memory.staging import Staging
from desktop.memory.tokens import Meter
from desktop.memory.version_watcher import VersionWatcher
from desktop.memory.versions import Versions
from desktop.session.search_service import SearchService
from desktop.session.sessions import Sessions
from desktop.skills.loader import Skills
from desktop.usage import UsageLedger

if TYPE_CHECKING:
    from desktop.memory.dream import Dream
    from desktop.memory.dream_service import DreamService, PrepareModel


class MemoryLayers:
    """One attribute a part; `dream` and `dreaming` are loaded when they are first wanted."""

    def __init__(
        self,
        workspace: Path,
        sessions: Sessions,
        messages: SearchService,
        usage: UsageLedger,
        bus: Bus,
        config: Callable[[], Config],
        skills: Skills,
        dream_model: "Callable[[], PrepareModel]",
    ) -> None:
        self._config, self._usage, self._bus = config, usage, bus
        self._skills, self._dream_model = skills, dream_model
        self.meter = Meter()
        self.history, self.notes = History(workspace / "memory"), Notes(workspace)
        self.consolidator = Consolidator(
            self.history, usage, bus, sessions.open, self._quiet_seconds, self.meter
        )
        self.versions = Versions(workspace, lambda text: bus.publish(MemoryChanged(told=text)))
        self.version_watcher = VersionWatcher(self.versions)
        self.search = MemorySearch(self.history, messages)
        self.staging = Staging(self.history.folder)

    @functools.cached_property
    def dream(self) -> "Dream":
        """What makes lasting facts of the notes."""
        from desktop.memory.dream import Dream

        return Dream(
            self.history,
            self.notes,
            self.versions,
            self.staging,
            lambda: [(skill.name, skill.description) for skill in self._skills.all()],
            self._usage,
            lambda: self._config().agents.defaults.dream.max_batch_size,
        )

    @functools.cached_property
    def dreaming(self) -> "DreamService":
        """What does so by itself."""
        from desktop.memory.dream_service import DreamService

        return DreamService(self.dream, self._dream_model(), self._dreams, self._bus, self.history.folder)

    def apply(self) -> None:
        """Obey changed settings."""
        if "dreaming" in self.__dict__:
            self.dreaming.apply()

    async def close(self) -> None:
        """End what is under way."""
        await self.consolidator.close()
        await self.version_watcher.close()

    def _quiet_seconds(self) -> float:
        """After how long a quiet conversation is summed up; 0 for never."""
        config = self._config()
        return 0.0 if config.presence.paused else 60.0 * config.agents.defaults.idle_compact_after_minutes

    def _dreams(self) -> DreamSettings:
        config = self._config()
        dreams = config.agents.defaults.dream
        return dreams.model_copy(update={"enabled": False}) if config.presence.paused else dreams
