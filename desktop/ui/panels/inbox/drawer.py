"""What is in the inbox: all that waits, by day, and with the switch what is done too, to be searched."""

import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QLocale, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop import text as catalogue
from desktop.api.inbox import Place
from desktop.errors import AppError
from desktop.inbox.inbox import APPROVAL, OPEN, WAITING, Notice
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.question import Question
from desktop.ui.panels.inbox.group import Group, GroupItem, grouped
from desktop.ui.panels.inbox.item import DONE, REPLY, SNOOZE, VISIT, YES, NoticeItem, QuestionItem
from desktop.ui.theme.tokens import Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton, button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.outcome import Outcome
from desktop.ui.widgets.search_field import SearchField
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.switch import Switch
from desktop.ui.widgets.work import Work
from desktop.ui.words import spoken

type Item = QuestionItem | NoticeItem | GroupItem

_PAGE = 50
_TYPING_MS = 200
_STEP_S = 0.002
"""Seconds for making entries in one go: more would be felt."""
_SIGN = 32


class Drawer(QWidget):
    """Reads when it is told to."""

    answered = Signal(str, object)
    open_wanted = Signal(str)
    replied = Signal(str)
    emptied = Signal()
    """The last thing that waited is dealt with."""

    def __init__(self, actions: Actions, title: Callable[[str], str]) -> None:
        super().__init__()
        self._actions, self._work, self._title_of = actions, Work(self), title
        self._api = actions.api
        self.items: dict[str, Item] = {}
        """By the id of the notice or the group."""
        self._days: dict[str, QLabel] = {}
        self._notices: Sequence[Notice] = ()
        self._questions: dict[str, Question] = {}
        self._acting: set[str] = set()
        self._entries: list[str | Notice | Group] = []
        """What is shown from top to bottom: days, and notices and groups of them under them."""
        self._next, self._most, self._asked = 0, _PAGE, 0
        self._read_once = False
        self._title, self.close_button = label("title"), IconButton("x")
        self.all_done, self.history = button("link"), Switch()
        self._history_words, self.search = label("small"), SearchField(_TYPING_MS)
        self.outcome, self.older = Outcome(), button("link")
        self._empty, self._empty_title = QWidget(), label("title")
        self._empty_words = label("muted", wrap=True)
        self._inner, self._column = QWidget(), QVBoxLayout()
        self._steps = QTimer(self, singleShot=True, interval=0)
        self._lay_out()
        self._connect()
        spoken(self._words)

    def _lay_out(self) -> None:
        head = across(
            (self._title, 1),
            self.all_done,
            self._history_words,
            self.history,
            self.close_button,
            gap=Space.M,
            edges=(Space.L, Space.M, Space.M, 0),
        )
        above = QVBoxLayout()
        above.setContentsMargins(Space.L, Space.S, Space.L, 0)
        above.addWidget(self.search)
        above.addWidget(self.outcome)
        inner = QVBoxLayout(self._inner)
        inner.setContentsMargins(Space.L, Space.S, Space.L, Space.L)
        self._column.setSpacing(Space.S)
        inner.addLayout(self._column)
        inner.addWidget(self.older, 0, Qt.AlignmentFlag.AlignLeft)
        inner.addWidget(self._empty)
        inner.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._inner)
        empty = QVBoxLayout(self._empty)
        empty.setContentsMargins(Space.XL, Space.XXL, Space.XL, Space.XL)
        empty.addWidget(Sign("inbox", "link", _SIGN), 0, Qt.AlignmentFlag.AlignHCenter)
        for made in (self._empty_title, self._empty_words):
            made.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            empty.addWidget(made)
        down(head, above, (area, 1), gap=0, of=self)
        for hidden in (self.search, self.all_done, self.older, self._empty):
            hidden.hide()

    def _connect(self) -> None:
        self.all_done.clicked.connect(
            lambda: self._work.start(self._doing(self._api.inbox.dismiss_all()), name="inbox:all done")
        )
        self.history.clicked.connect(self._turn)
        self.search.searched.connect(self._begin_anew)
        self.older.clicked.connect(self._show_older)
        self._steps.timeout.connect(self._step)

    def _words(self) -> None:
        self._title.setText(_("Inbox"))
        self.close_button.say(_("Close"), "Esc")
        self.all_done.setText(_("Mark all as done"))
        self._history_words.setText(_("History"))
        self.history.setAccessibleName(_("History: include what is done"))
        self.search.say(_("Search the inbox"))
        self.older.setText(_("Show older"))
        self._say_empty()
        for key, made in self._days.items():
            made.setText(_day(key))
        if self._read_once:
            self.refresh()

    def _say_empty(self) -> None:
        if self.search.text().strip():
            self._empty_title.setText(_("No results"))
            self._empty_words.setText("")
        else:
            self._empty_title.setText(_("All caught up"))
            self._empty_words.setText(
                _("Reminders, results and questions appear here until you are done with them.")
            )

    # ---- what there is

    def begin(self) -> None:
        """It comes into sight: what waits, and the keyboard."""
        self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self.outcome.clear()
        self._most, self._read_once = _PAGE, False
        self.refresh()

    def show_questions(self, questions: Sequence[Question]) -> None:
        """The questions that are open."""
        self._questions = {question.id: question for question in questions}
        if self._read_once:
            self._show()

    def refresh(self) -> None:
        """Read the inbox."""
        self._asked += 1
        self._work.tell(self._read(self._asked), self.outcome, name="inbox:read")

    async def _read(self, asked: int) -> None:
        words = self.search.text().strip() if self.history.isChecked() else ""
        found = await self._api.inbox.list(done=self.history.isChecked(), words=words, limit=self._most + 1)
        if asked == self._asked:
            self.older.setVisible(len(found.notices) > self._most)
            self._notices, self._read_once = found.notices[: self._most], True
            self._show()

    def _turn(self) -> None:
        self.search.setVisible(self.history.isChecked())
        self.search.clear()
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._most = _PAGE
        self.refresh()

    def _show_older(self) -> None:
        self._most += _PAGE
        self.refresh()

    def _wanted(self) -> list[Notice]:
        """The notices, with each question that is open; one that came just now is not in what was read."""
        ids = {notice.id for notice in self._notices}
        new: list[Notice] = []
        if not self.search.text().strip():
            new = [
                Notice(one.id, APPROVAL, one.session, one.turn, "", at=one.at or time.time())
                for one in self._questions.values()
                if one.id not in ids
            ]
        known = [n for n in self._notices if not _asks(n) or n.id in self._questions]
        return sorted([*new, *known], key=lambda notice: -notice.at)

    def _show(self) -> None:
        wanted = self._wanted()
        gone = bool(self.items) and not wanted
        self._entries, entries = [], grouped(wanted)
        for entry in entries:
            day = datetime.fromtimestamp(entry.at).astimezone().date().isoformat()
            if day not in self._entries:
                self._entries.append(day)
            self._entries.append(entry)
        self._drop({entry.id for entry in entries})
        self._next = 0
        self._step()
        self.all_done.setVisible(any(n.state == OPEN and n.kind not in (APPROVAL, WAITING) for n in wanted))
        self._say_empty()
        self._empty.setVisible(not wanted)
        if gone and not self.history.isChecked():
            self.emptied.emit()

    def _step(self) -> None:
        """Make entries, or bring those there are to their places."""
        end = time.perf_counter() + _STEP_S
        while self._next < len(self._entries):
            made = self._made(self._entries[self._next])
            at = self._column.itemAt(self._next)
            if at is None or at.widget() is not made:
                self._column.insertWidget(self._next, made)
                made.show()
            self._next += 1
            if time.perf_counter() >= end:
                self._steps.start()
                return

    @property
    def waiting(self) -> bool:
        """Whether some entries are still to be made."""
        return self._next < len(self._entries)

    def _made(self, entry: str | Notice | Group) -> QWidget:
        """The widget of an entry, as it is now."""
        if isinstance(entry, str):
            if entry not in self._days:
                self._days[entry] = label("section", _day(entry))
                self._days[entry].setContentsMargins(0, Space.S, 0, 0)
            return self._days[entry]
        if isinstance(entry, Group):
            return self._group_item(entry)
        id_ = entry.id
        question = self._questions.get(id_) if _asks(entry) else None
        item = self.items.get(id_)
        if item is not None and isinstance(item, QuestionItem) != (question is not None):
            self._take(self.items.pop(id_))  # it is answered, and a part of the history
            item = None
        if question is not None:
            if not isinstance(item, QuestionItem):
                item = self.items[id_] = self._question_item()
            item.show_question(question, self._title_of(question.session))
            return item
        if not isinstance(item, NoticeItem):
            item = self.items[id_] = NoticeItem()
            item.acted.connect(self._act)
        item.show_notice(entry, self._title_of(entry.session) if entry.session else "")
        return item

    def _group_item(self, group: Group) -> GroupItem:
        item = self.items.get(group.id)
        if not isinstance(item, GroupItem):
            item = self.items[group.id] = GroupItem()
            item.acted.connect(self._act)
        item.show_group(group)
        return item

    def _question_item(self) -> QuestionItem:
        item = QuestionItem()
        item.answered.connect(self.answered)
        item.open_wanted.connect(self.open_wanted)
        return item

    def _drop(self, ids: set[str]) -> None:
        """Take away what is not there any more; the keyboard goes to the next."""
        order = [one.id for one in self._entries if not isinstance(one, str)]
        focus, orphaned = QApplication.focusWidget(), False
        for id_ in [id_ for id_ in self.items if id_ not in ids]:
            item = self.items.pop(id_)
            orphaned = orphaned or (focus is not None and item.isAncestorOf(focus))
            self._take(item)
        for day in [day for day in self._days if day not in self._entries]:
            self._take(self._days.pop(day))
        if orphaned:
            following = next((self.items[id_] for id_ in order if id_ in self.items), None)
            if following is None:
                self.close_button.setFocus()
            else:
                following.take_keyboard()

    def _take(self, widget: QWidget) -> None:
        self._column.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    # ---- what is done

    def _act(self, what: str, id_: str, text: str) -> None:
        if id_ in self._acting:
            return
        self._acting.add(id_)
        self._work.start(self._acted(what, id_, self._call(what, id_, text)), name=f"inbox:{what}")

    async def _acted(self, what: str, id_: str, call: Awaitable[object]) -> None:
        try:
            done = await self._doing(call)
        finally:
            self._acting.discard(id_)
        if isinstance(done, Place):
            (self.open_wanted if what == VISIT else self.replied).emit(done.session)

    def _call(self, what: str, id_: str, text: str) -> Awaitable[object]:
        """What carries out one of the things that an entry offers."""
        if what == DONE:
            return self._api.inbox.dismiss(id_)
        if what == SNOOZE:
            return self._api.inbox.snooze(id_, text)
        if what == REPLY:
            return self._api.inbox.reply(id_, text)
        if what == VISIT:
            return self._api.inbox.open(id_)
        group = next((one for one in self._entries if isinstance(one, Group) and one.id == id_), None)
        if group is not None:
            return self._api.waiting.answer_all(tuple(one.id for one in group.notices), what == YES)
        notice = next(one for one in self._notices if one.id == id_)
        if notice.kind == WAITING:
            return self._api.waiting.answer(id_, what == YES)
        if notice.body.get("again"):
            return self._api.channels.again(id_)
        return self._api.jobs.answer(str(notice.body.get("run")), yes=what == YES)

    async def _doing(self, call: Awaitable[object]) -> object:
        """What a call gave; None where it failed, which is said."""
        self.outcome.clear()
        try:
            return await call
        except AppError as error:
            self.outcome.failed(error.text, error.remedy)
            return None
        finally:
            self.refresh()


def _asks(notice: Notice) -> bool:
    """Whether it is a question of permission that is open."""
    return notice.kind == APPROVAL and notice.state == OPEN


def _day(day: str) -> str:
    """The heading of a day, which is an ISO date."""
    date = datetime.fromisoformat(day).date()
    ago = (datetime.now().astimezone().date() - date).days
    if ago == 0:
        return _("Today")
    if ago == 1:
        return _("Yesterday")
    return f"{QLocale(catalogue.language()).dayName(date.isoweekday())} {day}"
