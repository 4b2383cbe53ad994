"""Buttons: words in four kinds, and icons that say their name to who cannot see them."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size


def button(kind: str = "", icon_name: str = "", parent: QWidget | None = None) -> QPushButton:
    """A button with words; `kind` is "primary", "quiet", "danger", "link" or plain."""
    made = QPushButton(parent)
    made.setProperty("kind", kind)
    made.setCursor(Qt.CursorShape.PointingHandCursor)
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
