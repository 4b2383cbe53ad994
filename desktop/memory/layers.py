"""The layers of the memory, put together: what is summed up, noted, and remembered for good."""

from collections.abc import Callable
from pathlib import Path

from desktop.bus.bus import Bus
from desktop.bus.events import MemoryChanged
from desktop.config.agents import Dream as DreamSettings
from desktop.config.schema import Config
from desktop.memory.consolidator import Consolidator
from desktop.memory.dream import Dream
from desktop.memory.dream_service import DreamService, PrepareModel
from desktop.memory.history import History
from desktop.memory.notes import Notes
from desktop.memory.search import MemorySearch
from desktop.memory.staging import Staging
from desktop.memory.tokens import Meter
from desktop.memory.version_watcher import VersionWatcher
from desktop.memory.versions import Versions
from desktop.session.search_service import SearchService
from desktop.skills.loader import Skills
from desktop.usage import UsageLedger


class MemoryLayers:
    """One attribute a part; `dream` and `dreaming` once there is a model for them."""

    dream: Dream
    dreaming: DreamService

    def __init__(
        self,
        workspace: Path,
        messages: SearchService,
        usage: UsageLedger,
        bus: Bus,
        config: Callable[[], Config],
    ) -> None:
        self._config, self._usage, self._bus = config, usage, bus
        self.meter = Meter()
        self.history, self.notes = History(workspace / "memory"), Notes(workspace)
        self.consolidator = Consolidator(self.history, usage, bus, self._quiet_seconds, self.meter)
        self.versions = Versions(workspace, lambda text: bus.publish(MemoryChanged(told=text)))
        self.version_watcher = VersionWatcher(self.versions)
        self.search = MemorySearch(self.history, messages)
        self.staging = Staging(self.history.folder)

    def make_dream(self, skills: Skills, model: PrepareModel) -> None:
        """What makes lasting facts of the notes, and does so by itself."""
        self.dream = Dream(
            self.history,
            self.notes,
            self.versions,
            self.staging,
            lambda: [(skill.name, skill.description) for skill in skills.all()],
            self._usage,
            lambda: self._config().agents.defaults.dream.max_batch_size,
        )
        self.dreaming = DreamService(self.dream, model, self._dreams, self._bus, self.history.folder)

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
