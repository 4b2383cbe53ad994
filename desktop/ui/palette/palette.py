"""The palette at work: what was typed is looked for at once where it is known, then in everything."""

import asyncio

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop.tasks import cancel, spawn
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.palette.item import Item, ranked
from desktop.ui.palette.sources import Sources
from desktop.ui.palette.view import PaletteView

_PAUSE_S = 0.08
"""After the last letter, until messages are searched."""


class Palette(QObject):
    """One for the window; what it looks like is made when it is first wanted."""

    def __init__(self, reporter: ErrorReporter, sources: Sources, window: QWidget) -> None:
        super().__init__(window)
        self._reporter, self._sources, self._window = reporter, sources, window
        self.view: PaletteView | None = None
        self._looking: asyncio.Task[None] | None = None
        self._found: list[Item] = []
        """What was looked up for the words of now."""

    def toggle(self) -> None:
        """Come, or go."""
        if self.view is not None and self.view.isVisible():
            self.view.hide()
            return
        if self.view is None:
            self.view = PaletteView(self._window)
            self.view.typed.connect(self._typed)
            self.view.chosen.connect(lambda item: item.act())
        self.view.present()
        self._typed("")
        self._reporter.run(self._begin(), name="palette:begin")

    async def _begin(self) -> None:
        await self._sources.begin()
        if self.view is not None and self.view.isVisible():
            self._show()

    @property
    def _words(self) -> str:
        return self.view.field.text().strip() if self.view else ""

    def _typed(self, _text: str) -> None:
        self._found = []
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        if self._words:
            self._looking = spawn(self._look(self._words), name="palette:look")
        self._show()

    async def _look(self, words: str) -> None:
        await asyncio.sleep(_PAUSE_S)
        self._found = await self._sources.later(words)
        self._looking = None
        self._show()

    def _show(self) -> None:
        if self.view is None:
            return
        items = ranked([*self._sources.at_once(self._words), *self._found], self._words)
        self.view.show_items(items, searching=self._looking is not None)

    async def close(self) -> None:
        """End what is under way."""
        await cancel(self._looking)
