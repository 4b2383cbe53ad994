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
    "read_file": (mark("Read files"), mark("Text, PDF, Word, Excel and pictures.")),
    "write_file": (
        mark("Write files"),
        mark("A new file, or all of one anew. The old one is kept a while."),
    ),
    "edit_file": (
        mark("Edit files"),
        mark("Replaces a passage. The old file is kept a while."),
    ),
    "list_dir": (mark("List folders"), mark("What is in a folder.")),
    "add_line": (
        mark("Add lines"),
        mark("For a small model: a line at the end of a file, nothing else changes."),
    ),
    "search_files": (mark("Search for a word"), mark("For a small model: which files hold a word.")),
    "grep": (mark("Search in files"), mark("Finds words and patterns in the text of files.")),
    "find_files": (mark("Find files"), mark("Finds files by their names.")),
    "exec": (mark("Run commands"), mark("Runs a command of the shell, within its limits.")),
    "web_search": (mark("Search the web"), mark("Asks the search engine chosen above.")),
    "web_fetch": (
        mark("Open web pages"),
        mark("Reads a page, and treats it as text from outside."),
    ),
    "message": (mark("Send messages"), mark("Writes into this or another conversation.")),
    "memory_search": (
        mark("Search the memory"),
        mark("Finds what was said before, in summaries and in conversations."),
    ),
    "cron": (mark("Keep appointments"), mark("Reminds you, and does tasks at their time.")),
    "spawn": (mark("Begin subagents"), mark("Has a part of the work done on its own, in the background.")),
}
_EFFECTS = {"read": mark("reads"), "write": mark("writes"), "run": mark("runs"), "send": mark("sends")}


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
            _("It is kept in the keychain of this computer. Another replaces it."),
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
            self.outcome.done(_("The key is stored.") if key else _("The key is removed."))
