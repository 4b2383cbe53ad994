"""The parts of a running program, made in the order in which one needs the other.

Nothing is opened here, nothing is asked of a model and no key is read; see core.py for their life.
"""

import functools
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from desktop import api
from desktop.agent.approvals import Approvals
from desktop.agent.asking import Asking
from desktop.agent.context import Context, follow_language
from desktop.agent.deliveries import send
from desktop.agent.executor import ToolExecutor
from desktop.agent.loop import Loop
from desktop.agent.notices import TurnNotices
from desktop.agent.outward import Outward
from desktop.agent.plain_reminders import PlainReminders
from desktop.agent.provenance import Provenance
from desktop.agent.runner import Runner
from desktop.agent.scope import Scope
from desktop.agent.subagents import Subagents
from desktop.agent.titles import Parts as TitleParts
from desktop.agent.titles import Titles
from desktop.api.waiting import description
from desktop.bus.bus import Bus
from desktop.bus.events import SettingsChanged
from desktop.config.keychain import Keychain
from desktop.config.schema import Config
from desktop.config.store import ConfigStore
from desktop.config.workspace import workspace_of
from desktop.database.database import Database
from desktop.inbox.inbox import ERROR, Inbox, Notice
from desktop.ipc.ownership import WINDOW
from desktop.marks import Marks
from desktop.memory.layers import MemoryLayers
from desktop.merge.waiting import Waiting
from desktop.paths import Home
from desktop.providers.budget import Budget
from desktop.providers.choices import ModelChoices
from desktop.providers.chooser import ModelChooser
from desktop.providers.downloads import Downloads
from desktop.providers.host_process import ModelHost
from desktop.providers.learned import Lessons
from desktop.providers.local import BuiltinServer
from desktop.services.status import Status
from desktop.session.search_service import SearchService
from desktop.session.sessions import Sessions
from desktop.skills.loader import Skills
from desktop.tasks import in_thread
from desktop.text import language, use
from desktop.tools.audit import Audit
from desktop.tools.mcp.settings import ServerSettings
from desktop.tools.toolbox import Toolbox
from desktop.usage import UsageLedger

if TYPE_CHECKING:
    from desktop.agent.dreams import DreamModel
    from desktop.api.inbox import Notices
    from desktop.api.questions import Questions
    from desktop.core.background import Background
    from desktop.providers.speech.transcriber import Transcriber
    from desktop.updates.service import UpdateCheck


class Parts:
    """One attribute a part."""

    def __init__(self, home: Home, store: ConfigStore, host: ModelHost, bus: Bus, front: str = "") -> None:
        config = store.config
        self.home, self.store, self.host, self.bus, self.front = home, store, host, bus, front
        self.started = time.time()
        host.idle_stop_seconds = config.model_host.idle_stop_s
        self.workspace = workspace_of(home, config)
        self.keychain = Keychain()
        self.database = Database(home.database)
        self.usage = UsageLedger(self.database, bus)
        self.sessions = Sessions(
            self.workspace / "sessions",
            limit=max(200_000, config.agents.defaults.context_window_tokens or 0),
        )
        self.search = SearchService(home.database, self.sessions)
        self.skills = Skills(
            self.workspace,
            lambda: self.config().agents.defaults.disabled_skills,
            more_path=lambda: self.config().tools.commands.path_append,
            stored=lambda: self.config().agents.defaults.skill_keys,
        )
        self.inbox, self.audit = Inbox(self.database, bus), Audit(self.database)
        self.marks = Marks(self.database)
        self.waiting = Waiting(
            self.inbox,
            self.config,
            self.take_settings,
            lambda: self.background.scheduler,
            self.skills.folder,
            description,
        )
        self._make_models()
        self._make_tools()
        self._make_agents(Scope(self.config, self.workspace, home.root))

    def _make_models(self) -> None:
        """What answers."""
        home, store, bus = self.home, self.store, self.bus
        self.builtin = BuiltinServer(
            home.models,
            bus=bus,
            idle_seconds=store.config.local.idle_stop_s,
            warm=lambda: self.context.small_model_start(),
        )
        self.downloads = Downloads(
            home.models,
            bus,
            self.config,
            self.change,
            lambda: self.builtin.choose(self.config().local.model),
        )
        self.budget = Budget(self.usage, self._tell_of_budget, lambda: self.config().limits)
        self.lessons = Lessons(self.database)
        self.models = ModelChooser(
            store, self.keychain, self.host, self.builtin, bus, self.budget, self.lessons
        )
        self.choices = ModelChoices(self.models, self.builtin, self.lessons, self.config, home.models)

    def _make_tools(self) -> None:
        """What the agent can do."""
        self.outward = Outward()
        self.server_settings = ServerSettings(lambda: self.config().tools.mcp_servers, self.change)
        self.toolbox = Toolbox(
            self.home,
            self.workspace,
            self.config,
            self.keychain,
            self.bus,
            self.database,
            lambda query, since, until, limit: self.memory.search.search(query, since, until, limit),
            lambda: self.background.scheduler,
            self.server_settings.keep_pins,
        )

    def _make_agents(self, scope: Scope) -> None:
        """The agent that talks with the person."""
        bus, defaults = self.bus, self.config().agents.defaults
        self.memory = MemoryLayers(
            self.workspace,
            self.sessions,
            self.search,
            self.usage,
            bus,
            self.config,
            self.skills,
            self._dream_model,
        )
        consolidator = self.memory.consolidator
        consolidator.unattended = self.models.unattended
        self.approvals = Approvals(scope, self.inbox, bus, self.marks)
        self._make_subagents()
        executor = ToolExecutor(
            scope,
            self.approvals,
            self.audit,
            bus,
            functools.partial(send, self.sessions, bus, self.outward),
            Provenance(scope, self.marks),
            self.subagents.spawn,
            self.skills,
            self.outward,
        )
        asking = Asking(self.usage, bus)
        self.context = Context(self.workspace, defaults.bot_name, self.skills, self.memory.history.prompt)
        notices = TurnNotices(
            self.inbox,
            lambda: self.config().notifications.answer,
            lambda notice: self.background.presenter.away(notice),
        )
        self.titles = self._make_titles()
        plainly = PlainReminders(lambda: self.background.scheduler).call
        self.loop = Loop(
            self.sessions,
            self.context,
            self.models,
            self.toolbox,
            Runner(asking, executor, self.context, bus, consolidator, self.memory.meter, plainly),
            bus,
            concurrent_turns=defaults.max_concurrent_turns,
            steps=lambda: self.config().agents.defaults.max_tool_iterations,
            watchers=(self.memory.version_watcher, notices, self.titles),
        )
        self._start_subagents(Runner(asking, executor, self._working, bus, meter=self.memory.meter))

    def _make_titles(self) -> Titles:
        given = (self.models, self.budget, self.usage, self.bus)
        return Titles(TitleParts(*given, lambda: self.config().agents.defaults, self.front))

    def _make_subagents(self) -> None:
        """Those that work for it, in sessions of their own."""
        defaults = self.config().agents.defaults
        self._work = Sessions(self.workspace / "sessions" / "subagents")
        self._working = Context(self.workspace, defaults.bot_name, self.skills, subagent=True)
        places = defaults.max_concurrent_subagents
        self.subagents = Subagents(self.database, self._work, self.sessions, self.bus, places=places)

    def _start_subagents(self, runner: Runner) -> None:
        """The loop that runs their turns."""
        self._workers = Loop(
            self._work,
            self._working,
            self.models,
            self.toolbox.for_subagents,
            runner,
            self.bus,
            concurrent_turns=self.config().agents.defaults.max_concurrent_subagents,
            steps=lambda: self.config().agents.defaults.max_subagent_iterations,
            watchers=(self.subagents,),
        )
        self.subagents.worker, self.subagents.loop = self._workers, self.loop

    def _dream_model(self) -> "DreamModel":
        from desktop.agent.dreams import DreamModel, Parts

        return DreamModel(
            Parts(
                self.config,
                self.models,
                self.inbox,
                self.marks,
                self.audit,
                self.usage,
                self.memory.meter,
                self.home.root,
            )
        )

    @functools.cached_property
    def background(self) -> "Background":
        """What goes on by itself. Loaded when it is first wanted, which no answer does."""
        from desktop.core.background import Background, Parts

        return Background(
            Parts(
                self.front,
                self.workspace,
                self.config,
                self.database,
                self.sessions,
                self.loop,
                self.subagents,
                self.inbox,
                self.usage,
                self.budget,
                self.models,
                self.memory.dreaming,
                self.bus,
                self.notices,
                self.questions,
                self.updates,
                self.outward,
                self.keychain,
                self.change,
                self.home.channels,
                lambda: self.transcriber,
            )
        )

    @functools.cached_property
    def transcriber(self) -> "Transcriber":
        """What turns speech into text. Loaded with the first voice."""
        from desktop.providers.speech.transcriber import Transcriber

        return Transcriber(self.config, self.models.key, self.home.models)

    @functools.cached_property
    def updates(self) -> "UpdateCheck":
        """The look for newer versions of the program. Loaded when it is first wanted."""
        from desktop.updates.service import UpdateCheck

        return UpdateCheck(
            self.home, lambda: self.config().updates, self.inbox, self.bus, window=self.front == WINDOW
        )

    async def update_check(self) -> "UpdateCheck":
        """The same, once it knows what was found before."""
        if self.updates.source is None:
            await self.updates.load()
        return self.updates

    def notices(self) -> "Notices":
        """The inbox, for front ends."""
        return api.inbox.Notices(
            self.inbox, self.waiting.answer, lambda: self.background.scheduler, self.loop
        )

    def questions(self) -> "Questions":
        """Answers to questions of permission."""
        return api.questions.Questions(
            self.inbox, self.approvals, self.loop, self.bus, self.config, self.change
        )

    async def _tell_of_budget(self, id_: str, title: str, text: str) -> None:
        await self.inbox.add(Notice(id_, ERROR, "", "", title, {"text": text}))

    def statuses(self) -> list[Status]:
        """The state of every part that can be off."""
        return [
            self.host.status,
            self.builtin.status,
            *self.background.statuses(),
            *self.toolbox.statuses(),
        ]

    def config(self) -> Config:
        """The settings in use."""
        return self.store.config

    async def change(self, values: Mapping[str, Any]) -> None:
        """Change settings by dotted name, all or none, and let the running parts obey them.

        Raises ConfigError naming the field, StorageError; then nothing changed.
        """
        await self.store.update(values)
        await self.apply()

    async def take_settings(self, values: Mapping[tuple[str, ...], Any]) -> None:
        """Take values of another home over by their places, and let the running parts obey them."""
        await self.store.take_over(values)
        await self.apply()

    async def apply(self) -> None:
        """Let the running parts obey the settings. What is not here is read at each turn, or its page says
        that it counts from the next start."""
        config = self.store.config
        before = language()
        use(config.appearance.language)
        if language() != before:
            await in_thread(follow_language, self.workspace)
        self.context.name = self._working.name = config.agents.defaults.bot_name
        self.host.idle_stop_seconds = config.model_host.idle_stop_s
        self.builtin.idle_seconds = config.local.idle_stop_s
        if config.local.model != self.builtin.named:
            await self.builtin.choose(config.local.model)
        await self.toolbox.apply()
        self.memory.apply()
        if "background" in self.__dict__:
            await self.background.apply()
        self.bus.publish(SettingsChanged())
