"""Dictating into the message field: the person presses the button and speaks, and the words are there to
be edited.

Nothing but the words is kept; what could not be understood stays in memory until it is discarded.
"""

import base64
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

from desktop.bus.events import SettingsChanged
from desktop.errors import AppError
from desktop.tasks import cancel, in_thread
from desktop.text import _
from desktop.ui.actions import Actions
from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.error_reporter import ErrorReporter

if TYPE_CHECKING:
    import asyncio

    from desktop.ui.conversation.composer.recording_strip import RecordingStrip
    from desktop.ui.system.microphone import Microphone


def _cancel(tasks: "set[asyncio.Task[None]]") -> None:
    """The field is gone: nothing may touch it any more."""
    for task in list(tasks):
        if not task.get_loop().is_closed():
            task.cancel()


class Dictation(QObject):
    """One for a message field."""

    heard = Signal(float)
    """A level, from the microphone's thread."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        composer: Composer,
        place: Callable[[QWidget], QWidget],
        pane: QWidget,
    ) -> None:
        """`place` puts a strip over the message field; what is to be hidden when it is. `pane`: where the
        keys count."""
        super().__init__(composer)
        self._actions, self._reporter, self._composer, self._place = actions, reporter, composer, place
        tasks: set[asyncio.Task[None]] = set()
        self._tasks = tasks
        self.destroyed.connect(lambda: _cancel(tasks))
        self.strip: RecordingStrip | None = None
        self._around: QWidget | None = None
        self._microphone: Microphone | None = None
        self._open: list[Microphone] = []
        self._recording = b""
        self._work: asyncio.Task[None] | None = None
        self._longest = 0.0
        self._end = QTimer(self, singleShot=True)
        self._end.timeout.connect(self.toggle)
        composer.dictate.clicked.connect(self.toggle)
        composer.field.installEventFilter(self)
        self.heard.connect(self._level)
        QShortcut(
            QKeySequence("Ctrl+D"), pane, self.toggle, context=Qt.ShortcutContext.WidgetWithChildrenShortcut
        )
        listening = self._open
        self.destroyed.connect(lambda: [microphone.close() for microphone in listening])
        self.destroyed.connect(actions.bus.on(SettingsChanged, lambda _event: self.look()))

    def look(self) -> None:
        """Whether the button is of use here."""
        self._start(self._look(), "dictation:look")

    async def _look(self) -> None:
        self._composer.dictate.setVisible(await self._actions.api.program.dictates())

    @property
    def state(self) -> str:
        """recording, waiting or failed; empty where nothing goes on."""
        return self.strip.state if self.strip and self._around and not self._around.isHidden() else ""

    def toggle(self) -> None:
        """Begin to record, or have what was said turned into text."""
        if self._composer.dictate.isHidden():
            return
        if self.state == "recording":
            self._run(self._finish())
        elif self.state == "failed":
            self._run(self._understand())
        elif not self.state and not self._busy():
            self._run(self._begin())

    def cancel(self) -> None:
        """Forget what was said."""
        self._start(self._forget(), "dictation:cancel")

    def _busy(self) -> bool:
        return self._work is not None and not self._work.done()

    def _run(self, work: Awaitable[None]) -> None:
        self._work = self._start(work, "dictation")

    def _start(self, work: Awaitable[None], name: str) -> "asyncio.Task[None]":
        task = self._reporter.run(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _begin(self) -> None:
        speech = await self._actions.api.speech.state()
        if not speech.title:
            raise AppError(speech.text, speech.remedy)
        from desktop.ui.system.microphone import Microphone

        microphone = Microphone(self.heard.emit)
        await in_thread(microphone.open)
        self._open[:] = [microphone]
        self._microphone, self._longest = microphone, float(speech.longest)
        self._show("recording")
        self._end.start(speech.longest * 1000)
        self._composer.field.setFocus()

    def _level(self, level: float) -> None:
        if self.strip is None or self._microphone is None:
            return
        self.strip.level.add(level)
        self.strip.tell(self._microphone.seconds, self._longest - self._microphone.seconds)

    async def _finish(self) -> None:
        microphone, self._microphone = self._microphone, None
        self._end.stop()
        if microphone is None:
            return
        self._show("waiting")
        self._recording = await in_thread(microphone.close)
        self._open.clear()
        if microphone.silent:
            self._away()
            raise AppError(_("No speech was heard."), _("Check the microphone, and speak closer to it."))
        await self._understand()

    async def _understand(self) -> None:
        self._show("waiting")
        data = (await in_thread(base64.b64encode, self._recording)).decode()
        try:
            words = (await self._actions.api.speech.words(data)).words
        except AppError:
            self._show("failed")
            raise
        self._away()
        self._put(words)

    def _put(self, words: str) -> None:
        """The words are where the cursor is, parted from what is around them."""
        cursor = self._composer.field.textCursor()
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        text, at = self._composer.text(), cursor.position()
        before = text[at - 1 : at]
        after = text[at : at + 1]
        cursor.insertText(
            (" " if before and not before.isspace() and words[:1].isascii() else "")
            + words
            + (" " if after and not after.isspace() and after.isalnum() else "")
        )
        cursor.endEditBlock()
        self._composer.field.setTextCursor(cursor)
        self._composer.field.setFocus()

    async def _forget(self) -> None:
        work, microphone = self._work, self._microphone
        self._work = self._microphone = None
        self._end.stop()
        self._away()
        await cancel(work)
        if microphone is not None:
            await in_thread(microphone.close)
            self._open.clear()

    def _show(self, state: str) -> None:
        if self.strip is None:
            from desktop.ui.conversation.composer.recording_strip import RecordingStrip

            self.strip = RecordingStrip()
            self.strip.ended.connect(self.toggle)
            self.strip.cancelled.connect(self.cancel)
            self._around = self._place(self.strip)
        if state == "recording":
            self.strip.level.levels.clear()
            self.strip.tell(0, self._longest)
        self.strip.show_state(state)
        if self._around is not None:
            self._around.show()
        self._composer.dictates(records=state == "recording")

    def _away(self) -> None:
        """Nothing goes on any more, and nothing is kept."""
        self._recording = b""
        if self._around is not None:
            focus = QApplication.focusWidget()
            had_focus = focus is not None and self._around.isAncestorOf(focus)
            self._around.hide()
            if had_focus:
                self._composer.field.setFocus()
        self._composer.dictates(records=False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.state and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.cancel()
                return True
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and self.state == "recording" and not event.modifiers():
                self.toggle()
                return True
        return super().eventFilter(watched, event)
