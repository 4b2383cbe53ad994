"""Fields of a form that are made from a model of the configuration, and read together."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from desktop.config.describe import settings_of
from desktop.errors import ConfigError
from desktop.ui.settings.editors import Editor
from desktop.ui.settings.rows import FieldRow
from desktop.ui.widgets.form import complain
from desktop.ui.widgets.rows import Card, Row


class ModelCard(Card):
    """A row for each field of a model, with its words, its kind and its limits, in the order of adding.
    What was said against one is kept true while it is changed."""

    def __init__(self, path: str) -> None:
        """`path`: of the model, as describe.settings_of() has it."""
        super().__init__()
        self._settings = {setting.name.rpartition(".")[2]: setting for setting in settings_of(path)}
        self.fields: dict[str, FieldRow] = {}

    def add_field(self, name: str, value: Any = None, *, wide: bool = False, help_: str = "") -> Editor:
        """Add one, showing this value, or the default. `help_`: instead of the model's, in English."""
        setting = self._settings[name]
        row = self.fields[name] = FieldRow(replace(setting, help=help_ or setting.help), wide=wide)
        row.editor.put(setting.default if value is None else value)
        row.editor.typed.connect(lambda problem: row.complain("" if row.problem.isHidden() else problem))
        self.add(row)
        return row.editor

    def read_fields(
        self, *names: str, missing: Mapping[str, str], also: tuple[Row, str]
    ) -> dict[str, Any] | None:
        """The values of these fields; None where one is wrong, which is said at it. `missing`: what to say
        of those that cannot be empty; `also`: the row of one more field, and what is wrong with it."""
        values, problems = dict[str, Any](), [also]
        for name in names:
            try:
                values[name] = self.fields[name].editor.given()
            except ConfigError as error:
                problem = error.text
            else:
                problem = "" if values[name] else missing.get(name, "")
            problems.append((self.fields[name], problem))
        return None if complain(*problems) else values
