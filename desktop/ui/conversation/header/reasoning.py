"""How much the model of a conversation shall think: a button in its header."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtWidgets import QMenu, QWidget

from desktop.text import _, mark
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size
from desktop.ui.widgets.buttons import Button
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.models import Reasoning

_WORDS = {
    "off": mark("Off"),
    "on": mark("On"),
    "minimal": mark("Minimal"),
    "low": mark("Low"),
    "medium": mark("Medium"),
    "high": mark("High"),
}


class ReasoningButton(Button):
    """Shows what it is told; there while the model can be asked for one level or another."""

    chosen = Signal(str)
    """A level; empty for what the settings say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "quiet")
        self.setIcon(icon("brain"))
        self.setIconSize(QSize(Size.ICON - 2, Size.ICON - 2))
        self._found: Reasoning | None = None
        self.clicked.connect(self.choose)
        self.hide()
        spoken(self._words)

    def tell(self, found: "Reasoning") -> None:
        """Show what can be chosen, and what is."""
        self._found = found
        self._words()
        self.setVisible(bool(found.levels))

    def _words(self) -> None:
        level = (self._found.level or self._found.usual) if self._found else ""
        words = _("Reasoning: {level}").format(level=_(_WORDS[level])) if level else _("Reasoning")
        self.say(words)
        self.setToolTip(_("How much the model thinks before it answers"))

    def choose(self) -> None:
        """Open the menu of levels."""
        found = self._found
        if found is None:
            return
        menu, usual = QMenu(self), found.usual
        first = _("Default ({level})").format(level=_(_WORDS[usual])) if usual else ""
        for level in ("", *found.levels):
            words = _(_WORDS[level]) if level else first or _("Model default")
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(level == found.level)
            action.triggered.connect(lambda _on=False, level=level: self.chosen.emit(level))
            if not level:
                menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        corner = self.mapToGlobal(QPoint(self.width(), self.height() + 2))
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))
