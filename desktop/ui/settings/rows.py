"""Rows of a page: words on the left, the editor on the right, below it where the page is narrow."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop.config.describe import APPLIES, Setting
from desktop.errors import AppError
from desktop.text import _, sentences
from desktop.ui.actions import Actions
from desktop.ui.settings.editors import (
    EDITOR_WIDTH,
    ChoiceEditor,
    Editor,
    FolderEditor,
    SwitchEditor,
    TextEditor,
)
from desktop.ui.settings.table import TableEditor
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import label, line
from desktop.ui.widgets.order import laid_out
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_NARROW = 500
_SAVED_MS = 2500
_NO_LIMIT = 16_777_215  # Qt's own
_EDITORS: dict[str, Callable[[Setting], Editor]] = {
    "text": TextEditor,
    "whole": TextEditor,
    "number": TextEditor,
    "folder": FolderEditor,
    "choice": ChoiceEditor,
    "switch": SwitchEditor,
    "table": TableEditor,
}


class Card(QFrame):
    """Rows under one another, with lines between them."""

    def __init__(self, *, framed: bool = True) -> None:
        super().__init__()
        self.setProperty("kind", "card" if framed else "")
        side = Space.L if framed else 0
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(side, Space.XS, side, Space.XS)
        self._column.setSpacing(0)

    def add(self, widget: QWidget, *, parted: bool = True) -> None:
        """Put a row at the end; `parted` from what is above by a line."""
        if self._column.count() and parted:
            _Parting(self._column, widget)
        self._column.addWidget(widget)


class _Parting(QObject):
    """The line above a row; it comes and goes with the row."""

    def __init__(self, column: QVBoxLayout, row: QWidget) -> None:
        super().__init__(row)
        self._line = line()
        self._line.setVisible(not row.isHidden())
        column.addWidget(self._line)
        row.installEventFilter(self)

    def eventFilter(self, row: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._line.setVisible(event.type() == QEvent.Type.ShowToParent)
        return super().eventFilter(row, event)


class Row(QWidget):
    """Title and help, an editor, and a sentence under the help where something is wrong with it."""

    def __init__(self, editor: QWidget, *, wide: bool = False, width: int = EDITOR_WIDTH) -> None:
        """`wide`: the editor is put below the words and takes the whole width. `width`: of the editor
        beside the words; 0 for its own."""
        super().__init__()
        self._wide, self._width, self._editor = wide, width, editor
        self.title, self.help = label(wrap=True), label("small", wrap=True)
        self.title.setBuddy(editor.focusProxy() or editor)  # on Linux a list's own name is not read out
        self.problem = label("error", wrap=True)
        self.beside = QHBoxLayout()
        """Beside the title, for small signs."""
        self.beside.setSpacing(Space.XS)
        self.beside.addWidget(self.title)
        self.tools = QHBoxLayout()
        """Before the editor, for small buttons."""
        self.tools.setSpacing(Space.XS)
        self.words = words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch()
        words.addLayout(self.beside)
        words.addWidget(self.help)
        words.addWidget(self.problem)
        words.addStretch()
        self.tools.addWidget(editor, 1)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, Space.M, 0, Space.M)
        self._box.addLayout(words, 1)
        self._box.addLayout(self.tools)
        self.problem.hide()
        self._arrange()

    def keyboard_parts(self) -> list[QWidget]:
        """The editor before what stands beside the words."""
        return [*laid_out(self.tools), *laid_out(self.words)]

    def say(self, title: str, help_: str = "") -> None:
        """Set the words."""
        self.title.setText(title)
        self.help.setText(help_)
        self.help.setVisible(bool(help_))

    def fix(self, variable: str) -> None:
        """The value is that of a variable of the environment, and cannot be changed; "" for none."""
        self._editor.setEnabled(not variable)
        if variable:
            self.help.setText(_("Fixed by the environment variable {name}.").format(name=variable))
            self.help.show()

    def complain(self, text: str) -> None:
        """Say what is wrong with the value; "" for nothing."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
        field = self._editor.focusProxy() or self._editor
        field.setProperty("wrong", bool(text))
        field.style().unpolish(field)
        field.style().polish(field)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        below = self._wide or (self._width and self.width() < _NARROW)
        way = QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight
        self._box.setSpacing(Space.S if below else Space.XL)
        self._editor.setMinimumWidth(0 if below else self._width)
        self._editor.setMaximumWidth(_NO_LIMIT if below or not self._width else self._width)
        if self._box.direction() != way:
            self._box.setDirection(way)
        self.arranged(below=bool(below))

    def arranged(self, *, below: bool) -> None:
        """The editor is now beside the words, or below them."""


class _SavedLine(QWidget):
    """A tick and a sentence; it stands in for the help for a while and is as high: nothing moves."""

    def __init__(self) -> None:
        super().__init__()
        self._tick, self._said = QLabel(), label("small")
        self._said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.XS)
        row.addWidget(self._tick, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._said, 1, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def tell(self, text: str, height: int) -> None:
        self._tick.setPixmap(icon("check", "success").pixmap(QSize(Size.SMALL + 2, Size.SMALL + 2)))
        self._said.setText(text)
        self.setFixedHeight(max(height, Size.ICON))
        self.show()


class SettingRow(Row):
    """One setting: saved as soon as the person is done with it, and what came of that said beside it."""

    saved = Signal(str)
    """The setting's name, when its new value is on disk."""

    def __init__(self, setting: Setting, actions: Actions) -> None:
        self.setting = setting
        self.editor = _EDITORS[setting.kind](setting)
        self._reset = IconButton("undo-2")
        small = setting.kind == "switch"
        super().__init__(self.editor, wide=setting.kind == "table", width=0 if small else EDITOR_WIDTH)
        self._actions, self._work = actions, Work(self)
        self._variable = ""
        self._saved = _SavedLine()
        self.words.insertWidget(self.words.indexOf(self.help), self._saved)
        self.beside.addStretch(1)
        if setting.kind == "table":
            self.beside.addWidget(self._reset)
        else:
            self.tools.insertWidget(0, self._reset)
        self._quiet = QTimer(self, singleShot=True, interval=_SAVED_MS)
        self._quiet.timeout.connect(self._hush)
        self.editor.typed.connect(self._typed)
        self.editor.entered.connect(self._entered)
        self._reset.clicked.connect(self._to_default)
        spoken(self._words)

    def _words(self) -> None:
        title = _(self.setting.title)
        self.say(title, sentences(_(self.setting.help), self.setting.limits()))
        self.fix(self._variable)
        self.editor.say()
        self._reset.say(_("Back to the default: {title}").format(title=title))

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
            await self._actions.call("set", values={self.setting.name: value})
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
