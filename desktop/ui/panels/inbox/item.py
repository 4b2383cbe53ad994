"""One entry of the inbox: a question of permission with its card, or a notice with what can be done."""

import time
from datetime import datetime
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLineEdit, QMenu, QWidget

from desktop.inbox.inbox import (
    ANSWER,
    APPROVAL,
    HEARTBEAT,
    OPEN,
    REMINDER,
    SUBAGENT,
    UPDATE,
    WAITING,
    Notice,
)
from desktop.text import _, mark, titled
from desktop.ui.conversation.cells.card import ApprovalCard
from desktop.ui.conversation.question import Question
from desktop.ui.panels.inbox.waits import said_of, setting_of
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets import moments
from desktop.ui.widgets.boxes import across
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.column import Remembering
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.moments import Now
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.sign import Sign
from desktop.ui.words import spoken

DONE, SNOOZE, REPLY, VISIT, YES, NO = "done", "snooze", "reply", "open", "yes", "no"
"""What can be done with a notice."""
_SNOOZES = {"10m": mark("10 minutes"), "1h": mark("1 hour"), "tomorrow": mark("Tomorrow morning")}
_ICONS = {
    APPROVAL: ("shield", "link"),
    ANSWER: ("message-square", "link"),
    REMINDER: ("alarm-clock", "link"),
    HEARTBEAT: ("heart-pulse", "link"),
    SUBAGENT: ("bot", "link"),
    WAITING: ("shield", "link"),
    UPDATE: ("download", "link"),
    "error": ("circle-alert", "danger"),
}
_ANSWERS = {
    "seen": mark("opened"),
    "replied": mark("replied"),
    "yes": mark("approved"),
    "no": mark("denied"),
}
_NOTHING = Notice("", "", "", "", "")
_FOLDED, _FOLDED_LINES, _LONGEST = 320, 5, 8_000
_LATE_S = 60.0


class QuestionItem(QWidget):
    """One question, under the name of its conversation."""

    answered = Signal(str, object)
    open_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._key = ""
        self._title, self._when = label("title"), label("small")
        self.open = button("link")
        self.card = ApprovalCard()
        head = across((self._title, 1), self._when, self.open)
        column = Remembering(QBoxLayout.Direction.TopToBottom, self)
        column.setContentsMargins(0, 0, 0, Space.S)
        column.setSpacing(Space.S)
        column.addLayout(head)
        column.addWidget(self.card)
        self.card.answered.connect(self.answered)
        self.open.clicked.connect(lambda: self.open_wanted.emit(self._key))
        spoken(self._words)

    def _words(self) -> None:
        self.open.say(
            _("Open conversation"), _("Open conversation: {title}").format(title=self._title.text())
        )

    def show_question(self, question: Question, title: str) -> None:
        """Show this one."""
        self._key = question.session
        fits = self._title.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, 220)
        self._title.setText(fits)
        at = datetime.fromtimestamp(question.at).astimezone()
        self._when.setText(f"{at:%H:%M}" if question.at else "")
        self.card.show_question(question)
        self._words()

    def take_keyboard(self) -> None:
        """Give it to what leads on, not to an answer."""
        self.open.setFocus()


class NoticeItem(QFrame):
    """`acted` tells what is wanted, of which notice, and a text: the reply, or for how long it snoozes."""

    acted = Signal(str, str, str)

    def __init__(self) -> None:
        super().__init__()
        self.notice = _NOTHING
        self._session_title, self._unfolded = "", False
        self.setProperty("kind", "card")
        self._sign, self._title = Sign("bell", "link", Size.ICON + 2), label("title", wrap=True)
        self._when, self._text, self._remedy = label("small"), label(wrap=True), label("muted", wrap=True)
        self.fold, self._note = button("link"), label("small", wrap=True)
        self.yes, self.no, self.done = button("primary"), button(), button("quiet", "check")
        self.snooze, self.reply = button("quiet", "clock"), button("quiet", "message-square-reply")
        self.open = button("quiet", "message-square")
        self._reply_row, self.field, self.send = QWidget(), QLineEdit(), button("primary")
        self._lay_out()
        self._connect()
        spoken(self._words)

    def _lay_out(self) -> None:
        head = across(
            (self._sign, Qt.AlignmentFlag.AlignTop),
            (self._title, 1),
            (self._when, Qt.AlignmentFlag.AlignTop),
        )
        buttons = across(self.yes, self.no, self.done, self.snooze, self.reply, self.open, None)
        across((self.field, 1), self.send, of=self._reply_row)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column = Remembering(QBoxLayout.Direction.TopToBottom, self)
        column.setContentsMargins(Space.L, Space.M, Space.L, Space.M)
        column.setSpacing(Space.XS)
        column.addLayout(head)
        column.addWidget(self._text)
        column.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._remedy)
        column.addWidget(self._note)
        column.addSpacing(2)
        column.addLayout(buttons)
        column.addWidget(self._reply_row)
        self._reply_row.hide()

    def _connect(self) -> None:
        for made, what in ((self.yes, YES), (self.no, NO), (self.done, DONE), (self.open, VISIT)):
            made.clicked.connect(lambda _on=False, what=what: self._act(what))
        self.snooze.clicked.connect(self._menu)
        self.reply.clicked.connect(self._begin_reply)
        self.fold.clicked.connect(self._fold)
        self.field.returnPressed.connect(self._send)
        self.send.clicked.connect(self._send)

    def show_notice(self, notice: Notice, session_title: str) -> None:
        """Show this one; `session_title`: its conversation's."""
        if (notice, session_title) != (self.notice, self._session_title):
            self.notice, self._session_title = notice, session_title
            self._words()

    def _words(self) -> None:
        for made, words_ in (
            (self.yes, self._yes()),
            (self.no, self._no()),
            (self.done, _("Done")),
            (self.snooze, _("Snooze")),
            (self.reply, _("Reply")),
            (self.open, _("Open")),
            (self.send, _("Send")),
        ):
            made.setText(words_ if made.icon().isNull() else f" {words_}")  # it keeps the sign apart
        if self.notice is _NOTHING:
            return
        title = shown(self._title_of())
        for made in (self.yes, self.no, self.done, self.snooze, self.reply, self.open, self.send):
            made.setAccessibleName(titled(made.text().strip(), title))
        self.open.setToolTip(_("Open conversation: {title}").format(title=self._session_title))
        self.field.setPlaceholderText(_("Reply in the conversation"))
        self.field.setAccessibleName(_("Reply to {title}").format(title=title))
        self._say(title)
        self._arrange()

    def _say(self, title: str) -> None:
        notice, body = self.notice, self.notice.body
        self._sign.show_icon(*_ICONS.get(notice.kind, ("inbox", "link")))
        self._title.setText(title)
        self._sign.level(self._title)
        self._when.setText(f"{datetime.fromtimestamp(notice.at).astimezone():%H:%M}")
        text = _text_of(notice, title)
        folded = _folded(text)
        long = folded != text
        self._text.setText(text if self._unfolded else folded)
        self._text.setVisible(bool(text))
        self.fold.setVisible(long)
        self.fold.setText(_("Show less") if self._unfolded else _("Show all"))
        self.fold.setAccessibleName(titled(self.fold.text(), title))
        for made, told in ((self._remedy, str(body.get("remedy") or "")), (self._note, _note(notice))):
            made.setText(shown(told))
            made.setVisible(bool(told))
        self.setAccessibleName(", ".join(filter(None, (title, text[:_FOLDED], self._note.text()))))

    @property
    def _came(self) -> bool:
        """Whether it came with a backup or an import, and is off."""
        return self.notice.kind == WAITING

    def _yes(self) -> str:
        if self.notice.body.get("again"):
            return _("Send again")
        if self.notice.body.get("stranger"):
            return _("Approve")
        return _("Allow") if self._came else _("Run now")

    def _no(self) -> str:
        if self.notice.body.get("stranger"):
            return _("Deny")
        return _("Keep off") if self._came else _("Skip")

    def _title_of(self) -> str:
        card = self.notice.body.get("card") or {}
        loose = self.notice.body.get("loose") or {}
        if loose.get("name") == self.notice.title and (name := titled(*setting_of(loose))):
            return name
        return self.notice.title or str(card.get("title") or "")

    def _arrange(self) -> None:
        waits = self.notice.state == OPEN
        asks = bool(self.notice.body.get("ask"))
        self.yes.setVisible(waits and (asks or bool(self.notice.body.get("again"))))
        self.no.setVisible(waits and asks)
        self.done.setVisible(waits and not asks)
        self.snooze.setVisible(waits and not self._came)
        self.reply.setVisible(waits and not asks and self.notice.kind != UPDATE)
        self.open.setVisible(bool(self.notice.session))
        self._reply_row.setVisible(waits and not self._reply_row.isHidden())

    def _fold(self) -> None:
        self._unfolded = not self._unfolded
        self._words()

    def _menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for how, words in _SNOOZES.items():
            menu.addAction(_(words), partial(self._act, SNOOZE, how))
        menu.popup(self.snooze.mapToGlobal(QPoint(0, self.snooze.height() + 2)))

    def _begin_reply(self) -> None:
        self._reply_row.show()
        self.field.setFocus()

    def _send(self) -> None:
        if text := self.field.text().strip():
            self._act(REPLY, text)

    def _act(self, what: str, text: str = "") -> None:
        self.acted.emit(what, self.notice.id, text)

    def take_keyboard(self) -> None:
        """Give it to the first thing to do."""
        for made in (self.yes, self.done, self.open, self.fold):
            if not made.isHidden():
                made.setFocus()
                return

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self._reply_row.isHidden():
            self._reply_row.hide()
            self.reply.setFocus()
        else:
            super().keyPressEvent(event)


def _text_of(notice: Notice, title: str) -> str:
    body = notice.body
    card = body.get("card") or {}
    text = (said_of(body) or str(card.get("command") or "")).strip()
    text = shown(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
    return "" if text == title else text


def _folded(text: str) -> str:
    """The beginning of a text, where it is long."""
    lines = text.splitlines()
    short = "\n".join(lines[:_FOLDED_LINES])
    if len(short) > _FOLDED:
        short = short[:_FOLDED].rsplit(" ", 1)[0]
    return short if short == text else f"{short.rstrip()}…"


def _note(notice: Notice) -> str:
    """Whether it was late, when it comes again, or what became of it."""
    body, now = notice.body, Now(time.time())
    if notice.state != OPEN:
        answer = _ANSWERS.get(notice.answer, mark("done"))
        return f"{_(answer)}, {moments.at(notice.settled or notice.at, now)}"
    parts = []
    if body.get("ask") and notice.kind != WAITING:
        parts.append(_("Missed while the computer was off or asleep. Run it now?"))
    if float(body.get("late") or 0) >= _LATE_S and body.get("planned"):
        planned, late = moments.at(body["planned"], now), moments.lateness(body["late"])
        parts.append(_("scheduled {when}, {late}").format(when=planned, late=late))
    if n := int(body.get("missed") or 0):
        parts.append(moments.more_missed(n))
    if notice.due > now.moment:
        parts.append(_("snoozed until {when}").format(when=moments.soon(notice.due, now)))
    return " · ".join(parts)
