"""One job of the list: what it is, when it comes next, how it went last, a switch and what can be done."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop.text import _
from desktop.ui.conversation.plain import shown
from desktop.ui.panels.tasks import words
from desktop.ui.panels.tasks.words import Now
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.buttons import Button, IconButton, button
from desktop.ui.widgets.column import Remembering
from desktop.ui.widgets.labels import Elided, label, tip
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.tile import Tile

if TYPE_CHECKING:
    from desktop.api.jobs import JobLine, Run

EDIT, RUN, RUNS, TALK, REMOVE, ON, OFF = "edit", "run", "runs", "talk", "remove", "on", "off"
"""What can be done with a job."""
_DETAIL = 100
_NARROW = 360


class JobRow(QAbstractButton):
    """Pressed anywhere it opens for editing; `acted` tells what is wanted, and of which job."""

    acted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.job: JobLine
        """Once it shows one."""
        self._run: Run | None = None
        self._shown: object = None
        self._now = Now(0, "UTC")
        self._tile, self._name, self._about = (
            Tile("bell", "link"),
            Elided("title"),
            label("small", wrap=True),
        )
        self._mark, self._last = Sign("circle", "muted", Size.SMALL + 2), label("small", wrap=True)
        self._last_row, self._paused_row = QWidget(), QWidget()
        self._paused, self._why = label("small", wrap=True), QVBoxLayout()
        self.go_on: Button | None = None
        """Made for a job that is paused."""
        self.switch, self.more = Switch(), IconButton("ellipsis")
        self._lay_out()
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(lambda: self._act(EDIT))
        self.switch.clicked.connect(lambda on: self._act(ON if on else OFF))
        self.more.clicked.connect(self._menu)

    def _lay_out(self) -> None:
        last = QHBoxLayout(self._last_row)
        paused = QHBoxLayout(self._paused_row)
        for row in (last, paused):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(Space.XS + 2)
        last.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        last.addWidget(self._last, 1)
        paused.addWidget(Sign("triangle-alert", "warning", Size.SMALL + 2), 0, Qt.AlignmentFlag.AlignTop)
        self._why.addWidget(self._paused)
        paused.addLayout(self._why, 1)
        text = QVBoxLayout()
        text.setSpacing(2)
        for part in (self._name, self._about, self._last_row, self._paused_row):
            text.addWidget(part)
        whole = Remembering(QBoxLayout.Direction.LeftToRight, self)
        whole.setContentsMargins(Space.L, Space.M, Space.M, Space.M)
        whole.setSpacing(Space.M)
        whole.addWidget(self._tile, 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(text, 1)
        whole.addWidget(self.switch)
        whole.addWidget(self.more)
        self._paused_row.hide()
        for part in (self._tile, self._name, self._about, self._last_row):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_job(self, job: "JobLine", run: "Run | None", now: Now) -> None:
        """Show it as it is now. `run`: its newest one, where that is known."""
        same = self._shown == (job, run, now.zone)
        self._shown = job, run, now.zone
        self.job, self._run, self._now = job, run, now
        self.switch.setChecked(job.enabled)
        if same:
            self.say_times()
        else:
            self.say()

    def say(self) -> None:
        """Set the words."""
        job = self.job
        self._tile.show_icon("bell" if job.plain else "bot")
        name = shown(job.name)
        self._name.setText(name)
        kind = "title" if job.enabled else "muted"
        if kind != self._name.property("kind"):
            self._name.setProperty("kind", kind)
            self._name.style().polish(self._name)
        self._say_paused(shown(job.paused))
        self.setToolTip(tip(shown(job.message[:500])))
        self.switch.setAccessibleName(_("Switch on: {name}").format(name=name))
        self.more.say(_("More about {name}").format(name=name))
        self.say_times()

    def say_times(self, now: Now | None = None) -> None:
        """Set those words that change as time goes by."""
        self._now = now or self._now
        about = shown(f"{self.job.sentence} · {self._next()}")
        icon_name, role, last = self._last_run()
        self._about.setText(about)
        self._last.setText(last)
        self._mark.show_icon(icon_name, role)
        self._last_row.setVisible(bool(last))
        kind = _("Reminder") if self.job.plain else _("Task")
        told = (shown(self.job.name), kind, about, last, shown(self.job.paused))
        self.setAccessibleName(", ".join(filter(None, told)))

    def _next(self) -> str:
        due = self.job.next
        if due is not None:
            return _("next {when}").format(when=words.soon(due, self._now))
        if self.job.paused:
            return _("paused")
        return _("off") if not self.job.enabled else _("never again")

    def _last_run(self) -> tuple[str, str, str]:
        """Mark, its colour, and the words."""
        job, run = self.job, self._run
        if run is not None:
            name, when, detail = run.outcome, run.claimed, run.detail
            late = words.planned(run, self._now)
        elif job.last is not None and job.outcome:
            name, when, detail, late = job.outcome, job.last, job.detail, ""
        else:
            return "circle", "muted", ""
        sign, role, word = words.outcome(name)
        told = f"{word} {words.at(when, self._now)}"
        if late:
            told = _("{result} ({late})").format(result=told, late=late)
        line = "" if job.paused else shown(words.first_line(detail, _DETAIL))
        return sign, role, _("{result}: {detail}").format(result=told, detail=line) if line else told

    def _say_paused(self, why: str) -> None:
        self._paused_row.setVisible(bool(why))
        if not why:
            return
        if self.go_on is None:
            self.go_on = button("link")
            self.go_on.clicked.connect(lambda: self._act(ON))
            self._why.addWidget(self.go_on, 0, Qt.AlignmentFlag.AlignLeft)
        self._paused.setText(why)
        self.go_on.setText(_("Go on"))
        self.go_on.setAccessibleName(_("Go on: {name}").format(name=shown(self.job.name)))

    def _act(self, what: str) -> None:
        self.acted.emit(what, self.job.id)

    def _menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        items = [("play", _("Run now"), RUN), ("pencil", _("Edit"), EDIT), ("history", _("Its runs"), RUNS)]
        if not self.job.plain:
            items.append(("message-square", _("Open conversation"), TALK))
        for icon_name, title, what in [*items, ("trash-2", _("Remove"), REMOVE)]:
            if what == REMOVE:
                menu.addSeparator()
            menu.addAction(icon(icon_name), title, lambda what=what: self._act(what))
        corner = self.more.mapToGlobal(QPoint(self.more.width(), self.more.height() + 2))
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tile.setVisible(self.width() >= _NARROW)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif event.key() == Qt.Key.Key_Delete:
            self._act(REMOVE)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colors, painter = theme().colors, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = QRectF(self.rect()).adjusted(4, 3, -4, -3)
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colors.pressed if self.isDown() else colors.hover))
            painter.drawRoundedRect(inner, Size.RADIUS, Size.RADIUS)
        if self.y() > Space.S:
            painter.setPen(QPen(QColor(colors.border), 1))
            painter.drawLine(Space.L, 0, self.width() - Space.L, 0)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inner, Size.RADIUS, Size.RADIUS)
        painter.end()
