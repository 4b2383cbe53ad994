"""The summaries of conversations, the newest first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from desktop.text import _, titled
from desktop.ui.actions import Actions
from desktop.ui.panels.memory import words
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import Elided, label, tag
from desktop.ui.widgets.list_page import ListPage
from desktop.ui.widgets.list_row import PlainRow
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.memory import Summary

_AT_ONCE = 20
_FOLDED, _FOLD_CHARACTERS = 3, 600


class SummaryRow(PlainRow):
    """One summary, folded after three lines."""

    def __init__(self) -> None:
        super().__init__()
        self.entry: Summary | None = None
        self._opened = False
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
            self.entry, self.key, self._opened = entry, str(entry.cursor), False
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

    def parts(self) -> list[QWidget]:
        return [self.fold]


class Summaries(ListPage[SummaryRow, "Summary"]):
    """Reads them when it is told to, older ones when they are asked for. There may be thousands: they are
    searched where they are kept."""

    def __init__(self, actions: Actions) -> None:
        super().__init__("history", far=True)
        self._actions, self._work, self.outcome = actions, Work(self), Outcome()
        self._entries: Sequence[Summary] = ()
        self.column.insertWidget(self.column.indexOf(self.search), self.outcome)
        self.new.hide()
        spoken(self._words)

    def _words(self) -> None:
        self.say("", ("", ""), _("Search summaries"), _("No results"))
        self.more.setText(_("Older"))
        empty = self.sections[0].empty
        assert empty is not None
        empty.say(
            "",
            _(
                "None yet. A conversation is summarized when it no longer fits the context window, or has "
                "been idle for a while."
            ),
        )

    def make_row(self) -> SummaryRow:
        return SummaryRow()

    def show_row(self, row: SummaryRow, item: "Summary") -> None:
        row.show_entry(item)

    def refresh(self) -> None:
        """Read the newest."""
        self._work.tell(self._read(), self.outcome, name="memory:summaries")

    def found_by(self, item: "Summary") -> str:
        return item.content

    def look_for(self) -> None:
        self.refresh()

    def show_more(self) -> None:
        self._work.tell(self._read(more=True), self.outcome, name="memory:older", busy=(self.more,))

    async def _read(self, *, more: bool = False) -> None:
        query = self.search.text().strip()
        before = self._entries[-1].cursor if more and self._entries else None
        found = await self._actions.api.memory.summaries(query, _AT_ONCE, before)
        if query != self.search.text().strip():
            return  # something else was typed meanwhile
        self.outcome.clear()
        self._entries = [*self._entries, *found] if more else found
        self.show_items(self._entries)
        self.more.setVisible(len(found) == _AT_ONCE)
