"""What stands in the place of a list: an item of it, or a form. Also forms within a page.

A form has fields in rows, says what is wrong at each and what came of it, and has buttons.
"""

from abc import abstractmethod

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLayout, QLineEdit, QWidget

from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import Part, across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.text_field import TextField

_TOP = Qt.AlignmentFlag.AlignTop


class ItemPage(QWidget):
    """A way back to the list, a title, and what stands below."""

    left = Signal()

    def __init__(self, *body: Part, title: QLayout | None = None) -> None:
        """`title`: in place of a line of words."""
        super().__init__()
        self.back, self.title = IconButton("chevron-left"), label("title")
        head = across((self.back, _TOP), (title or self.title, 1), gap=Space.M)
        self.column = down(head, *body, gap=Space.M, of=self)
        self.back.clicked.connect(self.left)


class FormPage(ItemPage):
    """Who derives from it adds fields, and does submit()."""

    def __init__(self, *body: QWidget, title: QLayout | None = None, act: QWidget | None = None) -> None:
        """`body`: in place of a card of rows. `act`: one more button, before the one that saves."""
        self.card, self.outcome, self.delete = Card(), Outcome(), button("danger", "trash-2")
        self.cancel, self.save = button(), button("primary")
        acts: list[Part] = [self.delete, None, self.cancel, *([act] if act is not None else []), self.save]
        super().__init__(*(body or (self.card,)), self.outcome, across(*acts), title=title)
        self.delete.hide()
        self.cancel.clicked.connect(self.give_up)
        self.save.clicked.connect(self._submit)

    def field(self, editor: QWidget, *, wide: bool = False) -> Row:
        """Add a row with this field. Enter in it, and Ctrl+S in a text, do what the button does; what was
        said against it goes as soon as it is changed."""
        row = Row(editor, wide=wide)
        self.card.add(row)
        if isinstance(editor, QLineEdit):
            editor.returnPressed.connect(self._submit)
            editor.textEdited.connect(lambda: row.complain(""))
        elif isinstance(editor, TextField):
            editor.save_wanted.connect(self._submit)
            editor.textChanged.connect(lambda: row.complain(""))
        return row

    @abstractmethod
    def submit(self) -> None:
        """The person is done."""

    def give_up(self) -> None:
        """Nothing of it is wanted."""
        self.left.emit()

    def _submit(self) -> None:
        if not self.save.busy:
            self.submit()


class FormCard(QFrame):
    """A title, fields of its own, buttons."""

    left = Signal()

    def __init__(self, *body: QWidget, acts: tuple[Part, ...]) -> None:
        super().__init__()
        self.setProperty("kind", "card")
        self.title, self.outcome = label("title", wrap=True), Outcome()
        edges = (Space.L, Space.M, Space.L, Space.M)
        down(self.title, *body, self.outcome, across(*acts), edges=edges, of=self)


def complain(*wrong: tuple[Row, str]) -> bool:
    """Say at each field what is wrong with it, "" for nothing, and give the keyboard to the first one that
    is; whether there was one."""
    for row, problem in wrong:
        row.complain(problem)
    first = next((row for row, problem in wrong if problem), None)
    if first is not None:
        first.field.setFocus()
    return first is not None
