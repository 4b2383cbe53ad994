"""The tools there are, in plain words, and the key of a search engine that wants one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from desktop.config.tools import ENGINES, KEYED
from desktop.errors import AppError
from desktop.text import _, mark
from desktop.ui.actions import Actions
from desktop.ui.settings.key import KeyEdit
from desktop.ui.settings.part import PageData, Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.tools import ToolLine

_WORDS = {
    "read_file": (mark("Read files"), mark("Text, PDF, Word, Excel and images.")),
    "write_file": (
        mark("Write files"),
        mark("Creates or overwrites a file. The old version is kept for a while."),
    ),
    "edit_file": (
        mark("Edit files"),
        mark("Replaces a passage. The old version is kept for a while."),
    ),
    "list_dir": (mark("List folders"), mark("Lists what is in a folder.")),
    "add_line": (
        mark("Append lines"),
        mark("For small models: adds a line at the end of a file and changes nothing else."),
    ),
    "search_files": (
        mark("Search for a word"),
        mark("For small models: finds the files that contain a word."),
    ),
    "grep": (mark("Search in files"), mark("Finds words and patterns in files.")),
    "find_files": (mark("Find files"), mark("Finds files by name.")),
    "exec": (mark("Run commands"), mark("Runs a shell command within limits.")),
    "web_search": (mark("Search the web"), mark("Uses the search engine chosen above.")),
    "web_fetch": (
        mark("Open web pages"),
        mark("Reads a page, and treats it as untrusted content."),
    ),
    "message": (mark("Send messages"), mark("Posts in this or another conversation.")),
    "memory_search": (
        mark("Search memory"),
        mark("Finds what was said before, in summaries and conversations."),
    ),
    "cron": (mark("Schedule tasks"), mark("Sets reminders and runs tasks at their time.")),
    "spawn": (mark("Start subagents"), mark("Hands part of the work to a subagent in the background.")),
}
_EFFECTS = {"read": mark("read-only"), "write": mark("writes"), "run": mark("runs"), "send": mark("sends")}


class ToolList(Part):
    """Every tool, and whether it is on."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._tools: Sequence[ToolLine] = ()
        self._card, self._outcome = Card(), Outcome()
        self.column.addWidget(self._card)
        self.column.addWidget(self._outcome)
        spoken(self._show)

    def refresh(self) -> None:
        self._work.start(self._read(), name="settings:tools")

    async def _read(self) -> None:
        try:
            found = await self._actions.api.tools.list()
        except AppError as error:
            self._outcome.failed(error.text, error.remedy)
            return
        if found != self._tools:
            self._tools = found
            self._show()

    def _show(self) -> None:
        rows = []
        for tool in self._tools:
            title, about = _WORDS.get(tool.name, (tool.name, tool.description))
            state = _EFFECTS.get(tool.effect, tool.effect) if tool.on else mark("off")
            row = Row(label("muted", _(state)), width=0)
            row.say(_(title), _(about))
            rows.append(row)
        self._card.fill(rows)
        self._card.setVisible(bool(rows))


class SearchKey(Part):
    """The key of the chosen engine; hidden for one that wants none."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._engine = ""
        self.key, self._remove, self.outcome = KeyEdit(), button(), Outcome()
        side = QWidget()
        across((self.key, 1), self._remove, gap=Space.XS, of=side)
        self._row = Row(side)
        card = Card()
        card.add(self._row)
        self.column.addWidget(card)
        self.column.addWidget(self.outcome)
        self.key.edit.editingFinished.connect(self._entered)
        self._remove.clicked.connect(lambda: self._store(""))
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        engine = ENGINES.get(self._engine, "")
        self._row.say(
            _("Key for {engine}").format(engine=engine),
            _("Stored in this computer’s keychain. Enter a new one to replace it."),
        )
        self.key.edit.setAccessibleName(_("Key for {engine}").format(engine=engine))
        self._remove.say(_("Remove"), _("Remove the key for {engine}").format(engine=engine))

    def show_all(self, data: PageData) -> None:
        engine = str(data.settings.values.get("tools.web.search.provider", ""))
        if engine != self._engine:
            self._engine = engine
            self.key.clear()
            self.outcome.clear()
            self._words()
        self.setVisible(engine in KEYED)

    def leave(self) -> None:
        self.key.clear()

    def _entered(self) -> None:
        if text := self.key.text():
            self._store(text)

    def _store(self, key: str) -> None:
        self._work.start(self._storing(self._engine, key), name="settings:search_key")

    async def _storing(self, engine: str, key: str) -> None:
        self.key.clear()
        try:
            await self._actions.api.tools.set_search_key(engine, key)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
        else:
            self.outcome.done(_("Key saved.") if key else _("Key removed."))
