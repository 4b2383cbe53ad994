"""The summaries of conversations, the newest first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.errors import AppError
from desktop.text import _, titled
from desktop.ui.actions import Actions
from desktop.ui.panels.memory import words
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import Elided, label, tag
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.search_field import SearchField
from desktop.ui.widgets.stock import Stock
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.memory import Summary

_AT_ONCE = 20
_FOLDED, _FOLD_CHARACTERS = 3, 600
_TYPING_MS = 250


class SummaryRow(QWidget):
    """One summary, folded after three lines."""

    def __init__(self) -> None:
        super().__init__()
        self.entry: Summary | None = None
        self.first = self._opened = False
        self._when, self._title, self._raw = label("small"), Elided("title"), tag()
        self._text: QLabel = label(wrap=True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.fold = button("link")
        head = across(self._title, self._raw, None, self._when)
        down(head, self._text, self.fold, gap=Space.XS, edges=(Space.L, Space.M, Space.L, Space.M), of=self)
        self.fold.clicked.connect(self._toggle)

    def show_entry(self, entry: "Summary") -> None:
        """Show this one."""
        if entry != self.entry:
            self.entry, self._opened = entry, False
        self.say()

    def say(self) -> None:
        """Set the words."""
        entry = self.entry
        if entry is None:
            return
        self._title.setText(shown(entry.title or entry.session or _("No conversation")))
        self._when.setText(words.when(entry.timestamp))
        self._raw.setText(_("not summarized"))
        self._raw.setToolTip(_("No model could summarize this, so the beginning is kept as it was."))
        self._raw.setVisible(entry.raw)
        whole = shown(entry.content).removeprefix("[RAW]").strip()
        self._text.setText(whole if self._opened else whole[:_FOLD_CHARACTERS])
        self._long = len(whole) > _FOLD_CHARACTERS
        self.fold.setText(_("Show less") if self._opened else _("Show all"))
        self.fold.setAccessibleName(titled(self.fold.text(), self._title.text()))
        self._arrange()

    _long = False

    def _arrange(self) -> None:
        room = max(40, self.width() - 2 * Space.L)
        most = _FOLDED * self._text.fontMetrics().lineSpacing()
        longer = self._long or self._text.heightForWidth(room) > most + 2
        self._text.setMaximumHeight(most if longer and not self._opened else 16_777_215)
        self.fold.setVisible(longer)

    def _toggle(self) -> None:
        self._opened = not self._opened
        self.say()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._arrange()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.first:
            painter = QPainter(self)
            painter.setPen(QColor(theme().colors.border))
            painter.drawLine(Space.L, 0, self.width() - Space.L, 0)
            painter.end()


class Summaries(QWidget):
    """Reads them when it is told to, older ones when they are asked for."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self.search, self.older, self.outcome = SearchField(_TYPING_MS), button(), Outcome()
        self._nothing, self._card = label("muted", wrap=True), QFrame()
        self._card.setProperty("kind", "card")
        self._entries: Sequence[Summary] = ()
        inner = QVBoxLayout(self._card)
        inner.setContentsMargins(1, 0, 1, 0)
        inner.setSpacing(0)
        self.list = Stock[SummaryRow, "Summary"](
            inner, self._made, lambda row, entry: row.show_entry(entry)
        )
        column = down(self.search, self.outcome, self._nothing, self._card, of=self)
        row = QHBoxLayout()
        row.addWidget(self.older)
        row.addStretch(1)
        column.addLayout(row)
        for hidden in (self._nothing, self._card, self.older):
            hidden.hide()
        self.search.searched.connect(self.refresh)
        self.older.clicked.connect(self._more)
        spoken(self._words)

    def _words(self) -> None:
        self.search.say(_("Search summaries"))
        self.older.setText(_("Older"))
        self._say_nothing()
        for row in self.list.rows:
            row.say()

    def _say_nothing(self) -> None:
        if self.search.text().strip():
            self._nothing.setText(_("No results"))
        else:
            self._nothing.setText(
                _(
                    "None yet. A conversation is summarized when it no longer fits the context window, or "
                    "has been idle for a while."
                )
            )

    def _made(self) -> SummaryRow:
        row = SummaryRow()
        row.first = not self.list.rows
        return row

    def refresh(self) -> None:
        """Read the newest."""
        self._work.start(self._read(), name="memory:summaries")

    def _more(self) -> None:
        self._work.start(self._read(more=True), name="memory:older", busy=(self.older,))

    async def _read(self, *, more: bool = False) -> None:
        query = self.search.text().strip()
        before = self._entries[-1].cursor if more and self._entries else None
        try:
            found = await self._actions.api.memory.summaries(query, _AT_ONCE, before)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        if query != self.search.text().strip():
            return  # something else was typed meanwhile
        self.outcome.clear()
        self._entries = [*self._entries, *found] if more else found
        self.list.show_items(self._entries)
        self.older.setVisible(len(found) == _AT_ONCE)
        self._card.setVisible(bool(self._entries))
        self._say_nothing()
        self._nothing.setVisible(not self._entries)
