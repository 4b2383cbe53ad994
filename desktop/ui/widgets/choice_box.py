"""A choice of a few values, each with a name in the person's language."""

from collections.abc import Mapping
from typing import Any

from desktop.text import _
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.words import spoken


class ChoiceBox(CalmBox):
    """Its names are those of the source; they are translated here. What is chosen is `value`."""

    def __init__(self, choices: Mapping[Any, str]) -> None:
        super().__init__()
        for value, name in choices.items():
            self.addItem(name, value)
        self._names = tuple(choices.values())
        spoken(self._words)

    def _words(self) -> None:
        for number, name in enumerate(self._names):
            self.setItemText(number, _(name))

    @property
    def value(self) -> Any:
        """The value that is chosen."""
        return self.currentData()

    def choose(self, value: object) -> None:
        """Choose this one; the first where there is none such."""
        self.setCurrentIndex(max(0, self.findData(value)))
