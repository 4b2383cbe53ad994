"""Looks for words in the open conversation, goes from match to match, and marks those in sight.

Everything is looked through a few milliseconds at a time, from what is in sight to the end and then back
from there, so that the nearest match is there at once however long the conversation is.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QKeySequence, QShortcut, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QApplication, QTextEdit

from desktop.text import _
from desktop.ui.conversation.cells.cell import Cell
from desktop.ui.conversation.cells.choice import MORE
from desktop.ui.conversation.cells.slot import Slot
from desktop.ui.conversation.matches import matches, pattern, places, searched
from desktop.ui.conversation.search_bar import SearchBar
from desktop.ui.conversation.text.body import Body
from desktop.ui.conversation.text.slices import Slices
from desktop.ui.conversation.transcript import Author
from desktop.ui.conversation.view import ConversationView
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import Space

_MARKED = 300
"""Matches that are marked in one message, beside the one that was gone to."""
_CHOSEN = 100
"""Characters of a selection that may be meant to be looked for."""
_UNDER_THE_BAR = 64
"""Pixels at the top of the conversation that the bar hides."""


class Seeker(QObject):
    """One for a view."""

    left = Signal()
    """The person is done with it."""

    def __init__(self, view: ConversationView, key: str = "") -> None:
        super().__init__(view)
        self._view, self._transcript = view, view.transcript
        self._key = key
        """Which conversation is looked through."""
        # Of a scroll area's children, only those of its viewport are told to assistive technologies.
        self.bar = SearchBar(view.viewport())
        self.bar.typed.connect(self._look_for)
        self.bar.step.connect(self.go)
        self.bar.left.connect(self.leave)
        QShortcut(QKeySequence("F3"), view, lambda: self.go(1))
        QShortcut(QKeySequence("Shift+F3"), view, lambda: self.go(-1))
        self._wanted: re.Pattern[str] | None = None
        self._slices = Slices(self)
        self._known: dict[tuple[str, int], int] = {}
        """How many matches an entry of this id and length has."""
        self._counts: dict[int, int] = {}
        self._order: list[int] = []
        """The entries with matches."""
        self._at: tuple[str, int] | None = None
        """The match that was gone to: its entry, and which one there."""
        self._going = False
        """Whether that one is not in sight yet."""
        self._marked: dict[Body, tuple[object, ...]] = {}
        """What was marked in a text, by what it then was."""
        self._placing = False
        for changed in (self._transcript.reset, self._transcript.added, self._transcript.removed):
            changed.connect(self._again)
        self._transcript.changed.connect(self._changed)
        view.placed.connect(self._placed)
        view.floating = self.bar
        theme().changed.connect(self._mark_anew)

    # ---- what the person does

    def opened(self, key: str) -> None:
        """Another conversation is shown, or this one again."""
        if key != self._key:
            self._key = key
            self.bar.hide()
            self._view.flush()
            self._look_for("")

    def begin(self) -> None:
        """Show the bar, with what is selected in the conversation."""
        body = QApplication.focusWidget()
        chosen = body.textCursor().selectedText() if isinstance(body, Body) else ""
        self.bar.come(chosen if len(chosen) < _CHOSEN and "\u2029" not in chosen else "")
        self._view.flush()  # there is room for the bar now
        self._look_for(self.bar.field.text())

    def leave(self) -> None:
        """Hide the bar, and mark nothing any more."""
        self.bar.hide()
        self._view.flush()
        self._look_for("")
        self.left.emit()

    def go(self, step: int) -> None:
        """To the next match (1) or the one before (-1), round and round."""
        if not self._order:
            return
        entry, nth = self._at or ("", 0)
        index = self._transcript.place(entry) if entry in self._transcript else self._first_in_sight()
        nth += step
        if not 0 <= nth < self._counts.get(index, 0):
            if step > 0:
                place = bisect_right(self._order, index) % len(self._order)
            else:
                place = bisect_left(self._order, index) - 1
            index = self._order[place]
            nth = 0 if step > 0 else self._counts[index] - 1
        self._go_to(index, nth)

    # ---- counting

    def _look_for(self, words: str) -> None:
        self._wanted = pattern(words) if words.strip() and self.bar.isVisible() else None
        self._known.clear()
        self._at = None
        self._again()

    def _changed(self, index: int) -> None:
        if self._wanted is not None and searched(self._transcript.entries[index]):
            self._again()

    def _again(self) -> None:
        """Count anew; what was counted and is still the same is known."""
        self._slices.drop(self)
        self._counts.clear()
        self._order.clear()
        self._going = False
        if self._at is not None and self._at[0] not in self._transcript:
            self._at = None
        self._mark_anew()
        if self._wanted is not None:
            self._slices.add(self, self._count(self._wanted), self._say)
        self._say()

    def _count(self, wanted: re.Pattern[str]) -> Iterator[None]:
        entries = self._transcript.entries
        first = self._first_in_sight()
        for index in (*range(first, len(entries)), *reversed(range(first))):
            entry = entries[index]
            if not searched(entry):
                continue
            name = (entry.id, len(entry.text))
            if name not in self._known:
                found = 0
                for some in matches(entry, wanted):
                    found += some
                    yield
                self._known[name] = found
            if self._known[name]:
                self._counts[index] = self._known[name]
                insort(self._order, index)
                if self._at is None:
                    self._go_to(index, 0)
            yield

    def _first_in_sight(self) -> int:
        seen = (slot for slot in self._view.slots if slot.geometry().bottom() > 0)
        first = next(seen, None)
        known = first is not None and first.entry.id in self._transcript
        return self._transcript.place(first.entry.id) if known and first is not None else 0

    def _say(self) -> None:
        if self._wanted is None:
            self.bar.tell("", some=False)
            return
        count = sum(self._counts.values())
        busy = self._slices.busy(self)
        if not count:
            self.bar.tell(_("Searching…") if busy else _("No matches"), some=False)
            return
        entry, nth = self._at or ("", 0)
        before = bisect_left(self._order, self._transcript.place(entry)) if entry else 0
        number = nth + 1 + sum(self._counts[index] for index in self._order[:before])
        more = "+" if busy else ""
        self.bar.tell(_("{number} of {count}").format(number=number, count=f"{count}{more}"), some=True)

    # ---- going there

    def _go_to(self, index: int, nth: int) -> None:
        entry = self._transcript.entries[index]
        self._at = (entry.id, nth)
        self._going = True
        if self._slot(entry.id) is None:
            self._transcript.seek(entry.id)
        self._placed()
        self._mark_anew()
        self._say()

    def _slot(self, entry_id: str) -> Slot | None:
        return next((slot for slot in self._view.slots if slot.entry.id == entry_id), None)

    def _placed(self) -> None:
        """The cells stand somewhere else, or are others."""
        if self.bar.isVisible():
            self.bar.raise_()  # over cells that are new
        if self._wanted is None or self._placing:
            return
        self._placing = True
        try:
            if self._going:
                self._come_near()
            self._mark()
        finally:
            self._placing = False

    def _come_near(self) -> None:
        assert self._at is not None
        entry_id, nth = self._at
        slot = self._slot(entry_id)
        if slot is None:
            return
        if slot.entry.author is Author.RESULT and not slot.choice.unfolded:
            slot.choice.unfolded = True
            slot.chosen.emit(slot)
        found = self._found(slot)
        while nth >= len(found) and _has_more(slot):
            slot.choice.limit += MORE  # it stands in what is shown with "Show more"
            slot.exact = False  # until that is laid out
            slot.chosen.emit(slot)
            found = self._found(slot)
        if nth >= len(found) and not slot.exact:
            return  # it is being laid out
        self._going = False
        if slot.reader is not None and found:
            self._show(slot.reader, found[min(nth, len(found) - 1)][0])

    def _found(self, slot: Slot) -> list[tuple[int, int]]:
        if slot.reader is None or self._wanted is None:
            return []
        return places(slot.reader.document().toPlainText(), self._wanted)

    def _show(self, body: Body, position: int) -> None:
        cursor = QTextCursor(body.document())
        cursor.setPosition(position)
        rect = body.cursorRect(cursor)
        rect.moveTopLeft(body.viewport().mapTo(self._view.viewport(), rect.topLeft()))
        self._view.into_sight(rect.adjusted(0, -_UNDER_THE_BAR, 0, Space.XXL))

    # ---- marking

    def _mark_anew(self) -> None:
        for body in self._marked:
            body.setExtraSelections([])
        self._marked.clear()
        self._mark()

    def _mark(self) -> None:
        if self._wanted is None:
            return
        for slot in self._view.slots:
            body = slot.reader
            if body is None:
                continue
            here = self._at[1] if self._at is not None and self._at[0] == slot.entry.id else None
            state = (slot.entry.id, body.document().characterCount(), here)
            if self._marked.get(body) != state:
                self._marked[body] = state
                body.setExtraSelections(self._selections(body, here))

    def _selections(self, body: Body, here: int | None) -> list[QTextEdit.ExtraSelection]:
        assert self._wanted is not None
        found = places(body.document().toPlainText(), self._wanted)
        if here is not None:
            here = min(here, len(found) - 1)
        colors = theme().colors
        quiet, strong = QTextCharFormat(), QTextCharFormat()
        soft = QColor(colors.accent)
        soft.setAlphaF(0.25)
        quiet.setBackground(soft)
        strong.setBackground(QColor(colors.accent))
        strong.setForeground(QColor(colors.on_accent))
        made = []
        for number, (start, end) in enumerate(found):
            if number >= _MARKED and number != here:
                continue
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(body.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            selection.cursor = cursor
            selection.format = strong if number == here else quiet
            made.append(selection)
        return made


def _has_more(slot: Slot) -> bool:
    """Whether all that is shown of a message is laid out, and there is more of it."""
    return isinstance(slot, Cell) and slot.exact and len(slot.entry.text) > slot.choice.limit
