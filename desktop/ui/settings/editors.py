"""Editors: one for each kind of setting, all with the same three ways in and out."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QWidget

from desktop.config.describe import Setting
from desktop.errors import ConfigError
from desktop.text import _
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.text_field import TextField

_LINES = 3


class Editor(QWidget):
    """Shows a value and tells of another. `typed` says what is wrong with what stands there now, "" for
    nothing; `entered` comes when the person is done with a value that can be used."""

    entered = Signal(object)
    typed = Signal(str)

    def __init__(self, setting: Setting, field: QWidget) -> None:
        super().__init__()
        self.setting = setting
        self.field = field
        self.setFocusProxy(field)
        self._value: Any = setting.default
        self._before: Any = setting.default
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(Space.XS)

    def put(self, value: Any) -> None:
        """Show what is set."""
        self._value = value

    def given(self) -> Any:
        """What stands there now. Raises ConfigError where that cannot be used."""
        return self._value

    def busy(self) -> bool:
        """Whether the person is at work here, and what is shown must stay."""
        return False

    def take_back(self) -> None:
        """What was entered last was not saved: entering it again is a new attempt."""
        self._value = self._before

    def say(self) -> None:
        """Set the words."""
        self.field.setAccessibleName(_(self.setting.title))
        self.field.setAccessibleDescription(_(self.setting.help))

    def _enter(self, value: Any) -> None:
        if value != self._value:
            self._before, self._value = self._value, value
            self.entered.emit(value)


class UnitEdit(QLineEdit):
    """A field with its unit at the right edge."""

    def __init__(self) -> None:
        super().__init__()
        self._unit = label("muted", parent=self)
        self._unit.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def set_unit(self, unit: str) -> None:
        self._unit.setText(unit)
        self._unit.adjustSize()
        self.setTextMargins(0, 0, self._unit.width() + Space.S if unit else 0, 0)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        unit = self._unit
        unit.move(self.width() - unit.width() - Space.M, (self.height() - unit.height()) // 2)


class TextEditor(Editor):
    """Text and numbers: checked while they are typed, saved when the field is left or Enter is pressed."""

    def __init__(self, setting: Setting) -> None:
        self._edit = UnitEdit()
        super().__init__(setting, self._edit)
        self._row.addWidget(self._edit, 1)
        self._edit.textEdited.connect(self._check)
        self._edit.editingFinished.connect(self._finished)

    def busy(self) -> bool:
        return self._edit.hasFocus() and self._edit.text() != self.setting.write(self._value)

    def put(self, value: Any) -> None:
        super().put(value)
        if self._edit.text() != (text := self.setting.write(value)):
            self._edit.setText(text)
            self._edit.setCursorPosition(0)

    def say(self) -> None:
        super().say()
        self._edit.set_unit(_(self.setting.unit) if self.setting.unit else "")
        self._edit.setPlaceholderText(_(self.setting.empty) if self.setting.empty else "")

    def given(self) -> Any:
        return self.setting.read(self._edit.text())

    def _check(self) -> None:
        try:
            self.given()
        except ConfigError as error:
            self.typed.emit(error.text)
        else:
            self.typed.emit("")

    def _finished(self) -> None:
        try:
            value = self.given()
        except ConfigError as error:
            self.typed.emit(error.text)
        else:
            self._enter(value)


class SecretEditor(TextEditor):
    """A text that is hidden while it is typed, and never shown again."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._edit.setEchoMode(QLineEdit.EchoMode.Password)


class LinesEditor(Editor):
    """Texts, one a line, saved when the field is left."""

    def __init__(self, setting: Setting) -> None:
        self._text = TextField(_LINES)
        super().__init__(setting, self._text)
        self._row.addWidget(self._text)
        self._text.textChanged.connect(lambda: self.typed.emit(""))
        self._text.left.connect(lambda: self._enter(self.given()))

    def busy(self) -> bool:
        return self._text.hasFocus() and self.given() != self._value

    def put(self, value: Any) -> None:
        super().put(tuple(value))
        self._text.show_text("\n".join(value))

    def given(self) -> tuple[str, ...]:
        lines = (line.strip() for line in self._text.toPlainText().splitlines())
        return tuple(filter(None, lines))


class FolderEditor(TextEditor):
    """A folder: typed, or chosen in the system's dialog."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self._browse = IconButton("ellipsis")
        self._browse.clicked.connect(self._choose)
        self._row.addWidget(self._browse)

    def say(self) -> None:
        super().say()
        self._browse.say(_("Choose a folder"))

    def _choose(self) -> None:
        dialog = QFileDialog(self, _(self.setting.title), self._edit.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._chosen)
        dialog.open()

    def _chosen(self, folder: str) -> None:
        self._edit.setText(folder)
        self._finished()


class FreeBox(CalmBox):
    """A choice that may also be something else."""

    def __init__(self) -> None:
        super().__init__()
        self.edit = QLineEdit()
        self.edit.setStyleSheet("border: none; background: transparent; padding: 0; min-height: 0")
        self.setEditable(True)
        self.setLineEdit(self.edit)
        self.setInsertPolicy(CalmBox.InsertPolicy.NoInsert)
        self.setCompleter(None)  # type: ignore[arg-type]  # completing gpt-4 to gpt-4o would be wrong


class ChoiceEditor(Editor):
    """One of a few values. A value that is none of them, written by hand into the file, stays choosable."""

    def __init__(self, setting: Setting) -> None:
        self._box = CalmBox()
        super().__init__(setting, self._box)
        self._row.addWidget(self._box, 1)
        self._box.activated.connect(self._chosen)

    def put(self, value: Any) -> None:
        super().put(value)
        self._fill()

    def say(self) -> None:
        super().say()
        self._fill()

    def _fill(self) -> None:
        shown = "" if self._value is None else str(self._value)
        choices = self.setting.choices | ({} if shown in self.setting.choices else {shown: shown})
        self._box.clear()
        for key, title in choices.items():
            self._box.addItem(_(title) if title else title, key)
        self._box.setCurrentIndex(self._box.findData(shown))

    def _chosen(self) -> None:
        key = self._box.currentData()
        self._enter(None if key == "" and self.setting.optional else key)


class SwitchEditor(Editor):
    """On or off."""

    def __init__(self, setting: Setting) -> None:
        self._switch = Switch()
        super().__init__(setting, self._switch)
        self._row.addStretch()
        self._row.addWidget(self._switch)
        self._switch.clicked.connect(self._enter)

    def put(self, value: Any) -> None:
        super().put(value)
        self._switch.setChecked(bool(value))
