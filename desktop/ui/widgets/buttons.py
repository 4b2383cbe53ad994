"""Buttons: words in four kinds, and icons that say their name to who cannot see them."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size


class Button(QPushButton):
    """A button with words. While it is at work it keeps the keyboard, which a disabled one would lose to
    the next field, and takes no press, from a hand or from an assistive technology."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._works = 0
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def say(self, words: str, name: str = "") -> None:
        """Set the words, and its whole name where they do not say enough by themselves."""
        self.setText(words if self.icon().isNull() else f" {words}")  # the space keeps the sign apart
        self.setAccessibleName(name or words)

    @property
    def busy(self) -> bool:
        """Whether it is at work."""
        return self._works > 0

    def work(self, *, begins: bool) -> None:
        """One more work of this button begins, or one ends."""
        was = self.busy
        self._works += 1 if begins else -1
        if self.busy == was:
            return
        self.blockSignals(self.busy)
        self.setDown(False)
        self.setCursor(Qt.CursorShape.BusyCursor if self.busy else Qt.CursorShape.PointingHandCursor)
        self.setProperty("busy", self.busy)
        self.style().unpolish(self)
        self.style().polish(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.busy:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        pressing = event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Select)
        if not (self.busy and pressing):
            super().keyPressEvent(event)


def button(kind: str = "", icon_name: str = "", parent: QWidget | None = None) -> Button:
    """A button with words; `kind` is "primary", "quiet", "danger", "link" or plain."""
    made = Button(parent)
    made.setProperty("kind", kind)
    if icon_name:
        made.setIcon(icon(icon_name, {"primary": "on_accent", "danger": "danger"}.get(kind, "muted")))
        made.setIconSize(QSize(Size.ICON, Size.ICON))
    return made


class IconButton(QToolButton):
    """A button with an icon alone; say() gives it its name, which is also its hint."""

    def __init__(self, icon_name: str, role: str = "muted", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setIcon(icon(icon_name, role))
        self.setIconSize(QSize(18, 18))
        self.setFixedSize(Size.CONTROL, Size.CONTROL)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def say(self, name: str, keys: str = "") -> None:
        """Set the accessible name; `keys` are shown beside it in the hint."""
        self.setAccessibleName(name)
        self.setToolTip(f"{name}  {keys}" if keys else name)
