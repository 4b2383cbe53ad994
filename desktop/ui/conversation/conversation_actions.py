"""What is done with the open conversation besides talking: words are found in it, it is copied, exported.

What that takes is loaded when it is first wanted.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QMenu

from desktop.text import _, ngettext
from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.view import ConversationView
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.sidebar.library import Library
from desktop.ui.sidebar.row_actions import RowActions
from desktop.ui.sidebar.sidebar import ARCHIVE_KEYS, PIN_KEYS
from desktop.ui.widgets.folders import show_in_folder

if TYPE_CHECKING:
    from desktop.session.export import Format
    from desktop.ui.conversation.seeker import Seeker

type Json = dict[str, Any]

_SUFFIXES: "dict[Format, tuple[str, ...]]" = {
    "markdown": (".md", ".markdown"),
    "html": (".html", ".htm"),
    "json": (".json",),
}
_NAME = 80
"""Characters of a title in the name of a file."""
_unfit = re.compile(r'[\\/:*?"<>|\x00-\x1f\x7f]+')


class ConversationActions(QObject):
    """One for the window."""

    def __init__(
        self,
        actions: Actions,
        reporter: ErrorReporter,
        window: MainWindow,
        view: ConversationView,
        library: Library,
        row_actions: RowActions,
        talk: Controller,
    ) -> None:
        super().__init__(window)
        self._actions, self._reporter = actions, reporter
        self._window, self._view, self._library, self._talk = window, view, library, talk
        self._row_actions = row_actions
        self._seeker: Seeker | None = None
        window.find_wanted.connect(self.find)
        window.copy_wanted.connect(self.copy)
        window.export_wanted.connect(self.export)
        window.header.menu_wanted.connect(self._open_menu)
        view.picked.copied.connect(self._copied)
        talk.opened.connect(self._opened)

    def find(self) -> None:
        """Look for words in the conversation; where there is none, in all others."""
        if not self._talk.key and not self._talk.transcript.entries:
            self._window.to_search()
            return
        if self._seeker is None:
            from desktop.ui.conversation.seeker import Seeker

            self._seeker = Seeker(self._view, self._talk.key)
            self._seeker.left.connect(self._window.composer.setFocus)
        self._seeker.begin()

    def copy(self) -> None:
        """Put the whole conversation on the clipboard."""
        if self._talk.transcript.entries:
            self._view.copy_conversation()
            self._window.toast.say(_("Conversation copied."))

    def _copied(self, count: int) -> None:
        told = ngettext("{n} message copied.", "{n} messages copied.", count)
        self._window.toast.say(told.format(n=count))

    def export(self, kind: "Format | None" = None) -> None:
        """Ask for a file and write the conversation there, as this kind of document or the one that the
        file's name asks for."""
        if not self._talk.key:
            return
        key, title = self._talk.key, self._library.title(self._talk.key)
        names: dict[Format, str] = {"markdown": _("Markdown"), "html": _("Web page"), "json": _("JSON")}
        filters = {
            f"{name} ({' '.join('*' + suffix for suffix in _SUFFIXES[what])})": what
            for what, name in names.items()
            if kind in (None, what)
        }
        suffix = _SUFFIXES[kind or "markdown"][0]
        dialog = QFileDialog(self._window, _("Export conversation"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(filters))
        dialog.setDefaultSuffix(suffix)
        dialog.filterSelected.connect(
            lambda name: dialog.setDefaultSuffix(_SUFFIXES[filters.get(name, kind or "markdown")][0])
        )  # a dialog of the system may have none
        dialog.setDirectory(_documents())
        dialog.selectFile(file_name(title) + suffix)

        def chosen(path: str) -> None:
            what = kind_of(path) or filters.get(dialog.selectedNameFilter(), "markdown")
            self._reporter.run(self._export(key, title, what, path), name="conversation:export")

        dialog.fileSelected.connect(chosen)
        dialog.open()

    async def _export(self, key: str, title: str, kind: "Format", path: str) -> None:
        await self._actions.api.conversations.export(key, path, kind, title=title)
        told = _("Exported to {name}").format(name=Path(path).name)
        self._window.toast.say(told, _("Show in folder"), lambda: show_in_folder(path))

    def _opened(self) -> None:
        self._window.header.menu.setVisible(bool(self._talk.key))
        if self._seeker is not None:
            self._seeker.opened(self._talk.key)

    def _open_menu(self, corner: QPoint) -> None:
        window, library = self._window, self._library
        menu = QMenu(window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        find = menu.addAction(_("Find in conversation"))
        find.setShortcut("Ctrl+F")
        find.triggered.connect(self.find)
        menu.addSeparator()
        copy = menu.addAction(_("Copy as Markdown"))
        copy.setShortcut("Ctrl+Shift+C")
        copy.triggered.connect(self.copy)
        words: dict[Format, str] = {
            "markdown": _("Export as Markdown…"),
            "html": _("Export as a web page…"),
            "json": _("Export as JSON…"),
        }
        for kind, name in words.items():
            menu.addAction(name).triggered.connect(lambda _on=False, kind=kind: self.export(kind))
        if kept := library.kept():
            menu.addSeparator()
            pin = menu.addAction(_("Unpin") if kept.pinned else _("Pin"))
            pin.setShortcut(PIN_KEYS)
            pin.triggered.connect(lambda: self._row_actions.pin())
            aside = menu.addAction(_("Unarchive") if kept.archived else _("Archive"))
            aside.setShortcut(ARCHIVE_KEYS)
            aside.triggered.connect(lambda: self._row_actions.archive())
        menu.popup(corner - QPoint(menu.sizeHint().width(), 0))


def _documents() -> str:
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return found if Path(found).is_dir() else str(Path.home())


def kind_of(path: str) -> "Format | None":
    """The kind of document that a file's name asks for; None where it does not say."""
    suffix = Path(path).suffix.lower()
    return next((kind for kind, known in _SUFFIXES.items() if suffix in known), None)


def file_name(title: str) -> str:
    """A title as the name of a file on any system, without a suffix."""
    return " ".join(_unfit.sub(" ", title).split())[:_NAME].strip(" .") or _("Conversation")
