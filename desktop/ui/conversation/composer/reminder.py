"""The reminder that was understood while the person writes: its moment and text over the message field.

Where the time can mean several things it asks, with a button for each; where it can mean none it says so.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from desktop.text import _
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets import moments
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import Button, button
from desktop.ui.widgets.flow import Flow
from desktop.ui.widgets.labels import Elided, label, tip
from desktop.ui.widgets.moments import Now
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.styled import styled
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.reminders import Reminder, Understood

_SHEET = """
QFrame#reminder { background: $accent_soft; border: none; border-radius: 10px; }
QFrame#reminder QLabel#sign { padding: 0; }
"""


class ReminderChip(QFrame):
    """Shows what was understood."""

    chosen = Signal(object)
    """One of several meanings: the job that is wanted."""
    refused = Signal()
    """Esc on a button of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reminder")
        styled(self, _SHEET)
        self._found: Understood | None = None
        self._now = 0.0
        self.buttons: list[Button] = []
        self._sign = label()
        self._sign.setObjectName("sign")
        self._when, self._text, self._keys = label("title"), Elided("muted"), label("small")
        self._remedy = label("muted", wrap=True)
        self._choices = QWidget()
        self._flow = Flow(self._choices)
        head = across(self._sign, self._when, (self._text, 1), self._keys)
        down(head, self._remedy, self._choices, edges=(Space.M, Space.S, Space.M, Space.S), of=self)
        self.hide()
        spoken(self._words)

    @property
    def reminder(self) -> bool:
        """Whether it shows one that is clear."""
        return self._found is not None and self._found.reminder is not None

    @property
    def asks(self) -> bool:
        """Whether there is something to choose."""
        return bool(self.buttons)

    def tell(self, found: "Understood", now: float) -> None:
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
        found = self._found
        reminder, unclear = (found.reminder, found.unclear) if found is not None else (None, None)
        now = Now(self._now, found.zone if found is not None else "")
        if reminder is not None:
            self._say("alarm-clock", _when(reminder, now), reminder.text, _("Enter to set"))
        elif unclear is not None:
            for choice in unclear.choices:
                self._offer(choice, now)
            self._remedy.setText(unclear.remedy)
            keys = _("Enter to choose") if self.buttons else ""
            self._say("circle-alert", unclear.question, unclear.text, keys)
        self._choices.setVisible(bool(self.buttons))
        self._remedy.setVisible(unclear is not None and not self.buttons)

    def _say(self, sign: str, when: str, text: str, keys: str) -> None:
        self._sign.setPixmap(icon(sign, "link").pixmap(QSize(Size.ICON, Size.ICON)))
        when, text = shown(_capital(when)), " ".join(shown(text).split())
        self._when.setText(when)
        self._text.setText(text)
        self._text.setToolTip(tip(text))
        self._keys.setText(" · ".join(filter(None, (keys, _("Esc to ask the agent")))))
        name = _("Reminder: {when}, {text}").format(when=when, text=text)
        if name != self.accessibleName():
            self.setAccessibleName(name)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, name))

    def _offer(self, choice: "Reminder", now: Now) -> None:
        made = button()
        made.setText(shown(_capital(_when(choice, now))))
        made.setToolTip(tip(choice.sentence))
        made.clicked.connect(lambda: self.chosen.emit(choice.job))
        self.buttons.append(made)
        self._flow.addWidget(made)
        made.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.refused.emit()
        else:
            super().keyPressEvent(event)


def _when(reminder: "Reminder", now: Now) -> str:
    """When it is due: once, with its date; again and again, as a sentence."""
    if not reminder.once or reminder.next is None:
        return _noted(reminder.sentence, reminder)
    face = now.face(reminder.next)
    if (face.date() - now.face(now.moment).date()).days > 1:
        return _noted(moments.date(reminder.next, now), reminder)
    return _noted(f"{moments.at(reminder.next, now)} · {moments.weekday(face)} {face:%Y-%m-%d}", reminder)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _noted(when: str, reminder: "Reminder") -> str:
    note = reminder.note
    return _("{when}, {note}").format(when=when, note=note) if note else when
