"""What is being written: kept while it is typed, given back where it was not stored."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from desktop.ui.conversation.composer.composer import Composer
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.transcript import own_words
from desktop.ui.state import StateFile, Unsent

if TYPE_CHECKING:
    from desktop.ui.conversation.composer.chips import Given

type Json = dict[str, Any]


class Drafts(QObject):
    """Keeps a message field, with its files, and the window's memory in step."""

    def __init__(
        self, composer: Composer, file: StateFile, talk: Controller, slot: Callable[[str], str] = str
    ) -> None:
        """`slot` gives the name under which the draft of a conversation is kept."""
        super().__init__(composer)
        self._composer, self._file, self._talk, self._slot = composer, file, talk, slot
        self._showing = False
        self._aside: str | None = None
        """The conversation in which something else is in the field."""
        self._last: Unsent | None = None
        """What was settled last: it may have been refused."""
        composer.changed.connect(self._draft)
        talk.settled.connect(self._settled)
        talk.refused.connect(self._refused)
        talk.line.taken_back.connect(self._taken_back)
        talk.created.connect(self._created)
        talk.opened.connect(self._opened)

    def send(self, text: str) -> None:
        """Say something in the open conversation; until it is stored it could be a draft again."""
        files = list(self._composer.files)
        self._file.state.unsent.append(Unsent(self._here, text, _lines(files)))
        self._composer.show_draft("")
        self._composer.show_files(())
        self._talk.send(text, [given.path for given in files])

    def say(self, text: str) -> None:
        """Say something that was not written in the field."""
        self._file.state.unsent.append(Unsent(self._here, text))
        self._talk.send(text)

    def set_aside(self, text: str, files: Iterable[str]) -> None:
        """Show something else in the field; what was being written is kept until take_up()."""
        self._aside = self._talk.key
        self._show(text, [{"path": path, "name": PurePath(path).name} for path in files])

    def take_up(self) -> None:
        """Show what was being written in the open conversation."""
        self._aside = None
        state, here = self._file.state, self._here
        self._show(state.drafts.get(here, ""), state.attached.get(here, []))

    @property
    def aside(self) -> bool:
        """Whether something else is in the field."""
        return self._aside is not None

    @property
    def _here(self) -> str:
        return self._slot(self._talk.key)

    def _draft(self, text: str) -> None:
        if self._showing or self.aside:
            return
        state, key = self._file.state, self._here
        if text.strip():
            state.drafts[key] = text
        else:
            state.drafts.pop(key, None)
        if files := self._composer.files:
            state.attached[key] = _lines(files)
        else:
            state.attached.pop(key, None)
        self._file.save()

    def _opened(self) -> None:
        self._composer.belong_to(self._talk.key)
        if self._aside != self._talk.key:  # else the same conversation was read anew
            self.take_up()

    def _show(self, text: str, lines: list[Json]) -> None:
        self._showing = True
        self._composer.show_draft(text)
        if lines or self._composer.files:
            from desktop.ui.conversation.composer.chips import read

            self._composer.show_files(read(lines))
        self._showing = False

    def _created(self, key: str, _text: str) -> None:
        """What was written and attached since, in a conversation that had no key yet."""
        state, before, after = self._file.state, self._slot(""), self._slot(key)
        text, files = state.drafts.pop(before, ""), state.attached.pop(before, [])
        if text or files:
            state.give_back(after, text, files)

    def _settled(self, key: str, text: str) -> None:
        unsent = self._file.state.unsent
        self._last = next((one for one in unsent if (one.key, one.text) == (self._slot(key), text)), None)
        if self._last:
            unsent.remove(self._last)
        self._file.save()

    def _refused(self, key: str, text: str) -> None:
        files = self._last.files if self._last and self._last.text == text else []
        self._give_back(key, text, files)

    def _taken_back(self, key: str, text: str, files: list[str]) -> None:
        lines = [{"path": path, "name": PurePath(path).name} for path in files]
        self._give_back(key, own_words(text, files), lines)
        self._composer.setFocus()

    def _give_back(self, key: str, text: str, files: list[Json]) -> None:
        slot = self._slot(key)
        self._file.state.give_back(slot, text, files)
        if slot == self._here:
            self.take_up()
        self._file.save()


def _lines(files: "Iterable[Given]") -> list[Json]:
    return [asdict(file) for file in files]
