"""The sign of a field in which one searches. Qt makes a button of it, which has to have a name."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit

from desktop.text import _
from desktop.ui.theme.icons import icon
from desktop.ui.words import spoken


class Lens(QAction):
    """Stands in front of the text of a field."""

    def __init__(self, field: QLineEdit) -> None:
        super().__init__(icon("search"), "", field)
        field.addAction(self, QLineEdit.ActionPosition.LeadingPosition)
        spoken(self._words)

    def _words(self) -> None:
        self.setText(_("Search"))
