"""One entry on the screen. Cells are used again: show() makes one that of another entry."""

from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from desktop.text import _
from desktop.ui.conversation.cells.actions import Actions
from desktop.ui.conversation.cells.attachment_row import GivenFiles
from desktop.ui.conversation.cells.choice import MORE, SHOWN, Shown
from desktop.ui.conversation.cells.dots import Dots
from desktop.ui.conversation.cells.revise import turn_of
from desktop.ui.conversation.cells.slot import EDGE, Slot
from desktop.ui.conversation.layout import guess
from desktop.ui.conversation.text.body import Body, describe
from desktop.ui.conversation.text.images import Pictures
from desktop.ui.conversation.text.slices import Slices, run
from desktop.ui.conversation.transcript import AGAIN, TO_SETTINGS, WITHDRAW, Author, Entry, State
from desktop.ui.theme.icons import icon
from desktop.ui.theme.theme import text_font, theme
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.notice import Notice

ROW = 44
"""About what stands around the text of an entry."""
_AT_ONCE_S = 0.008
_BUBBLE_X, _BUBBLE_TOP, _BUBBLE_BOTTOM = 14, 7, 10
"""Letters stand low in their lines."""
_FOLD, _STATUS, _GAP, _NAME = 28, 26, 16, 22


class Cell(Slot):
    """Shows one message in the width that the view gives."""

    def __init__(self, parent: QWidget, slices: Slices, pictures: Pictures) -> None:
        super().__init__(parent)
        self._slices, self._pictures = slices, pictures
        self.exact = False
        self._name, self._working = "", False
        self._bottom = self._floor = 0
        """How tall the text was when it was last laid out, and while it is made anew."""
        self.thoughts: Body | None = None
        self.notice: Notice | None = None
        self.given: GivenFiles | None = None
        self.fold = button("quiet", "chevron-right", self)
        self.fold.setObjectName("fold")
        self.fold.setIconSize(QSize(14, 14))
        self.fold.clicked.connect(self._toggle)
        self.body = self.reader = Body(self, slices, pictures)
        self._connect(self.body)
        self.dots = Dots(self)
        self.status = QLabel(self)
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setProperty("kind", "small")
        self.status.setWordWrap(True)
        self.back = button("quiet", "x", self)
        self.back.setObjectName("back")
        self.back.setIconSize(QSize(14, 14))
        self.back.clicked.connect(lambda: self.acted.emit(self.entry.id, WITHDRAW))
        self.more = button("quiet", "chevron-down", self)
        self.more.setObjectName("more")
        self.more.clicked.connect(self._show_more)
        self.actions_row = Actions(lambda: self.entry.text, self)
        self.actions_row.wanted.connect(lambda what, at: self.work_wanted.emit(self.entry.id, what, at))

    def _connect(self, body: Body) -> None:
        body.focused.connect(self._focused)
        body.hovered.connect(self.hovered)
        body.dragged.connect(partial(self.dragged.emit, body))
        body.reached.connect(lambda rect: self.reached.emit(rect.translated(body.pos())))
        body.menu_wanted.connect(lambda event: self.menu_wanted.emit(self, body, event))

    def keyboard_parts(self) -> list[QWidget]:
        """From top to bottom."""
        copies = self.body.copies.buttons
        every = (
            *(self.given.buttons if self.given else ()),
            self.fold,
            self.thoughts,
            self.body,
            *copies,
            self.more,
            self.back,
            self.notice,
            *self.actions_row.buttons,
        )
        return [part for part in every if part is not None]

    def show_entry(self, entry: Entry, choice: Shown, name: str, *, again: bool = False) -> None:
        """Show this entry. `again`: nothing that was laid out before still holds."""
        if entry.id != self.entry.id or again:
            self.drop_work()
            self.body.stream.forget()
            self._floor = self._bottom if self.exact and entry.id == self.entry.id else 0
            self.exact = False
        self.entry, self.choice, self._name = entry, choice, name
        self.body.setAccessibleName(name)
        self._give()
        self._say()
        self._read()

    def _give(self) -> None:
        if self.entry.files and self.given is None:
            self.given = GivenFiles(self, self._pictures)
        if self.given:
            self.given.show_files(self.entry.files, own=self.entry.author is Author.YOU)
            self.given.setVisible(bool(self.entry.files))

    def _say(self) -> None:
        entry = self.entry
        thinking = entry.moving and not entry.text
        self.fold.setText(_("Thinking…") if thinking else _("Thought"))
        self.fold.setIcon(icon("chevron-down" if self.choice.unfolded else "chevron-right"))
        self.fold.setAccessibleName(self.fold.text())
        self.fold.setVisible(bool(entry.reasoning))
        self._working = entry.state in (State.WAITING, State.STREAMING)
        self.dots.setVisible(self._working)
        self.back.say(_("Cancel"), _("Cancel message"))
        self.back.setToolTip(_("It returns to the message field."))
        self.back.setVisible(entry.state is State.QUEUED)
        detail = entry.detail if entry.state in (State.QUEUED, State.WAITING, State.STOPPED) else ""
        self.status.setText(detail)
        self.status.setVisible(bool(detail))
        self.more.setText(_("Show more"))
        self.more.setVisible(not entry.moving and len(entry.text) > self.choice.limit)
        self.actions_row.arrange(right=entry.author is Author.YOU, revisable=bool(turn_of(entry)))
        self.actions_row.say(entry.when)
        self.actions_row.setVisible(not entry.moving and bool(entry.text) and not entry.aside)
        self.reveal()
        self._tell()

    def _tell(self) -> None:
        entry = self.entry
        if entry.state is not State.FAILED:
            if self.notice:
                self.notice.hide()
            return
        if self.notice is None:
            self.notice = Notice(self)
        act = partial(self.acted.emit, entry.id)
        actions = [(entry.action, partial(act, AGAIN))] if entry.action else []
        if entry.to_settings:
            actions.insert(0, (_("Open settings"), partial(act, TO_SETTINGS)))
        self.notice.tell(entry.detail, entry.remedy, actions=tuple(actions))

    def _read(self) -> None:
        entry, body = self.entry, self.body
        text = self._cut(entry.text)
        body.copies.text, body.copies.shown = entry.text, len(text)
        if entry.moving:
            body.stream.grow(text, body.formats_now())
            self.exact = True
            body.colours.settle(final=False)
        else:
            whole = body.stream.typed if entry.author is Author.YOU else body.stream.whole
            steps = whole(text, body.formats_now())
            self._slices.drop(self)
            if run(steps, _AT_ONCE_S):
                self.exact = True
                body.colours.settle(final=True)
            else:
                self._slices.add(self, steps, self._went_on)
        self._think()

    def _cut(self, text: str) -> str:
        limit = self.choice.limit
        if len(text) <= limit:
            return text
        end = text.rfind("\n", limit - 2_000, limit)
        return text[: end if end > 0 else limit]

    def _think(self) -> None:
        wanted = self.choice.unfolded and bool(self.entry.reasoning)
        if wanted and self.thoughts is None:
            self.thoughts = Body(self, self._slices, self._pictures, muted=True)
            self.thoughts.setAccessibleName(_("Thought"))
            self._connect(self.thoughts)
        if self.thoughts:
            text = self.entry.reasoning[:SHOWN] if wanted else ""
            run(self.thoughts.stream.typed(text, self.thoughts.formats_now()), 0.1)
            self.thoughts.setVisible(wanted)

    def picture_arrived(self, source: str) -> bool:
        """A picture is there; whether the text must be made anew, because it is none."""
        if self.given:
            self.given.picture_arrived(source)
        return self.body.picture_arrived(source)

    def put_away(self) -> None:
        """Show nothing; be ready for another entry."""
        self.drop_work()
        self.hide()

    def drop_work(self) -> None:
        """Leave undone what is not done yet."""
        self._slices.drop(self)
        self._slices.drop(self.body.colours)

    def _went_on(self) -> None:
        if not self._slices.busy(self):
            self.exact = True
            self.body.colours.settle(final=True)
        self.resized.emit(self)

    def _toggle(self) -> None:
        self.choice.unfolded = not self.choice.unfolded
        self.chosen.emit(self)

    def _show_more(self) -> None:
        self.choice.limit += MORE
        self.body.setFocus()
        self.chosen.emit(self)

    def arrange(self, width: int) -> int:
        """Lay everything out in this width; returns the height that it needs."""
        column = width - 2 * EDGE
        y = 0
        if self.given and self.entry.files:
            height = self.given.arrange(column, right=self.entry.author is Author.YOU)
            self.given.setGeometry(EDGE, y, column, height)
            y += height + Space.S
        if self.fold.isVisibleTo(self):
            self.fold.setGeometry(0, y, min(column, self.fold.sizeHint().width()), _FOLD)
            y += _FOLD + Space.XS
            if self.thoughts and self.thoughts.isVisibleTo(self):
                y = self._put(self.thoughts, EDGE + Space.L, y, column - Space.L) + Space.M
        if self.entry.author is Author.YOU and (self.entry.text or not self.entry.files):
            y = self._bubble(y, column)
        elif self.entry.text:
            y = self._put(self.body, EDGE, y, column)
        self.body.setVisible(bool(self.entry.text))
        if self.exact:
            self.body.copies.arrange()
        if not self.exact:
            y = max(y, self._floor or guess(self.entry.text, column, self.choice.limit))
        self._bottom = y
        return self._below(y, column)

    def _put(self, body: Body, x: int, y: int, width: int) -> int:
        body.set_width(width)
        describe(body)
        height = body.needed_height()
        body.setGeometry(x, y, width, height)
        return y + height

    def _bubble(self, y: int, column: int) -> int:
        y += _NAME if self.entry.label else 0
        most = int(column * 0.8) - 2 * _BUBBLE_X
        self.body.set_width(most)
        width = min(most, int(self.body.document().idealWidth()) + 2)
        x = EDGE + column - width - _BUBBLE_X
        return self._put(self.body, x, y + _BUBBLE_TOP, width) + _BUBBLE_BOTTOM

    def _below(self, y: int, column: int) -> int:
        if self.more.isVisibleTo(self):
            self.more.setGeometry(0, y + Space.S, min(column, self.more.sizeHint().width()), 32)
            y += 32 + Space.S
        if self.entry.moving or self.status.isVisibleTo(self):
            y += Space.XS if self.entry.text else 0
            left = EDGE
            if self._working:
                self.dots.move(EDGE, y + 2)
                left += self.dots.width() + Space.S
            room = column - left + EDGE
            if self.back.isVisibleTo(self):
                words = self.status.fontMetrics().horizontalAdvance(self.status.text()) + 2
                room = min(words, room - self.back.sizeHint().width() - Space.S)
                self.back.setGeometry(left + room + Space.S, y, self.back.sizeHint().width(), _STATUS)
            height = max(_STATUS, self.status.heightForWidth(room))
            self.status.setGeometry(left, y, room, height)
            y += height
        if self.notice and self.notice.isVisibleTo(self):
            y += Space.S if self.entry.text else 0
            layout = self.notice.layout()
            height = layout.totalHeightForWidth(column) if layout else 0
            self.notice.setGeometry(EDGE, y, column, height)
            y += height + Space.S
        if self.actions_row.isVisibleTo(self):
            self.actions_row.setGeometry(EDGE - 4, y, column + 8, Actions.HEIGHT)
            y += Actions.HEIGHT
        if self.entry.aside:
            return y + Space.S
        return y + (_GAP if self.entry.author is Author.NANOBOT else Space.S)

    def _focused(self) -> None:
        self.reveal()
        self.update()

    def reveal(self) -> None:
        """Show the buttons if the pointer or the keyboard is here."""
        near = self.underMouse() or self.has_focus_inside()
        self.actions_row.reveal(near or (self.last and self.entry.author is Author.NANOBOT))

    def enterEvent(self, event: QEnterEvent) -> None:
        self.reveal()

    def leaveEvent(self, event: QEvent) -> None:
        self.reveal()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors = theme().colors
        ring = self.body.hasFocus() and self.body.by_keyboard
        if self.entry.author is Author.YOU and self.entry.text:
            rect = self.body.geometry().adjusted(-_BUBBLE_X, -_BUBBLE_TOP, _BUBBLE_X, _BUBBLE_BOTTOM)
            painter.setBrush(QColor(colors.bubble))
            painter.setPen(QColor(colors.accent) if ring else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(rect, Size.RADIUS_LARGE, Size.RADIUS_LARGE)
            if self.entry.label:  # somebody else wrote it
                painter.setFont(text_font(Size.SMALL))
                painter.setPen(QColor(colors.muted))
                place = QRect(EDGE, rect.top() - _NAME, self.width() - 2 * EDGE, _NAME)
                name = painter.fontMetrics().elidedText(
                    self.entry.label, Qt.TextElideMode.ElideRight, place.width()
                )
                painter.drawText(place, Qt.AlignmentFlag.AlignRight, name)
        elif ring:
            painter.setPen(QColor(colors.accent))
            rect = self.body.geometry().adjusted(-6, -4, 6, 4)
            painter.drawRoundedRect(rect, Size.RADIUS, Size.RADIUS)
        painter.end()
