"""The reminder that was understood while the person writes: its moment and text over the message field.

Where the time can mean several things it asks, with a button for each; where it can mean none it says so.
"""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.conversation.plain import shown
from desktop.ui.panels.tasks import words
from desktop.ui.panels.tasks.words import Now
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.labels import Elided, label, tip
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

type Json = Mapping[str, Any]

_SHEET = """
QFrame#reminder { background: $accent_soft; border: none; border-radius: 10px; }
QFrame#reminder QLabel#sign { padding: 0; }
"""


class ReminderChip(QFrame):
    """Shows what the verb reminder_read replied."""

    chosen = Signal(dict)
    """One of several meanings, as job_add takes it."""
    refused = Signal()
    """Esc on a button of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reminder")
        styled(self, _SHEET)
        self._found: Json = {}
        self._now = 0.0
        self.buttons: list[Button] = []
        self._sign = label()
        self._sign.setObjectName("sign")
        self._when, self._text, self._keys = label("title"), Elided("muted"), label("small")
        self._remedy = label("muted", wrap=True)
        self._choices = QWidget()
        self._flow = Flow(self._choices)
        head = QHBoxLayout()
        head.setSpacing(Space.S)
        head.addWidget(self._sign)
        head.addWidget(self._when)
        head.addWidget(self._text, 1)
        head.addWidget(self._keys)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.M, Space.S, Space.M, Space.S)
        column.setSpacing(Space.S)
        column.addLayout(head)
        column.addWidget(self._remedy)
        column.addWidget(self._choices)
        self.hide()
        spoken(self._words)

    @property
    def reminder(self) -> bool:
        """Whether it shows one that is clear."""
        return "reminder" in self._found

    @property
    def asks(self) -> bool:
        """Whether there is something to choose."""
        return bool(self.buttons)

    def tell(self, found: Json, now: float) -> None:
        """Show what was understood at `now`, Unix seconds."""
        self._found, self._now = found, now
        self._words()
        self.show()

    def take_keyboard(self) -> None:
        """Give it to the first choice."""
        self.buttons[0].setFocus()

    def _words(self) -> None:
        for made in self.buttons:
            self._flow.removeWidget(made)
            made.hide()
            made.deleteLater()
        self.buttons = []
        now = Now(self._now, str(self._found.get("zone") or ""))
        if reminder := self._found.get("reminder"):
            self._say("alarm-clock", _when(reminder, now), str(reminder["text"]), _("Enter sets it"))
        elif unclear := self._found.get("unclear"):
            for choice in unclear["choices"]:
                self._offer(choice, now)
            self._remedy.setText(str(unclear["remedy"]))
            keys = _("Enter chooses") if self.buttons else ""
            self._say("circle-alert", str(unclear["question"]), str(unclear["text"]), keys)
        self._choices.setVisible(bool(self.buttons))
        self._remedy.setVisible("unclear" in self._found and not self.buttons)

    def _say(self, sign: str, when: str, text: str, keys: str) -> None:
        self._sign.setPixmap(icon(sign, "link").pixmap(QSize(Size.ICON, Size.ICON)))
        when, text = shown(_capital(when)), " ".join(shown(text).split())
        self._when.setText(when)
        self._text.setText(text)
        self._text.setToolTip(tip(text))
        self._keys.setText(" · ".join(filter(None, (keys, _("Esc asks the agent")))))
        name = _("Reminder: {when}, {text}").format(when=when, text=text)
        if name != self.accessibleName():
            self.setAccessibleName(name)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, name))

    def _offer(self, choice: Json, now: Now) -> None:
        made = button()
        made.setText(shown(_capital(_when(choice, now))))
        made.setToolTip(tip(str(choice["sentence"])))
        made.clicked.connect(lambda: self.chosen.emit(choice["job"]))
        self.buttons.append(made)
        self._flow.addWidget(made)
        made.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.refused.emit()
        else:
            super().keyPressEvent(event)


def _when(reminder: Json, now: Now) -> str:
    """When it is due: once, with its date; again and again, as a sentence."""
    if not reminder["once"] or reminder["next"] is None:
        return _noted(str(reminder["sentence"]), reminder)
    moment = float(reminder["next"])
    face = now.face(moment)
    if (face.date() - now.face(now.moment).date()).days > 1:
        return _noted(words.date(moment, now), reminder)
    return _noted(f"{words.at(moment, now)} · {words.weekday(face)} {face:%Y-%m-%d}", reminder)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _noted(when: str, reminder: Json) -> str:
    note = str(reminder["note"])
    return _("{when}, {note}").format(when=when, note=note) if note else when
