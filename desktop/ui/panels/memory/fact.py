"""One fact: what it says, when and from where it came, and a way to have it forgotten."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal

from desktop.text import _
from desktop.ui.panels.memory import words
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.list_row import PlainRow
from desktop.ui.widgets.plain import shown

if TYPE_CHECKING:
    from desktop.api.memory import Fact

_LONGEST = 1_000
_SAID = 80
"""Characters of a fact in the name of its button."""


class FactRow(PlainRow):
    """It stands below what the note is."""

    forget_wanted = Signal(str)
    """The fact."""

    def __init__(self) -> None:
        super().__init__()
        self.fact: Fact | None = None
        self._text, self._origin = label(wrap=True), label("small")
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.forget = IconButton("trash-2")
        text = down(self._text, self._origin, gap=2)
        across(
            (text, 1),
            (self.forget, Qt.AlignmentFlag.AlignTop),
            edges=(Space.L, Space.S, Space.S, Space.S),
            of=self,
        )
        self.forget.clicked.connect(lambda: self.fact and self.forget_wanted.emit(self.fact.text))

    def show_fact(self, fact: "Fact") -> None:
        """Show this one."""
        self.fact = fact
        self._text.setText(shown(fact.text)[:_LONGEST])
        self.say()

    def say(self) -> None:
        """Set the words."""
        if self.fact is None:
            return
        origin = words.origin(self.fact)
        self._origin.setText(origin)
        self._origin.setVisible(bool(origin))
        said = self._text.text()
        self.forget.say(_("Forget: {fact}").format(fact=said if len(said) <= _SAID else said[:_SAID] + "…"))
        self.forget.setToolTip(_("Forget this. It is removed, and Dream won’t add it back."))
