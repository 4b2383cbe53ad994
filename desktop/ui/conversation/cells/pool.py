"""The cells of a conversation: made for what is visible, used again for what comes into sight."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from desktop.ui.conversation.cells.cell import ROW, Cell
from desktop.ui.conversation.cells.choice import LIVE, SHOWN, Shown
from desktop.ui.conversation.cells.files_cell import FilesCell
from desktop.ui.conversation.cells.note_cell import BreakCell, NoteCell
from desktop.ui.conversation.cells.result_cell import ResultCell
from desktop.ui.conversation.cells.slot import EDGE, Slot
from desktop.ui.conversation.cells.step_cell import ROW as STEP
from desktop.ui.conversation.cells.step_cell import StepCell
from desktop.ui.conversation.layout import Heights, guess
from desktop.ui.conversation.text.images import Pictures
from desktop.ui.conversation.text.maths import maths
from desktop.ui.conversation.text.slices import Slices
from desktop.ui.conversation.transcript import Author, Entry, Transcript
from desktop.ui.theme.tokens import Size, Space

_SPARE, _READY, _NEXT = 6, 4, 2
"""Cells that are kept for later at the most, that there are before they are needed, and that are spare
for the next question and its answer."""
_SPARE_STEPS = 40
_ONE_LINE = (Author.STEP, Author.RESULT, Author.BREAK, Author.FILES)
"""They are about as high as a call, mostly."""
_REST_MS = 150
"""After a conversation was opened or an answer has ended, so that what is to be seen is seen first."""

_HEAVY = 400
"""Blocks of a cell that is not used again: to empty it would hold up who opens the next conversation."""


class Pool(QObject):
    """Cells by the index of their entry, and the heights of all entries."""

    acted = Signal(str, str)
    wanted = Signal(str)
    answered = Signal(str, object)
    work_wanted = Signal(str, str, str)
    hovered = Signal(str)
    reached = Signal(QRect)
    """The keyboard is there, in the window of the area."""
    resized = Signal()
    """A height is another one."""
    chosen = Signal(int)
    """The reader unfolded or lengthened this one."""
    dragged = Signal(QWidget, QPoint)
    menu_wanted = Signal(object, QWidget, QContextMenuEvent)
    """The cell, the text in it, and where."""

    def __init__(self, area: QAbstractScrollArea, transcript: Transcript) -> None:
        super().__init__(area)
        self._area, self._transcript = area, transcript
        self.name = transcript.name
        self.heights = Heights()
        self.cells: dict[int, Slot] = {}
        self._spare: list[Cell] = []
        self._spare_steps: list[StepCell] = []
        self._choices: dict[str, Shown] = {}
        self._slices = Slices(self)
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self.prepare)
        self._seen = False
        self._pictures = Pictures(self)
        self._pictures.arrived.connect(self._picture_arrived)
        maths().arrived.connect(self._formulas_arrived)

    @property
    def width(self) -> int:
        """Of a cell: the column and the room beside it."""
        return max(120, min(Size.COLUMN, self._area.viewport().width() - 2 * Space.L)) + 2 * EDGE

    def fill(self) -> None:
        """Begin anew with all entries of the transcript."""
        self.keep(())
        self._choices.clear()
        self.guess_all()
        self._at_rest()

    def guess_all(self) -> None:
        """Forget every height."""
        self.heights.fill(map(self._guess, self._transcript.entries))

    def insert(self, index: int) -> None:
        """There is one more entry, which is mostly the last one."""
        if index < len(self.heights):
            self.cells = {at + (at >= index): cell for at, cell in self.cells.items()}
        self.heights.insert(index, self._guess(self._transcript.entries[index]))
        if before := self.cells.get(index - 1):
            before.last = False
            before.reveal()

    def remove(self, index: int) -> None:
        """An entry is no more."""
        self.heights.remove(index)
        if index in self.cells:
            self._spare_one(self.cells.pop(index))
        self.cells = {at - (at > index): cell for at, cell in self.cells.items()}

    def _guess(self, entry: Entry) -> int:
        if entry.author in _ONE_LINE:
            return STEP
        choice = self._choices.get(entry.id)
        return guess(entry.text, self.width - 2 * EDGE, choice.limit if choice else SHOWN) + ROW

    def get(self, index: int) -> Slot:
        """The cell of an entry, laid out."""
        if known := self.cells.get(index):
            return known
        cell = self._take(self._transcript.entries[index].author)
        self.cells[index] = cell
        self._load(index, cell, again=True)
        return cell

    def _take(self, author: Author) -> Slot:
        if author is Author.NOTE:
            return self._connected(NoteCell(self._area.viewport()))
        if author is Author.BREAK:
            return self._connected(BreakCell(self._area.viewport()))
        if author is Author.RESULT:
            return self._connected(ResultCell(self._area.viewport(), self._slices, self._pictures))
        if author is Author.FILES:
            return self._connected(FilesCell(self._area.viewport()))
        if author is Author.STEP:
            spare = self._spare_steps
            return spare.pop() if spare else self._connected(StepCell(self._area.viewport()))
        return self._spare.pop() if self._spare else self._new()

    def update(self, index: int) -> None:
        """An entry has changed."""
        entry = self._transcript.entries[index]
        if entry.moving and len(entry.text) > SHOWN:  # who has read it growing sees all of it
            self._choices.setdefault(entry.id, Shown()).limit = LIVE
        if cell := self.cells.get(index):
            self._load(index, cell)
        else:
            self.heights.set(index, self._guess(entry))
        if not entry.moving:
            self._at_rest()

    def _at_rest(self) -> None:
        if self._seen:
            self._rest.start()

    def show_again(self) -> None:
        """Make every cell anew: other colours, another language."""
        for index, cell in self.cells.items():
            self._load(index, cell, again=True)

    def rewrap(self) -> None:
        """Lay everything out in the width that there is now."""
        self.guess_all()
        for index, cell in self.cells.items():
            self.heights.set(index, cell.arrange(self.width))

    def keep(self, indices: Iterable[int]) -> bool:
        """Put away the cells of all other entries; whether there were any."""
        gone = self.cells.keys() - set(indices)
        for index in gone:
            self._spare_one(self.cells.pop(index))
        return bool(gone)

    def _spare_one(self, cell: Slot) -> None:
        if cell.has_focus_inside():
            self._area.setFocus()
        cell.put_away()
        if isinstance(cell, Cell) and len(self._spare) < _SPARE and cell.weight <= _HEAVY:
            self._spare.append(cell)
        elif isinstance(cell, StepCell) and len(self._spare_steps) < _SPARE_STEPS:
            self._spare_steps.append(cell)
        else:
            cell.deleteLater()

    def _load(self, index: int, cell: Slot, *, again: bool = False) -> None:
        entry = self._transcript.entries[index]
        cell.last = index == len(self._transcript.entries) - 1
        cell.show_entry(entry, self._choices.get(entry.id) or Shown(), self.name(entry), again=again)
        self.heights.set(index, cell.arrange(self.width))

    def prepare(self) -> None:
        """Make the next cells ahead, and what comes with the first of all: fonts, styles, icons."""
        self._seen = True
        self._slices.add(self, self._ahead(), lambda: None)

    def _ahead(self) -> Iterator[None]:
        while len(self._spare) < _NEXT or len(self.cells) + len(self._spare) < _READY:
            cell = self._new()
            self._spare.append(cell)
            cell.hide()
            cell.ensurePolished()
            yield
            if len(self._spare) == 1 and not self.cells:
                cell.show_entry(Entry("", Author.YOU, "a", when=datetime.now(UTC)), Shown(), "")
                yield
                cell.resize(self.width, cell.arrange(self.width))
                yield
                cell.grab()
                yield

    def _new(self) -> Cell:
        cell = Cell(self._area.viewport(), self._slices, self._pictures)
        cell.body.set_width(self.width - 2 * EDGE)  # else it is laid out letter by letter
        return self._connected(cell)

    def _connected[S: Slot](self, cell: S) -> S:
        cell.acted.connect(self.acted)
        cell.wanted.connect(self.wanted)
        cell.answered.connect(self.answered)
        cell.work_wanted.connect(self.work_wanted)
        cell.resized.connect(self._resized)
        cell.chosen.connect(self._chose)
        cell.reached.connect(lambda rect: self.reached.emit(rect.translated(cell.pos())))
        cell.hovered.connect(self.hovered)
        cell.dragged.connect(self.dragged)
        cell.menu_wanted.connect(self.menu_wanted)
        return cell

    def _index(self, cell: Slot) -> int | None:
        return next((index for index, other in self.cells.items() if other is cell), None)

    def _resized(self, cell: Slot) -> None:
        if (index := self._index(cell)) is not None:
            self.heights.set(index, cell.arrange(self.width))
            self.resized.emit()

    def _chose(self, cell: Slot) -> None:
        if (index := self._index(cell)) is not None:
            self._choices[cell.entry.id] = cell.choice
            self._load(index, cell)
            self.chosen.emit(index)

    def _formulas_arrived(self, sources: list[str]) -> None:
        found = set(sources)
        changed = [
            (index, cell)
            for index, cell in self.cells.items()
            if cell.reader is not None and cell.reader.formulas_arrived(found)
        ]
        for index, cell in changed:
            self.heights.set(index, cell.arrange(self.width))
        if changed:
            self.resized.emit()

    def _picture_arrived(self, source: str) -> None:
        for index, cell in self.cells.items():
            if cell.picture_arrived(source):
                self._load(index, cell, again=True)
        self.resized.emit()
