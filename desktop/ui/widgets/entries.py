"""Lines of a name and a value each, as many as there are, and a button for one more."""

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.words import spoken


class Entry(QWidget):
    """One line."""

    left = Signal()
    removed = Signal(object)

    def __init__(self, name: str = "", value: str = "", signs: Iterable[QWidget] = ()) -> None:
        """`signs`: small buttons behind the value."""
        super().__init__()
        self.name, self.value, self._remove = QLineEdit(name), QLineEdit(value), IconButton("x")
        self.name.setCursorPosition(0)
        across((self.name, 2), (self.value, 3), *signs, self._remove, gap=Space.XS, of=self)
        self._remove.clicked.connect(lambda: self.removed.emit(self))
        for edit in (self.name, self.value):
            edit.editingFinished.connect(self.left)
        spoken(self.say)

    def say(self) -> None:
        """Set the words."""
        for edit, words in ((self.name, _("Name")), (self.value, _("Value"))):
            edit.setPlaceholderText(words)
            edit.setAccessibleName(words)
        self._remove.say(_("Remove line"))


class Entries[E: Entry](QWidget):
    """All lines."""

    left = Signal()
    """The person is done with a line, or has removed it."""

    def __init__(self, make: Callable[[str, str], E]) -> None:
        """`make`: a line of a name and a value."""
        super().__init__()
        self._make = make
        self.lines: list[E] = []
        self._column, self.add = QVBoxLayout(), button("link", "plus")
        self._column.setSpacing(Space.XS)
        down(self._column, self.add, gap=Space.XS, of=self)
        self.setFocusProxy(self.add)
        self.add.clicked.connect(lambda: self._put("", "").name.setFocus())
        spoken(self._words)

    def _words(self) -> None:
        self.add.say(_("Add line"))

    def show_entries(self, values: Mapping[str, str]) -> None:
        """Show these."""
        for line in list(self.lines):
            self._drop(line)
        for name, value in values.items():
            self._put(name, value)

    def _put(self, name: str, value: str) -> E:
        line = self._make(name, value)
        line.left.connect(self.left)
        line.removed.connect(self._removed)
        self.lines.append(line)
        self._column.addWidget(line)
        line.show()
        return line

    def _removed(self, line: E) -> None:
        self._drop(line)
        (self.lines[-1].name if self.lines else self.add).setFocus()
        self.left.emit()

    def _drop(self, line: E) -> None:
        self.lines.remove(line)
        self._column.removeWidget(line)
        line.hide()
        line.deleteLater()
