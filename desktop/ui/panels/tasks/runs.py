"""The ledger: what ran when, planned against actual, what came of it and what it cost."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.cron.ledger import HAND
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets import moments
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.calm_box import CalmBox
from desktop.ui.widgets.calm_list import CalmList
from desktop.ui.widgets.code_field import CodeField
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.moments import Now
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine, Run

type Index = QModelIndex | QPersistentModelIndex

_PAGE = 100
_ROW, _ROWS = 62, 8
_LINES = 12
_LONGEST = 8_000
_RUN = Qt.ItemDataRole.UserRole + 1


class _Model(QAbstractListModel):
    """Runs, the newest first."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.runs: list[Run] = []
        self.now = Now(0, "UTC")

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.runs)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        run = self.runs[index.row()]
        if role == _RUN:
            return run
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(run.name)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            parts = (run.name, moments.outcome(run.outcome)[2], *lines(run, self.now))
            return shown(", ".join(filter(None, parts)))
        return None

    def show_runs(self, runs: Sequence["Run"], now: Now) -> None:
        self.beginResetModel()
        self.runs, self.now = list(runs), now
        self.endResetModel()


def lines(run: "Run", now: Now) -> tuple[str, str]:
    """When, how long and for how much; and what came of it."""
    parts = [moments.at(run.claimed, now), moments.planned(run, now)]
    if run.cause == HAND:
        parts.append(_("manual"))
    if run.attempt:
        parts.append(_("attempt {n}").format(n=run.attempt + 1))
    if run.ended is not None:
        parts.append(moments.took(max(0.0, run.ended - run.claimed)))
    if run.cost:
        parts.append(f"${run.cost:.4f}" if run.cost < 1 else f"${run.cost:.2f}")
    if run.tokens:
        tokens = f"{run.tokens:,}"
        parts.append(_("{n} tokens").format(n=tokens))
    return " · ".join(filter(None, parts)), shown(moments.first_line(run.detail))


class Runs(QWidget):
    """Reads them when it is told to."""

    open_wanted = Signal(str)
    """The conversation of this job."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._zone, self._most, self._asked = "UTC", _PAGE, 0
        self._names: dict[str, str] = {}
        self._plain: set[str] = set()
        self.job, self.outcome = CalmBox(), CalmBox()
        self.model, self.list, self._card = _Model(self), CalmList(), QFrame()
        self._nothing, self.more, self.told = label("muted", wrap=True), button("link"), Outcome()
        self.detail, self.open = CodeField(_LINES), button("", "message-square")
        self._lay_out()
        self.job.activated.connect(lambda _at: self._chosen())
        self.outcome.activated.connect(lambda _at: self._chosen())
        self.more.clicked.connect(self._more)
        self.list.selectionModel().currentChanged.connect(lambda _new, _old: self._show_detail())
        self.list.activated.connect(lambda _index: self._open())
        self.open.clicked.connect(self._open)
        spoken(self._words)

    def _lay_out(self) -> None:
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Painter(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMinimumWidth(80)
        bar = QHBoxLayout()
        bar.setSpacing(Space.S)
        for box in (self.job, self.outcome):
            box.setMinimumWidth(80)
            box.setSizeAdjustPolicy(CalmBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        bar.addWidget(self.job, 3)
        bar.addWidget(self.outcome, 2)
        column = down(bar, of=self)
        inner = QVBoxLayout(self._card)
        inner.setContentsMargins(Space.XS, Space.XS, Space.XS, Space.XS)
        inner.addWidget(self.list)
        self._card.setProperty("kind", "card")
        for shown_part in (self.told, self._nothing, self._card):
            column.addWidget(shown_part)
        column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.detail)
        column.addWidget(self.open, 0, Qt.AlignmentFlag.AlignLeft)
        for part in (self._nothing, self._card, self.more, self.detail, self.open):
            part.hide()

    def _words(self) -> None:
        self.list.setAccessibleName(_("Runs"))
        self.job.setAccessibleName(_("Runs of"))
        self.outcome.setAccessibleName(_("Result"))
        self.detail.setAccessibleName(_("Result"))
        self._nothing.setText(_("No such runs yet."))
        self.more.setText(_("Show older"))
        self.open.say(_("Open conversation"))
        chosen = self.outcome.currentData() or ""
        self.outcome.clear()
        self.outcome.addItem(_("All results"), "")
        for name in moments.OUTCOMES:
            self.outcome.addItem(moments.outcome(name)[2], name)
        self.outcome.setCurrentIndex(max(0, self.outcome.findData(chosen)))
        self._fill_jobs()

    # ---- what there is

    def show_jobs(self, jobs: Sequence["JobLine"], zone: str) -> None:
        """The jobs to choose from. `zone`: the person's."""
        self._zone = zone
        self._plain = {job.id for job in jobs if job.plain}
        names = {job.id: job.name for job in jobs}
        if names != self._names:
            self._names = names
            self._fill_jobs()

    def _fill_jobs(self) -> None:
        chosen = self.job.currentData() or ""
        self.job.clear()
        self.job.addItem(_("All tasks"), "")
        for id_, name in sorted(self._names.items(), key=lambda item: item[1].casefold()):
            self.job.addItem(shown(name), id_)
        self._choose(chosen)

    def _choose(self, id_: str) -> None:
        at = self.job.findData(id_)
        if at < 0:  # its job is gone, its runs are not
            self.job.addItem(id_, id_)
            at = self.job.count() - 1
        self.job.setCurrentIndex(at)

    def show_only(self, id_: str) -> None:
        """Show the runs of one job."""
        self._choose(id_)
        self.outcome.setCurrentIndex(0)
        self._chosen()

    def refresh(self) -> None:
        """Read the runs."""
        self._asked += 1
        self._work.tell(self._read(self._asked), self.told, name="tasks:runs")

    def _chosen(self) -> None:
        self._most = _PAGE
        self.refresh()

    def _more(self) -> None:
        self._most += _PAGE
        self.refresh()

    async def _read(self, asked: int) -> None:
        job, outcome = str(self.job.currentData() or ""), str(self.outcome.currentData() or "")
        found = await self._actions.api.jobs.runs(job, outcome, limit=self._most + 1)
        if asked == self._asked:
            self.told.clear()
            self._show(found)

    def _show(self, found: Sequence["Run"]) -> None:
        run = self._run
        scroll = self.list.verticalScrollBar().value()
        self.model.show_runs(found[: self._most], Now(time.time(), self._zone))
        count = self.model.rowCount()
        self.more.setVisible(len(found) > self._most)
        self._nothing.setVisible(not count)
        self._card.setVisible(bool(count))
        self.list.setFixedHeight(min(count, _ROWS) * _ROW + 2)
        ids = [one.id for one in self.model.runs]
        if run is not None and run.id in ids:
            self.list.setCurrentIndex(self.model.index(ids.index(run.id)))
        self.list.verticalScrollBar().setValue(scroll)
        self._show_detail()

    @property
    def _run(self) -> "Run | None":
        index = self.list.currentIndex()
        return self.model.runs[index.row()] if index.isValid() else None

    def _show_detail(self) -> None:
        run = self._run
        text = run.detail if run is not None else ""
        self.detail.show_text(shown(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"))
        self.detail.setVisible(text.strip() != moments.first_line(text))  # that one stands in the list
        self.open.setVisible(run is not None and run.job not in self._plain)

    def _open(self) -> None:
        run = self._run
        if run is not None and run.job not in self._plain:
            self.open_wanted.emit(run.job)


class _Painter(QStyledItemDelegate):
    """Three lines: name and result, times and cost, what came of it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(80, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colors, run = theme().colors, index.data(_RUN)
        model = index.model()
        assert isinstance(model, _Model)
        rect = QRect(option.rect)
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(colors.selected))
        rect.adjust(Space.M, Space.XS, -Space.M, -Space.XS)
        sign, role, word = moments.outcome(run.outcome)
        small, height = text_font(Size.SMALL), rect.height() // 3
        width = QFontMetrics(small).horizontalAdvance(word)
        painter.setFont(small)
        painter.setPen(QColor(getattr(colors, role)))
        end = QRect(rect.right() - width, rect.y(), width + 1, height)
        painter.drawText(end, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, word)
        picture = Size.SMALL + 2
        icon(sign, role).paint(
            painter,
            QRect(end.x() - picture - Space.XS, rect.y() + (height - picture) // 2, picture, picture),
        )
        above = QRect(rect.x(), rect.y(), end.x() - picture - Space.M - rect.x(), height)
        _write(painter, above, str(index.data()), text_font(weight=QFont.Weight.Medium), colors.text)
        for number, line in enumerate(lines(run, model.now), 1):
            _write(painter, rect.translated(0, number * height), line, small, colors.muted, height)


def _write(painter: QPainter, rect: QRect, text: str, font: QFont, color: str, height: int = 0) -> None:
    rect = QRect(rect.x(), rect.y(), rect.width(), height or rect.height())
    painter.setFont(font)
    painter.setPen(QColor(color))
    fits = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, fits)
