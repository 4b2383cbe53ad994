"""The program as a front end sees it: an Api with one attribute a subject, each a module of this room.

What can be asked of a subject are the public methods of its class. They are called as if they were here and
run in the process that owns the home, which may be this one. A subject is loaded when it is first asked.
"""

from collections.abc import AsyncIterator, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from desktop.api.about import About
    from desktop.api.attachments import Attachments
    from desktop.api.backups import Backups
    from desktop.api.changes import Changes
    from desktop.api.channels import Channels
    from desktop.api.context import Context
    from desktop.api.conversations import Conversations
    from desktop.api.crashes import Crashes
    from desktop.api.diagnostics import Diagnostics
    from desktop.api.imports import Imports
    from desktop.api.inbox import Notices
    from desktop.api.jobs import Jobs
    from desktop.api.local import Local
    from desktop.api.memory import Memory
    from desktop.api.model_facts import ModelFacts
    from desktop.api.models import Models
    from desktop.api.permissions import Permissions
    from desktop.api.privacy import Privacy
    from desktop.api.program import Program
    from desktop.api.providers import Providers
    from desktop.api.questions import Questions
    from desktop.api.recovery import Recovery
    from desktop.api.reminders import Reminders
    from desktop.api.revisions import Revisions
    from desktop.api.search import Search
    from desktop.api.servers import Servers
    from desktop.api.settings import Settings
    from desktop.api.setup import Setup
    from desktop.api.skills import Skills
    from desktop.api.speech import Transcription
    from desktop.api.tools import Tools
    from desktop.api.turns import Turns
    from desktop.api.updates import Releases
    from desktop.api.usage import Usage
    from desktop.api.waiting import Waiting


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One call of a subject: awaited it gives its result, iterated over its events."""

    transport: "Transport"
    subject: str
    method: str
    positional: tuple[Any, ...]
    named: Mapping[str, Any]

    @property
    def verb(self) -> str:
        """Its name between processes."""
        return f"{self.subject}.{self.method}"

    def __await__(self) -> Generator[Any, None, Any]:
        return self.transport.result(self).__await__()

    def __aiter__(self) -> AsyncIterator[Any]:
        return self.transport.events(self)


class Transport(Protocol):
    """Who carries calls out: the owner in this process, or a connection to it."""

    async def result(self, call: Call) -> Any:
        """What the call returns; cancelling ends it. Raises AppError; NoOwnerError where nobody owns the
        home any more."""

    def events(self, call: Call) -> AsyncIterator[Any]:
        """What the call yields; closing the iterator ends it. Raises as result() does."""


class Subject:
    """Stands for a subject: every method that is looked up makes calls."""

    def __init__(self, name: str, transport: Transport) -> None:
        self._name, self._transport = name, transport

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):
            raise AttributeError(method)

        def call(*positional: Any, **named: Any) -> Call:
            return Call(self._transport, self._name, method, positional, named)

        return call


class Api:
    """All subjects. mypy sees their classes; at run time each is a Subject."""

    about: "About"
    attachments: "Attachments"
    backups: "Backups"
    changes: "Changes"
    channels: "Channels"
    context: "Context"
    conversations: "Conversations"
    crashes: "Crashes"
    diagnostics: "Diagnostics"
    imports: "Imports"
    inbox: "Notices"
    jobs: "Jobs"
    local: "Local"
    memory: "Memory"
    model_facts: "ModelFacts"
    models: "Models"
    permissions: "Permissions"
    privacy: "Privacy"
    program: "Program"
    providers: "Providers"
    questions: "Questions"
    recovery: "Recovery"
    reminders: "Reminders"
    revisions: "Revisions"
    search: "Search"
    servers: "Servers"
    settings: "Settings"
    setup: "Setup"
    skills: "Skills"
    speech: "Transcription"
    tools: "Tools"
    turns: "Turns"
    updates: "Releases"
    usage: "Usage"
    waiting: "Waiting"

    def __init__(self, transport: Transport) -> None:
        for name in Api.__annotations__:
            setattr(self, name, Subject(name, transport))
