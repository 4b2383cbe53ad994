"""An opened tool call: what it was given, what came of it, and why it was allowed or not."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.text import _
from desktop.ui.conversation.step import Outcome, Step, given
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.code_field import CodeField
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.plain import shown

SHOWN, MOST = 4_000, 60_000
"""Characters of a text that are shown at first, and at the most."""
_LINES = 16


class Details(QFrame):
    """Made when a call is opened for the first time, and used again for others."""

    more_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._made: list[tuple[QLabel, CodeField]] = []
        self._told = label("small", wrap=True)
        self._more = button("link")
        self._more.clicked.connect(self.more_wanted)
        self._column = down(self._more, self._told, gap=Space.XS, edges=(0, Space.XS, 0, Space.S), of=self)

    def show_step(self, step: Step, *, whole: bool) -> None:
        """Show all that is known of it."""
        limit = MOST if whole else SHOWN
        parts = [(title or _("Arguments"), text) for title, text in given(step)] if step.arguments else []
        if step.result:
            parts.append((_("Result"), step.result))
        if step.pictures:
            parts.append((_("Images"), "\n".join(step.pictures)))
        while len(self._made) < len(parts):
            self._add()
        for number, (title, field) in enumerate(self._made):
            used = number < len(parts)
            title.setVisible(used)
            title.setContentsMargins(0, Space.S if number else 0, 0, 0)
            field.setVisible(used)
            if used:
                title.setText(parts[number][0])
                field.setAccessibleName(parts[number][0])
                field.show_text(_cut(shown(parts[number][1]), limit))
        longest = max((len(text) for _title, text in parts), default=0)
        self._more.setText(_("Show all"))
        self._more.setVisible(not whole and longest > SHOWN)
        told = self._about(step)
        self._told.setText(told)
        self._told.setVisible(bool(told))

    def _add(self) -> None:
        title, field = label("small"), CodeField(_LINES)
        self._made.append((title, field))
        place = self._column.count() - 2
        self._column.insertWidget(place, title)
        self._column.insertWidget(place + 1, field)

    def _about(self, step: Step) -> str:
        parts = [step.decision]
        if step.outcome is Outcome.RUNNING and step.question is None:
            parts.append(_("No result yet."))
        elif step.outcome is Outcome.INTERRUPTED:
            parts.append(_("Interrupted before there was a result."))
        if step.outside:
            parts.append(_("This result is untrusted content."))
        return " ".join(part for part in parts if part)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n{_('… {count} more characters').format(count=f'{len(text) - limit:,}')}"
