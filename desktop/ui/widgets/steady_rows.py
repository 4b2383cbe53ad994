"""A list model that tells its views what became of each row, where a reset would take from the person the
row that they edit, the place they have scrolled to and the one that is current."""

from collections.abc import Hashable, Iterable, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Signal

type Index = QModelIndex | QPersistentModelIndex


class SteadyRows[T](QAbstractListModel):
    """Rows that have names of their own, and keep their indexes and editors wherever they go."""

    changing = Signal(list)
    """Rows come, go or move: the numbers of those that go. Said before any view is told."""
    changed = Signal()
    """They have."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[T] = []
        self._names: list[Hashable] = []
        self._told: list[object] = []
        """What of each row the views were told last."""

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def become(self, rows: Sequence[T], names: list[Hashable], told: Sequence[object]) -> None:
        """Show these rows, each with a name that no other has, and all that a view tells of it. The cost
        grows with the rows, and with the stretches that come or go."""
        before = dict(zip(self._names, self._told, strict=True))
        moving = self._names != names
        if moving:
            self._move(rows, names)
        self._rows, self._told = list(rows), list(told)
        for number, name in enumerate(names):
            if before.get(name, told[number]) != told[number]:
                self.dataChanged.emit(self.index(number), self.index(number))
        if moving:
            self.changed.emit()

    def _move(self, rows: Sequence[T], names: list[Hashable]) -> None:
        staying = set(names)
        leaving = [number for number, name in enumerate(self._names) if name not in staying]
        self.changing.emit(leaving)
        self._remove(leaving)
        here = set(self._names)
        self._order([name for name in names if name in here])
        self._insert(rows, names, here)

    def _remove(self, leaving: list[int]) -> None:
        for first, last in reversed(stretches(leaving)):
            self.beginRemoveRows(QModelIndex(), first, last)
            del self._rows[first : last + 1], self._names[first : last + 1]
            self.endRemoveRows()

    def _order(self, names: list[Hashable]) -> None:
        if names == self._names:
            return
        self.layoutAboutToBeChanged.emit()
        rows = dict(zip(self._names, self._rows, strict=True))
        places = {name: number for number, name in enumerate(names)}
        before = self.persistentIndexList()
        after = [self.index(places[self._names[index.row()]]) for index in before]
        self._rows, self._names = [rows[name] for name in names], names
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _insert(self, rows: Sequence[T], names: list[Hashable], here: set[Hashable]) -> None:
        coming = [number for number, name in enumerate(names) if name not in here]
        for first, last in stretches(coming):
            self.beginInsertRows(QModelIndex(), first, last)
            self._rows[first:first] = rows[first : last + 1]
            self._names[first:first] = names[first : last + 1]
            self.endInsertRows()


def stretches(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of each stretch of rising numbers without a gap."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
