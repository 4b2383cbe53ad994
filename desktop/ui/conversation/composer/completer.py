"""Completion in the message field: when the list of what can be named comes, and what a choice writes.

It comes while the person types `/` as the first letter, or `$` (skills) or `@` (files) where a word begins.
What there is to choose is read anew each time that it comes; files with every letter.
"""

from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from desktop.errors import AppError
from desktop.ui.actions import Actions
from desktop.ui.conversation.composer.completion import Choice, Wanted, choices, files, matching, wanted
from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.conversation.composer.popup import Popup
from desktop.ui.error_reporter import ErrorReporter

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class Completer(QObject):
    """One for the window; its list is made when it is first wanted."""

    def __init__(
        self, actions: Actions, reporter: ErrorReporter, composer: Composer, session: Callable[[], str]
    ) -> None:
        """`session`: the key of the open conversation, which may work in a folder of its own."""
        super().__init__(composer)
        self._session = session
        self._actions, self._reporter, self._composer = actions, reporter, composer
        self._field = composer.field
        self._every: list[Choice] = []
        self._found: list[Choice] = []
        self._wanted: Wanted | None = None
        self._refused = -1
        """Where the name begins for which the list was closed; it comes again for another."""
        self.popup: Popup | None = None
        self._field.typed.connect(self._typed)
        self._field.cursorPositionChanged.connect(self._moved)
        self._field.installEventFilter(self)
        outer = composer.parentWidget()
        if outer is not None:
            outer.installEventFilter(self)

    @property
    def open(self) -> bool:
        """Whether the list is there."""
        return self.popup is not None and not self.popup.isHidden()

    # ---- when it comes and goes

    def _look(self) -> Wanted | None:
        cursor = self._field.textCursor()
        block = cursor.block()
        if cursor.hasSelection() or block.length() > 10_000:
            return None
        return wanted(block.text()[: cursor.positionInBlock()], first=block.blockNumber() == 0)

    def _typed(self) -> None:
        """A letter came, or went, by the keyboard."""
        found = self._look()
        if found is None:
            self._refused = -1
            self.close()
            return
        begins = self._wanted is None
        self._wanted = found
        if found.begin == self._refused:
            return
        if begins or found.typed.startswith("@"):
            self._reporter.run(self._read(), name="completions")
        if not self.open and not found.typed.startswith("@"):
            self._show()

    def _moved(self) -> None:
        """The cursor is elsewhere: the list goes where it stands at no name any more."""
        found = self._look()
        if found is None:
            self._refused = -1
        if self._wanted is not None and (found is None or found.begin != self._wanted.begin):
            self.close()
        elif self.open:
            self._wanted = found
            self._show()

    async def _read(self) -> None:
        typed = self._wanted.typed if self._wanted else ""
        with suppress(AppError):  # it is a help only: who types the whole name needs none
            if typed.startswith("@"):
                found = await self._actions.api.attachments.find(typed[1:], session=self._session())
                every = files(found)
                if self._wanted is None or self._wanted.typed != typed:
                    return  # another letter came: its files are on their way
            else:
                every = choices(await self._actions.api.turns.completions())
            self._every = every
        if self._wanted is not None and self._wanted.begin != self._refused:
            self._show()

    def _show(self) -> None:
        assert self._wanted
        self._found = matching(self._every, self._wanted.typed)
        if not self._found:
            self._hide()
            return
        if self.popup is None:
            self.popup = Popup(self._composer.window())
            self.popup.pressed.connect(self._choose)
        self.popup.show_choices(self._found)
        self.popup.stand_over(self._composer)

    def _hide(self) -> None:
        if self.popup is not None:
            self.popup.hide()

    def close(self) -> None:
        """Have the list go."""
        self._wanted = None
        self._hide()

    # ---- the keyboard, which the field has

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._field:
            if self.open and self.popup and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
                self.popup.stand_over(self._composer)
        elif event.type() == QEvent.Type.FocusOut:
            self.close()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self.open:
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        """Whether a key is for the list."""
        assert self.popup
        assert self._wanted
        key = Qt.Key(event.key())
        if self._field.composing or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in _STEPS:
            self.popup.step(_STEPS[key])
        elif key == Qt.Key.Key_Escape:
            self._refuse()
        elif key in _ENTER and self._is_whole(self._found[self.popup.chosen]):
            self._refuse()
            return False  # the whole name stands there: it is sent
        elif key in _ENTER or key == Qt.Key.Key_Tab:
            self._choose(self.popup.chosen)
        else:
            return False
        return True

    def _is_whole(self, choice: Choice) -> bool:
        """Whether a choice would write nothing that does not stand there; a file would still go along."""
        return self._wanted is not None and choice.name == self._wanted.typed and not choice.path

    def _refuse(self) -> None:
        assert self._wanted
        self._refused = self._wanted.begin
        self.close()

    def _choose(self, place: int) -> None:
        assert self._wanted
        begin, chosen = self._wanted.begin, self._found[place]
        self._refuse()
        cursor = self._field.textCursor()
        start = cursor.block().position() + begin
        cursor.setPosition(start, cursor.MoveMode.KeepAnchor)
        cursor.insertText(chosen.text)
        self._field.setTextCursor(cursor)
        if chosen.path:
            self._composer.named.emit(chosen.path)
