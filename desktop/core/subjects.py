"""What makes each subject of the api: its module, and the parts of the core that it uses.

Nothing is loaded before a subject is wanted.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from desktop.core import model_subjects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from desktop.api.memory import Memory
    from desktop.api.subjects import Makers
    from desktop.core.parts import Parts
    from desktop.doctor.damage import Damages
    from desktop.merge.here import Here
    from desktop.tools.base import Tool


def subjects(core: "Parts", front: str) -> "Makers":
    """By name. `front`: who owns the home."""
    made: dict[str, Callable[[Parts], object]] = {
        "about": _about,
        "attachments": _attachments,
        "backups": _backups,
        "changes": _changes,
        "context": model_subjects.context,
        "conversations": _conversations,
        "diagnostics": _diagnostics,
        "imports": _imports,
        "inbox": _notices,
        "jobs": _jobs,
        "local": model_subjects.local,
        "memory": memory,
        "model_facts": model_subjects.model_facts,
        "models": model_subjects.models,
        "permissions": permissions,
        "privacy": _privacy,
        "providers": model_subjects.providers,
        "questions": _questions,
        "recovery": _recovery,
        "reminders": _reminders,
        "revisions": _revisions,
        "search": _search,
        "servers": _servers,
        "settings": model_subjects.settings,
        "setup": model_subjects.setup,
        "skills": _skills,
        "tools": _tools,
        "turns": _turns,
        "usage": _usage,
        "waiting": _waiting,
    }
    makers = {name: functools.partial(make, core) for name, make in made.items()}
    return {**makers, "program": functools.partial(_program, core, front)}


def _notices(core: "Parts") -> object:
    return core.notices()


def _questions(core: "Parts") -> object:
    return core.questions()


def permissions(core: "Parts") -> object:
    """What the agent may do."""
    from desktop.api.permissions import Permissions

    return Permissions(
        lambda: core.store.config,
        core.change,
        core.sessions,
        core.marks,
        core.toolbox.sandbox,
        core.workspace,
    )


def _conversations(core: "Parts") -> object:
    from desktop.api.conversations import Conversations

    return Conversations(core.sessions, core.loop, core.subagents, core.inbox, core.bus, core.halt)


def _program(core: "Parts", front: str) -> object:
    from desktop.api.program import Program

    return Program(front, core.started, core.statuses, core.store, core.sessions)


def _revisions(core: "Parts") -> object:
    from desktop.api.revisions import Revisions

    return Revisions(core.sessions, core.loop, core.bus, core.halt)


def _search(core: "Parts") -> object:
    from desktop.api.search import Search

    return Search(core.search)


def _turns(core: "Parts") -> object:
    from desktop.api.turns import Turns

    return Turns(core.loop, core.subagents, core.bus, core.halt, core.skills)


def _usage(core: "Parts") -> object:
    from desktop.api.usage import Usage

    return Usage(core.usage, lambda: core.store.config, core.sessions.folder)


def _waiting(core: "Parts") -> object:
    from desktop.api.waiting import Waiting

    return Waiting(core.inbox, core.waiting.answer)


def _about(_core: "Parts") -> object:
    from desktop.api.about import About

    return About()


def _attachments(core: "Parts") -> object:
    from desktop.api.attachments import Attachments

    return Attachments(core.sessions, core.workspace)


def _here(core: "Parts") -> "Here":
    """This home, as far as what comes into it needs it."""
    from desktop.merge.here import Here

    return Here(
        core.home,
        core.workspace,
        core.sessions,
        core.keychain,
        core.take_settings,
        lambda: core.store.config,
        core.marks.keep,
        _zone(core),
    )


def _backups(core: "Parts") -> object:
    from desktop.api.backups import Backups

    return Backups(_here(core), core.change, core.waiting.add, core.bus)


def _changes(core: "Parts") -> object:
    from desktop.api.changes import Changes

    return Changes(core.toolbox.kept, core.audit, core.workspace)


def _diagnostics(core: "Parts") -> object:
    from desktop.api.diagnostics import Diagnostics, States
    from desktop.config.workspace import workspace_of
    from desktop.doctor import examine

    states = States(lambda: examine(core.home, workspace_of), _damages(core), core.statuses)
    return Diagnostics(core.home, core.workspace, core.database, states)


def _imports(core: "Parts") -> object:
    from desktop.api.imports import Imports

    return Imports(_here(core), core.inbox, core.waiting.add, core.bus)


def _jobs(core: "Parts") -> object:
    import desktop.core.background  # noqa: F401  # what makes the scheduler
    from desktop.api.jobs import Jobs

    return Jobs(lambda: core.background.scheduler, lambda: core.background.ledger)


def memory(core: "Parts") -> "Memory":
    """What is remembered."""
    from desktop.agent.dreams import cover
    from desktop.api.memory import Memory, Parts

    parts = Parts(
        core.memory.notes,
        core.memory.versions,
        core.memory.history,
        core.memory.staging,
        core.memory.dream,
        core.memory.dreaming,
        lambda: core.store.config.agents.defaults.dream,
    )
    summing = functools.partial(cover, core.sessions, core.loop, core.models, core.memory.consolidator)
    return Memory(parts, core.memory.search, core.sessions, summing, core.bus)


def _privacy(core: "Parts") -> object:
    from desktop.api.privacy import Privacy

    return Privacy(core.home, core.workspace, core.store, core.keychain)


def _recovery(core: "Parts") -> object:
    from desktop.api.recovery import Recovery

    return Recovery(_damages(core), core.bus)


def _reminders(core: "Parts") -> object:
    import desktop.core.background  # noqa: F401  # what makes the scheduler
    from desktop.api.reminders import Reminders

    return Reminders(lambda: core.background.scheduler)


def _servers(core: "Parts") -> object:
    from desktop.api.servers import Servers

    return Servers(core.server_settings, core.toolbox.servers, core.keychain)


def _skills(core: "Parts") -> object:
    from desktop.api.skills import Skills

    return Skills(core.skills, lambda: core.store.config.agents.defaults, core.change, core.keychain)


def _tools(core: "Parts") -> object:
    from desktop.api.tools import Tools

    async def offered(small_model: bool) -> "Mapping[str, Tool[Any]]":
        return (await core.toolbox.own(small_model=small_model)).tools

    return Tools(core.toolbox.all, offered, core.audit, core.keychain)


def _zone(core: "Parts") -> "Callable[[], str]":
    """Tells the person's time zone; called in a thread."""
    from desktop.cron.zone import zone

    return lambda: core.store.config.agents.defaults.timezone or zone()


def _damages(core: "Parts") -> "Damages":
    from desktop.doctor.damage import Damages

    return Damages(core.home, core.workspace, core.sessions, core.store, core.apply)
