"""What front ends may ask of the program: a module a subject, the same in this process and through ipc.

A module is loaded when it is first named: `from desktop import api`, then `api.jobs`.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import desktop.api.about
    import desktop.api.attachments
    import desktop.api.backups
    import desktop.api.changes
    import desktop.api.context
    import desktop.api.conversations
    import desktop.api.crashes
    import desktop.api.diagnostics
    import desktop.api.imports
    import desktop.api.inbox
    import desktop.api.jobs
    import desktop.api.local
    import desktop.api.memory
    import desktop.api.model_facts
    import desktop.api.models
    import desktop.api.permissions
    import desktop.api.privacy
    import desktop.api.program
    import desktop.api.providers
    import desktop.api.questions
    import desktop.api.recovery
    import desktop.api.reminders
    import desktop.api.replies
    import desktop.api.revisions
    import desktop.api.search
    import desktop.api.servers
    import desktop.api.settings
    import desktop.api.setup
    import desktop.api.skills
    import desktop.api.speech
    import desktop.api.tools
    import desktop.api.turns
    import desktop.api.updates
    import desktop.api.usage
    import desktop.api.waiting  # noqa: F401 - they are named as attributes of this package
else:

    def __getattr__(name: str) -> ModuleType:
        if name.startswith("_") or find_spec(f"desktop.api.{name}") is None:
            raise AttributeError(name)
        return import_module(f"desktop.api.{name}")
