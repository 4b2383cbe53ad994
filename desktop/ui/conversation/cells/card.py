"""The question about one call: all that will be done, whole, and the answers to it.

It takes the keyboard only from who goes there: a press with the mouse leaves it in the message field.
"""

import re
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from desktop.api.reply import Reply
from desktop.text import _
from desktop.ui.conversation.cells.fields import FormFields
from desktop.ui.conversation.question import Question
from desktop.ui.conversation.step import ORIGINS
from desktop.ui.sidebar.channels import channel_of, title
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.code_field import CodeField
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.sign import Sign
from desktop.ui.widgets.switch import Switch
from desktop.ui.words import spoken

YES_KEYS, NO_KEYS = "Ctrl+Shift+Y", "Ctrl+Shift+N"


class ApprovalCard(QFrame):
    """Shows one question at a time; where it stands decides who hears the answer."""

    answered = Signal(str, object)
    """The question, and a Reply; None to leave it for later."""
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.question: Question | None = None
        self._sign, self._title = Sign("shield", "accent", Size.ICON + 2), label("title", wrap=True)
        self._state = label("small")
        self._warning = label(wrap=True)
        self._strip = _strip(self._warning)
        self.command, self.body = CodeField(), CodeField()
        self.form = FormFields()
        self._facts, self._why = label("muted", wrap=True), label("small", wrap=True)
        self.network, self._network_words = Switch(), label()
        self._network_row = QWidget()
        self.yes, self.always = button("primary"), button()
        self.no, self.later = button(), button("quiet")
        self._meaning = label("small", wrap=True)
        self.reason, self.say_no = QLineEdit(), button()
        self._reason_row = QWidget()
        self._lay_out()
        self._connect()
        spoken(self._words)

    def _lay_out(self) -> None:
        head = across((self._sign, Qt.AlignmentFlag.AlignTop), (self._title, 1), self._state)
        buttons = QHBoxLayout()
        buttons.setSpacing(Space.S)
        for made in (self.yes, self.always, self.no, self.later):
            made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            buttons.addWidget(made)
        buttons.addStretch(1)
        across((self.reason, 1), self.say_no, of=self._reason_row)
        self.network.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        across(self.network, (self._network_words, 1), of=self._network_row)
        column = down(head, edges=(Space.L, Space.M, Space.L, Space.L), of=self)
        for part in (
            self._strip,
            self.command,
            self._facts,
            self.body,
            self.form,
            self._why,
            self._network_row,
        ):
            column.addWidget(part)
        column.addSpacing(Space.XS)
        column.addLayout(buttons)
        column.addWidget(self._meaning)
        column.addWidget(self._reason_row)

    def _connect(self) -> None:
        self.yes.clicked.connect(self.allow)
        self.form.entered.connect(self.allow)
        self.always.clicked.connect(lambda: self.allow(always=True))
        self.no.clicked.connect(self.ask_why)
        self.later.clicked.connect(lambda: self._answer(None))
        self.reason.returnPressed.connect(self._refuse)
        self.say_no.clicked.connect(self._refuse)

    def _words(self) -> None:
        self._network_words.setText(_("With internet access"))
        self.network.setAccessibleName(_("With internet access"))
        self.yes.setToolTip(YES_KEYS)
        self.always.setText(_("Always allow"))
        self.no.setToolTip(NO_KEYS)
        self.reason.setPlaceholderText(_("Why not? The agent will see this."))
        self.reason.setAccessibleName(_("Reason"))
        self.say_no.setText(_("Deny"))
        for part, words in ((self.command, _("Command")), (self.body, _("Text"))):
            part.setAccessibleName(words)
        self.form.say()
        if self.question:
            self._show(self.question)
        else:
            self._name_answers(None)

    def _name_answers(self, form: Mapping[str, Any] | None) -> None:
        """What the buttons say; `form`: what is to be filled in, where it is that."""
        self.no.setText(_("Deny") if form is None else _("No"))
        if form is None:
            self.yes.setText(_("Allow once"))
            self.later.setText(_("Later"))
            self.later.setToolTip(_("The answer continues without it. The question stays in your inbox."))
            return
        plain = _("Send") if form.get("fields") else _("Yes")
        words = {"page": _("Open page"), "rights": _("Sign in")}
        self.yes.setText(words.get(str(form.get("purpose")), plain))
        self.later.setText(_("Not now"))
        self.later.setToolTip(_("The server will be told that nobody answered. You can’t answer later."))

    def show_question(self, question: Question) -> None:
        """Show this one. What was chosen for another is forgotten."""
        if self.question is None or self.question.id != question.id:
            self.network.setChecked(False)
            self.reason.clear()
            self._reason_row.hide()
        if question != self.question:
            self.question = question
            self._show(question)

    def _show(self, question: Question) -> None:
        card = question.card
        self._sign.show_icon("shield", "warning" if card.get("outside") else "success")
        self._title.setText(_text(card, "title"))
        self._sign.level(self._title)
        self._state.setText(_("Not answered yet") if question.parked else "")
        self._warning.setText(_text(card, "marked") or _("This conversation contains untrusted content."))
        self._strip.setAccessibleName(self._warning.text())
        self._strip.setVisible(bool(card.get("outside")))
        for field, name in ((self.command, "command"), (self.body, "body")):
            field.show_text(_text(card, name))
            field.setVisible(bool(card.get(name)))
        _tell(self._facts, "\n".join(_facts(card)))
        _tell(self._why, _text(card, "why"))
        form = card.get("form")
        self._name_answers(form)
        self.form.show_form(question.id, (form or {}).get("fields") or [], question.faults)
        if question.faults:
            self.resized.emit()
        self._network_row.setVisible(bool(card.get("network")))
        meaning = _text(card, "remember")
        self.always.setVisible(bool(meaning))
        self.always.setToolTip(tip(meaning))
        _tell(
            self._meaning,
            _("“Always allow” adds a rule: {meaning}").format(meaning=meaning) if meaning else "",
        )
        self.later.setVisible(not question.parked)
        what = _text(card, "command") or " ".join(map(str, card.get("lines") or ()))
        self.setAccessibleName(
            _("Permission: {title} {what}").format(title=_text(card, "title"), what=what)
        )

    def has_keyboard(self) -> bool:
        """Whether the keyboard is in it."""
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def allow(self, *, always: bool = False) -> None:
        """Say yes, this time or to all like it."""
        if self.question is not None and self.question.card.get("form") is not None:
            self._answer(Reply(True, content=self.form.read()))
        else:
            self._answer(Reply(True, always=always, network=self.network.isChecked()))

    def ask_why(self) -> None:
        """Open the line for a reason; a second press says no without one."""
        if not self._reason_row.isHidden():
            self._refuse()
            return
        self._reason_row.show()
        self.reason.setFocus()
        self.resized.emit()

    def _refuse(self) -> None:
        self._answer(Reply(False, self.reason.text().strip()))

    def _answer(self, reply: Reply | None) -> None:
        if self.question is not None:
            self.answered.emit(self.question.id, reply)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self._reason_row.isHidden():
            self.no.setFocus()
            self._reason_row.hide()
            self.resized.emit()
        else:
            super().keyPressEvent(event)


def _strip(words: QLabel) -> QFrame:
    strip = QFrame()
    strip.setProperty("kind", "notice")
    strip.setProperty("tone", "warning")
    row = QHBoxLayout(strip)
    row.setContentsMargins(Space.M, Space.S, Space.M, Space.S)
    row.addWidget(words)
    return strip


def _text(card: Mapping[str, Any], name: str) -> str:
    return str(card.get(name) or "")


def _tell(made: QLabel, text: str) -> None:
    made.setText(text)
    made.setVisible(bool(text))


def _facts(card: Mapping[str, Any]) -> list[str]:
    """What it touches and where, a line each."""
    command = _bare(_text(card, "command"))
    facts = [str(line) for line in card.get("lines") or () if not command or _bare(str(line)) != command]
    if cwd := _text(card, "cwd"):
        facts.append(_("In {path}").format(path=cwd))
    facts += [f"{name} = {value}" for name, value in dict(card.get("environment") or {}).items()]
    origin = _text(card, "origin")
    if origin and origin != "window":
        if channel_of(origin):
            facts.append(_("Requested in: {place}").format(place=title(origin)))
        elif origin in ORIGINS:
            facts.append(_("Requested in: {place}").format(place=_(ORIGINS[origin])))
        else:
            facts.append(_("Requested by: {who}").format(who=origin))
    return facts


def _bare(text: str) -> str:
    return re.sub(r"[\W_]", "", text)
