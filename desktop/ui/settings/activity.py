"""The newest calls of the agent, of all conversations: what, when, who allowed it, and how it ended."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QShowEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from desktop.errors import AppError
from desktop.text import _, mark
from desktop.ui.actions import Actions
from desktop.ui.conversation.step import STATES, Outcome, did, ended
from desktop.ui.settings.part import Part
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.calm_list import CalmList
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.outcome import Outcome as Told
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.tools import Entry

_SHOWN = 200
_ROW, _ROWS = 48, 9
_ABOUT, _END, _ROLE = (Qt.ItemDataRole.UserRole + n for n in range(1, 4))
_WHO = {
    "mode": mark("the permission mode"),
    "rule": mark("an “always allow” rule"),
    "folder": mark("a folder you granted access to"),
    "person": mark("you"),
    "all": mark("--approve all"),
    "own": mark("its own conversation"),
    "fence": mark("the safety limits"),
    "guard": mark("the safety limits"),
}


class Activity(Part):
    """Read anew whenever it is seen."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._entries: Sequence[Entry] = ()
        self._titles: dict[str, str] = {}
        self.model = QStandardItemModel(self)
        self.list = CalmList()
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Painter(self.list))
        self.list.setUniformItemSizes(True)
        self._nothing, self._told = label("muted", wrap=True), Told()
        for part in (self._nothing, self.list, self._told):
            self.column.addWidget(part)
        self.list.hide()
        spoken(self._words)

    def _words(self) -> None:
        self.list.setAccessibleName(_("Agent activity"))
        self._nothing.setText(_("Nothing yet."))
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._work.start(self._read(), name="settings:activity")

    async def _read(self) -> None:
        try:
            self._entries = await self._actions.api.tools.audit(limit=_SHOWN)
            lines = await self._actions.api.conversations.list()
        except AppError as error:
            self._told.failed(error.text, error.remedy)
            return
        self._titles = {line.key: line.title for line in lines}
        self._show()

    def _show(self) -> None:
        self.model.clear()
        for entry in self._entries:
            self.model.appendRow(self._item(entry))
        self._nothing.setVisible(not self._entries)
        self.list.setVisible(bool(self._entries))
        self.list.setFixedHeight(min(len(self._entries), _ROWS) * _ROW + 2)

    def _item(self, entry: "Entry") -> QStandardItem:
        outcome = ended(entry.outcome)
        what = shown(" ".join(f"{did(entry.tool, outcome)} {entry.gist}".split()))[:500]
        title = self._titles.get(entry.session) or entry.session
        when = time.strftime("%m-%d %H:%M:%S", time.localtime(entry.at))
        about = " · ".join(part for part in (when, allowed_by(entry), shown(title)) if part)
        end = _outcome(outcome)
        item = QStandardItem(what)
        item.setData(about, _ABOUT)
        item.setData(end, _END)
        item.setData("danger" if outcome is Outcome.FAILED else "muted", _ROLE)
        item.setData(f"{what}, {end}, {about}", Qt.ItemDataRole.AccessibleTextRole)
        item.setToolTip(tip(f"{what}, {about}"))
        return item


def allowed_by(entry: "Entry") -> str:
    """Who let a call run, or did not."""
    who = _(_WHO.get(entry.reason, mark("the rules")))
    if entry.verdict == "allowed":
        return _("allowed by {who}").format(who=who)
    if entry.verdict == "denied":
        return _("denied by {who}").format(who=who)
    return ""


def _outcome(outcome: Outcome) -> str:
    return _(STATES[outcome]) if outcome in STATES else _("not answered yet")


class _Painter(QStyledItemDelegate):
    """Two lines, and the end of the call at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, _ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colors = theme().colors
        rect = QRect(option.rect)
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(colors.selected))
        rect.adjust(Space.M, Space.XS, -Space.M, -Space.XS)
        small = text_font(Size.SMALL)
        end = str(index.data(_END))
        width = QFontMetrics(small).horizontalAdvance(end) + Space.M
        upper = QRect(rect.x(), rect.y(), rect.width() - width, rect.height() // 2)
        lower = QRect(rect.x(), rect.y() + rect.height() // 2, rect.width(), rect.height() // 2)
        _write(painter, upper, str(index.data()), text_font(weight=QFont.Weight.Medium), colors.text)
        _write(painter, lower, str(index.data(_ABOUT)), small, colors.muted)
        painter.setPen(QColor(getattr(colors, str(index.data(_ROLE)))))
        painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, end)


def _write(painter: QPainter, rect: QRect, text: str, font: QFont, color: str) -> None:
    painter.setFont(font)
    painter.setPen(QColor(color))
    words = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
