"""The pieces of pages that are made by hand."""

from collections.abc import Callable, Mapping

from desktop.ui.actions import Actions
from desktop.ui.panels.channels.panel import ChannelsPanel
from desktop.ui.panels.memory.panel import MemoryPanel
from desktop.ui.panels.servers.page import Servers
from desktop.ui.panels.skills.panel import SkillsPanel
from desktop.ui.panels.tasks.panel import TasksPanel
from desktop.ui.panels.usage.panel import UsagePanel
from desktop.ui.settings.activity import Activity
from desktop.ui.settings.builtin import BuiltinModels
from desktop.ui.settings.part import PageData, Part
from desktop.ui.settings.permissions import PermissionsPart
from desktop.ui.settings.providers.page import ProviderList
from desktop.ui.settings.providers.purposes import Purposes
from desktop.ui.settings.reachable import Notified, Reachable
from desktop.ui.settings.tools import SearchKey, ToolList


class Builtin(Part):
    """The models that run on this computer."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.models = BuiltinModels(actions)
        self.column.addWidget(self.models)
        self.models.ready.connect(lambda: self.saved.emit("local.model"))

    def show_all(self, data: PageData) -> None:
        if self.models.isVisible():
            self.models.refresh()


def _import(actions: Actions) -> Part:  # this and those below are loaded when they are first opened
    from desktop.ui.importing.panel import ImportPanel

    return ImportPanel(actions)


def _backups(actions: Actions) -> Part:
    from desktop.ui.recovery.backups import Backups

    return Backups(actions)


def _places(actions: Actions) -> Part:
    from desktop.ui.recovery.places import Places

    return Places(actions)


def _wipe(actions: Actions) -> Part:
    from desktop.ui.recovery.wipe import Wipe

    return Wipe(actions)


def _recovery(actions: Actions) -> Part:
    from desktop.ui.recovery.panel import RecoveryPanel

    return RecoveryPanel(actions)


def _diagnostics(actions: Actions) -> Part:
    from desktop.ui.recovery.diagnostics import Diagnostics

    return Diagnostics(actions)


def _crash(actions: Actions) -> Part:
    from desktop.ui.recovery.crash import LastCrash

    return LastCrash(actions)


def _about(actions: Actions) -> Part:
    from desktop.ui.settings.about import Versions

    return Versions(actions)


def _updates(actions: Actions) -> Part:
    from desktop.ui.settings.updates import Updates

    return Updates(actions)


def _speech_test(actions: Actions) -> Part:
    from desktop.ui.settings.speech import SpeechTest

    return SpeechTest(actions)


def _speech_models(actions: Actions) -> Part:
    from desktop.ui.settings.speech import SpeechModels

    return SpeechModels(actions)


def _licences(actions: Actions) -> Part:
    from desktop.ui.settings.about import Licences

    return Licences(actions)


PARTS: Mapping[str, Callable[[Actions], Part]] = {
    "providers": ProviderList,
    "purposes": Purposes,
    "builtin": Builtin,
    "standing": PermissionsPart,
    "activity": Activity,
    "search_key": SearchKey,
    "tools": ToolList,
    "mcp": Servers,
    "channels": ChannelsPanel,
    "memory": MemoryPanel,
    "notified": Notified,
    "reachable": Reachable,
    "skills": SkillsPanel,
    "tasks": TasksPanel,
    "usage": UsagePanel,
    "import": _import,
    "backups": _backups,
    "places": _places,
    "wipe": _wipe,
    "recovery": _recovery,
    "crash": _crash,
    "diagnostics": _diagnostics,
    "about": _about,
    "updates": _updates,
    "licences": _licences,
    "speech_test": _speech_test,
    "speech_models": _speech_models,
}
