"""The editor of names with values, such as HTTP headers."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.config.describe import Setting, check_headers
from desktop.errors import ConfigError
from desktop.text import _
from desktop.ui.settings.editors import Editor
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button


class _Entry(QWidget):
    """One name and its value."""

    left = Signal()
    removed = Signal(object)

    def __init__(self, name: str = "", value: str = "") -> None:
        super().__init__()
        self.name, self.value, self._remove = QLineEdit(name), QLineEdit(value), IconButton("x")
        across((self.name, 2), (self.value, 3), self._remove, gap=Space.XS, of=self)
        self._remove.clicked.connect(lambda: self.removed.emit(self))
        for edit in (self.name, self.value):
            edit.editingFinished.connect(self.left)

    def say(self) -> None:
        for edit, words in ((self.name, _("Name")), (self.value, _("Value"))):
            edit.setPlaceholderText(words)
            edit.setAccessibleName(words)
        self._remove.say(_("Remove line"))


class TableEditor(Editor):
    """Lines of a name and a value each. A line without a value is not saved yet."""

    def __init__(self, setting: Setting) -> None:
        self._add = button("link")
        super().__init__(setting, self._add)
        self._entries: list[_Entry] = []
        self._lines = QVBoxLayout()
        self._lines.setSpacing(Space.XS)
        column = down(self._lines, self._add)
        self._row.addLayout(column)
        self._add.clicked.connect(self._add_line)

    def busy(self) -> bool:
        return not self._complete() or any(
            edit.hasFocus() for entry in self._entries for edit in (entry.name, entry.value)
        )

    def put(self, value: Any) -> None:
        super().put(dict(value or {}))
        if self._read() == self._value and self._complete():
            return
        for entry in list(self._entries):
            self._drop(entry)
        for name, text in self._value.items():
            self._put(name, text)

    def say(self) -> None:
        super().say()
        self._add.setText(_("Add line"))
        for entry in self._entries:
            entry.say()

    def _put(self, name: str = "", value: str = "") -> _Entry:
        entry = _Entry(name, value)
        entry.left.connect(self._left)
        entry.removed.connect(self._removed)
        entry.say()
        self._entries.append(entry)
        self._lines.addWidget(entry)
        entry.show()
        return entry

    def _add_line(self) -> None:
        self._put().name.setFocus()

    def _drop(self, entry: _Entry) -> None:
        self._entries.remove(entry)
        self._lines.removeWidget(entry)
        entry.hide()
        entry.deleteLater()

    def _removed(self, entry: _Entry) -> None:
        self._drop(entry)
        self._left()

    def _complete(self) -> bool:
        return all(entry.name.text().strip() and entry.value.text().strip() for entry in self._entries)

    def _read(self) -> dict[str, str]:
        pairs = ((entry.name.text().strip(), entry.value.text().strip()) for entry in self._entries)
        return {name: value for name, value in pairs if name and value}

    def _left(self) -> None:
        found = self._read()
        try:
            check_headers(found)
        except ConfigError as error:
            self.typed.emit(error.text)
        else:
            self.typed.emit("")
            self._enter(found)
