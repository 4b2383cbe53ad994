"""A conversation with all that belongs to it: what is said, the message field, and what stands over that.

The main window has one and so has the quick chat. The field is there with the window's first picture; the
rest is loaded behind it, by begin().
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from desktop.text import _
from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.notice import Act, Notice

if TYPE_CHECKING:
    from desktop.ui.actions import Actions
    from desktop.ui.conversation.composer.drafts import Drafts
    from desktop.ui.conversation.composer.editing import Editing
    from desktop.ui.conversation.controller import Controller
    from desktop.ui.conversation.view import ConversationView
    from desktop.ui.error_reporter import ErrorReporter
    from desktop.ui.state import StateFile


class ConversationPane(QWidget):
    """One conversation at a time. All that is declared here comes with begin()."""

    talk: "Controller"
    view: "ConversationView"
    drafts: "Drafts"
    editing: "Editing"

    def __init__(self, head: QWidget, *, column: bool) -> None:
        """`head` stands at the top. `column`: the field is as wide as a text is read, in the middle of
        whatever room there is; else it takes all the room."""
        super().__init__()
        self.composer, self.notice, self.stack = Composer(), Notice(), QStackedWidget()
        self._in_column = column
        self._foot = QVBoxLayout()
        self._foot.setContentsMargins(0, 0, 0, 0)
        self._foot.setSpacing(0)
        if not column:
            self._foot.setContentsMargins(Space.M, Space.S, Space.M, Space.S)
            self._foot.setSpacing(Space.S)
        down(head, (self.stack, 1), self._foot, gap=0, of=self)
        for made in (self.notice, self.composer):
            self.place_below(made)

    def place_below(self, made: QWidget) -> None:
        """Put something under all that is there."""
        self._foot.addWidget(self._around(made))

    def place_strip(self, strip: QWidget) -> QWidget:
        """Put something over the message field; returns what is to be hidden when it is."""
        around = self._around(strip)
        self._foot.insertWidget(0, around)
        return around

    def _around(self, made: QWidget) -> QWidget:
        return _column(made) if self._in_column else made

    def begin(
        self,
        actions: "Actions",
        reporter: "ErrorReporter",
        file: "StateFile",
        undoable: Callable[[str, str, Callable[[], object]], object],
        *,
        slot: Callable[[str], str] = str,
    ) -> None:
        """Load what talks. `undoable` says what was done, with the words of a button that takes it back;
        `slot` gives the name under which the draft of a conversation is kept."""
        from desktop.ui.conversation.composer.attachments import Attaching
        from desktop.ui.conversation.composer.completer import Completer
        from desktop.ui.conversation.composer.dictation import Dictation
        from desktop.ui.conversation.composer.drafts import Drafts
        from desktop.ui.conversation.composer.editing import Editing
        from desktop.ui.conversation.composer.reminders import Reminding
        from desktop.ui.conversation.controller import Controller
        from desktop.ui.conversation.foot.activity import Activity
        from desktop.ui.conversation.view import ConversationView

        talk = self.talk = Controller(actions, reporter, self)
        self.view = ConversationView(talk.transcript)
        self.stack.addWidget(self.view)
        self.drafts = Drafts(self.composer, file, talk, slot)
        self.editing = Editing(self.composer, self.drafts, talk, self.place_strip)
        self.activity = Activity(talk, self.place_strip, self.composer)
        self.reminding = Reminding(actions, reporter, self.composer, lambda: talk.key, undoable)
        self.reminding.off = lambda: self.editing.active
        self.reminding.for_agent.connect(self._send)
        self.completer = Completer(actions, reporter, self.composer, lambda: talk.key)
        self.attaching = Attaching(actions, reporter, self.composer, self, lambda: talk.key)
        self.dictation = Dictation(actions, reporter, self.composer, self.place_strip, self)
        self._connect()

    def _connect(self) -> None:
        talk, view = self.talk, self.view
        self.composer.stop_wanted.connect(talk.stop)
        talk.busy_changed.connect(lambda: self.composer.busy(busy=talk.stoppable))
        view.acted.connect(talk.act)
        view.answered.connect(talk.questions.take)
        for look in (talk.calls.look_into, talk.files.look_into):
            view.wanted.connect(look)
        for act in (talk.files.act, talk.revisions.act):
            view.work_wanted.connect(act)

    def tell(
        self, text: str, remedy: str = "", tone: str = "danger", actions: tuple[Act, ...] = ()
    ) -> None:
        """Say over the field what went wrong, until the person has seen it."""
        self.notice.tell(text, remedy, tone=tone, actions=(*actions, (_("Dismiss"), self.notice.hide)))

    def _send(self, text: str) -> None:
        self.notice.hide()
        self.view.to_end()
        self.editing.send(text)


def _column(inner: QWidget) -> QWidget:
    """A widget in the column of the text."""
    inner.setMaximumWidth(Size.COLUMN + 2 * Space.M)
    outer = QWidget()
    row = QHBoxLayout(outer)
    row.setContentsMargins(Space.L, Space.XS, Space.L, Space.XS)
    row.addStretch(1)
    row.addWidget(inner, 100)
    row.addStretch(1)
    return outer
