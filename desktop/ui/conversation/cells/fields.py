"""The fields of a form that an MCP server has the person fill in: one under the other, read together."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.switch import Switch

type Json = Mapping[str, Any]

_PLACEHOLDERS = {
    "email": "name@example.com",
    "uri": "https://example.com",
    "date": "2026-01-31",
    "date-time": "2026-01-31T09:30:00Z",
}


class FormField(QWidget):
    """One field: its name, what is to be known of it, where it is entered, what is wrong with it."""

    entered = Signal()

    def __init__(self, field: Json) -> None:
        super().__init__()
        self.name, self._field = str(field["name"]), field
        self._title, self._about = label(wrap=True), label("small", wrap=True)
        self.fault = label("error", wrap=True)
        self.editor = self._made()
        self._column = down(self._title, self._about, self.editor, self.fault, gap=Space.XS, of=self)
        self._about.setText(str(field["about"]))
        self._about.setVisible(bool(field["about"]))
        self.fault.hide()
        self.say()

    def say(self) -> None:
        """Set the words."""
        title = str(self._field["title"])
        needed = self._field["required"] or self._field["kind"] == "switch"
        self._title.setText(title if needed else _("{title} (optional)").format(title=title))
        for part in self._parts():
            part.setAccessibleDescription(self._about.text())
        self.editor.setAccessibleName(title)
        if isinstance(self.editor, CalmBox):
            self.editor.setItemText(0, _("Choose…"))

    def _made(self) -> QWidget:
        kind, default = self._field["kind"], self._field["default"]
        if kind == "switch":
            switch = Switch()
            switch.setChecked(bool(default))
            return switch
        if kind == "one":
            box = CalmBox()
            box.addItem("", "")
            for value, title in self._field["choices"]:
                box.addItem(title, value)
            box.setCurrentIndex(max(0, box.findData(default)) if default is not None else 0)
            return box
        if kind == "many":
            return _Several(self._field["choices"], default or [])
        line = QLineEdit("" if default is None else _number(default))
        line.setPlaceholderText(_PLACEHOLDERS.get(str(self._field["format"]), ""))
        line.returnPressed.connect(self.entered)
        line.textEdited.connect(lambda: self.complain(""))
        return line

    def _parts(self) -> list[QWidget]:
        return self.editor.switches if isinstance(self.editor, _Several) else [self.editor]

    def complain(self, fault: str) -> None:
        """Say what is wrong; "" for nothing."""
        self.fault.setText(fault)
        self.fault.setVisible(bool(fault))
        self.editor.setProperty("wrong", "true" if fault else "false")
        self.editor.style().unpolish(self.editor)
        self.editor.style().polish(self.editor)

    def read(self) -> Any:
        """What is entered; "" where it is left out."""
        if isinstance(self.editor, Switch):
            return self.editor.isChecked()
        if isinstance(self.editor, CalmBox):
            return self.editor.currentData()
        if isinstance(self.editor, _Several):
            return self.editor.chosen()
        return self.editor.text() if isinstance(self.editor, QLineEdit) else ""


class _Several(QWidget):
    """A switch for each choice."""

    def __init__(self, choices: Sequence[Sequence[str]], chosen: Sequence[str]) -> None:
        super().__init__()
        self.switches: list[QWidget] = []
        self._values: list[tuple[str, Switch]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.XS)
        for value, title in choices:
            switch, words = Switch(), label(text=title, wrap=True)
            switch.setAccessibleName(title)
            switch.setChecked(value in chosen)
            row = across(switch, (words, 1))
            column.addLayout(row)
            self.switches.append(switch)
            self._values.append((value, switch))

    def chosen(self) -> list[str]:
        """The values that are on."""
        return [value for value, switch in self._values if switch.isChecked()]


class FormFields(QWidget):
    """All of them. What was entered stays until another form is shown."""

    entered = Signal()
    """Enter was pressed in a line."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: Any = None
        self.fields: list[FormField] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, Space.XS, 0, Space.XS)
        self._column.setSpacing(Space.M)

    def show_form(self, question: str, fields: Sequence[Json], faults: Mapping[str, str]) -> None:
        """Show the fields of a question, and what is wrong with what was sent."""
        if self._shown != (question, fields):
            self._shown = (question, fields)
            for old in self.fields:
                self._column.removeWidget(old)
                old.hide()
                old.deleteLater()
            self.fields = [FormField(field) for field in fields]
            for made in self.fields:
                made.entered.connect(self.entered)
                self._column.addWidget(made)
        for made in self.fields:
            made.complain(faults.get(made.name, ""))
        wrong = next((made for made in self.fields if made.name in faults), None)
        if wrong is not None and self.isVisible():
            wrong.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self.setVisible(bool(self.fields))

    def say(self) -> None:
        """Set the words."""
        for made in self.fields:
            made.say()

    def read(self) -> dict[str, Any]:
        """What is entered, by the names of the fields."""
        return {made.name: made.read() for made in self.fields}


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)
