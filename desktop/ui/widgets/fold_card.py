"""A card that shows how a thing stands, and folds its details away below."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import label, line


class FoldCard[D: QWidget](QFrame):
    """A press on the head, or its button, opens it; the details are made at the first time.

    A child puts what it says into `words` and `side`, a sign into `lead`, and widgets between head and
    details by below_head().
    """

    def __init__(self, make: Callable[[], D]) -> None:
        """`make`: makes what it opens to."""
        super().__init__()
        self.setProperty("kind", "card")
        self._make = make
        self.title, self.open_button = label("title"), IconButton("chevron-right")
        self.details: D | None = None
        self._head, self._below = QWidget(), QWidget()
        self.lead, self.words, self.side = QHBoxLayout(), QVBoxLayout(), QHBoxLayout()
        self.words.setSpacing(2)
        self.words.addWidget(self.title)
        self.side.setSpacing(Space.S)
        across(self.lead, (self.words, 1), self.side, self.open_button, of=self._head)
        self._column = down(self._head, self._below, edges=(Space.L, Space.M, Space.M, Space.M), of=self)
        self._folding = down(line(), of=self._below)
        self._below.hide()
        self._head.setCursor(Qt.CursorShape.PointingHandCursor)
        self._head.installEventFilter(self)
        self.open_button.clicked.connect(self.toggle)

    def below_head(self, widget: QWidget) -> None:
        """Put this below the head, seen while it is folded, too."""
        self._column.insertWidget(1, widget)

    def fill(self, details: D) -> None:
        """Show in the details how it stands, at each opening."""

    def folded(self, details: D) -> None:
        """The details have gone."""

    @property
    def opened(self) -> bool:
        """Whether its details are shown."""
        return not self._below.isHidden()

    def open(self) -> D:
        """Open it where it is folded; the details."""
        if self.details is None:
            self.details = self._make()
            self._folding.addWidget(self.details)
        elif self.opened:
            return self.details
        self.fill(self.details)
        self._show_below(shown=True)
        return self.details

    def toggle(self) -> None:
        """Open it, or fold it."""
        if self.details is None or not self.opened:
            self.open()
            return
        self._show_below(shown=False)
        self.folded(self.details)

    def _show_below(self, *, shown: bool) -> None:
        self._below.setVisible(shown)
        self.open_button.setIcon(icon("chevron-down" if shown else "chevron-right"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease
        if pressed and self._head.rect().contains(event.position().toPoint()):  # type: ignore[attr-defined]
            self.toggle()
        return super().eventFilter(watched, event)
