"""The page of what was used: a span of time, its bars and sums, where it went, the month's budget."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QLabel, QWidget

from desktop.api.usage import Amounts, Report
from desktop.bus.events import UsageRecorded
from desktop.errors import AppError
from desktop.text import _, mark, ngettext
from desktop.ui.actions import Actions
from desktop.ui.panels.usage import words
from desktop.ui.panels.usage.bars import bars_of
from desktop.ui.panels.usage.budget import BudgetCard
from desktop.ui.panels.usage.chart import Chart
from desktop.ui.panels.usage.lines import Lines
from desktop.ui.settings.part import Part
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.latest import Latest
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.tabs import Tabs
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_SPANS = (
    ("7", mark("7 days")),
    ("30", mark("30 days")),
    ("90", mark("90 days")),
    ("month", mark("This month")),
    ("all", mark("All time")),
)
_WAYS = (("model", mark("Models")), ("session", mark("Conversations")), ("cause", mark("Purposes")))
_LINES = 8
_NARROW = 420


class _Sums(QWidget):
    """The three figures that count, each under its name."""

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(Space.XS, 0, 0, 0)
        grid.setHorizontalSpacing(Space.XL)
        grid.setVerticalSpacing(2)
        self._names: list[QLabel] = []
        self._values: list[QLabel] = []
        for column in range(3):
            self._names.append(label("small"))
            self._values.append(label("title"))
            grid.addWidget(self._names[column], 0, column)
            grid.addWidget(self._values[column], 1, column)
        grid.setColumnStretch(3, 1)

    def tell(self, total: Amounts) -> None:
        """Show these figures."""
        names = (_("Cost"), _("Tokens"), _("Calls"))
        values = (words.cost(total), words.short(total.tokens), f"{total.calls:,}")
        for made, text in zip((*self._names, *self._values), (*names, *values), strict=True):
            made.setText(text)


class UsagePanel(Part):
    """Reads what was used whenever it is seen, and when more is."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._found: Report | None = None
        self._whole = False
        self._latest = Latest(self._read, partial(self._work.start, name="usage:read"))
        self.outcome, self.span, self.sums = Outcome(), CalmBox(), _Sums()
        self.chart, self.lines, self.budget = Chart(), Lines(), BudgetCard()
        self.tabs, self.more = Tabs(len(_WAYS)), button("link")
        self._unknown, self._nothing = label("small", wrap=True), label("muted", wrap=True)
        self._parts = label("small", wrap=True)
        """What of it came from caches, and what was reasoning."""
        self._below = QWidget()
        self._lay_out()
        self.hear(actions.bus, UsageRecorded)
        self.span.activated.connect(lambda _place: self.refresh())
        self.tabs.chosen.connect(self._turn_to)
        self.more.clicked.connect(self._show_more)
        self.lines.open_wanted.connect(self._open)
        spoken(self._words)

    def _lay_out(self) -> None:
        self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._head.setSpacing(Space.M)
        self._head.addWidget(self.sums, 1)
        self._head.addWidget(self.span)
        card = QFrame()
        card.setProperty("kind", "card")
        down(
            self._head,
            self._nothing,
            self.chart,
            self._parts,
            self._unknown,
            gap=Space.M,
            edges=(Space.M, Space.M, Space.M, Space.M),
            of=card,
        )
        self._parts.setContentsMargins(Space.XS, 0, Space.XS, 0)
        self._unknown.setContentsMargins(Space.XS, 0, Space.XS, 0)
        self._nothing.setContentsMargins(Space.XS, Space.L, Space.XS, Space.XL)
        down(
            self.tabs,
            self.lines,
            (self.more, Qt.AlignmentFlag.AlignLeft),
            edges=(0, Space.S, 0, 0),
            of=self._below,
        )
        for part in (self.outcome, card, self.budget, self._below):
            self.column.addWidget(part)
        self._nothing.hide()
        self._below.hide()

    def _words(self) -> None:
        self.span.setAccessibleName(_("Period"))
        place = max(0, self.span.currentIndex()) if self.span.count() else 1
        self.span.clear()
        for key, title in _SPANS:
            self.span.addItem(_(title), key)
        self.span.setCurrentIndex(place)
        for made, (_key, title) in zip(self.tabs.buttons, _WAYS, strict=True):
            made.setText(_(title))
            made.setAccessibleName(_(title))
        self._nothing.setText(
            _(
                "No usage in this period. Every call to a model is counted here: its tokens, and its cost "
                "where the price is known."
            )
        )
        self._show()
        if self.isVisible():
            self.refresh()  # some titles are the core's

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < _NARROW
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._head.direction() != way:
            self._head.setDirection(way)

    # ---- what there is

    def _turn_to(self, _number: int) -> None:
        self._whole = False
        self.refresh()

    def refresh(self) -> None:
        """Read what was used."""
        self._latest.want()

    async def _read(self) -> None:
        by, _title = _WAYS[self.tabs.current]
        try:
            self._found = await self._actions.api.usage.report(self.span.currentData(), by)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return
        self.outcome.clear()
        self._show()

    def _show(self) -> None:
        found = self._found
        if found is None:
            return
        total, bars = found.total, bars_of(found)
        self.sums.tell(total)
        self.chart.show_bars(bars)
        self._unknown.setText(_unknown(total, marked=bars.paid))
        parts = " · ".join(filter(None, (words.cached(total), words.thought(total))))
        self._parts.setText(parts)
        self._parts.setVisible(bool(parts))
        self.budget.show_budget(found.budget)
        lines = found.lines if self._whole else found.lines[:_LINES]
        self.lines.show_lines(lines, paid=bars.paid)
        left = len(found.lines) - len(lines)
        self.more.setText(ngettext("Show {count} more", "Show {count} more", left).format(count=left))
        self.more.setVisible(left > 0)
        some = bool(total.calls)
        self._nothing.setVisible(not some)
        self._unknown.setVisible(bool(total.unpriced))
        self.chart.setVisible(some)
        self._below.setVisible(some)

    def _show_more(self) -> None:
        self._whole = True
        self._show()
        self.lines.setFocus()

    def _open(self, session: str) -> None:
        self._work.tell(self._actions.show(session), self.outcome, name="usage:open")


def _unknown(total: Amounts, *, marked: bool) -> str:
    """What the sums do not say."""
    tokens = words.tokens(total.unpriced)
    if marked:
        told = _("The price of {tokens} is unknown and not included in the cost. A dot marks those days.")
    else:
        told = _("The price of {tokens} is unknown, so tokens are shown instead of cost.")
    return told.format(tokens=tokens)
