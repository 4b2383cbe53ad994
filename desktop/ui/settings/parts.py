"""The pieces of pages that are made by hand: who answers, the built-in models, details of a provider."""

from collections.abc import Callable, Mapping
from typing import Any

from desktop.config.describe import setting
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.memory.panel import MemoryPanel
from desktop.ui.panels.servers.page import Servers
from desktop.ui.panels.skills.panel import SkillsPanel
from desktop.ui.panels.tasks.panel import TasksPanel
from desktop.ui.panels.usage.panel import UsagePanel
from desktop.ui.settings.activity import Activity
from desktop.ui.settings.builtin import BuiltinModels
from desktop.ui.settings.pages import PROVIDER_DETAILS
from desktop.ui.settings.part import Part
from desktop.ui.settings.provider import ProviderForm
from desktop.ui.settings.reachable import Notified, Reachable
from desktop.ui.settings.rows import Card, SettingRow
from desktop.ui.settings.standing import Standing
from desktop.ui.settings.tools import SearchKey, ToolList
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label
from desktop.ui.words import spoken


class Provider(Part):
    """Who answers."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.form = ProviderForm(actions)
        self.column.addWidget(self.form)
        self.form.stored.connect(lambda: self.saved.emit("agents.defaults.provider"))

    def show_all(self, reply: Mapping[str, Any]) -> None:
        self.form.show_providers(reply["providers"], reply["fixed"])

    def leave(self) -> None:
        self.form.forget_draft()


class Builtin(Part):
    """The models that run on this computer."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.models = BuiltinModels(actions)
        self.column.addWidget(self.models)
        self.models.ready.connect(lambda: self.saved.emit("local.model"))

    def show_all(self, reply: Mapping[str, Any]) -> None:
        if self.models.isVisible():
            self.models.refresh()


class ProviderDetails(Part):
    """The rarer settings of the provider in use."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions = actions
        self._title, self._card = label("section"), Card()
        self._rows: list[SettingRow] = []
        self._name = self._shown = ""
        self.column.addSpacing(Space.L)
        self.column.addWidget(self._title)
        self.column.addWidget(self._card)
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        self._title.setText(_("Requests to {provider}").format(provider=self._shown))

    def show_all(self, reply: Mapping[str, Any]) -> None:
        answers = reply["providers"]["answers"]
        if answers["name"] != self._name:
            self._build(answers["name"])
        self._shown = answers["title"]
        self._words()
        self.setVisible(bool(self._rows))
        for row in self._rows:
            name, usual = row.setting.name, row.setting.default
            row.show_value(reply["values"].get(name, usual), reply["fixed"].get(name, ""))

    def _build(self, name: str) -> None:
        self._name, self._rows = name, []
        card = Card()
        for field in PROVIDER_DETAILS if name not in ("", "builtin") else ():
            row = SettingRow(setting(f"providers.{name}.{field}"), self._actions)
            row.saved.connect(self.saved)
            card.add(row)
            self._rows.append(row)
        self.column.replaceWidget(self._card, card)
        self._card.deleteLater()
        self._card = card


def _import(actions: Actions) -> Part:
    from desktop.ui.importing.panel import ImportPanel  # few ever open it

    return ImportPanel(actions)


PARTS: Mapping[str, Callable[[Actions], Part]] = {
    "provider": Provider,
    "builtin": Builtin,
    "provider_details": ProviderDetails,
    "standing": Standing,
    "activity": Activity,
    "search_key": SearchKey,
    "tools": ToolList,
    "mcp": Servers,
    "memory": MemoryPanel,
    "notified": Notified,
    "reachable": Reachable,
    "skills": SkillsPanel,
    "tasks": TasksPanel,
    "usage": UsagePanel,
    "import": _import,
}
