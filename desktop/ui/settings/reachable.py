"""What of tray, shortcut and notifications works on this desktop, and what to do where it does not."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop.errors import AppError
from desktop.text import sentences
from desktop.ui.actions import Actions, Reach
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.work import Work


class _Line(QWidget):
    """A mark, a sentence, and under it what to do."""

    def __init__(self) -> None:
        super().__init__()
        self._sign = Sign("circle-check", "success", Size.ICON)
        self._text, self._remedy = label(wrap=True), label("small", wrap=True)
        for made in (self._text, self._remedy):
            made.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
            )  # it may be a command
        words = down(self._text, self._remedy, gap=2)
        across(
            (self._sign, Qt.AlignmentFlag.AlignTop),
            (words, 1),
            edges=(Space.XS, Space.XS, 0, Space.XS),
            of=self,
        )

    def show_line(self, line: Reach) -> None:
        self._sign.show_icon(*(("circle-check", "success") if line.works else ("circle-alert", "warning")))
        self._text.setText(line.text)
        self._remedy.setText(line.remedy)
        self._remedy.setVisible(bool(line.remedy))
        self.setAccessibleName(sentences(line.text, line.remedy))


class Reachable(Part):
    """Asked anew whenever it is seen, and when settings change."""

    notifications_only = False

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._rows: list[_Line] = []
        self.column.setSpacing(0)

    def refresh(self) -> None:
        self._work.start(self._read(), name="settings:reachable")

    async def _read(self) -> None:
        try:
            lines = await self._actions.reach()
        except AppError:
            lines = ()  # the core is not there: that is told elsewhere
        self._show([line for line in lines if line.notifies or not self.notifications_only])

    def _show(self, lines: Sequence[Reach]) -> None:
        while len(self._rows) < len(lines):
            self._rows.append(_Line())
            self.column.addWidget(self._rows[-1])
        for row in self._rows[len(lines) :]:
            row.hide()
        for row, line in zip(self._rows, lines, strict=False):
            row.show_line(line)
            row.show()


class Notified(Reachable):
    """The line about notifications."""

    notifications_only = True
