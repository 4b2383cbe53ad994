"""A sentence in place: what is wrong, what to do, and the remedy as a button where there is one."""

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label


class Notice(QFrame):
    """Hidden until tell() is called."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "notice")
        self._text = label("title", wrap=True)
        self._remedy = label("muted", wrap=True)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(Space.S)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        column.setSpacing(Space.XS)
        column.addWidget(self._text)
        column.addWidget(self._remedy)
        column.addLayout(self._buttons)
        self.hide()

    def tell(
        self,
        text: str,
        remedy: str = "",
        *,
        tone: str = "danger",
        actions: tuple[tuple[str, Callable[[], object]], ...] = (),
    ) -> None:
        """Show a sentence. `tone` is "danger", "warning" or "info"; each action becomes a button."""
        self._text.setText(text)
        self._remedy.setText(remedy)
        self._remedy.setVisible(bool(remedy))
        self._clear()
        for words, act in actions:
            made: QPushButton = button()
            made.setText(words)
            made.clicked.connect(lambda _checked=False, act=act: act())
            self._buttons.addWidget(made)
        if actions:
            self._buttons.addStretch()
        self._buttons.setContentsMargins(0, Space.S if actions else 0, 0, 0)
        self.setProperty("tone", tone)
        self.style().unpolish(self)
        self.style().polish(self)
        self.setAccessibleName(f"{text} {remedy}".strip())
        self.show()
        QTimer.singleShot(0, self, self._come_into_sight)

    def _come_into_sight(self) -> None:
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None and self.isVisible():
            area.ensureWidgetVisible(self)

    def _clear(self) -> None:
        while item := self._buttons.takeAt(0):
            if widget := item.widget():
                widget.deleteLater()
