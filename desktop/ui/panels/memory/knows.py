"""What the agent knows: the four notes, searched together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.panels.memory.note import NoteCard
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.search_field import SearchField
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.memory import NoteFile

_ORDER = ("USER", "MEMORY", "SOUL", "AGENTS")


class Knows(QWidget):
    """Shows the notes."""

    changed = Signal()
    forget_wanted = Signal(str, str)
    """The note and the fact."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions = actions
        self.search, self._nothing = SearchField(), label("muted", wrap=True)
        self.notes: dict[str, NoteCard] = {}
        self._files: Sequence[NoteFile] = ()
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._make)
        self._column = down(self.search, gap=Space.XS, of=self)
        self._column.addSpacing(Space.XS)
        self._column.addWidget(self._nothing)
        self._nothing.hide()
        self.search.textChanged.connect(lambda: self._show())
        spoken(self._words)

    def _words(self) -> None:
        self.search.say(_("Search what the agent knows"))
        self._nothing.setText(_("No results. Past conversations are under Summaries."))

    @property
    def waiting(self) -> bool:
        """Whether some notes have no card yet."""
        return len(self.notes) < len(self._files)

    def show_files(self, files: Sequence["NoteFile"]) -> None:
        """Show these notes; a card that is not made yet comes in a moment."""
        self._files = sorted(files, key=lambda file: _place(file.name))
        self._show()
        if self.waiting:
            self._timer.start()

    def _show(self) -> None:
        wanted, hits = self.search.wanted, self.waiting
        for file in self._files:
            if file.name in self.notes:
                hits = self.notes[file.name].show_file(file, wanted) or hits
        self._nothing.setVisible(bool(self._files) and not hits)

    def _make(self) -> None:
        file = next((file for file in self._files if file.name not in self.notes), None)
        if file is None:
            return
        name = file.name
        card = self.notes[name] = NoteCard(self._actions, name)
        card.changed.connect(self.changed)
        card.forget_wanted.connect(self.forget_wanted)
        card.show_file(file, self.search.wanted)
        self._column.addWidget(card)
        if self.waiting:
            self._timer.start()


def _place(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)
