"""Rows of a page or a form: words on the left, the field on the right, below it where there is no room."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.labels import label, line
from desktop.ui.widgets.order import laid_out

EDITOR_WIDTH = 240
_NARROW = 500
_NO_LIMIT = 16_777_215  # Qt's own


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

    def fill(self, rows: Iterable[QWidget], nothing: str = "") -> None:
        """Have these rows and no others; `nothing` is said where there is none."""
        while item := self._column.takeAt(0):
            if (gone := item.widget()) is not None:
                gone.hide()
                gone.deleteLater()
        for row in rows:
            self.add(row)
        if nothing and not self._column.count():
            words = label("muted", nothing, wrap=True)
            words.setContentsMargins(0, Space.S, 0, Space.S)
            self.add(words)


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
        self._wide, self._width, self.field = wide, width, editor
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

    def call(self, title: str, help_: str = "") -> None:
        """Set the words, and call the field by them."""
        self.say(title, help_)
        self.field.setAccessibleName(title)

    def say(self, title: str, help_: str = "") -> None:
        """Set the words."""
        self.title.setText(title)
        self.help.setText(help_)
        self.help.setVisible(bool(help_))

    def fix(self, variable: str) -> None:
        """The value is that of a variable of the environment, and cannot be changed; "" for none."""
        self.field.setEnabled(not variable)
        if variable:
            self.help.setText(_("Set by the environment variable {name}.").format(name=variable))
            self.help.show()

    def complain(self, text: str) -> None:
        """Say what is wrong with the value; "" for nothing."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))
        field = self.field.focusProxy() or self.field
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
        self.field.setMinimumWidth(0 if below else self._width)
        self.field.setMaximumWidth(_NO_LIMIT if below or not self._width else self._width)
        if self._box.direction() != way:
            self._box.setDirection(way)
        self.arranged(below=bool(below))

    def arranged(self, *, below: bool) -> None:
        """The editor is now beside the words, or below them."""
