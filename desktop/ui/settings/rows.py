"""Rows of a page: words on the left, the editor on the right, below it where the page is narrow."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from desktop.config.describe import APPLIES, Setting
from desktop.errors import AppError
from desktop.text import _, sentences
from desktop.ui.settings.editors import (
    ChoiceEditor,
    Editor,
    FolderEditor,
    LinesEditor,
    SecretEditor,
    SwitchEditor,
    TextEditor,
)
from desktop.ui.settings.pairs import PairsEditor
from desktop.ui.settings.table import TableEditor
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.rows import EDITOR_WIDTH, Row
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

type Change = Callable[[Mapping[str, Any]], Awaitable[object]]
"""Stores values by name; None is the default. Raises AppError."""

_SAVED_MS = 2500
_EDITORS: dict[str, Callable[[Setting], Editor]] = {
    "text": TextEditor,
    "whole": TextEditor,
    "number": TextEditor,
    "folder": FolderEditor,
    "choice": ChoiceEditor,
    "switch": SwitchEditor,
    "table": TableEditor,
    "lines": LinesEditor,
    "pairs": PairsEditor,
    "secret": SecretEditor,
}


class _SavedLine(QWidget):
    """A tick and a sentence; it stands in for the help for a while and is as high: nothing moves."""

    def __init__(self) -> None:
        super().__init__()
        self._tick, self._said = QLabel(), label("small")
        self._said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = across((self._tick, Qt.AlignmentFlag.AlignTop), gap=Space.XS, of=self)
        row.addWidget(self._said, 1, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def tell(self, text: str, height: int) -> None:
        self._tick.setPixmap(icon("check", "success").pixmap(QSize(Size.SMALL + 2, Size.SMALL + 2)))
        self._said.setText(text)
        self.setFixedHeight(max(height, Size.ICON))
        self.show()


class FieldRow(Row):
    """A field of a model, with the editor for its kind."""

    def __init__(self, setting: Setting, *, wide: bool) -> None:
        self.setting, self.editor = setting, _EDITORS[setting.kind](setting)
        super().__init__(self.editor, wide=wide, width=0 if setting.kind == "switch" else EDITOR_WIDTH)
        spoken(self._words)

    def _words(self) -> None:
        self.say(_(self.setting.title), sentences(_(self.setting.help), self.setting.limits()))
        self.editor.say()


class SettingRow(FieldRow):
    """One setting: saved as soon as the person is done with it, and what came of that said beside it."""

    saved = Signal(str)
    """The setting's name, when its new value is on disk."""

    def __init__(self, setting: Setting, change: Change) -> None:
        self._reset, self._variable = IconButton("undo-2"), ""
        super().__init__(setting, wide=setting.kind == "table")
        self._change, self._work = change, Work(self)
        self._saved = _SavedLine()
        self.words.insertWidget(self.words.indexOf(self.help), self._saved)
        if setting.kind == "table":
            self.beside.addStretch(1)
            self.beside.addWidget(self._reset)
        else:
            self.tools.insertWidget(0, self._reset)
        self._quiet = QTimer(self, singleShot=True, interval=_SAVED_MS)
        self._quiet.timeout.connect(self._hush)
        self.editor.typed.connect(self._typed)
        self.editor.entered.connect(self._entered)
        self._reset.clicked.connect(self._to_default)

    def _words(self) -> None:
        super()._words()
        self.fix(self._variable)
        self._reset.say(_("Reset to default: {title}").format(title=_(self.setting.title)))

    def arranged(self, *, below: bool) -> None:
        keep = self._reset.sizePolicy()
        keep.setRetainSizeWhenHidden(not below)  # editors stand in one line
        self._reset.setSizePolicy(keep)

    def show_value(self, value: Any, variable: str = "") -> None:
        """Show what is set; `variable` is that of the environment which fixes it."""
        if not self.editor.busy():
            self.editor.put(value)
            self.complain("")
        self._reset.setVisible(value != self.setting.default and not variable)
        if variable != self._variable:
            self._variable = variable
            self._words()

    def matches(self, wanted: str) -> bool:
        """Whether the words of this row have this text."""
        return wanted in f"{self.title.text()}\n{self.help.text()}".casefold()

    def _typed(self, problem: str) -> None:
        self._hush()
        self.complain(problem)

    def _entered(self, value: Any) -> None:
        self._work.start(self._save(value), name=f"setting:{self.setting.name}")

    def _to_default(self) -> None:
        self._work.start(self._save(None), name=f"setting:{self.setting.name}")

    async def _save(self, value: Any) -> None:
        try:
            await self._change({self.setting.name: value})
        except AppError as error:
            self.editor.take_back()
            self._hush()
            self.complain(str(error))
            return
        if value is None:
            self.editor.put(self.setting.default)
            self.editor.field.setFocus()
        self.complain("")
        self._saved.tell(_(APPLIES[self.setting.applies]), self.help.height())
        self.help.hide()
        self._quiet.start()
        self.saved.emit(self.setting.name)

    def _hush(self) -> None:
        self._quiet.stop()
        self._saved.hide()
        self.help.setVisible(bool(self.help.text()))
