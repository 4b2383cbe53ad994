"""The editor of names with values, such as HTTP headers."""

from typing import Any

from desktop.config.describe import Setting, check_headers
from desktop.errors import ConfigError
from desktop.ui.settings.editors import Editor
from desktop.ui.widgets.entries import Entries, Entry


class TableEditor(Editor):
    """Lines of a name and a value each. A line without a value is not saved yet."""

    def __init__(self, setting: Setting) -> None:
        self._table = Entries(Entry)
        super().__init__(setting, self._table)
        self._row.addWidget(self._table)
        self._table.left.connect(self._left)

    def busy(self) -> bool:
        return not self._complete() or any(
            edit.hasFocus() for entry in self._table.lines for edit in (entry.name, entry.value)
        )

    def put(self, value: Any) -> None:
        super().put(dict(value or {}))
        if self._read() != self._value or not self._complete():
            self._table.show_entries(self._value)

    def _complete(self) -> bool:
        return all(entry.name.text().strip() and entry.value.text().strip() for entry in self._table.lines)

    def _read(self) -> dict[str, str]:
        pairs = ((entry.name.text().strip(), entry.value.text().strip()) for entry in self._table.lines)
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
