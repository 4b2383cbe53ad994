"""What makes each subject of the api, and the parts of the core that it uses.

A module of the api is loaded when it is first named, which is when its subject is first wanted.
"""

import functools
from typing import TYPE_CHECKING

from desktop import api
from desktop.tasks import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from desktop.agent.loop import Reply
    from desktop.agent.turn import Inbound
    from desktop.api.channels import Channels
    from desktop.api.memory import Memory
    from desktop.api.providers import Providers
    from desktop.api.replies import Replies
    from desktop.api.subjects import Makers
    from desktop.core.parts import Parts
    from desktop.cron.service import Scheduler
    from desktop.doctor.damage import Damages
    from desktop.merge.here import Here
    from desktop.providers.trial import Trials


def subjects(core: "Parts", front: str) -> "Makers":
    """By name. `front`: who owns the home."""
    return {**_talk(core), **_acts(core), **_models(core), **_program(core, front)}


def _talk(core: "Parts") -> "Makers":
    """Conversations, and what is said in them."""
    sessions, loop, subagents, bus = core.sessions, core.loop, core.subagents, core.bus
    halt = subagents.halt
    return {
        "attachments": lambda: api.attachments.Attachments(sessions, core.workspace),
        "context": lambda: api.context.Context(
            core.models, sessions, core.context, core.toolbox, core.memory.meter, core.config
        ),
        "conversations": lambda: api.conversations.Conversations(
            sessions, loop, subagents, core.inbox, bus, halt
        ),
        "inbox": core.notices,
        "memory": lambda: _memory(core),
        "questions": core.questions,
        "revisions": lambda: api.revisions.Revisions(sessions, loop, bus, halt),
        "search": lambda: api.search.Search(core.search),
        "turns": lambda: api.turns.Turns(loop, subagents, bus, halt, core.skills),
    }


def _acts(core: "Parts") -> "Makers":
    """What the agent can do, may do, did, and does later."""
    toolbox, keychain = core.toolbox, core.keychain
    return {
        "channels": lambda: _channels(core),
        "changes": lambda: api.changes.Changes(toolbox.kept, core.audit, core.workspace),
        "jobs": lambda: api.jobs.Jobs(_scheduler(core), lambda: core.background.ledger),
        "permissions": lambda: api.permissions.Permissions(
            core.config, core.change, core.sessions, core.marks, toolbox.sandbox, core.workspace
        ),
        "reminders": lambda: api.reminders.Reminders(_scheduler(core)),
        "servers": lambda: api.servers.Servers(core.server_settings, toolbox.servers, keychain),
        "skills": lambda: api.skills.Skills(
            core.skills, lambda: core.config().agents.defaults, core.change, keychain
        ),
        "tools": lambda: api.tools.Tools(toolbox, core.audit, keychain),
        "waiting": lambda: api.waiting.Waiting(core.inbox, core.waiting.answer, core.waiting.answer_all),
    }


def _models(core: "Parts") -> "Makers":
    """Who answers, and what it costs."""
    models, folder = core.models, core.home.models
    return {
        "local": lambda: api.local.Local(
            models, core.builtin, core.downloads, core.config, core.change, folder
        ),
        "model_facts": lambda: api.model_facts.ModelFacts(
            models, core.lessons, core.store, core.take_settings
        ),
        "models": lambda: api.models.Models(models, core.choices, core.sessions, core.toolbox),
        "providers": lambda: _providers(core),
        "speech": lambda: api.speech.Transcription(
            core.transcriber, core.downloads, core.config, core.change
        ),
        "setup": lambda: api.setup.Setup(models, core.keychain, core.builtin, core.config, folder),
        "usage": lambda: api.usage.Usage(core.usage, core.config, core.sessions.folder),
    }


def _program(core: "Parts", front: str) -> "Makers":
    """The program itself: its settings, its health, what it brings with it and leaves behind."""
    home, workspace, store, bus = core.home, core.workspace, core.store, core.bus
    return {
        "about": lambda: api.about.About(),
        "backups": lambda: api.backups.Backups(_here(core), core.change, core.waiting.add, bus),
        "crashes": lambda: api.crashes.Crashes(home),
        "diagnostics": lambda: api.diagnostics.Diagnostics(
            home, workspace, core.database, _damages(core), core.statuses
        ),
        "imports": lambda: api.imports.Imports(_here(core), core.inbox, core.waiting.add, bus),
        "privacy": lambda: api.privacy.Privacy(home, workspace, store, core.keychain),
        "program": lambda: api.program.Program(front, core.started, core.statuses, store, core.sessions),
        "recovery": lambda: api.recovery.Recovery(_damages(core), bus),
        "settings": lambda: api.settings.Settings(store, core.change, core.apply),
        "updates": lambda: api.updates.Releases(core.update_check),
    }


def _memory(core: "Parts") -> "Memory":
    """What is remembered."""
    from desktop.agent.dreams import cover

    kept = core.memory
    parts = api.memory.Parts(
        kept.notes,
        kept.versions,
        kept.history,
        kept.staging,
        kept.dream,
        kept.dreaming,
        lambda: core.config().agents.defaults.dream,
    )
    summing = functools.partial(cover, core.sessions, core.loop, core.models, kept.consolidator)
    return api.memory.Memory(parts, kept.search, core.sessions, summing, core.bus)


def _providers(core: "Parts") -> "Providers":
    from desktop.providers.login import Logins

    logins = Logins(core.keychain, core.config, core.change, core.apply, core.host.stop)
    return api.providers.Providers(
        core.models, _trials(core), logins, core.store, core.keychain, core.change, core.apply
    )


def _trials(core: "Parts") -> "Trials":
    from desktop.providers.trial import Trials

    return Trials(core.models, core.usage, core.lessons, core.config)


def _channels(core: "Parts") -> "Channels":
    import desktop.core.background  # noqa: F401  # what makes them

    return api.channels.Channels(
        lambda: core.background.chats.channels, core.keychain, core.config, core.change, core.inbox
    )


def _scheduler(core: "Parts") -> "Callable[[], Scheduler]":
    import desktop.core.background  # noqa: F401  # what makes it

    return lambda: core.background.scheduler


def _here(core: "Parts") -> "Here":
    """This home, as far as what comes into it needs it."""
    from desktop.cron.zone import zone
    from desktop.merge.here import Here

    return Here(
        core.home,
        core.workspace,
        core.sessions,
        core.keychain,
        core.take_settings,
        core.config,
        core.marks.keep,
        lambda: core.config().agents.defaults.timezone or zone(),
    )


def _damages(core: "Parts") -> "Damages":
    from desktop.doctor.damage import Damages

    return Damages(core.home, core.workspace, core.sessions, core.store, core.apply)


class Commands:
    """Answers the commands of a conversation. Loaded with the first that is typed."""

    def __init__(self, core: "Parts") -> None:
        self._core = core
        self._replies: Replies | None = None

    async def answer(self, inbound: "Inbound") -> "Reply":
        """Do what one says; what goes wrong is said in the reply."""
        if self._replies is None:
            self._replies = await in_thread(self._make)
        return await self._replies.answer(inbound)

    def _make(self) -> "Replies":
        core = self._core
        parts = api.replies.Parts(
            core.sessions,
            core.loop,
            core.subagents,
            core.inbox,
            core.memory.consolidator,
            core.models,
            core.choices,
            core.skills,
            core.workspace,
            core.config,
            core.subagents.halt,
            core.statuses,
            _trials(core).all_models,
        )
        return api.replies.Replies(parts, _memory(core))
