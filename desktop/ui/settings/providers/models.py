"""The models of a provider, live, as a list of any length with a filter."""

import asyncio
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.api.providers import Draft, ListedModel
from desktop.errors import AppError
from desktop.text import _, ngettext
from desktop.ui.actions import Actions
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

_ROW, _SHOWN, _ROUND = 30, 7, 6
_BATCH = 500
_MILLION = 1_000_000
type _Index = QModelIndex | QPersistentModelIndex


class ModelList(QAbstractListModel):
    """The rows whose names have the words of the filter."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: Sequence[ListedModel] = ()
        self._names: list[str] = []
        self.shown: list[ListedModel] = []

    def put(self, rows: Sequence[ListedModel]) -> None:
        """Show these."""
        self._rows, self._names = rows, [row.name.casefold() for row in rows]
        self.narrow("")

    def narrow(self, words: str) -> None:
        """Show only those with all of these words."""
        wanted = words.casefold().split()
        self.beginResetModel()
        both = zip(self._names, self._rows, strict=True)
        self.shown = [row for name, row in both if all(word in name for word in wanted)]
        self.endResetModel()

    @property
    def total(self) -> int:
        return len(self._rows)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.name, about(row))))
        return None


class ModelView(QListView):
    """Names at the left, what is known of each at the right."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.models = ModelList(self)
        self.setModel(self.models)
        self.setItemDelegate(_Painter(self))
        self.setUniformItemSizes(True)
        self.setLayoutMode(QListView.LayoutMode.Batched)  # 20,000 rows at once take longer than a frame
        self.setBatchSize(_BATCH)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        theme().changed.connect(self.viewport().update)
        self.clicked.connect(self._take)
        self.activated.connect(self._take)

    def _take(self, index: _Index) -> None:
        self.chosen.emit(str(index.data()))


class _Painter(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(100, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.model().shown[index.row()]  # type: ignore[attr-defined]
        colors = theme().colors
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(colors.selected))
            painter.drawRoundedRect(option.rect.adjusted(2, 1, -2, -1), _ROUND, _ROUND)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(colors.hover))
            painter.drawRoundedRect(option.rect.adjusted(2, 1, -2, -1), _ROUND, _ROUND)
        inner = option.rect.adjusted(Space.M, 0, -Space.M, 0)
        used = _write(painter, inner, about(row), Size.SMALL, colors.muted, right=True)
        _write(painter, inner.adjusted(0, 0, -used - Space.M, 0), row.name, Size.TEXT, colors.text)
        painter.restore()


def _write(painter: QPainter, room: QRect, text: str, size: int, color: str, *, right: bool = False) -> int:
    painter.setFont(text_font(size))
    painter.setPen(QColor(color))
    metrics = painter.fontMetrics()
    words = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room.width())
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, words)
    return metrics.horizontalAdvance(words)


def about(row: ListedModel) -> str:
    """What is known of a model, in few words."""
    window, asked, answered = row.window, row.asked, row.answered
    said = []
    if row.sees:
        said.append(_("vision"))
    if window:
        said.append(_("{count}k tokens").format(count=round(window / 1000)))
    if asked is not None and answered is not None:
        first, second = (f"{price * _MILLION:.2f}" for price in (asked, answered))
        said.append(_("${asked} / ${answered}").format(asked=first, answered=second))
    return " · ".join(said)


class ModelPicker(QWidget):
    """A field for the model's name, and on demand the list of what the provider has, which it narrows."""

    edited = Signal()

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._actions, self._work = actions, Work(self)
        self._draft = Draft()
        self._loading: asyncio.Task[None] | None = None
        self.edit, self.fetch, self.view = QLineEdit(), button(), ModelView()
        self._count, self.outcome = label("small"), Outcome()
        self.setFocusProxy(self.edit)
        row = across((self.edit, 1), self.fetch)
        down(row, self.outcome, self.view, self._count, of=self)
        self.view.setFixedHeight(_SHOWN * _ROW + 4)
        self.view.hide()
        self._count.hide()
        self.edit.textEdited.connect(self._narrow)
        self.edit.installEventFilter(self)
        self.view.chosen.connect(self._chosen)
        self.fetch.clicked.connect(self.load)
        spoken(self._words)

    def _words(self) -> None:
        self.edit.setAccessibleName(_("Model"))
        self.view.setAccessibleName(_("Models"))
        self.fetch.setText(_("Show all models"))
        self._tell_count()

    def ask(self, draft: Draft) -> None:
        """Whose models, and with which key. Another provider's list goes."""
        if draft.name != self._draft.name:
            self.forget()
        self._draft = draft

    def forget(self) -> None:
        """Drop the list and what is under way."""
        self._work.cancel()
        self.outcome.clear()
        self.view.models.put(())
        self.view.hide()
        self._count.hide()

    def text(self) -> str:
        """The name that stands in the field."""
        return self.edit.text().strip()

    def put(self, name: str, usual: str = "") -> None:
        """Show a name; `usual` counts while the field is empty."""
        if self.edit.text() != name:
            self.edit.setText(name)
            self.edit.setCursorPosition(0)
        self.edit.setPlaceholderText(usual)

    def load(self) -> None:
        """Ask the provider which models it has."""
        self._loading = self._work.start(self._load(), name="settings:models", busy=(self.fetch,))

    def _stop(self) -> None:
        if self._loading is not None:
            self._loading.cancel()

    async def _load(self) -> None:
        self.outcome.busy(_("Listing models…"), self._stop)
        try:
            rows = await self._actions.api.providers.models(self._draft)
        except AppError as error:
            self.outcome.failed(error.text, error.remedy, tone="warning")
            return
        self.outcome.clear()
        self.view.models.put(rows)
        self.view.setVisible(bool(rows))
        self._tell_count()
        self._count.show()
        self.edit.setFocus()
        self.edit.selectAll()

    def _tell_count(self) -> None:
        total, shown = self.view.models.total, len(self.view.models.shown)
        if shown == total:
            text = ngettext("{count} model", "{count} models", total).format(count=f"{total:,}")
        else:
            text = _("{count} of {total} models").format(count=f"{shown:,}", total=f"{total:,}")
        self._count.setText(text if total else _("No models."))

    def _narrow(self) -> None:
        self.view.models.narrow(self.edit.text())
        self._tell_count()
        self.edited.emit()

    def _chosen(self, name: str) -> None:
        self.edit.setText(name)
        self.edit.setFocus()
        self.edited.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrow down goes from the field into the list."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        goes_down = pressed and event.key() == Qt.Key.Key_Down  # type: ignore[attr-defined]
        if goes_down and self.view.models.shown and not self.view.isHidden():
            self.view.setCurrentIndex(self.view.models.index(0, 0))
            self.view.setFocus()
            return True
        return super().eventFilter(watched, event)
