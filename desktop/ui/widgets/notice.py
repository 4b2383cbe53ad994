"""A sentence in place: what is wrong, what to do, and the remedy as a button where there is one."""

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from desktop.text import sentences
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.labels import label

type Act = tuple[str, Callable[[], object]]


class Notice(QFrame):
    """Hidden until tell() is called."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "notice")
        self._text = label("title", wrap=True)
        self._remedy = label("muted", wrap=True)
        self._actions: tuple[Act, ...] = ()
        self._made: list[Button] = []
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(Space.S)
        down(
            self._text,
            self._remedy,
            self._buttons,
            gap=Space.XS,
            edges=(Space.L, Space.M, Space.L, Space.M),
            of=self,
        )
        self.hide()

    def tell(
        self,
        text: str,
        remedy: str = "",
        *,
        tone: str = "danger",
        actions: tuple[Act, ...] = (),
    ) -> None:
        """Show a sentence. `tone` is "danger", "warning" or "info"; each action becomes a button."""
        self._text.setText(text)
        self._remedy.setText(remedy)
        self._remedy.setVisible(bool(remedy))
        self._offer(actions)
        self._buttons.setContentsMargins(0, Space.S if actions else 0, 0, 0)
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(sentences(text, remedy))
        self.show()
        QTimer.singleShot(0, self, self._come_into_sight)

    def has_keyboard(self) -> bool:
        """Whether one of its buttons has it."""
        return any(made.hasFocus() for made in self._made)

    def take_keyboard(self) -> None:
        """Give it to the first button, where there is one."""
        for made in self._made[:1]:
            made.setFocus()

    def _come_into_sight(self) -> None:
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None and self.isVisible():
            area.ensureWidgetVisible(self)

    def _offer(self, actions: tuple[Act, ...]) -> None:
        """Buttons for these. The same as before stay: one of them may have the keyboard."""
        self._actions = actions
        if [words for words, _act in actions] == [made.text() for made in self._made]:
            return
        while item := self._buttons.takeAt(0):
            if widget := item.widget():
                widget.deleteLater()
        self._made = [button() for _action in actions]
        for number, made in enumerate(self._made):
            made.setText(actions[number][0])
            made.clicked.connect(lambda _checked=False, number=number: self._actions[number][1]())
            self._buttons.addWidget(made)
        if actions:
            self._buttons.addStretch()
