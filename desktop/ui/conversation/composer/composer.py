"""Where the person writes: grows with the text, takes files along, sends on Enter, stops an answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QKeySequence, QTextOption
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.config.channels.section import NAMES
from desktop.text import _
from desktop.ui.theme.icons import icon
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.ui.conversation.composer.chips import Chips, Given

_LONGEST = 5_000_000
"""Characters; what is pasted beyond is cut, as it could never be sent."""


class Field(QPlainTextEdit):
    """The text being written."""

    sent = Signal()
    stop_wanted = Signal()
    first_key = Signal()
    """A letter was typed: somebody is about to ask."""
    typed = Signal()
    """The keyboard or an input method wrote or took away something."""
    given = Signal(QMimeData)
    """Files or a picture were dropped or pasted here."""
    earlier_wanted = Signal()
    """The arrow up in an empty field: what was said last is to be written anew."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(4)
        self.composing = False
        """Whether an input method is at a word."""
        self._most = 10 * Size.TEXT
        self.textChanged.connect(self._fit)

    def limit(self, height: int) -> None:
        """How high it may grow, in pixels."""
        self._most = height
        self._fit()

    def _fit(self) -> None:
        lines = max(1, int(self.document().size().height()))
        wanted = lines * self.fontMetrics().lineSpacing() + 2 * 4 + 2
        height = min(max(wanted, Size.CONTROL), self._most)
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded
            if wanted > self._most
            else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        if height != self.height():
            self.setFixedHeight(height)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.composing = bool(event.preeditString())
        self.first_key.emit()
        super().inputMethodEvent(event)
        if event.commitString():
            self.typed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text().isprintable() and event.text():  # Tab only passes through
            self.first_key.emit()
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if enter and (plain or event.modifiers() == Qt.KeyboardModifier.ControlModifier):
            if not self.composing:
                self.sent.emit()
            return
        if event.key() == Qt.Key.Key_Escape:
            self.stop_wanted.emit()
            return
        if event.key() == Qt.Key.Key_Up and plain and self.document().isEmpty():
            self.earlier_wanted.emit()
            return
        if event.matches(QKeySequence.StandardKey.Undo) and not self.document().isUndoAvailable():
            event.ignore()  # the window may have something else to undo
            return
        before = self.document().revision()
        super().keyPressEvent(event)
        if self.document().revision() != before:
            self.typed.emit()

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return takes(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if takes(source):
            self.given.emit(source)
        else:
            super().insertFromMimeData(source)


def takes(source: QMimeData) -> bool:
    """Whether this is files or a picture, and not words: a table copied from a program is both."""
    files = any(url.isLocalFile() for url in source.urls())
    return files or (source.hasImage() and not source.hasText())


class Composer(QFrame):
    """The field with its buttons, and the files that go along."""

    sent = Signal(str)
    stop_wanted = Signal()
    changed = Signal(str)
    """The text as it is now: a draft."""
    first_key = Signal()
    given = Signal(QMimeData)
    named = Signal(str)
    """The path of a file that was named in the text, to go along."""
    files_wanted = Signal()
    screen_wanted = Signal()
    """A picture of the screen is to go along."""
    earlier_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.field = Field()
        self.chips: Chips | None = None
        """Made with the first file."""
        self.reminder: QWidget | None = None
        self.attach = IconButton("paperclip")
        self.dictate = IconButton("mic")
        self.dictate.hide()  # until it is known to be of use
        self._records = False
        self.send = IconButton("arrow-up", "on_accent")
        self.send.setObjectName("send")
        self.stop = IconButton("stop", "text")
        self.stop.setObjectName("stop")
        for made in (self.send, self.stop):
            made.setIconSize(QSize(18, 18))
        buttons = across(self.dictate, self.stop, self.send, gap=Space.XS)
        side = QVBoxLayout()
        side.addStretch()
        side.addLayout(buttons)
        foot = QVBoxLayout()
        foot.addStretch()
        foot.addWidget(self.attach)
        row = across(foot, (self.field, 1), side, gap=Space.XS)
        self._column = down(row, edges=(Space.S, Space.S, Space.S, Space.S), of=self)
        self.setFocusProxy(self.field)
        self.assistant, self._app = "Nanobot", ""
        self.field.sent.connect(self._send)
        self.field.first_key.connect(self.first_key)
        self.field.stop_wanted.connect(self._stop)
        self.field.textChanged.connect(self._text_changed)
        self.field.given.connect(self.given)
        self.field.earlier_wanted.connect(self.earlier_wanted)
        self.attach.clicked.connect(self._attach)
        self.send.clicked.connect(self._send)
        self.stop.clicked.connect(self._stop)
        self.busy(busy=False)
        self._text_changed()
        spoken(self._words)

    def _words(self) -> None:
        self.field.setAccessibleName(_("Message"))
        text = _("Message {name}").format(name=self.assistant)
        if self._app:
            told = _("Message {name}. The answer goes to {app}, too.")
            text = told.format(name=self.assistant, app=self._app.capitalize())
        self.field.setPlaceholderText(text)
        self.send.say(_("Send"), "Enter")
        self.stop.say(_("Stop"), "Esc")
        self.attach.say(_("Attach files"))
        self.dictate.say(_("Stop recording") if self._records else _("Dictate"), "Ctrl+D")

    def keyboard_parts(self) -> list[QWidget]:
        """The field comes before what stands at its left."""
        above = [part for part in (self.chips, self.reminder) if part is not None]
        return [*above, self.field, self.attach, self.dictate, self.stop, self.send]

    def dictates(self, *, records: bool) -> None:
        """Whether it is being spoken into the microphone."""
        self._records = records
        self.dictate.setIcon(icon("stop" if records else "mic", "danger" if records else "muted"))
        self._words()

    def call(self, assistant: str) -> None:
        """What the agent calls itself."""
        self.assistant = assistant
        self._words()

    def belong_to(self, key: str) -> None:
        """The conversation that is open: that of a chat app sends answers there."""
        name = key.partition(":")[0]
        self._app = name if name in NAMES else ""
        self._words()

    def warm(self) -> None:
        """Style and draw the button that is still hidden: its first look takes longer than the next."""
        self.stop.ensurePolished()
        self.stop.grab()

    def busy(self, *, busy: bool) -> None:
        """Whether an answer is on its way, which can be stopped."""
        had_focus = self.stop.hasFocus()
        self.stop.setVisible(busy)
        if had_focus and not busy:
            self.field.setFocus()

    def text(self) -> str:
        return self.field.toPlainText()

    def show_draft(self, text: str) -> None:
        """Put a text into the field, with the cursor at its end."""
        if text != self.text():
            self.field.setPlainText(text)
            cursor = self.field.textCursor()
            cursor.movePosition(cursor.MoveOperation.End)
            self.field.setTextCursor(cursor)

    @property
    def files(self) -> "list[Given]":
        """What goes along."""
        return self.chips.files if self.chips else []

    def show_files(self, files: "Sequence[Given]") -> None:
        """Have these go along instead."""
        if files or self.chips:
            self._chips().fill(files)

    def add_file(self, file: "Given") -> None:
        """Have one more go along."""
        self._chips().add(file)

    def _chips(self) -> "Chips":
        if self.chips is None:
            from desktop.ui.conversation.composer.chips import Chips

            self.chips = Chips()
            self.chips.changed.connect(self._text_changed)
            self._column.insertWidget(0, self.chips)
        return self.chips

    def place_reminder(self, chip: QWidget) -> None:
        """Put what was understood over the field."""
        self.reminder = chip
        self._column.insertWidget(self._column.count() - 1, chip)

    def _attach(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(icon("file-text"), _("Files…"), self.files_wanted.emit)
        menu.addAction(icon("camera"), _("Screenshot"), self.screen_wanted.emit)
        menu.popup(self.attach.mapToGlobal(QPoint(0, -menu.sizeHint().height() - Space.XS)))

    def _text_changed(self) -> None:
        text = self.text()
        self.send.setEnabled(bool(text.strip() or self.files))
        self.changed.emit(text)

    def _send(self) -> None:
        text = self.text()
        if not text.strip():  # a message of files alone is called by their names
            text = ", ".join(file.name for file in self.files)
        if text.strip():
            self.sent.emit(text[:_LONGEST])

    def _stop(self) -> None:
        if self.stop.isVisible():
            self.stop_wanted.emit()
