"""What is stored where, how large it is, and a way to look at it."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from desktop.api import backup_words
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.settings.part import Part
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.folders import show_in_folder
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.privacy import Places as Found


class _Place(Row):
    def __init__(self, title: str, path: str, size: int) -> None:
        side = QWidget()
        super().__init__(side, width=0)
        folder, large = IconButton("folder"), label("muted", backup_words.size(size))
        across(large, folder, of=side)
        self.say(title, path)
        folder.say(_("Show in folder: {what}").format(what=title))
        folder.clicked.connect(partial(show_in_folder, path))


class Places(Part):
    """Measured whenever it is seen."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._found: Found | None = None
        self._about, self._keys, self.outcome = (
            label("muted", wrap=True),
            label("small", wrap=True),
            Outcome(),
        )
        self._card = Card()
        for widget in (self._about, self._card, self._keys, self.outcome):
            self.column.addWidget(widget)
        self._card.hide()
        spoken(self._words)

    def _words(self) -> None:
        self._about.setText(
            _(
                "Everything stays on this computer, in text files that you can read. Only your messages "
                "and what the agent needs for them go to the provider you chose. There is no tracking."
            )
        )
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        self._work.tell(self._read(), self.outcome, name="privacy:places")

    async def _read(self) -> None:
        found = await self._actions.api.privacy.places()
        if found == self._found:
            return
        self._found = found
        self._card.fill(_Place(place.title, place.path, place.size) for place in found.places)
        self._card.show()
        self._keys.setText(found.keys)
