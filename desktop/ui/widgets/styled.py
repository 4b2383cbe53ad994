"""A style sheet for one widget, in the theme's colours, that follows light and dark."""

from string import Template

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop.ui.theme.theme import theme


class _Sheet(QObject):
    def __init__(self, widget: QWidget, sheet: str) -> None:
        super().__init__(widget)
        self._widget, self._template = widget, Template(sheet)
        theme().changed.connect(self._apply)
        self._apply()

    def _apply(self) -> None:
        self._widget.setStyleSheet(self._template.substitute(theme().colors._asdict()))


def styled(widget: QWidget, sheet: str) -> None:
    """Give a widget a sheet; $name in it is a colour of Colors."""
    _Sheet(widget, sheet)
